import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { agentpprof, scratch } from './program.ts';

const place = scratch('plurals');
const at = (name: string) => join(place.path, name);
afterAll(() => place.remove());

/** One of everything. */
const ROWS = [
  { value: 1, fields: { session: 's', id: 'p', kind: 'prompt', text: 'zorbl the frobnicator' } },
  { measures: { tokens: 1 }, fields: { session: 's', parent: 'p', kind: 'call', model: 'nobody-knows' } },
  { value: 1, fields: { session: 's', parent: 'p', kind: 'tool', tool: 'Read', path: 'a.ts', best: 'true' } },
];

beforeAll(() => {
  mkdirSync(at('home'));
  writeFileSync(at('ops.jsonl'), ROWS.map(row => `${JSON.stringify(row)}\n`).join(''));
  writeFileSync(at('stranger.txt'), 'of nobody\n');
  writeFileSync(
    at('one.yaml'),
    'version: 1\nrules: [{ tag: zorbl, words: [zorbl], examples: { match: [zorbl it] } }]\n',
  );
  writeFileSync(at('gold.tsv'), 'debug\tfix the login\n');
});

const NOUNS =
  'operations|sessions|files|prompts|calls|tokens|nodes|marks|groups|rules|stacks|frames|requests|examples|gaps|folds|packs|contacts|rows|counters|clusters|units|bytes|texts|effects|errors|processes|events';

test.each<string[]>([
  [],
  ['-o', at('x.folded')],
  ['-o', '-', '--format', 'json'],
  ['sessions'],
  ['reconcile'],
  ['explain', 'tool:Read'],
  ['top'],
  ['tree'],
  ['peek', 'Read'],
  ['doctor'],
  ['doctor', '--session-file', at('stranger.txt')],
  ['--session-file', at('stranger.txt'), '--where', 'tool=nothing'],
  ['--agent', 'codex'],
  ['rank'],
  ['segment', 'run', '--marks', at('marks.json')],
  ['segment', 'export', '--workspace', at('work')],
  ['tags', 'status', '--tag-rules', at('one.yaml')],
  ['tags', 'suggest', '--min-prompts', '1'],
  ['tags', 'test', at('one.yaml')],
  ['evaluate', 'tags', '--gold', at('gold.tsv')],
  ['evaluate', 'ranking', '--gold', 'best'],
  ['cluster'],
  ['cache', 'status'],
])('%j %j says one as one', (...args) => {
  const given =
    args[0] === 'cache' || (args.includes('evaluate') && args.includes('tags'))
      ? []
      : ['--operation-file', at('ops.jsonl')];
  const { out, err } = agentpprof([...args, ...given], { home: at('home') });
  expect(`${out}${err}`.length).toBeGreaterThan(0);
  // A table has its noun above the number; in a sentence it follows.
  expect(`${out}${err}`.match(new RegExp(`(?<![\\d.,])\\b1 (?:[a-z]+ ){0,2}?(?:${NOUNS})\\b.*`, 'g'))).toBeNull();
});
