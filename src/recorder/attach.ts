import type { Trace } from '../trace/trace.ts';
import { agentsIn } from './belonging.ts';
import { clockOf } from './clock.ts';
import { correlated } from './correlate.ts';
import type { ReadWhole } from './deeds.ts';
import type { Gap } from './events.ts';
import { AttachedCalls } from './gathered.ts';
import { HistoryRows } from './history-rows.ts';
import type { RecordingLedger } from './ledger.ts';
import type { Correlation, Link, RecordedCall } from './links.ts';
import type { Parts } from './parts.ts';
import { serversOf } from './servers.ts';
import type { ProcessRecord, RecordingSummary } from './summary.ts';
import { type CallSource, callOf, Opened } from './tool-calls.ts';

/** A recording, read, that is to become part of a history. */
export interface RecordingRead {
  readonly id: string;
  readonly whole: ReadWhole;
}

export interface AttachOptions {
  /** Number of the history file that a path stands for, as the kernel calls it. */
  readonly transcripts: ReadonlyMap<string, number>;
  /** The record of a row as it lies in its file; '' where it cannot be read. */
  readonly recordOf: (row: number) => string;
}

export interface Attached {
  readonly ledgers: readonly RecordingLedger[];
  /** By recording id. */
  readonly parts: ReadonlyMap<string, Parts>;
}

/**
 * Makes recordings part of a linked history: effects of the tool calls they show are appended as rows of Kind.effect, parsed
 * ones that these replace weigh nothing from then on, and where CPU time is known the time of a call is spread over two
 * rows. Fields: `evidence` (`measured`, `parsed`) and `wait` (`cpu`, `waiting`). Texts of kind `command` must be there.
 *
 * No other measure changes: operations, tokens, cost and the sum of time are as before. What cannot be attached is counted.
 */
export function attachRecordings(trace: Trace, recordings: readonly RecordingRead[], options: AttachOptions): Attached {
  const history = new HistoryRows(trace);
  const done = new Set<number>();
  const parts = new Map<string, Parts>();
  const attached = new AttachedCalls(trace, history);
  const ledgers = recordings.map(({ id, whole }): RecordingLedger => {
    const part = correlatedParts(trace, whole, history, done, options);
    parts.set(id, part);
    for (const { row } of part.calls) done.add(row);
    return attached.add(id, whole, part);
  });
  trace.linkAppended();
  attached.register();
  return { ledgers, parts };
}

function correlatedParts(
  trace: Trace,
  whole: ReadWhole,
  history: HistoryRows,
  done: ReadonlySet<number>,
  { transcripts, recordOf }: AttachOptions,
): Parts {
  const { header } = whole.summary;
  const none: Parts = {
    agents: new Map(),
    calls: [],
    unattached: [],
    inTime: 0,
    remaining: { agents: new Set(), servers: [] },
  };
  if (!header || whole.summary.processes.size === 0) return none;
  const clock = clockOf(header);
  const summary = withOpenEnd(whole.summary);
  const agents = agentsIn(trace, whole, clock, history.spans, transcripts, session => history.commandsOf(session));
  const byAgent = new Map<ProcessRecord, RecordedCall[]>();
  const opened = new Map<ProcessRecord, Opened>();
  let inTime = 0;
  for (const [session, processes] of agents) {
    const source: CallSource = {
      trace,
      commands: history.commandsOf(session),
      parsed: history.parsed,
      projectOf: at => history.projectOf(at),
      recordOf,
    };
    for (const row of history.toolsOf(session)) {
      if (done.has(row)) continue;
      const start = clock.mono(trace.ops.start.get(row));
      if (start < summary.first_ns - NEAR_NS || start > summary.last_ns + NEAR_NS) continue;
      const agent = processes.findLast(({ began_ns }) => began_ns <= start + NEAR_NS) ?? processes[0]!;
      let own = opened.get(agent);
      if (!own) opened.set(agent, (own = new Opened(whole.deeds, agent)));
      const call = callOf(row, source, clock, own);
      if (call === undefined) continue;
      inTime++;
      const list = byAgent.get(agent);
      if (list) list.push(call);
      else byAgent.set(agent, [call]);
    }
  }
  const links = new Map<number, Link[]>();
  const unattached: Correlation['unattached'] = [];
  const servers: ProcessRecord[] = [];
  for (const [agent, calls] of byAgent) {
    calls.sort((a, b) => a.start_ns - b.start_ns || Number(a.id) - Number(b.id));
    const own = serversOf(agent, calls);
    for (const key of own.values()) servers.push(summary.processes.get(key)!);
    const found = correlated(summary, whole.deeds, calls, { agent: agent.key, servers: own });
    unattached.push(...found.unattached);
    for (const link of found.links) {
      const list = links.get(Number(link.call));
      if (list) list.push(link);
      else links.set(Number(link.call), [link]);
    }
  }
  const calls = [...links]
    .sort(([a], [b]) => a - b)
    .map(([row, own]) => ({
      row,
      links: own,
      processes: [...new Set(own.flatMap(link => link.processes))].map(key => summary.processes.get(key)!),
    }));
  return { agents, calls, unattached, inTime, remaining: { agents: new Set([...agents.values()].flat()), servers } };
}

const NEAR_NS = 250e6;

/** The last second of a recording without an end may be missing. */
function withOpenEnd(summary: RecordingSummary): RecordingSummary {
  if (summary.complete) return summary;
  const from_ns = summary.last_ns - 1e9;
  const gap: Gap = { type: 'gap', seq: 0, t_ns: summary.last_ns, reason: 'engine_exit', count: 1, from_ns };
  return { ...summary, gaps: [...summary.gaps, gap] };
}
