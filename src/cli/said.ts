/**
 * What went wrong, in words for a person. A message may quote a name of a history: what a terminal would obey is not
 * passed on.
 */
export function inWords(error: unknown): string {
  if ((error as NodeJS.ErrnoException | undefined)?.syscall === 'uv_cwd')
    return 'the working directory is there no more; change to another one.';
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/[\p{Cc}\p{Cf}]/gu, control => (control === '\n' ? control : '\ufffd'));
}
