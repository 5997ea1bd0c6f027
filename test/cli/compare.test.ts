import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentpprof, scratch } from './program.ts';

const SAMPLE = ['--home', resolve(import.meta.dirname, '../../sample/home')];
const MONTHS = [...SAMPLE, '--a-until', '2026-10-31', '--b-since', '2026-11-01'];
const place = scratch('compare');
const at = (name: string) => join(place.path, name);
const json = (...args: string[]) => JSON.parse(agentpprof([...args, '--json']).out);

beforeAll(() => {
  mkdirSync(at('empty'));
  writeFileSync(at('before.folded'), 'agent:a;tool:Bash 600\nagent:a;tool:Read 300\nagent:b 20\n');
  writeFileSync(at('after.folded'), 'agent:a;tool:Bash 900\nagent:a;tool:读取 40\n');
  const labels = json('sessions', ...SAMPLE, '--limit', '0').rows.map(
    ({ name }: { name: string }, i: number) =>
      `${name},outcome,${i % 3 === 0 ? 'failed' : 'success'}\n${name},round,r${i % 8}\n`,
  );
  writeFileSync(at('labels.csv'), `session,field,value\n${labels.join('')}`);
});
afterAll(() => place.remove());

describe('diff', () => {
  test('two selections: the change of each measure is that of two profiles', () => {
    const found = json('diff', ...MONTHS);
    const totals = [
      ['--until', '2026-10-31'],
      ['--since', '2026-11-01'],
    ].map(flags => json('profile', ...SAMPLE, ...flags).totals);
    expect(found.change).toEqual(
      Object.fromEntries(Object.keys(found.change).map(name => [name, totals[1]![name] - totals[0]![name]])),
    );
    expect([found.a.name, found.a.sessions, found.b.name, found.intervals.over]).toEqual([
      'until 2026-10-31',
      19,
      'since 2026-11-01',
      'sessions',
    ]);
  });

  test('a side that is not narrowed is all the rest', () => {
    const found = json('diff', ...SAMPLE, '--b-since', '2026-11-01');
    expect([found.a.name, found.a.totals]).toEqual(['all others', json('diff', ...MONTHS).a.totals]);
  });

  test('the files of two profiles, whatever their format', () => {
    for (const name of ['pb.gz', 'pb', 'json']) {
      agentpprof(['-q', ...SAMPLE, '--until', '2026-10-31', '-o', at(`a.${name}`)]);
      agentpprof(['-q', ...SAMPLE, '--since', '2026-11-01', '-o', at(`b.${name}`)]);
      const found = json('diff', at(`a.${name}`), at(`b.${name}`));
      expect([name, found.a.name, found.change]).toEqual([name, 'a', json('diff', ...MONTHS).change]);
    }
  });

  test('bare profiles: no interval, and that is said', () => {
    const ran = agentpprof(['diff', at('before.folded'), at('after.folded')]);
    expect([ran.code, ran.err]).toEqual([0, '']);
    expect(ran.out).toContain('B (after) has 20 more tokens than A (before): 920 to 940 (+2.2 %).');
    expect(ran.out).toContain('No interval is possible: before does not tell its sessions apart.');
  });

  test('groups of a label, paired by another one', () => {
    const found = json(
      'diff',
      ...SAMPLE,
      '--labels',
      at('labels.csv'),
      '--by',
      'outcome',
      '--pair',
      'round',
      '--view',
      'cost',
    );
    expect([found.a.name, found.b.name, found.measure, found.paired.field, found.intervals.over]).toEqual([
      'outcome failed',
      'outcome success',
      'cost',
      'round',
      'tasks',
    ]);
  });

  test.each(['html', 'svg', 'pb.gz', 'pb', 'folded', 'json', 'txt'])('-o d.%s has the same bytes again', extension => {
    const bytes = ['one', 'two'].map(name => {
      const ran = agentpprof(['diff', ...MONTHS, '-o', at(`${name}.${extension}`)]);
      expect([ran.code, ran.err]).toEqual([0, expect.stringContaining('-658 k tokens · -4.5 %')]);
      return readFileSync(at(`${name}.${extension}`));
    });
    expect(bytes[0]!.equals(bytes[1]!)).toBe(true);
  });

  test('intervals do not depend on the key of the pseudonyms', () => {
    const key = (digit: string) =>
      agentpprof(['diff', ...MONTHS], { env: { AGENTPPROF_ID_KEY: digit.repeat(64) } }).out;
    expect(key('1')).toBe(key('e'));
  });

  test('what is on both sides is counted', () => {
    const ran = agentpprof(['diff', ...SAMPLE, '--a-agent', 'codex', '--b-since', '2026-11-01']);
    expect(ran.err).toMatch(/on both sides: \d+ operations/);
  });

  test.each([
    ['nothing to compare', [], /say what to compare/],
    ['one file too few', [() => at('before.folded'), '--a-since', '7d'], /side A is a file/],
    [
      'a selection of files',
      [() => at('before.folded'), () => at('after.folded'), '--b-since', '7d'],
      /both sides are files/,
    ],
    ['a field that is not there', [...SAMPLE, '--by', 'outcom'], /--by: there is no field "outcom"/],
    ['too many groups', [...SAMPLE, '--by', 'model'], /--by: model has 5 values: .*--a VALUE --b VALUE/],
    [
      'a value that is not there',
      [...SAMPLE, '--by', 'agent', '--a', 'x'],
      /--a: "x" is no value of agent.*claude-code, codex/,
    ],
    ['values without a field', [...SAMPLE, '--a', 'x'], /--by FIELD/],
    ['a format that has no differences', [...MONTHS, '-o', () => at('x.speedscope.json')], /-o: speedscope/],
    ['an unknown ending', [...MONTHS, '-o', () => at('x.png')], /-o: no format/],
    ['a time of a side that is none', [...SAMPLE, '--b-since', 'someday'], /--b-since/],
    ['noise that is no percentage', [...MONTHS, '--noise', 'x'], /--noise/],
    [
      'a file that is no profile',
      [() => at('labels.csv'), () => at('after.folded')],
      /labels.csv: read as folded stacks: line 1/,
    ],
    [
      'a pairing without labels',
      [() => at('before.folded'), () => at('after.folded'), '--pair', 'task'],
      /--pair: .*has no label "task"/,
    ],
    ['a measure that is not there', [...MONTHS, '--measure', 'joy'], /--measure: no measure "joy"/],
  ] as [string, (string | (() => string))[], RegExp][])('%s is wrong usage', (_, args, message) => {
    const ran = agentpprof(['diff', ...args.map(arg => (typeof arg === 'string' ? arg : arg()))]);
    expect([ran.code, ran.err]).toEqual([2, expect.stringMatching(message)]);
  });

  test('empty selections are no failure and no blank', () => {
    const ran = agentpprof(['diff', '--home', at('empty'), '--b-since', '7d']);
    expect([ran.code, ran.out]).toEqual([0, expect.stringContaining('Nothing was selected on either side')]);
  });
});

describe('top, tree and peek', () => {
  test('top is the table that pprof prints', () => {
    const ran = agentpprof(['top', at('before.folded')]);
    expect(ran.out).toBe(
      [
        'Type: tokens (count), tokens view',
        'Showing frames accounting for 920, 100.00% of 920 tokens',
        'flat   flat%     sum%  cum    cum%  frame',
        ' 600  65.22%   65.22%  600  65.22%  tool:Bash',
        ' 300  32.61%   97.83%  300  32.61%  tool:Read',
        '  20   2.17%  100.00%   20   2.17%  agent:b',
        '   0   0.00%  100.00%  900  97.83%  agent:a',
        '',
      ].join('\n'),
    );
  });

  test('tree indents, cuts what is small and counts it', () => {
    const ran = agentpprof(['tree', at('before.folded'), '--nodefraction', '0.1']);
    expect(ran.out.split('\n').slice(2)).toEqual([
      'cum     cum%  flat  frame',
      '920  100.00%        all',
      '900   97.83%          agent:a',
      '600   65.22%   600      tool:Bash',
      '300   32.61%   300      tool:Read',
      ' 20    2.17%          (1 smaller)',
      '',
    ]);
  });

  test('peek shows who is above and below, CJK names in their columns', () => {
    const ran = agentpprof(['peek', 'agent:a', at('after.folded')]);
    expect(ran.out.split('\n').slice(2)).toEqual([
      'flat  flat%  cum     cum%  calls   calls% │ callers, frame, callees',
      '──────────────────────────────────────────┼──────────────────────────────',
      '                             940  100.00% │   (no caller)',
      '   0  0.00%  940  100.00%                 │ agent:a',
      '                             900   95.74% │   tool:Bash',
      '                              40    4.26% │   tool:读取',
      '──────────────────────────────────────────┼──────────────────────────────',
      '',
    ]);
  });

  test('take selections and stacks like profile, and a sort, a limit and a measure', () => {
    const found = json(
      'top',
      ...SAMPLE,
      '--where',
      'agent=codex',
      '--stack',
      'tool',
      '--measure',
      'operations',
      '--sort',
      'name',
      '--limit',
      '2',
    );
    const whole = json('profile', ...SAMPLE, '--where', 'agent=codex').totals;
    expect([found.schema, found.total, found.rows.length]).toEqual(['agentpprof.top/1', whole.operations, 2]);
  });

  test('the flats of all frames are the total, and the tree holds all of it', () => {
    const sum = (rows: { flat: number }[]) => rows.reduce((all, row) => all + row.flat, 0);
    for (const view of ['tokens', 'cost', 'files']) {
      const top = json('top', ...SAMPLE, '--view', view, '--limit', '0');
      const tree = json('tree', ...SAMPLE, '--view', view, '--nodefraction', '0');
      expect([view, sum(top.rows), sum(tree.rows), tree.rows[0].cum]).toEqual([view, top.total, top.total, top.total]);
    }
  });

  test.each([
    [['top', '--limit', '-1'], /--limit/],
    [['top', '--sort', 'size'], /--sort: "size" is no column/],
    [['tree', '--nodefraction', '2'], /--nodefraction/],
    [['peek', '(', ...SAMPLE], /peek: cannot use the pattern/],
    [['peek', 'nobody', ...SAMPLE], /peek: no frame matches "nobody"/],
    [['top', 'nowhere.pb.gz'], /cannot read nowhere.pb.gz: ENOENT/],
  ])('%j is wrong usage', (args, message) => {
    const ran = agentpprof(args);
    expect([ran.code, ran.err]).toEqual([2, expect.stringMatching(message)]);
  });

  test.each([['top'], ['tree'], ['peek', '.']])('%s of nothing is a sentence', (...args) => {
    const ran = agentpprof([...args, '--home', at('empty')]);
    expect([ran.code, ran.out]).toEqual([0, 'Nothing was selected, so there is nothing to show.\n']);
  });
});
