import { recordAt } from '../ingest/evidence.ts';
import { IngestError } from '../ingest/ingest-error.ts';
import type { FoundFile } from './find.ts';
import { readerOf } from './registry.ts';

/**
 * The text of the record that is the evidence of an operation: the bytes as they lie in the file (unpacked), or, where
 * the file is no text, the row or message as JSON. Throws IngestError where it cannot be read or is there no more.
 */
export function evidenceOf({ path, reader: whose }: FoundFile, offset: number, bytes: number): string {
  const reader = readerOf(whose);
  if (reader.recordAt === undefined) return recordAt(path, offset, bytes);
  const record = reader.recordAt(path, offset, bytes);
  if (record === undefined) throw new IngestError(path, 'the record is there no more');
  return JSON.stringify(record);
}
