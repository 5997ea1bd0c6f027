import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { agentpprof, scratch } from './program.ts';

const place = scratch('settings');
afterAll(() => place.remove());

const project = join(place.path, 'project');
const below = join(project, 'src/deep');
mkdirSync(below, { recursive: true });
writeFileSync(
  join(project, 'operations.jsonl'),
  ['bash', 'bash', 'read', 'grep']
    .map((tool, at) => JSON.stringify({ session: 's', id: `${at}`, kind: 'tool_call', tool, start_ns: 1.7e18 + at }))
    .join('\n'),
);

function settings(text: string): void {
  writeFileSync(join(project, '.agentpprof.yaml'), text);
}
beforeEach(() => {
  settings('');
  rmSync(join(below, '.agentpprof.yaml'), { force: true });
});

function run(args: readonly string[], cwd = below) {
  const all = [...args, '--operation-file', join(project, 'operations.jsonl'), '--no-cache', '-q'];
  return agentpprof(all, { home: place.path, cwd });
}

/** Operations of each tool, as folded text. */
function tools(args: readonly string[] = [], cwd = below): string {
  const ran = run(['--view', 'operations', '--stack', 'tool', '-o', '-', '--format', 'folded', ...args], cwd);
  expect([ran.code, ran.err]).toEqual([0, '']);
  return ran.out.trim().split('\n').sort().join(' ');
}

describe('.agentpprof.yaml', () => {
  test('selects for every command run in its folder or below, and nowhere else', () => {
    expect(tools()).toBe('tool:bash 2 tool:grep 1 tool:read 1');
    settings('selection: { where: [tool=bash] }');
    expect([tools(), tools([], project)]).toEqual(['tool:bash 2', 'tool:bash 2']);
    expect(tools([], place.path)).toBe('tool:bash 2 tool:grep 1 tool:read 1');
    expect(JSON.parse(run(['--view', 'operations', '--json']).out).totals.operations).toBe(2);
  });

  test('a flag that is given wins over its key, and over no other', () => {
    settings('selection: { where: tool=bash, until: 2020-01-01 }');
    expect(tools(['--until', 'today', '--where', 'tool!=bash'])).toBe('tool:grep 1 tool:read 1');
    expect(tools(['--no-settings'])).toBe('tool:bash 2 tool:grep 1 tool:read 1');
  });

  test('the nearest file counts, alone', () => {
    settings('selection: { where: tool=bash }');
    writeFileSync(join(below, '.agentpprof.yaml'), 'preset: true');
    expect(tools()).toBe('tool:bash 2 tool:grep 1 tool:read 1');
    expect(tools([], join(project, 'src'))).toBe('tool:bash 2');
    writeFileSync(join(below, '.agentpprof.yaml'), '# nothing');
    expect(tools()).toBe('tool:bash 2 tool:grep 1 tool:read 1');
  });

  test('paths are meant from the folder of the file', () => {
    writeFileSync(join(below, '.agentpprof.yaml'), 'prices: ../../prices.yaml\ntag_rules: ../../rules.yaml');
    writeFileSync(join(project, 'prices.yaml'), 'model: { input: 1, outputs: 2 }');
    const prices = run(['sessions'], below);
    expect([prices.code, prices.err]).toEqual([2, expect.stringContaining(join(project, 'prices.yaml:1'))]);
    writeFileSync(join(project, 'prices.yaml'), 'model: { input: 1, output: 2 }');
    writeFileSync(join(project, 'rules.yaml'), 'version: 2');
    const rules = run([], below);
    expect([rules.code, rules.err]).toEqual([2, expect.stringContaining(join(project, 'rules.yaml:1'))]);
  });

  test('what it narrowed is said, and doctor names it', () => {
    settings('selection: { where: tool=bash }\nsession_gap: 45m');
    const { narrowed } = JSON.parse(run(['--view', 'operations', '--json']).out);
    expect(narrowed).toEqual(['where tool=bash', 'as .agentpprof.yaml says']);
    const found = JSON.parse(run(['doctor', '--json']).out).settings;
    expect(found).toEqual({ file: '~/project/.agentpprof.yaml', flags: ['--session-gap', '--where'] });
  });

  test('a value that a flag would refuse is refused, with the place it came from', () => {
    settings('selection: { where: colour=red }');
    const ran = run([]);
    expect([ran.code, ran.out]).toEqual([2, '']);
    const [first, second] = ran.err.trim().split('\n');
    expect(first).toContain('colour');
    expect(second).toBe(`agentpprof: ${join(project, '.agentpprof.yaml')} gave --where; --no-settings leaves it out.`);
  });

  test.each([
    ['preset: true\npresets: true', 2, 'unknown key "presets"; the keys here are version, tag_rules, preset, prices'],
    ['selection:\n  since: 30d\n  agents: x', 3, 'unknown key "agents"; the keys here are project_root, agent, since'],
    ['selection:\n  agent: [a, 7]', 2, '"selection.agent" must be text (a number in quotes)'],
    ['selection:\n  since: 2026', 2, '"selection.since" must be text (a number in quotes)'],
    ['preset: yes please', 1, '"preset" must be true or false'],
    ['version: 2', 1, 'write "version: 1"'],
    ['- a', 1, 'settings are a map of keys'],
    ['a: [', 1, 'not valid YAML'],
    ['selection: all', 1, '"selection" must be a map of keys'],
    ['tag_rules: &a [x]\nprices: *a', 2, '"prices" must be text'],
  ])('%j is wrong usage that names the line', (text, line, problem) => {
    settings(text);
    const ran = run([]);
    expect([ran.code, ran.out]).toEqual([2, '']);
    expect(ran.err).toContain(`${join(project, '.agentpprof.yaml')}:${line}`);
    expect(ran.err).toContain(problem);
  });
});
