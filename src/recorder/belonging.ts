import { Flag } from '../trace/flags.ts';
import { Kind } from '../trace/kinds.ts';
import type { Trace } from '../trace/trace.ts';
import { firstExecs } from './candidates.ts';
import type { Clock } from './clock.ts';
import { isWhole, matchCommand } from './command-match.ts';
import type { ReadWhole } from './deeds.ts';
import { processKey } from './events.ts';
import type { ProcessRecord, RecordingSummary } from './summary.ts';

/** First and last moment of each session, microseconds since the epoch; 0 where it has no times. */
export interface Spans {
  readonly first: Float64Array;
  readonly last: Float64Array;
}

export function spansOf({ ops }: Trace): Spans {
  const first = new Float64Array(ops.sessions.all.length);
  const last = new Float64Array(first.length);
  for (let row = 0; row < ops.length; row++) {
    const start = ops.start.get(row);
    if (start === 0 || ops.has(row, Flag.copy)) continue;
    const at = ops.session.get(row);
    if (first[at] === 0 || start < (first[at] as number)) first[at] = start;
    last[at] = Math.max(last[at] as number, ops.end.get(row));
  }
  return { first, last };
}

/** Which processes are agents whose sessions these are: by session the keys of its agents, in the order of their lives. */
export type Agents = Map<number, readonly ProcessRecord[]>;

/** Clocks and rows are not exact: so many microseconds around a recording still count. */
const NEAR_US = 2e6;

/**
 * The sessions of a recording: those whose transcript the recorded tree wrote, by the process that wrote it; and those of
 * the same time and folder of which some process shows a command, by the parent of that process.
 *
 * `transcripts` gives the file that a path stands for; `texts` the commands of tool rows of a session.
 */
export function agentsIn(
  trace: Trace,
  whole: ReadWhole,
  clock: Clock,
  spans: Spans,
  transcripts: ReadonlyMap<string, number>,
  texts: (session: number) => Iterable<readonly [row: number, text: string]>,
): Agents {
  const { summary } = whole;
  const from = clock.wall(summary.first_ns) - NEAR_US;
  const to = clock.wall(summary.last_ns) + NEAR_US;
  const writers = writersOf(whole, transcripts);
  const folders = foldersOf(summary);
  const agents: Agents = new Map();
  const { links, ops } = trace;
  ops.sessions.all.forEach((session, at) => {
    if (spans.first[at] === 0 || (spans.first[at] as number) > to || (spans.last[at] as number) < from) return;
    const root = links.root[at] as number;
    const wrote = writers.get(session.file) ?? writers.get(ops.sessions.all[root]?.file ?? -1);
    if (wrote) agents.set(at, wrote);
    else if (folders.has(session.cwd ?? '')) {
      const asked = parentByText(trace, summary, clock, texts(at));
      if (asked) agents.set(at, [asked]);
    }
  });
  return agents;
}

/** By file of a history: the processes that opened it for writing, in the order of their births. */
function writersOf(
  { deeds, summary }: ReadWhole,
  transcripts: ReadonlyMap<string, number>,
): Map<number, ProcessRecord[]> {
  const found = new Map<number, Set<string>>();
  for (const deed of deeds) {
    const path =
      deed.type === 'file.open' && deed.access !== 'r' && deed.access !== 'path'
        ? deed.path
        : deed.type === 'file.rename'
          ? deed.to
          : undefined;
    if (path === undefined) continue;
    // A database is written through its journal.
    const file = transcripts.get(path) ?? transcripts.get(path.replace(/-(?:wal|journal|shm)$/, ''));
    if (file !== undefined) found.set(file, (found.get(file) ?? new Set()).add(processKey(deed)));
  }
  return new Map(
    [...found].map(([file, keys]) => [
      file,
      [...keys].map(key => summary.processes.get(key)!).sort((a, b) => a.began_ns - b.began_ns),
    ]),
  );
}

function foldersOf({ processes, header }: RecordingSummary): Set<string> {
  const folders = new Set<string>();
  if (header) folders.add(header.root.cwd);
  for (const { images } of processes.values()) for (const { cwd } of images) folders.add(cwd);
  folders.delete('');
  return folders;
}

/** The process under which most commands of a session were started in their time. */
function parentByText(
  { ops }: Trace,
  { processes }: RecordingSummary,
  clock: Clock,
  texts: Iterable<readonly [row: number, text: string]>,
): ProcessRecord | undefined {
  const calls = [...texts]
    .filter(([row]) => ops.kind.get(row) === Kind.tool && ops.start.get(row) > 0)
    .map(([row, text]) => ({ text, from: clock.mono(ops.start.get(row)), to: clock.mono(ops.end.get(row)) }));
  if (calls.length === 0) return undefined;
  let best: ProcessRecord | undefined;
  let most = 0;
  for (const process of processes.values()) {
    if (process.children.length === 0) continue;
    const matching = firstExecs(process).filter(({ images }) =>
      calls.some(
        ({ text, from, to }) =>
          images[0]!.t_ns >= from - NEAR_US * 1000 &&
          images[0]!.t_ns <= Math.max(from, to) + NEAR_US * 1000 &&
          isWhole(matchCommand(text, images[0]!.argv, images[0]!.argv_truncated)),
      ),
    ).length;
    if (matching > most) [best, most] = [process, matching];
  }
  return best;
}
