import { isPersistentShell, matchCommand, type TextMatch } from './command-match.ts';
import type { Gap, RecordedEvent } from './events.ts';
import { processKey } from './events.ts';
import { type ProcessRecord, Summarizer } from './summary.ts';

/** A tool call of a transcript. Times are CLOCK_MONOTONIC of the recording (its header converts wall time). */
export interface RecordedCall {
  id: string;
  start_ns: number;
  /** Absent: never answered; open to the end of the recording. */
  end_ns?: number;
  /** A shell command as the agent asked for it. */
  command?: string;
  /** An absolute path that a tool inside the agent's own process reads or writes. */
  path?: string;
  access?: 'r' | 'w';
  /** An MCP server by name; `servers` says which process that is. */
  server?: string;
  cwd?: string;
}

export interface Link {
  call: string;
  method: 'command' | 'order' | 'window' | 'path' | 'server';
  confidence: TextMatch | 'window' | 'incomplete';
  /** What it would have been without the gap that made it incomplete. */
  without_gap?: TextMatch | 'window';
  /** The process that was started for the call; absent for a tool inside the agent. */
  process?: string;
  /** It and all its descendants by fork ancestry, whoever their parent is now. */
  processes: string[];
  /** Sequence numbers of file events done by the agent or a server itself. */
  events: number[];
  candidates: string[];
  /** Start of the process after start of the call. */
  delta_ms: number;
  cpu_ns: number;
  outlives_call: boolean;
  /** The tree handed work to a daemon or another machine, which no recording of this tree can hold. */
  outside_recording: boolean;
}

export interface Unattached {
  call: string;
  reason: 'no process' | 'twins' | 'ambiguous';
  candidates: string[];
}

export interface Correlation {
  links: Link[];
  unattached: Unattached[];
}

export interface CorrelationOptions {
  /** The agent's own process; default: the recording's first. */
  agent?: string;
  /** Process of each MCP server. */
  servers?: ReadonlyMap<string, string>;
  /** Added to both ends of a call: clocks and rows are not exact. */
  slack_ns?: number;
}

const SLACK_NS = 250e6;
const DAEMONS = new Set(['docker', 'podman', 'systemd-run', 'tmux', 'screen', 'ssh', 'at', 'batch', 'kubectl']);

/**
 * Which processes and file events belong to which tool call. Needs time and text to agree; where two answers are possible
 * there is none: nearest never wins. Calls without any link are listed with what might have been.
 */
export function correlate(
  events: readonly RecordedEvent[],
  calls: readonly RecordedCall[],
  options: CorrelationOptions = {},
): Correlation {
  const summarizer = new Summarizer();
  for (const event of events) summarizer.take(event);
  const { processes, roots, gaps, last_ns } = summarizer.end();
  const agent = processes.get(options.agent ?? roots[0]?.key ?? '');
  const slack = options.slack_ns ?? SLACK_NS;
  const out: Correlation = { links: [], unattached: [] };
  const end = (call: RecordedCall): number => call.end_ns ?? Math.max(last_ns, call.start_ns);
  const covers = (call: RecordedCall, t_ns: number, by = slack): boolean =>
    t_ns >= call.start_ns - by && t_ns <= end(call) + by;
  const taken = new Set<string>();

  const link = (
    call: RecordedCall,
    root: ProcessRecord | undefined,
    more: Pick<Link, 'method' | 'candidates'> & Partial<Link>,
  ): void => {
    const tree = root === undefined ? [] : withDescendants(root);
    const confidence = more.confidence as TextMatch | 'window';
    const made: Link = {
      call: call.id,
      confidence,
      events: [],
      delta_ms: root === undefined ? 0 : Math.round((firstTime(root) - call.start_ns) / 1e6),
      cpu_ns: tree.reduce((sum, process) => sum + (process.cpu_ns ?? 0), 0),
      outlives_call:
        call.end_ns !== undefined && tree.some(each => each.alive || (each.ended_ns ?? 0) > call.end_ns! + slack),
      outside_recording: tree.some(each => each.images.some(image => DAEMONS.has(image.exe.split('/').at(-1) ?? ''))),
      ...(root !== undefined && { process: root.key }),
      ...more,
      processes: tree.map(each => each.key),
    };
    if (gaps.some(gap => touches(gap, call.start_ns, end(call), made.processes))) {
      made.without_gap = confidence;
      made.confidence = 'incomplete';
    }
    for (const key of made.processes) taken.add(key);
    out.links.push(made);
  };

  const candidates = agent === undefined ? [] : firstExecs(agent);
  const shells = calls.filter(call => call.command !== undefined);
  for (const group of groups(shells, candidates, covers)) settle(group, covers, link, out);
  const open = new Set(calls.map(call => call.id));
  for (const { call } of out.links) open.delete(call);
  for (const { call } of out.unattached) open.delete(call);

  // Work of a shell that is fed through its input: only where one single call was open over the whole life of the process.
  const pending = shells.filter(call => open.has(call.id));
  for (const shell of candidates.filter(
    process => isPersistentShell(process.images[0]!.argv) && !taken.has(process.key),
  ))
    for (const child of shell.children) {
      const owner = onlyOne(calls.filter(call => call.command !== undefined && overlaps(call, child, end)));
      if (owner === undefined || !pending.includes(owner) || !covers(owner, child.began_ns)) continue;
      link(owner, child, { method: 'window', confidence: 'window', candidates: [child.key] });
      open.delete(owner.id);
    }
  for (const [name, key] of options.servers ?? []) {
    const server = processes.get(key);
    const asked = calls.filter(call => call.server === name);
    for (const child of server?.children ?? []) {
      const owner = onlyOne(asked.filter(call => overlaps(call, child, end)));
      if (owner === undefined) continue;
      link(owner, child, { method: 'server', confidence: 'window', candidates: [child.key] });
      open.delete(owner.id);
    }
  }
  inProcess(
    events,
    calls,
    agent,
    covers,
    out,
    open,
    call => (seqs: number[]) =>
      link(call, undefined, { method: 'path', confidence: 'exact', candidates: [], events: seqs }),
  );
  for (const call of calls)
    if (open.has(call.id)) out.unattached.push({ call: call.id, reason: 'no process', candidates: [] });
  return out;
}

const firstTime = (process: ProcessRecord): number => process.images[0]?.t_ns ?? process.began_ns;
const onlyOne = <T>(list: readonly T[]): T | undefined => (list.length === 1 ? list[0] : undefined);

/** Two things at the same moment: a call and the life of a process. */
const overlaps = (call: RecordedCall, process: ProcessRecord, end: (call: RecordedCall) => number): boolean =>
  call.start_ns <= (process.ended_ns ?? Number.POSITIVE_INFINITY) && end(call) >= process.began_ns;

/** The first programs below the agent; a fork that stayed the agent's image is looked through. */
function firstExecs(agent: ProcessRecord): ProcessRecord[] {
  const out: ProcessRecord[] = [];
  const todo = [...agent.children];
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    if (next.images.length > 0) out.push(next);
    else todo.push(...next.children);
  }
  return out.sort((a, b) => firstTime(a) - firstTime(b));
}

export function withDescendants(root: ProcessRecord): ProcessRecord[] {
  const out = [root];
  for (let at = 0; at < out.length; at++) out.push(...out[at]!.children);
  return out;
}

/** A gap during the call, or one of a process of the call, or one with no end known (the engine was gone). */
function touches(gap: Gap, from: number, to: number, keys: readonly string[]): boolean {
  if (gap.pid !== undefined && gap.start_ns !== undefined)
    return keys.includes(processKey({ pid: gap.pid, start_ns: gap.start_ns }));
  const open = gap.reason === 'engine_exit' || gap.reason === 'stopped' || gap.reason === 'not_recorded';
  return (gap.from_ns ?? gap.t_ns) <= to && (open ? Number.POSITIVE_INFINITY : (gap.to_ns ?? gap.t_ns)) >= from;
}

interface Edge {
  call: RecordedCall;
  process: ProcessRecord;
  text: TextMatch;
}

type Covers = (call: RecordedCall, t_ns: number, by?: number) => boolean;

/** Calls and processes that could belong together, in groups that have nothing to do with each other. */
function groups(calls: readonly RecordedCall[], processes: readonly ProcessRecord[], covers: Covers): Edge[][] {
  let edges: Edge[] = [];
  for (const call of calls)
    for (const process of processes) {
      const image = process.images[0]!;
      if (!covers(call, image.t_ns)) continue;
      const text = matchCommand(call.command!, image.argv, image.argv_truncated);
      if (text !== undefined) edges.push({ call, process, text });
    }
  // The folder only ever breaks ties: a call that has a process in its own folder is not compared with others.
  const atHome = new Set(
    edges.filter(({ call, process }) => call.cwd === process.images[0]!.cwd).map(({ call }) => call),
  );
  edges = edges.filter(({ call, process }) => !atHome.has(call) || call.cwd === process.images[0]!.cwd);
  // A process whose argument is the whole command is not also a candidate for a shorter command inside it.
  const whole = new Set(edges.filter(({ text }) => text === 'exact').map(({ process }) => process));
  edges = edges.filter(({ process, text }) => text === 'exact' || !whole.has(process));
  const out: Edge[][] = [];
  const left = new Set(edges);
  for (const first of edges) {
    if (!left.delete(first)) continue;
    const group = [first];
    for (let at = 0; at < group.length; at++)
      for (const edge of left)
        if (edge.call === group[at]!.call || edge.process === group[at]!.process) {
          left.delete(edge);
          group.push(edge);
        }
    out.push(group);
  }
  return out;
}

/** One group: a pair is a link; several in a row, one after another, link in order; anything else stays open, with its candidates. */
function settle(
  group: readonly Edge[],
  covers: Covers,
  link: (call: RecordedCall, root: ProcessRecord, more: Pick<Link, 'method' | 'candidates' | 'confidence'>) => void,
  out: Correlation,
): void {
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

/** Files the agent opened itself, for tools that run inside it: by path and time, where exactly one call fits. */
function inProcess(
  events: readonly RecordedEvent[],
  calls: readonly RecordedCall[],
  agent: ProcessRecord | undefined,
  covers: Covers,
  out: Correlation,
  open: Set<string>,
  linkTo: (call: RecordedCall) => (seqs: number[]) => void,
): void {
  const byPath = new Map<string, RecordedCall[]>();
  for (const call of calls)
    if (call.path !== undefined) byPath.set(call.path, [...(byPath.get(call.path) ?? []), call]);
  if (agent === undefined || byPath.size === 0) return;
  const found = new Map<RecordedCall, number[]>();
  const torn = new Map<RecordedCall, Set<string>>();
  for (const event of events) {
    if ((event.type !== 'file.open' && event.type !== 'file.rename') || processKey(event) !== agent.key) continue;
    const path = event.type === 'file.open' ? event.path : event.to;
    const writes = event.type === 'file.rename' || (event.type === 'file.open' && event.access !== 'r');
    const fitting = (byPath.get(path) ?? []).filter(
      call => covers(call, event.t_ns) && (call.access === undefined || (call.access === 'w') === writes || !writes),
    );
    const [owner] = fitting;
    if (fitting.length === 1) found.set(owner!, [...(found.get(owner!) ?? []), event.seq]);
    else
      for (const call of fitting) torn.set(call, new Set([...(torn.get(call) ?? []), ...fitting.map(({ id }) => id)]));
  }
  for (const call of new Set([...found.keys(), ...torn.keys()])) {
    if (!open.delete(call.id)) continue;
    const seqs = found.get(call);
    if (seqs !== undefined && !torn.has(call)) linkTo(call)(seqs);
    else out.unattached.push({ call: call.id, reason: 'ambiguous', candidates: [...(torn.get(call) ?? [])] });
  }
}
