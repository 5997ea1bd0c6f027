import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writePprof } from '../../src/formats/pprof.ts';
import type { Label, Profile } from '../../src/profile/profile.ts';
import { MEASURES } from '../../src/trace/measures.ts';
import { bytesOf } from '../support/collect.ts';
import { installed } from '../support/installed.ts';
import { parseFoldedLine, profileOf, profileOfRows } from '../support/profiles.ts';

const WEEK_ONE = [
  'agent:codex;prompt:debug;tool:Bash 600',
  'agent:codex;prompt:debug;tool:Read 300',
  'agent:codex;prompt:review 80',
  'agent:claude-code;prompt:调试 20',
].join('\n');
const WEEK_TWO = WEEK_ONE.replace('600', '650').replace('300', '100');

describe.skipIf(!installed('go'))('go tool pprof (skipped where go is not installed)', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'agentpprof-go-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs it on a profile, in a home of its own and without any network or object file to look at. */
  function pprof(profile: Profile, flags: readonly string[], base?: Profile): string {
    const file = join(folder, 'profile.pb.gz');
    writeFileSync(file, bytesOf(writePprof, profile));
    const diff: string[] = [];
    if (base !== undefined) {
      const baseFile = join(folder, 'base.pb.gz');
      writeFileSync(baseFile, bytesOf(writePprof, base));
      diff.push(`-diff_base=${baseFile}`);
    }
    return execFileSync('go', ['tool', 'pprof', ...flags, ...diff, file], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: folder, PPROF_TMPDIR: folder, TZ: 'UTC', GOFLAGS: '-mod=mod' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  }

  /** Rows of -top: flat, share, running share, cumulative, share, name. */
  function top(text: string): string[] {
    const rows = text.split('\n').map(line => line.trim().split(/\s+/));
    const start = rows.findIndex(row => row[0] === 'flat');
    return rows
      .slice(start + 1)
      .filter(row => row.length >= 6)
      .map(row => `${row.slice(5).join(' ')} flat ${row[0]} cum ${row[3]}`);
  }

  test('-top shows the measure of the view and sums frames', () => {
    const text = pprof(profileOf(WEEK_ONE), ['-top', '-nodefraction=0']);
    expect(text).toContain('Type: tokens');
    expect(text).toContain('accounting for 1000, 100% of 1000 total');
    expect(top(text)).toEqual([
      'tool::Bash flat 600 cum 600',
      'tool::Read flat 300 cum 300',
      'prompt::review flat 80 cum 80',
      'prompt::调试 flat 20 cum 20',
      'agent::claude-code flat 0 cum 20',
      'agent::codex flat 0 cum 980',
      'prompt::debug flat 0 cum 900',
    ]);
  });

  test('-sample_index chooses any other measure by name', () => {
    const rows = [{ stack: [{ kind: 'a', value: 'x' }], values: MEASURES.map((_, i) => BigInt(i + 1)) }];
    for (const [i, { name, unit }] of MEASURES.entries()) {
      const text = pprof(profileOfRows(rows), ['-top', `-sample_index=${name}`]);
      const said = unit === 'count' ? `${i + 1}` : unit === 'nanoseconds' ? `${i + 1}ns` : `${i + 1}microusd`;
      expect(text).toContain(`accounting for ${said}, 100% of ${said} total`);
    }
  });

  test('what belongs to no frame is shown and counted too', () => {
    const profile = profileOf('tool:Bash 30 | (no frame) 12');
    const text = pprof(profile, ['-top', '-nodefraction=0']);
    expect(text).toContain('accounting for 42, 100% of 42 total');
    expect(top(text)).toEqual(['tool::Bash flat 30 cum 30', '(no frame) flat 12 cum 12']);
    expect(pprof(profile, ['-raw'])).toMatch(/^ +0 +0 .* 12: \d *$/m);
  });

  test('-raw prints every sample, location and comment, and looks for no symbols', () => {
    const text = pprof(profileOf('a:x;b:y 3 | a:x -2', { comments: ['agentpprof 0.1.0'], timeNanos: 10n ** 18n }), [
      '-raw',
    ]);
    expect(text).toContain('Comment: agentpprof 0.1.0');
    expect(text).toContain('tokens/count[dflt]');
    expect(text).toMatch(/^ +0 +0 .* 3: 2 1 *$/m);
    expect(text).toMatch(/^ +0 +0 .* -2: 1 *$/m);
    expect(text).toMatch(/^ +1: 0x0 M=1 a::x a:0/m);
    expect(text).toMatch(/^ +2: 0x0 M=1 b::y b:0/m);
    expect(text).toMatch(/^1: .*\[FN\]\[FL\]\[LN\]\[IN\]/m);
  });

  test('-raw reads a profile of nothing', () => {
    expect(pprof(profileOf(''), ['-raw'])).toContain('operations/count files/count network/count');
  });

  test('-tree shows who stands above and below', () => {
    const text = pprof(profileOf(WEEK_ONE), ['-tree', '-nodefraction=0']);
    expect(text).toMatch(/600 66\.67% \| +tool::Bash/);
  });

  test('a name with angle brackets and one that looks like a template survive every report', () => {
    const value = 'Vec<Map<K>>::push(self)';
    const profile = profileOfRows([{ stack: [{ kind: 'tool', value }], values: MEASURES.map(() => 5n) }]);
    expect(pprof(profile, ['-top'])).toContain('tool::Vec‹Map‹K››::push(self)');
  });

  describe('with labels', () => {
    const labelled = (session: string, turn: number): readonly Label[] => [
      { key: 'session', text: session },
      { key: 'turn', number: turn, unit: 'count' },
      { key: 'waited', number: 1_500_000_000, unit: 'nanoseconds' },
    ];
    const rows = [
      { line: 'a:x;b:y 30', labels: labelled('s1', 1) },
      { line: 'a:x;b:y 10', labels: labelled('s2', 2) },
    ].map(({ line, labels }) => {
      const { stack, value } = parseFoldedLine(line);
      return { stack, labels, values: MEASURES.map(m => (m.name === 'tokens' ? value : 0n)) };
    });
    const profile = profileOfRows(rows);

    test('-tags sums by each label, with units', () => {
      const text = pprof(profile, ['-tags']).replace(/ +/g, ' ');
      expect(text).toContain('session: Total 40.0');
      expect(text).toContain('30.0 (75.00%): s1');
      expect(text).toContain('10.0 (25.00%): s2');
      expect(text).toContain('40.0 ( 100%): 1.50s');
    });

    test('-tagroot puts a label on top of the stacks', () => {
      expect(top(pprof(profile, ['-top', '-tagroot=session']))).toEqual([
        'b::y flat 40 cum 40',
        'a::x flat 0 cum 40',
        's1 flat 0 cum 30',
        's2 flat 0 cum 10',
      ]);
    });

    test('-tagfocus selects by a numeric label', () => {
      expect(pprof(profile, ['-top', '-tagfocus=turn=2'])).toContain('accounting for 10, 25.00% of 40 total');
    });
  });

  test('-files sums by kind', () => {
    expect(top(pprof(profileOf(WEEK_ONE), ['-top', '-files']))).toEqual([
      'tool flat 900 cum 900',
      'prompt flat 100 cum 1000',
      'agent flat 0 cum 1000',
    ]);
  });

  test('-diff_base subtracts frame by frame', () => {
    const text = pprof(profileOf(WEEK_TWO), ['-top', '-nodefraction=0'], profileOf(WEEK_ONE));
    expect(top(text)).toEqual([
      'tool::Read flat -200 cum -200',
      'tool::Bash flat 50 cum 50',
      'agent::codex flat 0 cum -150',
      'prompt::debug flat 0 cum -150',
    ]);
  });

  test('-diff_base against nothing leaves the profile', () => {
    const text = pprof(profileOf(WEEK_ONE), ['-top', '-nodefraction=0'], profileOf(''));
    expect(top(text)).toContain('tool::Bash flat 600 cum 600');
  });

  test('a difference of our own is read with its signs', () => {
    expect(top(pprof(profileOf('a:x;b:y 5 | a:x;b:z -8'), ['-top']))).toEqual([
      'b::z flat -8 cum -8',
      'b::y flat 5 cum 5',
      'a::x flat 0 cum -3',
    ]);
  });

  test('a stack of 3,000 frames is read', () => {
    const path = Array.from({ length: 3000 }, (_, i) => `a:${i}`).join(';');
    expect(pprof(profileOf(`${path} 2`), ['-top', '-nodecount=1'])).toContain('of 2 total');
  });
});
