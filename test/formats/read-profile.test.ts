import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { Function as Called, Line, Location, Profile as Peer, Sample, StringTable, ValueType } from 'pprof-format';
import { describe, expect, test } from 'vitest';
import { writeFolded } from '../../src/formats/folded.ts';
import { writeJson } from '../../src/formats/json.ts';
import { pprofName } from '../../src/formats/names.ts';
import { writePprof, writePprofRaw } from '../../src/formats/pprof.ts';
import { ProfileFileError, readProfile } from '../../src/formats/read-profile.ts';
import type { Profile } from '../../src/profile/profile.ts';
import { stackOf } from '../../src/profile/tree.ts';
import { bytesOf, textOf } from '../support/collect.ts';
import { drawn } from '../support/folding.ts';
import { profileOf } from '../support/profiles.ts';
import { randomProfile } from './random-profile.ts';

const read = (text: string, measure = 'tokens') => readProfile(Buffer.from(text), measure);

/** Every sample as text, in any order: stack, labels, values. `name` says how the format writes a frame. */
function samples(profile: Profile, name: (frame: { kind: string; value: string }) => string): string[] {
  const sums = new Map<string, bigint[]>();
  for (let i = 0; i < profile.samples.length; i++) {
    const stack = stackOf(profile, profile.samples.node[i]!).map(frame => name(profile.frames[frame]!));
    const labels = profile.labelSets
      .at(profile.samples.labels[i]!)!
      .filter(label => !('text' in label) || label.text !== '');
    const key = JSON.stringify([stack, labels]);
    const known = sums.get(key) ?? profile.measures.map(() => 0n);
    sums.set(
      key,
      known.map((value, m) => value + profile.samples.values[m]![i]!),
    );
  }
  return [...sums].map(([key, values]) => `${key} ${values}`).sort();
}

describe('what a format wrote is read back', () => {
  test('JSON, whole', () => {
    fc.assert(
      fc.property(randomProfile(true), profile => {
        const back = read(textOf(writeJson, profile));
        const exact = (frame: { kind: string; value: string }) => JSON.stringify([frame.kind, frame.value]);
        expect(samples(back, exact)).toEqual(samples(profile, exact));
        expect([back.view, back.measure, back.comments, back.timeNanos, back.durationNanos]).toEqual([
          profile.view,
          profile.measure,
          profile.comments,
          profile.timeNanos,
          profile.durationNanos,
        ]);
      }),
    );
  });

  test.each([
    ['pprof', writePprof],
    ['pprof without gzip', writePprofRaw as typeof writePprof],
  ])('%s, but for the signs that its names may not hold', (_, write) => {
    fc.assert(
      fc.property(randomProfile(true), profile => {
        const back = readProfile(bytesOf(write, profile), 'tokens');
        expect(samples(back, pprofName)).toEqual(samples(profile, pprofName));
        expect([back.measure, back.timeNanos, back.durationNanos]).toEqual([
          profile.measure,
          profile.timeNanos,
          profile.durationNanos,
        ]);
      }),
    );
  });

  test('folded stacks', () => {
    const profile = profileOf('agent:codex;prompt:调试 👩‍👩‍👧;file:a b.ts 12 | agent:pi 3 | (no frame) 7');
    expect(drawn(read(textOf(writeFolded, profile)))).toEqual(drawn(profile));
  });
});

test('a pprof is read as pprof-format reads it', () => {
  fc.assert(
    fc.property(randomProfile(true), profile => {
      const bytes = bytesOf(writePprofRaw as typeof writePprof, profile);
      const peer = Peer.decode(bytes);
      const back = readProfile(bytes, 'tokens');
      const sum = (m: number) =>
        peer.sample.reduce((all, sample) => all + BigInt.asIntN(64, BigInt(sample.value[m]!)), 0n);
      back.measures.forEach(({ name }, m) => {
        expect(peer.stringTable.strings[Number(peer.sampleType[m]!.type)]).toBe(name);
        expect(back.samples.values[m]!.reduce((all, value) => all + value, 0n)).toBe(sum(m));
      });
    }),
  );
});

describe('profiles of other programs', () => {
  test('folded stacks of functions', () => {
    const text = '# by perf\nmain;std::vec<int>::push;C:\\x 5\r\n\nmain 2\n';
    expect(drawn(read(text))).toEqual(['function:main 2', 'function:main;function:std::vec<int>::push;C:\\x 5']);
  });

  test('a pprof with inlined functions, without function names, with its default and with bytes', () => {
    const stringTable = new StringTable();
    const id = (text: string) => stringTable.dedup(text);
    const made = new Peer({
      stringTable,
      sampleType: [
        new ValueType({ type: id('alloc'), unit: id('bytes') }),
        new ValueType({ type: id('cpu'), unit: id('nanoseconds') }),
      ],
      sample: [new Sample({ locationId: [2, 1], value: [64, 9], label: [] })],
      location: [
        new Location({ id: 1, line: [new Line({ functionId: 2 }), new Line({ functionId: 1 })] }),
        new Location({ id: 2, address: 255, line: [] }),
      ],
      function: [
        new Called({ id: 1, name: id('outer'), filename: id('file.go') }),
        new Called({ id: 2, name: id('inner'), filename: id('file.go') }),
      ],
      defaultSampleType: id('alloc'),
    });
    const back = readProfile(gzipSync(made.encode()), 'tokens');
    expect(back.measures).toEqual([
      { name: 'alloc', unit: 'count' },
      { name: 'cpu', unit: 'nanoseconds' },
    ]);
    expect(drawn(back)).toEqual(['function:outer;function:inner;function:0xff 64']);
  });
});

describe('a file that is no profile is refused with the place', () => {
  test.each([
    ['{"schema":"agentpprof.diff/1"}', /agentpprof JSON: its schema is "agentpprof.diff\/1"/],
    ['{"schema":', /agentpprof JSON: is not JSON/],
    ['a:x 3\na:y\n', /folded stacks: line 2: "a:y" does not end in a space and an integer/],
    ['a:x 3 4\n', /line 1: two numbers follow the stack: this is a difference/],
    ['a:x 3.5\n', /line 1/],
  ])('%j', (text, message) => {
    expect(() => read(text)).toThrow(message);
  });

  test.each([
    ['measures[0].unit', { measures: [{ name: 'tokens', unit: 'bytes' }] }],
    ['frames[0].value', { frames: [{ kind: 'a' }] }],
    ['samples[0].stack names frame 7', { samples: [{ stack: [7], labels: 0, values: [1] }] }],
    ['samples[0].labels', { samples: [{ stack: [0], labels: 4, values: [1] }] }],
    ['samples[0].values[0] is not an integer', { samples: [{ stack: [0], labels: 0, values: [1.5] }] }],
    ['samples[0] has 2 values', { samples: [{ stack: [0], labels: 0, values: [1, 2] }] }],
    ['measure is "x"', { measure: 'x' }],
  ])('JSON with a wrong %s', (message, wrong) => {
    const right = {
      schema: 'agentpprof.profile/1',
      view: 'v',
      measure: 'tokens',
      measures: [{ name: 'tokens', unit: 'count' }],
      time_nanos: 0,
      duration_nanos: 0,
      comments: [],
      frames: [{ kind: 'a', value: 'x' }],
      label_sets: [[]],
      samples: [{ stack: [0], labels: 0, values: [1] }],
    };
    expect(drawn(read(JSON.stringify(right)))).toEqual(['a:x 1']);
    expect(() => read(JSON.stringify({ ...right, ...wrong }))).toThrow(message);
  });

  test('a cut or changed pprof is a profile or an error with a reason, never a crash', () => {
    const whole = gunzipSync(bytesOf(writePprof, profileOf('a:x;b:y 300 | a:z 5')));
    fc.assert(
      fc.property(fc.nat(whole.length), fc.nat(whole.length - 1), fc.nat(255), (length, at, byte) => {
        const bytes = Uint8Array.from(whole.subarray(0, length));
        if (at < length) bytes[at] = byte;
        try {
          readProfile(bytes, 'tokens');
        } catch (error) {
          expect(error).toBeInstanceOf(ProfileFileError);
        }
      }),
    );
  });

  test('a broken gzip says so', () => {
    const bytes = bytesOf(writePprof, profileOf('a:x 3'));
    expect(() => readProfile(bytes.subarray(0, 20), 'tokens')).toThrow(/gzip is broken/);
  });

  test('nothing at all is an empty profile', () => {
    expect(read('').samples.length).toBe(0);
  });
});
