import { createHash } from 'node:crypto';
import { EFFECTS_VERSION } from '../effects/version.ts';
import { Flag } from '../trace/flags.ts';
import type { Trace } from '../trace/trace.ts';
import { agentsIn } from './belonging.ts';
import { clockOf } from './clock.ts';
import { correlated } from './correlate.ts';
import type { ReadWhole } from './deeds.ts';
import { digestOf, identityOf, keyOf, type RecordingDigest } from './digest.ts';
import type { Gap } from './events.ts';
import { AttachedCalls } from './gathered.ts';
import { HistoryRows } from './history-rows.ts';
import type { RecordingLedger } from './ledger.ts';
import type { Correlation, Link, RecordedCall } from './links.ts';
import type { Parts } from './parts.ts';
import { serversOf } from './servers.ts';
import type { ProcessRecord, RecordingSummary } from './summary.ts';
import { type CallSource, callOf, Opened } from './tool-calls.ts';

/** A recording that is to become part of a history. */
export interface RecordingSource {
  readonly id: string;
  readonly read: () => Promise<ReadWhole>;
  /** What an earlier run kept of it. */
  readonly kept?: KeptDigest | undefined;
}

/** The digest of a recording for one state of the history of its time. */
export interface KeptDigest {
  /** The time of the recording, microseconds since the epoch. */
  readonly from: number;
  readonly to: number;
  /** What the history had in that time. */
  readonly state: string;
  readonly digest: RecordingDigest;
}

export interface AttachOptions {
  /** Number of the history file that a path stands for, as the kernel calls it. */
  readonly transcripts: ReadonlyMap<string, number>;
  /** The record of a row as it lies in its file; '' where it cannot be read. */
  readonly recordOf: (row: number) => string;
}

export interface Attached {
  readonly ledgers: readonly RecordingLedger[];
  /** By recording id, of those that were read. */
  readonly parts: ReadonlyMap<string, Parts>;
  /** By recording id: what is to be kept of those that were read. */
  readonly fresh: ReadonlyMap<string, KeptDigest>;
}

/**
 * Makes recordings part of a linked history: effects of the tool calls they show are appended as rows of Kind.effect, parsed
 * ones that these replace weigh nothing from then on, and where CPU time is known the time of a call is spread over two
 * rows. Fields: `evidence` (`measured`, `parsed`) and `wait` (`cpu`, `waiting`). Texts of kind `command` must be there.
 *
 * No other measure changes: operations, tokens, cost and the sum of time are as before. What cannot be attached is counted.
 * A recording is read only if nothing is kept of it that fits the history as it is.
 */
export async function attachRecordings(
  trace: Trace,
  recordings: readonly RecordingSource[],
  options: AttachOptions,
): Promise<Attached> {
  const history = new HistoryRows(trace);
  const done = new Set<number>();
  const parts = new Map<string, Parts>();
  const fresh = new Map<string, KeptDigest>();
  const attached = new AttachedCalls(trace, history);
  const ledgers: RecordingLedger[] = [];
  const paths = new Map<number, string>();
  if (recordings.length > 0)
    for (const [path, file] of options.transcripts) paths.set(file, `${paths.get(file) ?? ''}\0${path}`);
  for (const { id, read, kept } of recordings) {
    let digest: RecordingDigest;
    let rows =
      kept && kept.state === stateOf(trace, history, kept, done, paths) ? rowsOf(trace, history, kept) : undefined;
    if (rows && kept) digest = kept.digest;
    else {
      const whole = await read();
      const part = correlatedParts(trace, whole, history, done, options);
      digest = digestOf(trace, history, id, whole, part);
      rows = part.calls.map(({ row }) => row);
      parts.set(id, part);
      const { header, first_ns, last_ns } = whole.summary;
      if (header && rows.every(row => identityOf(trace, row) !== '')) {
        const clock = clockOf(header);
        const span = { from: clock.wall(first_ns) - NEAR_US, to: clock.wall(last_ns) + NEAR_US };
        fresh.set(id, { ...span, state: stateOf(trace, history, span, done, paths), digest });
      }
    }
    ledgers.push(attached.add(digest, rows));
    for (const row of rows) done.add(row);
  }
  trace.linkAppended();
  attached.register();
  return { ledgers, parts, fresh };
}

/** What counts around a recording when it is asked whether anything of that time has changed. */
const NEAR_US = 5e6;

/** All that a digest depends on in a history: the tool calls of a time, their sessions and what was parsed of them. */
function stateOf(
  trace: Trace,
  history: HistoryRows,
  { from, to }: Pick<KeptDigest, 'from' | 'to'>,
  done: ReadonlySet<number>,
  paths: ReadonlyMap<number, string>,
): string {
  const { ops } = trace;
  const hash = createHash('sha256');
  hash.update(`${DIGEST_VERSION} ${EFFECTS_VERSION}\n`);
  for (const [at, session] of ops.sessions.all.entries()) {
    const tools = history.toolsOf(at);
    if (tools.length === 0 || (history.spans.first[at] as number) > to || (history.spans.last[at] as number) < from)
      continue;
    hash.update(
      JSON.stringify([session.agent, session.id, session.cwd, session.roots, session.parent, paths.get(session.file)]),
    );
    for (const row of tools) {
      const [start, end] = [ops.start.get(row), ops.end.get(row)];
      if (start > to || end < from || done.has(row)) continue;
      const parsed = (history.parsed.get(row) ?? []).map(effect => keyOf(trace, effect));
      const tool = ops.field.tool.get(row);
      hash.update(
        JSON.stringify([
          identityOf(trace, row),
          start,
          end,
          tool,
          ops.field.status.get(row),
          ops.flags.get(row),
          parsed,
        ]),
      );
    }
  }
  return hash.digest('hex');
}

/** Raised when the same recording and history would give another digest. */
const DIGEST_VERSION = 3;

/** The rows of the calls of a digest; undefined where one is not found. */
function rowsOf(trace: Trace, history: HistoryRows, { from, to, digest }: KeptDigest): number[] | undefined {
  const { ops } = trace;
  const byId = new Map<string, number>();
  ops.sessions.all.forEach((_, at) => {
    if ((history.spans.first[at] as number) > to || (history.spans.last[at] as number) < from) return;
    for (const row of history.toolsOf(at)) if (!ops.has(row, Flag.copy)) byId.set(identityOf(trace, row), row);
  });
  const rows = digest.calls.map(({ id }) => byId.get(id));
  return rows.every(row => row !== undefined) ? rows : undefined;
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
