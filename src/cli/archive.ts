import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { parseTime } from '../selection/dates.ts';
import { archiveDirectory } from '../sources/archived.ts';
import { discover } from '../sources/discover.ts';
import { READERS } from '../sources/registry.ts';
import { type Archived, archive, type Fate } from '../store/archive.ts';
import { counted } from '../trace/counted.ts';
import { UsageError } from '../trace/usage-error.ts';
import { shownPath } from './shown-path.ts';
import { bytesInWords, drawTable } from './table.ts';
import { progressBar, warn } from './terminal.ts';

export interface ArchiveFlags {
  readonly olderThan?: string;
  readonly home: readonly string[];
  readonly agent: readonly string[];
  readonly dryRun?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Files of one agent by what became of them. */
interface Counts {
  files: number;
  new: number;
  again: number;
  same: number;
  young: number;
  unfit: number;
  failed: number;
  /** Copies whose original is gone. */
  only_here: number;
  bytes: number;
  written_bytes: number;
}

/** Problems told one by one; more of them are counted. */
const MOST_PROBLEMS = 5;

/** Copies session files into the archive. A file that could not be copied makes the exit code 1. */
export async function archiveCommand(flags: ArchiveFlags): Promise<void> {
  const now = new Date();
  const { olderThan } = flags;
  const before =
    olderThan === undefined ? Number.POSITIVE_INFINITY : parseTime(olderThan, '--older-than', now, false) / 1000;
  const directory = archiveDirectory(process.env, homedir());
  const { files, problems } = discover(
    { homes: homesOf(flags), sessionFiles: [], sessionDirs: [], agents: agentsOf(flags), archive: directory },
    READERS,
  );
  const bar = progressBar(flags.quiet === true);
  const done = archive(files, {
    archive: directory,
    before,
    dryRun: flags.dryRun === true,
    progress: (at, all) => bar.update(at, all),
  });
  bar.end();
  const gone = files.filter(file => file.origin !== undefined).map(file => file.reader.agent);
  const agents = countsOf(done, gone);
  const failed = done.filter(each => each.fate === 'failed');
  if (failed.length > 0 || problems.length > 0) process.exitCode = 1;
  if (flags.json) {
    const report = {
      schema: 'agentpprof.archive/1',
      archive: shownPath(directory),
      dry_run: flags.dryRun === true,
      changed_before: olderThan === undefined ? null : new Date(before).toISOString(),
      agents: [...agents].map(([agent, counts]) => ({ agent, ...counts })),
      total: total(agents),
      not_kept: reasons(done, 'unfit'),
      failed: failed.map(({ file, reason }) => ({ file: shownPath(file.path), reason })),
      problems: problems.map(shownPath),
    };
    process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
    return;
  }
  for (const { file, reason } of failed.slice(0, MOST_PROBLEMS)) warn(`not kept: ${shownPath(file.path)}: ${reason}`);
  if (failed.length > MOST_PROBLEMS)
    warn(`and ${counted(failed.length - MOST_PROBLEMS, 'more file')} that could not be copied`);
  for (const problem of problems.slice(0, MOST_PROBLEMS)) warn(problem);
  if (flags.quiet !== true) process.stdout.write(drawn(agents, done, directory, flags));
}

function homesOf({ home }: ArchiveFlags) {
  for (const each of home) {
    if (!statSync(each, { throwIfNoEntry: false })?.isDirectory())
      throw new UsageError(`--home: there is no directory ${each}.`);
  }
  return home.length === 0
    ? [{ path: homedir(), env: process.env }]
    : home.map(path => ({ path: resolve(path), env: {} }));
}

function agentsOf({ agent }: ArchiveFlags): readonly string[] {
  const known = READERS.map(reader => reader.agent);
  for (const each of agent) {
    if (!known.includes(each))
      throw new UsageError(`--agent: there is no agent ${JSON.stringify(each)}. Known agents: ${known.join(', ')}.`);
  }
  return agent;
}

function countsOf(done: readonly Archived[], gone: readonly string[]): Map<string, Counts> {
  const agents = new Map<string, Counts>();
  const of = (agent: string) => {
    const counts = agents.get(agent) ?? none();
    agents.set(agent, counts);
    return counts;
  };
  for (const { file, fate, written } of done) {
    const counts = of(file.reader.agent);
    counts.files++;
    counts[fate]++;
    if (fate === 'new' || fate === 'again') counts.bytes += file.size;
    counts.written_bytes += written;
  }
  for (const agent of gone) of(agent).only_here++;
  return new Map([...agents].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function none(): Counts {
  return {
    files: 0,
    new: 0,
    again: 0,
    same: 0,
    young: 0,
    unfit: 0,
    failed: 0,
    only_here: 0,
    bytes: 0,
    written_bytes: 0,
  };
}

function total(agents: ReadonlyMap<string, Counts>): Counts {
  const sum = none();
  for (const counts of agents.values()) for (const key of Object.keys(sum) as (keyof Counts)[]) sum[key] += counts[key];
  return sum;
}

/** Files of a fate by agent and reason. */
function reasons(done: readonly Archived[], fate: Fate): { agent: string; reason: string; files: number }[] {
  const counts = new Map<string, { agent: string; reason: string; files: number }>();
  for (const { file, fate: its, reason = '' } of done) {
    if (its !== fate) continue;
    const { agent } = file.reader;
    const key = `${agent}\n${reason}`;
    const before = counts.get(key) ?? { agent, reason, files: 0 };
    counts.set(key, { ...before, files: before.files + 1 });
  }
  return [...counts.values()];
}

function drawn(
  agents: ReadonlyMap<string, Counts>,
  done: readonly Archived[],
  directory: string,
  { dryRun, olderThan }: ArchiveFlags,
): string {
  if (agents.size === 0) return `No session files to keep, and none kept in ${shownPath(directory)}.\n`;
  const n = (value: number) => value.toLocaleString('en-US');
  const rows = [...agents, ...(agents.size > 1 ? ([['total', total(agents)]] as const) : [])];
  const titles = ['agent', 'files', 'new', 'again', 'up to date', 'too young', 'only in archive', 'read', 'written'];
  const table = drawTable(
    titles.map((title, at) => ({ title, right: at > 0 })),
    rows.map(([agent, of]) => [
      agent,
      n(of.files),
      n(of.new),
      n(of.again),
      n(of.same),
      n(of.young),
      n(of.only_here),
      bytesInWords(of.bytes),
      bytesInWords(of.written_bytes),
    ]),
  );
  const lines = reasons(done, 'unfit').map(
    ({ agent, reason, files }) => `not kept: ${agent}, ${n(files)} ${files === 1 ? 'file' : 'files'}: ${reason}`,
  );
  const where = dryRun ? 'nothing was written; copies would lie in' : 'copies lie in';
  const narrowed = olderThan === undefined ? '' : `; only files last changed before ${olderThan} were asked for`;
  return `${[table.trimEnd(), ...lines, `${where} ${shownPath(directory)}${narrowed}`].join('\n')}\n`;
}
