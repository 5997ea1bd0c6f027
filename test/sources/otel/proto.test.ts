import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { decodeTraces } from '../../../src/otlp/decode.ts';
import { fileLedger } from '../../../src/sources/ledger.ts';
import { otel } from '../../../src/sources/otel/reader.ts';
import { link } from '../../../src/trace/link.ts';
import { Operations } from '../../../src/trace/operations.ts';
import { Texts } from '../../../src/trace/texts.ts';
import { CORPUS, drawn, everything, readAll, recordsOf } from '../reading.ts';
import { encodeTraces, varint } from './encode.ts';
import { agent, batch, model, tool } from './otlp.ts';

const directory = mkdtempSync(join(tmpdir(), 'otlp-'));
afterAll(() => rmSync(directory, { recursive: true }));

const BATCHES = [
  batch([agent('main', { to: 20, has: { 'gen_ai.input.messages': '[{"role":"user","content":"Grüße"}]' } })], {
    'service.name': 'svc',
  }),
  batch([
    model('a', 300, 7, { parent: 'main', at: 1, events: [{ name: 'x', attributes: [] }] }),
    tool('task', { parent: 'a', at: 2, to: 6, failed: 'timed out' }),
  ]),
] as Record<string, unknown>[];
const MESSAGES = BATCHES.map(encodeTraces);

function written(name: string, bytes: Uint8Array): string {
  const path = join(directory, name);
  writeFileSync(path, bytes);
  return path;
}

function readWhole(path: string) {
  const ops = new Operations(new Texts(['prompt', 'call', 'command', 'result']));
  const ledger = fileLedger(path, 'otel');
  const taken = otel.readWhole?.({ index: 0, path, sibling: () => undefined }, ops, ledger) ?? false;
  return { taken, ops, ledgers: [ledger], links: link(ops) };
}

const fixed = (bytes: Buffer) => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
};
const delimited = (bytes: Buffer) => Buffer.concat([varint(BigInt(bytes.length)), bytes]);
/** Field 1 twice is the same message with both. */
const joined = Buffer.concat(MESSAGES);

describe('a file of messages gives the rows of the same batches in JSON', () => {
  const expected = drawn(readAll(otel, { '/h/x.jsonl': BATCHES }), { times: true, sessions: true });

  test.each<[string, Buffer, number]>([
    ['one message', joined, 1],
    ['gzip', Buffer.from(gzipSync(joined)), 1],
    ['each behind its length, four bytes', Buffer.concat(MESSAGES.map(fixed)), 2],
    ['each behind its length, a varint', Buffer.concat(MESSAGES.map(delimited)), 2],
  ])('%s', (name, bytes, messages) => {
    const path = written(`${name}.pb`, bytes);
    expect(otel.sniffWhole?.(path)).toBe(true);
    const read = readWhole(path);
    expect(read.taken).toBe(true);
    expect(drawn(read, { times: true, sessions: true })).toEqual(expected);
    expect(read.ledgers[0]).toMatchObject({ lines: messages, badLines: 0, tornTail: false });
    const { offset, bytes: length } = read.ops;
    expect(otel.recordAt?.(path, offset.get(1), length.get(1))).toHaveProperty('resourceSpans.0.scopeSpans');
  });

  test('a message that breaks off is a torn tail, what stood before counts', () => {
    const whole = Buffer.concat(MESSAGES.map(fixed));
    const read = readWhole(written('torn.pb', whole.subarray(0, whole.length - 5)));
    expect(read.ledgers[0]).toMatchObject({ lines: 1, tornTail: true });
  });

  test('a message that is broken inside costs itself', () => {
    const broken = Buffer.from(MESSAGES[1] as Buffer).fill(0xff, 10);
    const read = readWhole(written('broken.pb', Buffer.concat([MESSAGES[0] as Buffer, broken].map(fixed))));
    expect(read.ledgers[0]).toMatchObject({ lines: 2, badLines: 1, badLineNumbers: [2] });
  });
});

test.each(['{"resourceSpans":[]}\n', '{\n  "resourceSpans": []\n}', '\n{"a":1}', '[', '', 'text', '\x00\x01\x02'])(
  '%j is no file of messages',
  text => {
    const path = written('other', Buffer.from(text));
    expect(otel.sniffWhole?.(path)).toBe(false);
    expect(readWhole(path).taken).toBe(false);
  },
);

test('evidence of a file of lines is its line', () => {
  const path = written('lines.jsonl', Buffer.from('{"a":1}\n{"b":2}\n'));
  expect(otel.recordAt?.(path, 8, 7)).toEqual({ b: 2 });
  expect(otel.recordAt?.(path, 8, 70)).toBeUndefined();
});

test('a file that is not there is nobody’s', () => {
  expect(otel.sniffWhole?.(join(directory, 'gone'))).toBe(false);
  expect(readWhole(join(directory, 'gone')).taken).toBe(false);
});

test('values of every type, whole numbers of 64 bits with their sign', () => {
  const attributes = [
    { key: 's', value: { stringValue: 'é' } },
    { key: 'b', value: { boolValue: true } },
    { key: 'i', value: { intValue: '-9223372036854775808' } },
    { key: 'd', value: { doubleValue: -0.5 } },
    { key: 'a', value: { arrayValue: { values: [{ stringValue: 'x' }, { intValue: '7' }] } } },
    { key: 'k', value: { kvlistValue: { values: [{ key: 'y', value: { boolValue: false } }] } } },
  ];
  const data = { resourceSpans: [{ resource: { attributes } }] };
  expect(decodeTraces(encodeTraces(data))).toEqual(data);
});

test.skipIf(CORPUS === undefined)('real batches, encoded and decoded, read the same (needs the shared corpus)', () => {
  for (const n of [1, 2, 3, 4]) {
    const path = `${CORPUS}/sessions/misc/kenn-io+agentsview/visualstudio-copilot/redacted/sample-${n}_VSGitHubCopilot_traces.jsonl`;
    const records = recordsOf(path);
    const again = records.map(record => decodeTraces(encodeTraces(record as Record<string, unknown>)));
    expect(everything(readAll(otel, { [path]: again }))).toEqual(everything(readAll(otel, { [path]: records })));
  }
});

test('damaged messages end in rows or in nothing, never in a throw', () => {
  const whole = Buffer.concat(MESSAGES.map(fixed));
  const property = fc.property(fc.nat(whole.length - 1), fc.nat(255), fc.nat(whole.length), (at, byte, length) => {
    const damaged = Buffer.from(whole.subarray(0, length));
    if (at < length) damaged[at] = byte;
    const path = written('damaged.pb', damaged);
    expect(() => readWhole(path)).not.toThrow();
  });
  fc.assert(property, { numRuns: 50 });
});
