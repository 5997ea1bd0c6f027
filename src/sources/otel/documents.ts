import { closeSync, openSync, readSync } from 'node:fs';

const LOOK = 64 << 10;

/**
 * `.json` is the name of documents, but the collector writes lines under it too. A file whose first line is complete
 * JSON (or is too long to tell) is read as lines, also if it is its only one.
 */
export function isDocument(path: string): boolean {
  if (!/\.json$/i.test(path)) return false;
  try {
    const fd = openSync(path, 'r');
    try {
      const bytes = Buffer.alloc(LOOK);
      const length = readSync(fd, bytes, 0, LOOK, 0);
      // A compressed file is a collector's: lines.
      if (bytes[0] === 0x1f || bytes[0] === 0x28) return false;
      const text = bytes.toString('utf8', 0, length);
      const end = text.indexOf('\n');
      if (end < 0) return false;
      return !isComplete(text.slice(0, end));
    } finally {
      closeSync(fd);
    }
  } catch {
    return true;
  }
}

function isComplete(line: string): boolean {
  try {
    return typeof JSON.parse(line) === 'object';
  } catch {
    return false;
  }
}
