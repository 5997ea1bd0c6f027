import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentpprof, scratch } from './program.ts';

const place = scratch('tags');
const at = (name: string) => join(place.path, name);
const PROMPTS = [
  ...['zorbl the frobnicator', 'zorbl it again with care', 'why does the login fail?', 'write a unit test'],
  ...['quux 的配色换掉', 'quux 配色不对劲儿', '/home/alice/secret zorbl'],
];
const run = (args: readonly string[]) => agentpprof(['tags', ...args], { home: at('me') });
const json = (args: readonly string[]) => JSON.parse(run([...args, '--json']).out);
let input: string[];

beforeAll(() => {
  mkdirSync(at('me'));
  const rows = PROMPTS.flatMap((text, n) => [
    { value: 1, fields: { session: `s${n}`, id: `p${n}`, kind: 'prompt', text } },
    { measures: { tokens: 100 }, fields: { session: `s${n}`, parent: `p${n}`, kind: 'call' } },
  ]);
  writeFileSync(at('ops.jsonl'), `${rows.map(row => JSON.stringify(row)).join('\n')}\n`);
  mkdirSync(at('empty'));
  input = ['--home', at('empty'), '--operation-file', at('ops.jsonl')];
});
afterAll(() => place.remove());

describe('the loop from an untagged history to rules', () => {
  test('status tells coverage by prompts and tokens, and shows no prompt unasked', () => {
    const facts = json(['status', ...input]);
    expect(facts).toMatchObject({
      schema: 'agentpprof.tags-status/1',
      prompts: 7,
      tokens: 700,
      min_coverage: null,
      enough: true,
    });
    expect(facts.coverage.tokens).toBeCloseTo(facts.tagged / 7);
    expect(facts.tags.reduce((sum: number, each: { prompts: number }) => sum + each.prompts, 0)).toBe(7);
    const { out } = run(['status', ...input]);
    expect(out).toMatch(/^tagged [\d.]+ % of 7 prompts/);
    expect(out).not.toContain('frobnicator the');
    expect(run(['status', ...input, '--include-previews']).out).not.toContain('alice');
  });

  test('--min-coverage is for CI: 1 below, 0 at it', () => {
    const below = run(['status', ...input, '--min-coverage', '95']);
    expect([below.code, below.err]).toEqual([1, expect.stringContaining('is below 95 %')]);
    expect(run(['status', ...input, '--min-coverage', '10']).code).toBe(0);
    expect(run(['status', ...input, '--min-coverage', 'x']).code).toBe(2);
  });

  test('suggest counts a group as status does, and tells apart what its words take', () => {
    writeFileSync(at('none.yaml'), 'version: 1\nrules: []\n');
    const bare = [...input, '--tag-rules', at('none.yaml')];
    const { unmatched } = json(['status', ...bare]) as {
      unmatched: { group: string; prompts: number; tokens: number }[];
    };
    const { rules } = json(['suggest', ...bare]) as { rules: { tag: string; prompts: number; group: object }[] };
    const { out } = run(['suggest', ...bare]);
    expect(rules.length).toBeGreaterThan(0);
    for (const { tag, prompts, group } of rules) {
      const { group: _, ...counts } = unmatched.find(each => each.group === tag) ?? { group: '' };
      expect(group).toEqual(counts);
      expect(out).toMatch(new RegExp(`^${tag}: ${(counts as { prompts: number }).prompts} prompts?, `, 'm'));
      expect(out).toMatch(new RegExp(`^  they take ${prompts} prompts?, `, 'm'));
    }
  });

  test('a rule file that is called .json is JSON, and is read like one of YAML', () => {
    expect(run(['init', ...input, '-o', at('rules.json'), '--min-prompts', '1']).code).toBe(0);
    const { version, rules } = JSON.parse(readFileSync(at('rules.json'), 'utf8'));
    expect([version, rules.length]).toEqual([1, expect.any(Number)]);
    expect(json(['test', at('rules.json'), ...input]).rules).toBe(rules.length);
  });

  test('suggest proposes rules that take what they say, test accepts them, and coverage rises', () => {
    const before = json(['status', ...input]);
    const { rules } = json(['suggest', ...input]);
    expect(rules.flatMap((rule: { words: string[] }) => rule.words)).toContain('zorbl');
    expect(run(['suggest', ...input, '-o', at('rules.yaml')]).code).toBe(0);
    expect(readFileSync(at('rules.yaml'), 'utf8')).not.toContain('secret');
    const checked = json(['test', at('rules.yaml'), ...input]);
    expect(checked).toMatchObject({ schema: 'agentpprof.tags-test/1', ok: true });
    const after = json(['status', ...input, '--tag-rules', at('rules.yaml'), '--preset']);
    expect(after.tagged).toBeGreaterThan(before.tagged);
    const taken = checked.uses.reduce((sum: number, { takes }: { takes: number }) => sum + takes, 0);
    expect(after.decided_by.rule).toBe(taken);
  });

  test('init writes a rule file that works, the same again', () => {
    expect(run(['init', ...input, '--min-prompts', '1', '-o', at('init.yaml')]).code).toBe(0);
    const bytes = readFileSync(at('init.yaml'), 'utf8');
    expect(bytes).toMatch(/^version: 1\nrules:\n/);
    expect(run(['init', ...input, '--min-prompts', '1']).out).toBe(bytes);
    expect(run(['test', at('init.yaml'), ...input]).code).toBe(0);
  });

  test('freeze turns what clusters decided into rules; of two caches, what both say', () => {
    const profile = (cache: string) =>
      agentpprof([...input, '--tagger', 'cluster', '--tag-cache', at(cache), '-o', at('x.folded')], { home: at('me') });
    expect(profile('one.json').code).toBe(0);
    const frozen = json(['freeze', at('one.json'), ...input]);
    expect(frozen.rules.length).toBeGreaterThan(0);
    const other = JSON.parse(readFileSync(at('one.json'), 'utf8'));
    for (const key of Object.keys(other.prompts)) other.prompts[key] = 'else';
    writeFileSync(at('two.json'), JSON.stringify(other));
    expect(json(['freeze', at('one.json'), at('two.json'), ...input]).rules).toEqual([]);
    expect(run(['freeze', at('none.json'), ...input]).code).toBe(2);
  });

  test('test fails for a wrong example, warns of the rest, and names file and line', () => {
    writeFileSync(
      at('bad.yaml'),
      "version: 1\nrules:\n  - tag: a\n    patterns: ['zorbl']\n    examples: { match: [nothing] }\n",
    );
    const ran = run(['test', at('bad.yaml'), '--no-history']);
    expect([ran.code, ran.out]).toEqual([
      1,
      expect.stringContaining('bad.yaml:3: rule 1 (a) does not match "nothing"'),
    ]);
    writeFileSync(at('loop.yaml'), "version: 1\nrules:\n  - { tag: a, patterns: ['(a)\\1'] }\n");
    expect(run(['test', at('loop.yaml'), '--no-history']).code).toBe(2);
    expect(existsSync(at('me/.claude'))).toBe(false);
  });
});

test('evaluate tags scores a file of labels, and a field of the history', () => {
  writeFileSync(
    at('gold.tsv'),
    '# tag\tprompt\ndebug\tfix the crash\ndocs\tdebug\tambiguous\ndebug\tdebug\t修一下崩溃\n',
  );
  const facts = JSON.parse(
    agentpprof(['evaluate', 'tags', '--gold', at('gold.tsv'), '--json'], { home: at('me') }).out,
  );
  expect(facts).toMatchObject({
    schema: 'agentpprof.evaluate-tags/1',
    tagger: 'hybrid',
    prompts: 2,
    agreement_of_runs: 1,
  });
  expect(facts.scores[0]).toMatchObject({ coverage: 1, accuracy: 1 });
  expect(facts.passes).toMatchObject({ prompts: 2, agreement: 0.5 });
  const rows = PROMPTS.map((text, n) => ({
    value: 1,
    fields: { session: `s${n}`, kind: 'prompt', text, kind_of_work: n < 2 ? 'zorbl' : 'other' },
  }));
  writeFileSync(at('gold.jsonl'), `${rows.map(row => JSON.stringify(row)).join('\n')}\n`);
  const args = [
    'evaluate',
    'tags',
    '--home',
    at('empty'),
    '--operation-file',
    at('gold.jsonl'),
    '--gold',
    'kind_of_work',
    '--json',
  ];
  const own = JSON.parse(
    agentpprof([...args, '--tag-rule', 'zorbl=^zorbl', '--tag-rule', 'other=.'], { home: at('me') }).out,
  );
  expect(own.scores[0].accuracy).toBe(1);
  const wrong = agentpprof(['evaluate', 'tags', '--home', at('empty'), '--gold', 'nowhere'], { home: at('me') });
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('no file and no field "nowhere"')]);
});
