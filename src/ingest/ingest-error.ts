/** Why a path could not be read: the system's code ("ENOENT", "EACCES", "EISDIR" ...) or "EIO" where it gave none. */
export class IngestError extends Error {
  override readonly name = 'IngestError';
  readonly path: string;
  readonly reason: string;

  constructor(path: string, reason: string) {
    super(`cannot read ${path}: ${SENTENCES[reason] ?? reason}`);
    this.path = path;
    this.reason = reason;
  }

  /** The typed form of whatever a file system call threw. */
  static of(path: string, thrown: unknown): IngestError {
    if (thrown instanceof IngestError) return thrown;
    const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
    return new IngestError(path, typeof code === 'string' ? code : 'EIO');
  }
}

const SENTENCES: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a directory, not a file',
  ELOOP: 'too many symbolic links',
  ENAMETOOLONG: 'the name is too long',
  EMFILE: 'too many open files',
  ENFILE: 'too many open files',
  ERANGE: 'it is shorter than it was',
  EIO: 'the device reports an error',
};
