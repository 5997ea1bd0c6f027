import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { decompress } from 'fzstd';
import { afterAll, describe, expect, test } from 'vitest';
import { evidenceOf } from '../../src/sources/evidence.ts';
import type { Whereabouts } from '../../src/sources/reader.ts';
import { READERS, readerOf } from '../../src/sources/registry.ts';
import { WHEREABOUTS, whereaboutsWith } from '../../src/sources/whereabouts.ts';
import { Kind } from '../../src/trace/kinds.ts';
import { CORPUS } from './reading.ts';
import { directoriesOfAll, madeSamples, readDirectories } from './samples-of-all.ts';

/** What every reader must do, on every file there is. */
const made = madeSamples();
afterAll(() => made.remove());
const { ops, ledgers, discovery, files } = (() => {
  const read = readDirectories(directoriesOfAll(made.path));
  return { ...read, files: read.discovery.files };
})();

const bytesOf = (path: string): Buffer => {
  const bytes = readFileSync(path);
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return gunzipSync(bytes);
  return bytes.readUInt32LE(0) === 0xfd2fb528 ? Buffer.from(decompress(bytes)) : bytes;
};

/** Lines, and how many of them are no JSON; the last, if it lacks its end, apart. */
function linesOf(path: string): { lines: number; broken: number; torn: boolean } {
  const text = bytesOf(path)
    .toString('utf8')
    .replace(/^\ufeff/, '');
  const all = text.split('\n');
  const tail = all.pop() as string;
  const isJson = (line: string) => {
    try {
      JSON.parse(line);
      return true;
    } catch {
      return false;
    }
  };
  const torn = tail.trim() !== '' && !isJson(tail);
  if (tail.trim() !== '' && !torn) all.push(tail);
  return { lines: all.length, broken: all.filter(line => line.trim() !== '' && !isJson(line)).length, torn };
}

describe('whereabouts, with which files are looked for,', () => {
  const told = ({ agent, version, variant }: Whereabouts) => [agent, version, variant];

  test('are those of the readers, in their order', () => {
    expect(WHEREABOUTS.map(each => [each.agent, each.version, each.identity])).toEqual(
      READERS.map(each => [each.agent, each.version, each.identity]),
    );
  });

  test.each([
    ['usual settings', WHEREABOUTS],
    ['settings of their own', whereaboutsWith({ sessionGap: 60_000_000 })],
  ])('with %s lead to a reader of the same version and settings, always the same one', (_, all) => {
    expect(all.map(each => told(readerOf(each)))).toEqual(all.map(told));
    for (const each of all) expect(readerOf(each)).toBe(readerOf(each));
  });
});

describe('every file of every agent', () => {
  test.skipIf(CORPUS === undefined)('there is a sample for every reader', () => {
    const read = new Set(files.map(file => file.reader.agent));
    expect(READERS.map(reader => reader.agent).filter(agent => !read.has(agent))).toEqual([]);
  });

  test('is read without a problem', () => {
    expect(discovery.problems).toEqual([]);
  });

  test('has a ledger that accounts for each of its lines', () => {
    const wrong: string[] = [];
    files.forEach(({ path, reader: whose }, at) => {
      const reader = readerOf(whose);
      if (reader.isDocument?.(path) || reader.recordAt?.(path, 0, 1) !== undefined || /\.(db|pb)$/.test(path)) return;
      const { lines, broken, torn } = linesOf(path);
      const ledger = ledgers[at];
      if (ledger?.lines !== lines || (ledger?.badLines ?? 0) < broken || ledger?.tornTail !== torn)
        wrong.push(
          `${path}: ${ledger?.lines} of ${lines} lines, ${ledger?.badLines} of ${broken} bad, torn ${ledger?.tornTail} ${torn}`,
        );
    });
    expect(wrong).toEqual([]);
  });

  test('gives each of its operations evidence that resolves to a record', () => {
    const wrong = new Set<string>();
    const seen = new Map<string, string>();
    for (let row = 0; row < ops.length; row++) {
      const file = files[ops.file.get(row)];
      if (file === undefined) continue;
      const [offset, bytes] = [ops.offset.get(row), ops.bytes.get(row)];
      const place = `${file.path} ${offset} ${bytes}`;
      let text = seen.get(place);
      try {
        if (text === undefined) {
          text = evidenceOf(file, offset, bytes);
          JSON.parse(text);
          seen.set(place, text.length > 100_000 ? '' : text);
        }
      } catch (error) {
        wrong.add(`${file.reader.agent} ${file.path} at ${offset}, ${bytes} bytes: ${error}`);
        continue;
      }
      // A tool call's evidence is the record that asked for it.
      const tool = ops.field.tool.get(row);
      if (text !== '' && ops.kind.get(row) === Kind.tool && file.reader.agent === 'claude-code' && !text.includes(tool))
        wrong.add(`${place}: says nothing of ${tool}`);
    }
    expect([...wrong].slice(0, 20)).toEqual([]);
  });
});
