import { openBytes } from './byte-source.ts';
import { IngestError } from './ingest-error.ts';

/**
 * The text of one byte range (as `OnRecord` gave it) of a plain or compressed file. Throws IngestError where the
 * path cannot be read, with reason ERANGE where the file has become shorter than the range.
 */
export function recordAt(path: string, offset: number, bytes: number): string {
  const source = openBytes(path, offset);
  try {
    const text = Buffer.alloc(bytes);
    let length = 0;
    while (length < bytes) {
      const got = source.read(text, length, bytes - length);
      if (got === 0) throw new IngestError(path, 'ERANGE');
      length += got;
    }
    return text.toString('utf8');
  } finally {
    source.close();
  }
}
