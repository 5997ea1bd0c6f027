import type { RecordingLedger } from '../recorder/ledger.ts';
import { counted } from '../trace/counted.ts';
import type { JoinedRecordings } from './recordings.ts';

type Reasons = Readonly<Record<string, number | undefined>>;

const n = (value: number): string => value.toLocaleString('en-US');

/** What each reason means, for a person. */
const WORDS: Readonly<Record<string, string>> = {
  no_process: 'left no process or file',
  twins: 'identical commands at the same time',
  ambiguous: 'more than one answer',
  agent: "the agent's own",
  server: 'of a server of tools outside a single call',
  no_call: 'below the agent without a call',
  outside_agent: 'outside the agent',
  no_session: 'of no session',
  temporary: 'made and taken away',
  repeated: 'the same again',
  wrapper: "the agent's wrapper",
  directory: 'folders listed',
  device: 'devices',
  local_socket: 'local sockets',
  failed_connect: 'failed connections',
  name_lookup: 'name look-ups',
  listening: 'listening and accepting',
  traffic: 'traffic of connections',
};

const told = (reasons: Reasons): string =>
  Object.entries(reasons)
    .map(([reason, count]) => `${n(count ?? 0)} ${WORDS[reason] ?? reason}`)
    .join(', ');

/** Sums over all ledgers; reasons are added up by name. */
function totals({ ledgers }: JoinedRecordings): {
  attached: number;
  inTime: number;
  calls: Reasons;
  processes: Reasons;
  events: Reasons;
} {
  const added = (of: (ledger: RecordingLedger) => Reasons): Reasons => {
    const sum: Record<string, number> = {};
    for (const ledger of ledgers)
      for (const [reason, count] of Object.entries(of(ledger))) sum[reason] = (sum[reason] ?? 0) + (count ?? 0);
    return Object.fromEntries(Object.entries(sum).sort(([a], [b]) => (a < b ? -1 : 1)));
  };
  return {
    attached: ledgers.reduce((sum, { calls }) => sum + calls.attached, 0),
    inTime: ledgers.reduce((sum, { calls }) => sum + calls.in_time, 0),
    calls: added(({ calls }) => calls.not_attached),
    processes: added(({ processes }) => processes.not_attached),
    events: added(({ events }) => events.not_attached),
  };
}

/** For the comments of a profile. */
export function recordedLine(recorded: JoinedRecordings): string {
  const { attached, inTime } = totals(recorded);
  return `recordings: ${recorded.ledgers.length} read, ${attached} of ${counted(inTime, 'tool call')} in their time measured`;
}

/** For the summary in the terminal. */
export function recordedNotes(recorded: JoinedRecordings): string[] {
  if (recorded.ledgers.length === 0) return [];
  const { attached, inTime, calls, processes, events } = totals(recorded);
  const sum = (reasons: Reasons): number => Object.values(reasons).reduce<number>((all, each) => all + (each ?? 0), 0);
  const open = Object.keys(calls).length > 0 ? ` (${told(calls)})` : '';
  return [
    `recordings: ${n(recorded.ledgers.length)} read, ${n(attached)} of ${counted(inTime, 'tool call')} in their time measured${open}`,
    `recorded, not attached: ${counted(sum(processes), 'process', 'processes')}, ${counted(sum(events), 'file or network event', 'file and network events')}; agentpprof reconcile tells why`,
  ];
}

/** For programs; keys as in the ledgers. */
export function recordedJson({ ledgers, ofNoSession }: JoinedRecordings): object {
  return { read: ledgers.length, of_no_session: ofNoSession, ledgers };
}

/** For `reconcile`: all that became of each recording. */
export function recordedLedgerLines({ ledgers, ofNoSession }: JoinedRecordings): string[] {
  const lines: string[] = [];
  const push = (label: string, count: number, reasons: Reasons): void => {
    if (count > 0 || Object.keys(reasons).length > 0)
      lines.push(`  ${label}${Object.keys(reasons).length > 0 ? `: ${told(reasons)}` : ''}`);
  };
  for (const { id, engine, whole, sessions, calls, processes, events, effects, time } of ledgers) {
    lines.push(
      `recording ${id} (${engine}${whole ? '' : ', with gaps'}): ${n(calls.attached)} of ${counted(calls.in_time, 'tool call')} of ${counted(sessions, 'session')} measured`,
    );
    push('calls not attached', 0, calls.not_attached);
    const facts = [
      calls.incomplete > 0 ? `${n(calls.incomplete)} incomplete` : '',
      calls.outlives_call > 0 ? `${n(calls.outlives_call)} with processes that outlive them` : '',
      calls.outside_recording > 0 ? `${n(calls.outside_recording)} that hand work to a daemon or another machine` : '',
    ].filter(fact => fact !== '');
    if (facts.length > 0) lines.push(`  of these: ${facts.join(', ')}`);
    push(
      `processes: ${n(processes.recorded)}, attached ${n(processes.attached)}; recorded, not attached`,
      1,
      processes.not_attached,
    );
    push(
      `file and network events: ${n(events.recorded)}, ${n(events.system)} of the system, ${n(events.effects)} gave effects; without effect`,
      1,
      events.without_effect,
    );
    push('  recorded, not attached', 0, events.not_attached);
    lines.push(
      `  effects: ${counted(effects.files, 'file')} and ${counted(effects.contacts, 'contact')} measured, in place of ${n(effects.replaced_files)} and ${n(effects.replaced_contacts)} parsed`,
    );
    if (time.split + time.not_split > 0)
      lines.push(
        `  time: ${counted(time.split, 'call')} split into CPU and waiting${time.more_cpu_than_time > 0 ? ` (${n(time.more_cpu_than_time)} used more CPU than time went by)` : ''}, ${n(time.not_split)} not`,
      );
  }
  if (ofNoSession > 0) lines.push(`recordings of no session's time: ${n(ofNoSession)}`);
  return lines;
}
