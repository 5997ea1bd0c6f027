import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { writeSpeedscope } from '../../src/formats/speedscope.ts';
import { textOf } from '../support/collect.ts';
import { profileOf } from '../support/profiles.ts';
import { randomProfile } from './random-profile.ts';

interface SampledProfile {
  type: string;
  name: string;
  unit: string;
  startValue: number;
  endValue: number;
  samples: number[][];
  weights: number[];
}

interface File {
  $schema: string;
  activeProfileIndex: number;
  shared: { frames: { name: string }[] };
  profiles: SampledProfile[];
}

const read = (text: string): File => JSON.parse(text);

describe('a speedscope file', () => {
  test('keeps the bytes it had', async () => {
    const profile = profileOf('agent:codex;prompt:调试;tool:Bash 5 | agent:codex;prompt:调试 7 | 9');
    await expect(textOf(writeSpeedscope, profile)).toMatchFileSnapshot('../golden/formats/small.speedscope.json');
  });

  test.each([
    ['time', 'nanoseconds'],
    ['tokens', 'none'],
    ['cost', 'none'],
  ])('shows %s in the unit %s', (measure, unit) => {
    const { profiles } = read(textOf(writeSpeedscope, profileOf('a:x 3', { measure })));
    expect(profiles.map(p => [p.name, p.unit, p.endValue])).toEqual([[measure, unit, 3]]);
  });

  test('opens with the measure of the view, and keeps it even where it is zero', () => {
    const { profiles, activeProfileIndex } = read(
      textOf(writeSpeedscope, { ...profileOf('a:x 3'), measure: 'errors' }),
    );
    expect(profiles.map(p => p.name)).toEqual(['errors', 'tokens']);
    expect(profiles[activeProfileIndex]!.name).toBe('errors');
  });

  test('parts a difference into what grew and what shrank, since the format has no negative weights', () => {
    const { profiles, shared } = read(textOf(writeSpeedscope, profileOf('a:x 3 | a:y -4 | a:z 2')));
    expect(profiles.map(p => [p.name, p.samples, p.weights])).toEqual([
      ['tokens (more)', [[0], [2]], [3, 2]],
      ['tokens (less)', [[1]], [4]],
    ]);
    expect(shared.frames.map(frame => frame.name)).toEqual(['a:x', 'a:y', 'a:z']);
  });

  test.each([
    ['profile', false],
    ['difference', true],
  ])('of any %s keeps the rules of its schema and the sum of each measure', (_, signed) => {
    fc.assert(
      fc.property(randomProfile(signed), profile => {
        // Digits are kept as text here: a double would hide a lost unit.
        const text = textOf(writeSpeedscope, profile);
        const file = read(
          text.replace(/"(weights)":\[([\d,]*)\]/g, (_all, key, list) => `"${key}":[${list.replace(/\d+/g, '"$&"')}]`),
        );
        expect(file.$schema).toBe('https://www.speedscope.app/file-format-schema.json');
        expect(file.profiles[file.activeProfileIndex]!.name.replace(/ \(.*/, '')).toBe(profile.measure);
        const totals = new Map<string, bigint>();
        for (const part of file.profiles) {
          expect(part.samples.length).toBe(part.weights.length);
          expect(part.samples.flat().every(frame => frame < file.shared.frames.length)).toBe(true);
          const weights = part.weights.map(BigInt);
          expect(weights.every(weight => weight > 0n)).toBe(true);
          const sum = weights.reduce((a, b) => a + b, 0n);
          const name = part.name.replace(/ \(.*/, '');
          totals.set(name, (totals.get(name) ?? 0n) + (part.name.endsWith('(less)') ? -sum : sum));
        }
        profile.measures.forEach(({ name }, m) => {
          expect(totals.get(name) ?? 0n).toBe(profile.samples.values[m]!.reduce((a, b) => a + b, 0n));
        });
      }),
    );
  });
});
