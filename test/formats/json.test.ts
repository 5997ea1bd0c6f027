import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { writeJson } from '../../src/formats/json.ts';
import { stackOf } from '../../src/profile/tree.ts';
import { textOf } from '../support/collect.ts';
import { profileOf, profileOfRows } from '../support/profiles.ts';
import { randomProfile, sums } from './random-profile.ts';

const EVIDENCE = { session: 's1', file: 0, offset: 120, bytes: 80 };

describe('a JSON profile', () => {
  test('is the object that its description shows, key by key', async () => {
    const profile = profileOfRows(
      [
        {
          stack: [
            { kind: 'agent', value: 'codex' },
            { kind: 'prompt', value: '调试' },
          ],
          values: [1n, 12n],
          labels: [
            { key: 'session', text: 's1' },
            { key: 'turn', number: 3, unit: 'count' },
          ],
          evidence: [EVIDENCE],
        },
        { stack: [], values: [0n, 2n ** 53n] },
      ],
      {
        measures: [
          { name: 'operations', unit: 'count' },
          { name: 'tokens', unit: 'count' },
        ],
        comments: ['agentpprof 0.1.0'],
        timeNanos: 1_764_400_000_000_000_000n,
        durationNanos: 3_600_000_000_000n,
      },
    );
    await expect(textOf(writeJson, profile)).toMatchFileSnapshot('../golden/formats/small.json');
  });

  test('of nothing has empty lists and zero totals', () => {
    const { frames, samples, totals, label_sets, time_nanos } = JSON.parse(textOf(writeJson, profileOf('')));
    expect({ frames, samples, label_sets, time_nanos }).toEqual({
      frames: [],
      samples: [],
      label_sets: [[]],
      time_nanos: 0,
    });
    expect(totals.tokens).toBe(0);
  });

  test.each([
    [2n ** 53n - 1n, '9007199254740991'],
    [2n ** 53n, '"9007199254740992"'],
    [1n - 2n ** 53n, '-9007199254740991'],
    [-(2n ** 53n), '"-9007199254740992"'],
  ])('writes %d as %s: a number only while it is exact as a double', (value, expected) => {
    const profile = profileOf(`a:x ${value}`, { measures: [{ name: 'tokens', unit: 'count' }] });
    expect(textOf(writeJson, profile)).toContain(`"values":[${expected}]`);
  });

  test('leaves evidence out where the profile has none', () => {
    expect(textOf(writeJson, profileOf('a:x 1'))).not.toContain('evidence');
  });

  test.each([
    ['profile', false],
    ['difference', true],
  ])('of any %s reads back to the same frames, stacks, values, labels and evidence', (_, signed) => {
    fc.assert(
      fc.property(randomProfile(signed), profile => {
        const read = JSON.parse(textOf(writeJson, profile));
        expect(read.schema).toBe('agentpprof.profile/1');
        expect(read.frames).toEqual(profile.frames);
        expect(read.label_sets).toEqual([...profile.labelSets]);
        expect(read.comments).toEqual(profile.comments);
        expect(BigInt(read.time_nanos)).toBe(profile.timeNanos);
        const { samples } = profile;
        for (const [i, sample] of read.samples.entries()) {
          expect(sample.stack).toEqual(stackOf(profile, samples.node[i]!));
          expect(sample.labels).toBe(samples.labels[i]);
          expect(sample.values.map(BigInt)).toEqual(samples.values.map(column => column[i]!));
          const evidence = samples.evidence?.slice(samples.evidenceFirst![i]!, samples.evidenceFirst![i + 1]!);
          expect(sample.evidence).toEqual(evidence);
        }
        const totals = Object.entries(read.totals).map(([name, total]) => [name, BigInt(total as number | string)]);
        expect(Object.fromEntries(totals)).toEqual(sums(profile));
      }),
    );
  });
});
