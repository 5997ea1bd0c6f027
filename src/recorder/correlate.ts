import { firstExecs, firstTime, groups, settle } from './candidates.ts';
import { isPersistentShell, type TextMatch } from './command-match.ts';
import type { Gap, RecordedEvent } from './events.ts';
import { processKey } from './events.ts';
import { inProcess, ofServer, ownDeeds } from './in-process.ts';
import type { Correlation, CorrelationOptions, Covers, Link, RecordedCall } from './links.ts';
import { type ProcessRecord, type RecordingSummary, Summarizer, withDescendants } from './summary.ts';

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
  return correlated(summarizer.end(), events, calls, options);
}

/** The same for a recording that is summarized already; `events` need hold only what processes did to files and the network. */
export function correlated(
  { processes, roots, gaps, last_ns }: RecordingSummary,
  events: readonly RecordedEvent[],
  calls: readonly RecordedCall[],
  options: CorrelationOptions = {},
): Correlation {
  const agent = processes.get(options.agent ?? roots[0]?.key ?? '');
  const slack = options.slack_ns ?? SLACK_NS;
  const out: Correlation = { links: [], unattached: [] };
  const end = (call: RecordedCall): number => call.end_ns ?? Math.max(last_ns, call.start_ns);
  const covers: Covers = (call, t_ns) => t_ns >= call.start_ns - slack && t_ns <= end(call) + slack;
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
  )) {
    for (const child of shell.children) {
      const owner = onlyOne(shells.filter(call => overlaps(call, child, end)));
      if (owner === undefined || !pending.includes(owner) || !covers(owner, child.began_ns)) continue;
      link(owner, child, { method: 'window', confidence: 'window', candidates: [child.key] });
      open.delete(owner.id);
    }
    for (const [owner, seqs] of ownDeeds(events, shell, t_ns => onlyOne(shells.filter(call => covers(call, t_ns))))) {
      if (!pending.includes(owner)) continue;
      link(owner, undefined, { method: 'window', confidence: 'window', candidates: [shell.key], events: seqs });
      open.delete(owner.id);
    }
  }
  for (const [name, key] of options.servers ?? []) {
    const server = processes.get(key);
    const asked = calls.filter(call => call.server === name);
    if (server === undefined) continue;
    ofServer(events, asked, server, covers, (owner, child, seqs) => {
      const candidates = [child?.key ?? key];
      link(owner, child, { method: 'server', confidence: 'window', candidates, events: seqs });
      open.delete(owner.id);
    });
  }
  inProcess(events, calls, agent, covers, out, open, (call, seqs) =>
    link(call, undefined, { method: 'path', confidence: 'exact', candidates: [], events: seqs }),
  );
  for (const call of calls)
    if (open.has(call.id)) out.unattached.push({ call: call.id, reason: 'no process', candidates: [] });
  return out;
}

const onlyOne = <T>(list: readonly T[]): T | undefined => (list.length === 1 ? list[0] : undefined);

/** Two things at the same moment: a call and the life of a process. */
const overlaps = (call: RecordedCall, process: ProcessRecord, end: (call: RecordedCall) => number): boolean =>
  call.start_ns <= (process.ended_ns ?? Number.POSITIVE_INFINITY) && end(call) >= process.began_ns;

/** A gap during the call, or one of a process of the call, or one with no end known (the engine was gone). */
function touches(gap: Gap, from: number, to: number, keys: readonly string[]): boolean {
  if (gap.pid !== undefined && gap.start_ns !== undefined)
    return keys.includes(processKey({ pid: gap.pid, start_ns: gap.start_ns }));
  const open = gap.reason === 'engine_exit' || gap.reason === 'stopped' || gap.reason === 'not_recorded';
  return (gap.from_ns ?? gap.t_ns) <= to && (open ? Number.POSITIVE_INFINITY : (gap.to_ns ?? gap.t_ns)) >= from;
}
