import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { agentpprof, SHARED, scratch } from './program.ts';

const place = scratch('export');
afterAll(() => place.remove());

const FIXTURE = join(import.meta.dirname, '../fixtures/claude-code');
const flags = ['--session-dir', FIXTURE, '--no-cache', '-q'];
const run = (...args: string[]) => agentpprof(['export', ...flags, ...args], { home: place.path });
const reconciled = (...args: string[]) =>
  JSON.parse(agentpprof(['reconcile', '--no-cache', '--json', '-q', ...args], { home: place.path }).out).total;

const COPILOT = join(SHARED ?? '', 'corpus/real-agents/copilot-cli-1.0.102/a-edit-test/home');
const ONE_HOST: [string, string, string[]] = ['calls that all go to one host', 'host.jsonl', ['--home', COPILOT]];
/** What `reconcile` counts of each. */
const COUNTED = [
  ...['prompts', 'calls', 'tool_calls', 'tokens', 'cost_microusd', 'unpriced_calls', 'lower_bound_calls'],
] as const;

/** The sum of every measure, cost in micro-dollars. */
function sumsOf(...given: string[]): Record<string, number> {
  const ran = agentpprof([...given, '--no-cache', '-q', '-o', '-', '--format', 'json'], { home: place.path });
  const { measures, samples } = JSON.parse(ran.out) as {
    measures: { name: string }[];
    samples: { values: number[] }[];
  };
  const sum = (at: number) => samples.reduce((all, { values }) => all + Number(values[at]), 0);
  return Object.fromEntries(measures.map(({ name }, at) => [name, sum(at)]));
}

describe('export', () => {
  test.each<[string, string, string[]]>([
    ['the sample', 'spans.jsonl', ['--home', join(import.meta.dirname, '../../sample/home')]],
    ['a fixture', 'spans.binpb', ['--session-dir', FIXTURE]],
    ...(SHARED ? [ONE_HOST] : []),
  ])('%s: what is read back of %s is the same in every measure', (_, name, given) => {
    const file = join(place.path, name);
    expect(agentpprof(['export', ...given, '--no-cache', '-o', file], { home: place.path }).code).toBe(0);
    expect(sumsOf('--session-file', file)).toEqual(sumsOf(...given));
    const [before, after] = [reconciled(...given), reconciled('--session-file', file)];
    for (const part of COUNTED) expect([part, after[part]]).toEqual([part, before[part]]);
    // A subagent whose parent is in no file comes back as a session.
    expect(after.sessions + after.subagents).toBe(before.sessions + before.subagents);
  });

  test.each(['otlp-json', 'otlp-proto', 'chrome-trace', 'csv', 'openmetrics'])(
    '%s: the same bytes in every run',
    format => {
      const once = run('--format', format, '-o', '-');
      expect([once.code, once.bytes.length > 100]).toEqual([0, true]);
      expect(run('--format', format, '-o', '-').bytes.equals(once.bytes)).toBe(true);
    },
  );

  test('the columns of CSV add up to what was read', () => {
    const [head = '', ...lines] = run('--format', 'csv', '-o', '-').out.trimEnd().split('\r\n');
    const names = head.split(',');
    // Measures are the last cells and never quoted.
    const sum = (name: string) =>
      lines.reduce((all, line) => all + Number(line.split(',').at(names.indexOf(name) - names.length)), 0);
    const { tokens, cost_microusd: cost } = reconciled('--session-dir', FIXTURE);
    expect([sum('input_tokens'), sum('output_tokens'), sum('tokens')]).toEqual([
      tokens.input,
      tokens.output,
      tokens.total,
    ]);
    expect(sum('cost')).toBe(cost);
  });

  test.each<[string, string[], RegExp]>([
    ['nowhere to write to', [], /say where to/],
    ['an ending that stands for nothing', ['-o', 'x.xyz'], /-o: the ending of x\.xyz/],
    ['an export there is not', ['--format', 'xml', '-o', '-'], /--format: there is no export "xml"/],
    ['a format that the ending contradicts', ['--format', 'csv', '-o', 'x.jsonl'], /has the ending of otlp-json/],
    ['a file and an endpoint', ['-o', '-', '--otlp-endpoint', 'http://127.0.0.1:1'], /either that or -o/],
    ['a table for an endpoint', ['--format', 'csv', '--otlp-endpoint', 'http://127.0.0.1:1'], /takes otlp-proto/],
    ['no address', ['--otlp-endpoint', 'x'], /--otlp-endpoint: "x" is no address/],
    ['a header without an endpoint', ['-o', '-', '--format', 'csv', '--otlp-header', 'a=b'], /is for --otlp-endpoint/],
    ['a header that is none', ['--otlp-endpoint', 'http://127.0.0.1:1', '--otlp-header', 'secret'], /write NAME=VALUE/],
  ])('%s is wrong usage', (_, args, message) => {
    const ran = run(...args);
    expect([ran.code, ran.out]).toEqual([2, '']);
    expect(ran.err).toMatch(message);
    expect(ran.err).not.toContain('secret');
  });

  test('an endpoint that refuses is a failure and names itself', () => {
    const ran = agentpprof(
      ['export', ...flags, '--otlp-endpoint', 'http://127.0.0.1:1/v1/traces', '--since', '2100-01-01'],
      {
        home: place.path,
      },
    );
    // Nothing was selected, so nothing is sent.
    expect(ran.code).toBe(0);
  });

  test('a file that is there is replaced whole, and none is made by wrong usage', () => {
    const file = join(place.path, 'x.csv');
    writeFileSync(file, 'old');
    expect(run('-o', file).code).toBe(0);
    expect(readFileSync(file, 'utf8').startsWith('time,')).toBe(true);
    expect(run('--format', 'csv', '-o', join(place.path, 'y.jsonl')).code).toBe(2);
    expect(existsSync(join(place.path, 'y.jsonl'))).toBe(false);
  });
});
