import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writePprof } from '../../src/formats/pprof.ts';
import { compare } from '../../src/profile/diff.ts';
import { differenceProfile } from '../../src/profile/diff-tree.ts';
import type { Profile } from '../../src/profile/profile.ts';
import { MEASURES } from '../../src/trace/measures.ts';
import { bytesOf } from '../support/collect.ts';
import { installed } from '../support/installed.ts';
import { profileOf } from '../support/profiles.ts';

const BEFORE = 'agent:codex;prompt:debug;tool:Bash 600 | agent:codex;prompt:debug 300 | agent:pi;prompt:调试 20';
const AFTER = 'agent:codex;prompt:debug;tool:Bash 650 | agent:codex;prompt:debug 100 | agent:codex;prompt:new 7';

describe.skipIf(!installed('go'))('go tool pprof is the judge (skipped where go is not installed)', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'agentpprof-diff-go-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function file(name: string, profile: Profile): string {
    const path = join(folder, name);
    writeFileSync(path, bytesOf(writePprof, profile));
    return path;
  }

  /** A report without its head, which names files and times. */
  function report(...args: readonly string[]): string[] {
    const text = execFileSync('go', ['tool', 'pprof', '-nodefraction=0', '-edgefraction=0', ...args], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: folder, PPROF_TMPDIR: folder, TZ: 'UTC', GOFLAGS: '-mod=mod' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const lines = text.split('\n');
    return lines.slice(lines.findIndex(line => line.startsWith('Showing nodes')));
  }

  const signedOf = (a: Profile, b: Profile, normalize = false) =>
    differenceProfile(compare({ name: 'A', profile: a }, { name: 'B', profile: b }, { normalize }), []);

  test.each([['-top'], ['-tree']])('%s of the difference is that of two files with -diff_base', kind => {
    const [a, b] = [profileOf(BEFORE), profileOf(AFTER)];
    const expected = report(kind, `-diff_base=${file('a.pb.gz', a)}`, file('b.pb.gz', b));
    const found = report(kind, file('signed.pb.gz', signedOf(a, b)));
    expect(found).toEqual(expected);
    expect(found.join('\n')).toContain('-200');
  });

  test('normalised, it is that of -normalize, to the rounding of a value', () => {
    const scale = (text: string) => text.replace(/ (\d+)/g, (_, n: string) => ` ${Number(n) * 1000}`);
    const [a, b] = [profileOf(scale(BEFORE)), profileOf(scale(AFTER))];
    const rows = (lines: readonly string[]) =>
      new Map(
        lines
          .map(line => line.trim().split(/\s+/))
          .filter(row => row.length === 6 && row[5]!.includes('::'))
          .map(row => [row[5]!, Number(row[0])]),
      );
    const found = rows(report('-top', file('signed.pb.gz', signedOf(a, b, true))));
    const expected = rows(report('-top', '-normalize', `-diff_base=${file('a.pb.gz', a)}`, file('b.pb.gz', b)));
    expect([...found.keys()].sort()).toEqual([...expected.keys()].sort());
    for (const [name, value] of found) expect(Math.abs(value - expected.get(name)!)).toBeLessThanOrEqual(1);
  });

  test('every measure is there, by name', () => {
    const [a, b] = [profileOf('a:x 3', { measure: 'errors' }), profileOf('a:x 8', { measure: 'errors' })];
    const signed = file('signed.pb.gz', signedOf(a, b));
    for (const { name } of MEASURES) {
      const text = report('-top', `-sample_index=${name}`, signed).join('\n');
      expect(text.includes('a::x')).toBe(name === 'errors');
    }
  });
});
