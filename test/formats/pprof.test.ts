import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { Profile as Decoded, type StringTable } from 'pprof-format';
import { describe, expect, test } from 'vitest';
import { GzipSink } from '../../src/formats/gzip.ts';
import { NO_FRAME, pprofName } from '../../src/formats/names.ts';
import { writePprof, writePprofRaw } from '../../src/formats/pprof.ts';
import { LabelColumns } from '../../src/profile/label-columns.ts';
import type { Profile } from '../../src/profile/profile.ts';
import { stackOf } from '../../src/profile/tree.ts';
import { bytesOf } from '../support/collect.ts';
import { profileOf, profileOfRows } from '../support/profiles.ts';
import { randomProfile } from './random-profile.ts';

const decode = (profile: Profile) => Decoded.decode(bytesOf(writePprofRaw, profile));
const textOfId = (table: StringTable, id: number | bigint) => table.strings[Number(id)]!;

/** What a decoder that shares no code with the writer reads: stacks leaf first, values, labels. */
function readSamples(decoded: Decoded) {
  const text = (id: number | bigint) => textOfId(decoded.stringTable, id);
  const functions = new Map(decoded.function.map(f => [Number(f.id), text(f.name)]));
  const locations = new Map(decoded.location.map(l => [Number(l.id), functions.get(Number(l.line[0]!.functionId))!]));
  return decoded.sample.map(sample => ({
    stack: sample.locationId.map(id => locations.get(Number(id))),
    values: sample.value.map(value => BigInt.asIntN(64, BigInt(value))),
    labels: sample.label.map(label =>
      Number(label.str) !== 0
        ? [text(label.key), text(label.str)]
        : [text(label.key), BigInt.asIntN(64, BigInt(label.num)), text(label.numUnit)],
    ),
  }));
}

function expectedSamples(profile: Profile) {
  return Array.from({ length: profile.samples.length }, (_, i) => ({
    stack:
      profile.samples.node[i] === 0
        ? [NO_FRAME]
        : stackOf(profile, profile.samples.node[i]!)
            .map(frame => pprofName(profile.frames[frame]!))
            .reverse(),
    values: profile.samples.values.map(column => column[i]!),
    labels: profile.labelSets
      .at(profile.samples.labels[i]!)!
      .map(label => ('text' in label ? [label.key, label.text] : [label.key, BigInt(label.number), label.unit])),
  }));
}

function sameBytes(profile: Profile): void {
  const bytes = (kernel: boolean) => {
    const chunks: Uint8Array[] = [];
    writePprofRaw(profile, chunk => chunks.push(chunk), { kernel });
    return Buffer.concat(chunks);
  };
  const [made, plain] = [bytes(true), bytes(false)];
  expect(made.equals(plain)).toBe(true);
}

describe('a pprof file', () => {
  test.each([
    ['profile', false],
    ['difference', true],
  ])('of any %s decodes to the same stacks, values and labels', (_, signed) => {
    fc.assert(
      fc.property(randomProfile(signed), profile => {
        expect(readSamples(decode(profile))).toEqual(expectedSamples(profile));
      }),
    );
  });

  test.each([
    ['profile', false],
    ['difference', true],
  ])('of any %s has the same bytes whether samples are encoded in WebAssembly or in plain JavaScript', (_, signed) => {
    fc.assert(fc.property(randomProfile(signed), sameBytes));
  });

  test('has the same bytes whether label sets are arrays or columns', () => {
    const words = fc.constantFrom('', 'a', 'b', 'label', 'session');
    const columns = fc.array(fc.record({ key: words, texts: fc.array(words) }), { maxLength: 4 });
    const ranks = fc.infiniteStream(fc.nat());
    fc.assert(
      fc.property(randomProfile(false), columns, ranks, (profile, given, numbers) => {
        const { length } = profile.labelSets;
        const rankBelow = (below: number) => (numbers.next().value as number) % below;
        const labelSets = new LabelColumns(
          length,
          given.map(({ key, texts }) => ({
            key,
            texts: ['', ...texts],
            ranks: Uint32Array.from({ length }, () => rankBelow(texts.length + 1)),
          })),
        );
        const arrays = bytesOf(writePprofRaw, { ...profile, labelSets: [...labelSets] });
        expect(bytesOf(writePprofRaw, { ...profile, labelSets })).toEqual(arrays);
      }),
    );
  });

  test('has the same bytes where it takes many blocks, and where one sample is longer than the room of a chunk', () => {
    const stack = Array.from({ length: 300_000 }, (_, at) => ({ kind: 'call', value: `f${at % 40_000}` }));
    const row = (at: number) => ({
      stack: stack.slice(0, 1 + (at % 7)),
      values: Array.from({ length: 12 }, (_, m) => BigInt(at * m) * 2n ** BigInt(m * 3)),
      labels: [{ key: 'session', text: `s${at}` }],
    });
    const rows = Array.from({ length: 9_000 }, (_, at) => row(at));
    sameBytes(profileOfRows([...rows, { ...row(1), stack }]));
  });

  test('carries all measures as sample types in their order, and opens with the measure of the view', () => {
    const profile = profileOf('a:x 3', { measure: 'cost' });
    const decoded = decode(profile);
    const text = (id: number | bigint) => textOfId(decoded.stringTable, id);
    expect(decoded.sampleType.map(t => `${text(t.type)}/${text(t.unit)}`)).toEqual(
      profile.measures.map(m => `${m.name}/${m.unit}`),
    );
    expect(text(decoded.defaultSampleType)).toBe('cost');
  });

  test('keeps times and comments', () => {
    const decoded = decode(
      profileOf('a:x 3', {
        comments: ['agentpprof 0.1.0', '时区'],
        timeNanos: 1_764_400_000_123_456_789n,
        durationNanos: 7n,
      }),
    );
    expect(decoded.comment.map(id => textOfId(decoded.stringTable, id))).toEqual(['agentpprof 0.1.0', '时区']);
    expect([BigInt(decoded.timeNanos), BigInt(decoded.durationNanos)]).toEqual([1_764_400_000_123_456_789n, 7n]);
  });

  test('refers only to ids that exist, all from 1, and to one mapping that needs no symbols', () => {
    const decoded = decode(profileOf('a:x;b:y 3 | a:x;c:z 4'));
    expect(
      decoded.mapping.map(m => [m.id, m.hasFunctions, m.hasFilenames, m.hasLineNumbers, m.hasInlineFrames]),
    ).toEqual([[1, true, true, true, true]]);
    expect(decoded.location.map(l => [l.id, l.mappingId, l.line[0]!.functionId])).toEqual([
      [1, 1, 1],
      [2, 1, 2],
      [3, 1, 3],
    ]);
    expect(decoded.function.map(f => [f.id, f.systemName])).toEqual([
      [1, 0],
      [2, 0],
      [3, 0],
    ]);
    expect(decoded.sample.map(s => s.locationId)).toEqual([
      [2, 1],
      [3, 1],
    ]);
  });

  test.each([
    [
      'replaces only what pprof would cut out of a name',
      'Vec<Map<K, V>>::push(self)',
      'tool::Vec‹Map‹K, V››::push(self)',
    ],
    ['keeps case and script', '调试 Login', 'tool::调试 Login'],
    ['holds a name in one line of a report', 'a\nb\tc', 'tool::a b c'],
    ['takes a name of the language for a plain name', '__proto__', 'tool::__proto__'],
  ])('%s', (_, value, expected) => {
    const decoded = decode(profileOfRows([{ stack: [{ kind: 'tool', value }], values: Array(12).fill(1n) }]));
    expect(textOfId(decoded.stringTable, decoded.function[0]!.name)).toBe(expected);
  });

  test('of nothing is valid: sample types and a string table that starts with the empty string', () => {
    const decoded = decode(profileOf(''));
    expect([decoded.sample.length, decoded.sampleType.length, decoded.stringTable.strings[0]]).toEqual([0, 12, '']);
  });

  test('has no time in its gzip header, and equal profiles give equal bytes', () => {
    const profile = profileOf('a:x;b:y 3');
    const bytes = bytesOf(writePprof, profile);
    expect(bytes.subarray(0, 10).toString('hex')).toBe('1f8b08000000000004ff');
    expect(bytesOf(writePprof, profile).equals(bytes)).toBe(true);
    expect(gunzipSync(bytes).equals(bytesOf(writePprofRaw, profile))).toBe(true);
  });

  test('is one gzip member however many pieces it was made of', () => {
    const chunks: Uint8Array[] = [];
    const gzip = new GzipSink(chunk => chunks.push(chunk as Uint8Array), 1);
    const parts = Array.from({ length: 50 }, (_, i) => Buffer.from(`part ${i} `.repeat(i * 40)));
    for (const part of parts) gzip.add(part);
    gzip.end();
    const member = Buffer.concat(chunks);
    expect(gunzipSync(member).equals(Buffer.concat(parts))).toBe(true);
    // The checksum and the length of the whole stand at the end once.
    expect(member.readUInt32LE(member.length - 4)).toBe(Buffer.concat(parts).length);
  });

  test('larger than a chunk arrives whole, in chunks that stay as they were', () => {
    const rows = Array.from({ length: 9_000 }, (_, i) => ({
      stack: [{ kind: 'tool', value: `${'long '.repeat(20)}${i}` }],
      values: Array.from({ length: 12 }, (_, m) => BigInt(i * 1000 + m)),
    }));
    const profile = profileOfRows(rows);
    const chunks: Uint8Array[] = [];
    const copies: Buffer[] = [];
    writePprofRaw(profile, chunk => {
      chunks.push(chunk);
      copies.push(Buffer.from(chunk));
    });
    expect(chunks.length).toBeGreaterThan(1);
    expect(chunks.every((chunk, i) => copies[i]!.equals(chunk))).toBe(true);
    const decoded = readSamples(Decoded.decode(Buffer.concat(copies)));
    expect(decoded).toEqual(expectedSamples(profile));
  });

  test('keeps the bytes it had', async () => {
    const profile = profileOf('agent:codex;prompt:调试;tool:Bash 5 | agent:codex;prompt:调试 -7 | 9', {
      comments: ['agentpprof 0.1.0'],
      timeNanos: 1_764_400_000_000_000_000n,
      durationNanos: 3_600_000_000_000n,
    });
    const hex = bytesOf(writePprofRaw, profile).toString('hex');
    await expect(hex.replace(/(.{64})/g, '$1\n')).toMatchFileSnapshot('../golden/formats/small.pb.hex');
  });
});
