import { openBytes } from '../../ingest/byte-source.ts';
import { recordAt } from '../../ingest/evidence.ts';
import { IngestError } from '../../ingest/ingest-error.ts';
import { decodeTraces, type Frame, framesOf } from '../../otlp/decode.ts';
import { WireError } from '../../otlp/wire.ts';
import type { FileLedger } from '../ledger.ts';
import type { RecordSink } from '../reader.ts';

/** A file of messages is held in memory whole; a bigger one is refused. */
const MOST_BYTES = 512 << 20;

const LOOK = 4096;
const CHUNK = 1 << 20;

/** True for a file of protobuf messages of traces. Never throws. */
export function isProtobuf(path: string): boolean {
  try {
    return messagesIn(path) !== undefined;
  } catch {
    return false;
  }
}

/** Hands each message of such a file to a sink; false, with nothing done, for any other file. Throws IngestError. */
export function readProtobuf(path: string, ledger: FileLedger, sink: () => RecordSink): boolean {
  const found = messagesIn(path);
  if (found === undefined) return false;
  const { bytes, frames } = found;
  const records = sink();
  ledger.bytes = bytes.length;
  frames.forEach(({ at, length }, i) => {
    if (at + length > bytes.length) {
      ledger.tornTail = true;
      return;
    }
    ledger.lines++;
    try {
      records.record(decodeTraces(bytes.subarray(at, at + length)), at, length);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      ledger.badLines++;
      if (ledger.badLineNumbers.length < 5) ledger.badLineNumbers.push(i + 1);
    }
  });
  records.end();
  return true;
}

/** The record that evidence names, a message as JSON; undefined if it is there no more. */
export function evidenceAt(path: string, offset: number, length: number): unknown {
  try {
    const text = recordAt(path, offset, length);
    if (/^\s*[[{]/.test(text) && isJson(text)) return JSON.parse(text);
    return decodeTraces(bytesOf(path, MOST_BYTES).subarray(offset, offset + length));
  } catch {
    return undefined;
  }
}

function isJson(text: string): boolean {
  try {
    return JSON.parse(text) !== null;
  } catch {
    return false;
  }
}

interface Messages {
  readonly bytes: Buffer;
  readonly frames: readonly Frame[];
}

function messagesIn(path: string): Messages | undefined {
  let isCertain = false;
  try {
    const head = bytesOf(path, LOOK);
    if (isText(head)) return undefined;
    // The tag of the first field is a line feed, and a length may be a brace: such a file may be JSON after all.
    isCertain = !/^[\s[{]/.test(head.toString('latin1'));
    const bytes = bytesOf(path, MOST_BYTES);
    const frames = framesOf(bytes);
    return frames && { bytes, frames };
  } catch (error) {
    if (isCertain) throw error;
    return undefined;
  }
}

/** JSON as programs write it: a brace or bracket, and no line feed behind it. */
function isText(head: Buffer): boolean {
  return head.length < 2 || (/^[[{ \t\r\xef]/.test(head.toString('latin1', 0, 1)) && head[1] !== 0x0a);
}

/** The first bytes of a file, unpacked if they are compressed. */
function bytesOf(path: string, most: number): Buffer {
  const source = openBytes(path, 0);
  try {
    const parts: Buffer[] = [];
    let length = 0;
    while (length < most) {
      const part = Buffer.allocUnsafe(Math.min(CHUNK, most - length));
      const got = source.read(part, 0, part.length);
      if (got === 0) return Buffer.concat(parts);
      parts.push(part.subarray(0, got));
      length += got;
    }
    if (most === MOST_BYTES) throw new IngestError(path, 'EFBIG');
    return Buffer.concat(parts);
  } finally {
    source.close();
  }
}
