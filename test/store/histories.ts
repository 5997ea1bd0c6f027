import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const FIXTURES = join(ROOT, 'test/fixtures');

/** The corpus beside the project; undefined where it is not there. */
export const SHARED = (() => {
  const path = process.env.AGENTPPROF_SHARED ?? join(ROOT, '../shared');
  return existsSync(join(path, 'corpus')) ? path : undefined;
})();

/** Whole content of files by their place below a home. */
export type History = ReadonlyMap<string, Buffer>;

/** Files below a directory, put at a place below the home. */
function below(directory: string, at: string): [string, Buffer][] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .sort()
    .map(name => join(directory, name))
    .filter(path => statSync(path).isFile())
    .map(path => [join(at, relative(directory, path)), readFileSync(path)]);
}

/** Histories of our own fixtures: they are always there. */
export const FIXED: History = new Map([
  ...below(join(FIXTURES, 'claude-code/projects'), '.claude/projects'),
  ...below(join(FIXTURES, 'codex/sessions'), '.codex/sessions'),
  ...below(join(FIXTURES, 'codex/archived_sessions'), '.codex/archived_sessions'),
]);

/** Recorded runs of the corpus by name: each a home with sessions that resume, fork, spawn and compact. */
export function recordedRuns(): Map<string, History> {
  const runs = new Map<string, History>();
  if (!SHARED) return runs;
  const top = join(SHARED, 'corpus/real-agents');
  for (const agent of readdirSync(top).sort()) {
    if (!statSync(join(top, agent)).isDirectory()) continue;
    for (const run of readdirSync(join(top, agent)).sort()) {
      const home = join(top, agent, run, 'home');
      if (!existsSync(home)) continue;
      const files = new Map(below(home, ''));
      if (files.size > 0) runs.set(`${agent}/${run}`, files);
    }
  }
  return runs;
}
