import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentpprof, scratch } from '../cli/program.ts';
import { installed } from '../support/installed.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const place = scratch('docs');
const bin = join(place.path, 'bin');
const home = join(place.path, 'home');

beforeAll(() => {
  mkdirSync(bin);
  writeFileSync(
    join(bin, 'agentpprof'),
    `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT, 'dist/agentpprof.js')}" "$@"\n`,
    { mode: 0o755 },
  );
  cpSync(join(ROOT, 'sample/home'), home, { recursive: true });
  // A third of the sessions failed; a dozen tasks, each tried more than once.
  const sessions = JSON.parse(agentpprof(['sessions', '--home', home, '--json']).out).rows as { name: string }[];
  const facts = sessions.map(
    ({ name }, at) => `${name},outcome,${at % 3 === 0 ? 'failed' : 'success'}\n${name},task,t${at % 11}\n`,
  );
  writeFileSync(join(place.path, 'outcome.csv'), `session,field,value\n${facts.join('')}`);
});
afterAll(() => place.remove());

const documents = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter(name => name.endsWith('.md'))
    .map(name => `docs/${name}`),
];

/** Lines of the shell blocks of a document. */
function commands(document: string): string[] {
  const text = readFileSync(join(ROOT, document), 'utf8');
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)]
    .flatMap(block => block[1]!.split('\n'))
    .filter(line => line.trim() !== '');
}

describe.each(documents.filter(document => commands(document).length > 0))('every command in %s runs', document => {
  const go = installed('go');
  const lines = commands(document).filter(line => go || !line.includes('go tool'));
  test.skipIf(lines.length === 0).each(lines)('%s', line => {
    const env = {
      ...process.env,
      HOME: home,
      // Marks that an example makes are seen by the examples behind it alone.
      XDG_DATA_HOME: join(place.path, 'data'),
      PATH: `${bin}:${process.env.PATH}`,
      TZ: 'UTC',
      AGENTPPROF_ID_KEY: '00'.repeat(32),
    };
    const ran = spawnSync('sh', ['-c', line], { cwd: place.path, env });
    expect([ran.stderr.toString(), ran.status]).toEqual([
      expect.not.stringMatching(/No operations selected|no session is called/),
      0,
    ]);
  });
});

test('every link between the documents leads somewhere', () => {
  for (const document of documents) {
    const text = readFileSync(join(ROOT, document), 'utf8');
    for (const [, target] of text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)) {
      expect(() => readFileSync(join(ROOT, document, '..', target!))).not.toThrow();
    }
  }
});

test('every option that --help shows stands in the reference', () => {
  const reference = readFileSync(join(ROOT, 'docs/reference.md'), 'utf8');
  const help = ['profile', 'sessions', 'reconcile', 'explain', 'doctor', 'diff', 'top', 'tree', 'peek']
    .map(command => agentpprof([command, '--help']).out)
    .join('\n');
  const missing = [...new Set([...help.matchAll(/--([a-z][a-z-]+)/g)].map(match => match[0]))].filter(
    option => !reference.includes(option),
  );
  expect(missing).toEqual([]);
});

test('the picture of the README is what the tool makes of the sample', () => {
  const path = join(place.path, 'picture.svg');
  agentpprof(['--home', join(ROOT, 'sample/home'), '-o', path]);
  expect(readFileSync(path, 'utf8')).toBe(readFileSync(join(ROOT, 'docs/tokens.svg'), 'utf8'));
});

test('the picture of a difference is what its command makes of the sample', () => {
  const command = commands('docs/diff.md').find(line => line.endsWith('-o diff.svg'))!;
  const path = join(place.path, 'difference.svg');
  agentpprof([...command.split(' ').slice(1, -1), path, '--home', join(ROOT, 'sample/home')]);
  expect(readFileSync(path, 'utf8')).toBe(readFileSync(join(ROOT, 'docs/diff.svg'), 'utf8'));
});
