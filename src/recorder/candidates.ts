import { isWhole, matchCommand, type TextMatch } from './command-match.ts';
import type { Correlation, Covers, Link, RecordedCall } from './links.ts';
import type { ProcessRecord } from './summary.ts';

/** A call and a process that agree in time and text. */
interface Edge {
  call: RecordedCall;
  process: ProcessRecord;
  text: TextMatch;
}

export const firstTime = (process: ProcessRecord): number => process.images[0]?.t_ns ?? process.began_ns;

/** The first programs below the agent; a fork that stayed the agent's image is looked through. */
export function firstExecs(agent: ProcessRecord): ProcessRecord[] {
  const out: ProcessRecord[] = [];
  const todo = [...agent.children];
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    if (next.images.length > 0) out.push(next);
    else todo.push(...next.children);
  }
  return out.sort((a, b) => firstTime(a) - firstTime(b));
}

/** Calls and processes that could belong together, in groups that have nothing to do with each other. */
export function groups(calls: readonly RecordedCall[], processes: readonly ProcessRecord[], covers: Covers): Edge[][] {
  const edges = distinct(edgesOf(calls, processes, covers));
  const at = new Map<RecordedCall | ProcessRecord, Edge[]>();
  for (const edge of edges)
    for (const end of [edge.call, edge.process]) {
      const own = at.get(end);
      if (own) own.push(edge);
      else at.set(end, [edge]);
    }
  const out: Edge[][] = [];
  const left = new Set(edges);
  for (const first of edges) {
    if (!left.delete(first)) continue;
    const group = [first];
    for (let i = 0; i < group.length; i++)
      for (const end of [group[i]!.call, group[i]!.process])
        for (const edge of at.get(end)!) if (left.delete(edge)) group.push(edge);
    out.push(group);
  }
  return out;
}

function edgesOf(calls: readonly RecordedCall[], processes: readonly ProcessRecord[], covers: Covers): Edge[] {
  const edges: Edge[] = [];
  for (const call of calls)
    for (const process of processes) {
      const image = process.images[0]!;
      if (!covers(call, image.t_ns)) continue;
      const text = matchCommand(call.command!, image.argv, image.argv_truncated);
      if (text !== undefined) edges.push({ call, process, text });
    }
  return edges;
}

function distinct(given: readonly Edge[]): Edge[] {
  // The folder only ever breaks ties: a call that has a process in its own folder is not compared with others.
  const isHome = ({ call, process }: Edge): boolean => call.cwd === process.images[0]!.cwd;
  const atHome = new Set(given.filter(isHome).map(({ call }) => call));
  const edges = given.filter(edge => !atHome.has(edge.call) || isHome(edge));
  // A process whose argument is the whole command is not also a candidate for a shorter command inside it, nor for one that
  // only other quotes tell from it.
  const exact = new Set(edges.filter(({ text }) => text === 'exact').map(({ process }) => process));
  const whole = new Set(edges.filter(({ text }) => isWhole(text)).map(({ process }) => process));
  return edges.filter(({ process, text }) =>
    exact.has(process) ? text === 'exact' : isWhole(text) || !whole.has(process),
  );
}

type LinkTo = (
  call: RecordedCall,
  root: ProcessRecord,
  more: Pick<Link, 'method' | 'candidates' | 'confidence'>,
) => void;

/** One group: a pair is a link; several in a row, one after another, link in order; anything else stays open, with its candidates. */
export function settle(group: readonly Edge[], covers: Covers, link: LinkTo, out: Correlation): void {
  const calls = [...new Set(group.map(edge => edge.call))].sort((a, b) => a.start_ns - b.start_ns);
  const processes = [...new Set(group.map(edge => edge.process))].sort((a, b) => firstTime(a) - firstTime(b));
  const candidates = processes.map(process => process.key);
  const twins = calls.some((call, at) => at > 0 && (calls[at - 1]!.end_ns ?? Number.POSITIVE_INFINITY) > call.start_ns);
  const single = calls.length === 1 && processes.length === 1;
  const pairs = calls.map((call, at) => group.find(edge => edge.call === call && edge.process === processes[at]));
  const inOrder =
    !twins &&
    calls.length === processes.length &&
    pairs.every(pair => pair !== undefined && covers(pair.call, firstTime(pair.process)));
  if (single || inOrder) {
    for (const pair of pairs)
      link(pair!.call, pair!.process, { method: single ? 'command' : 'order', confidence: pair!.text, candidates });
    return;
  }
  for (const call of calls) {
    const own = group.filter(edge => edge.call === call).map(edge => edge.process.key);
    out.unattached.push({ call: call.id, reason: twins ? 'twins' : 'ambiguous', candidates: own });
  }
}
