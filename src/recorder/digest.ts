import { graver, type Unsafe, unsafeEffect } from '../effects/unsafe.ts';
import type { FileEffect } from '../trace/fields.ts';
import type { Trace } from '../trace/trace.ts';
import type { ReadWhole } from './deeds.ts';
import { type Deed, processKey } from './events.ts';
import type { HistoryRows } from './history-rows.ts';
import { Counts, type NoEffect, type NotAttached, type RecordingLedger } from './ledger.ts';
import { effectKey, type MeasuredEffect, measuredOf } from './measured.ts';
import { Names } from './names.ts';
import type { Parts, RecordedToolCall } from './parts.ts';
import { reasonsOf } from './reasons.ts';
import { cpuOf } from './waiting.ts';

/** What a recording shows of a history, without the recording: enough to attach it again. Plain JSON, no path of the machine. */
export interface RecordingDigest {
  readonly ledger: Omit<RecordingLedger, 'effects' | 'time'>;
  readonly calls: readonly CallDigest[];
}

export interface CallDigest {
  /** The tool call, as `identityOf` names it. */
  readonly id: string;
  readonly effects: readonly Omit<MeasuredEffect, 'path'>[];
  /** It was seen whole: what was parsed and not measured did not happen. */
  readonly whole: boolean;
  /** The gravest class of what was measured. */
  readonly unsafe: Unsafe | '';
  /** CPU time as a share of the time that went by, above 1 where several computed at once; null: not known. Absent: no process of its own. */
  readonly cpu?: number | null;
}

/** A tool call among those of all sessions, the same in every run; '' where its agent gave it no id. */
export function identityOf({ ops }: Trace, row: number): string {
  if (!ops.key.has(row)) return '';
  return `${ops.sessions.all[ops.session.get(row)]?.agent} ${ops.key.high[row]} ${ops.key.low[row]}`;
}

/** `kind place` of an effect row, or its domain. */
export function keyOf({ ops }: Trace, effect: number): string {
  const { field } = ops;
  return (
    field.domain.get(effect) ||
    effectKey({ kind: field.effect.get(effect) as FileEffect, value: field.file.get(effect) })
  );
}

export function digestOf(
  trace: Trace,
  history: HistoryRows,
  id: string,
  whole: ReadWhole,
  parts: Parts,
): RecordingDigest {
  const { summary, system } = whole;
  const { calls } = parts;
  const deeds = deedsByCall(whole.deeds, calls);
  const names = new Names(whole.deeds);
  const without = new Counts<NoEffect>();
  let counted = 0;
  const digests = calls.map((call): CallDigest => {
    const { row, links } = call;
    const measured = measuredCall(trace, history, call, deeds.of.get(row) ?? [], whole, names);
    counted += measured.counted;
    without.addAll(measured.without);
    let unsafe: Unsafe | '' = '';
    for (const { kind, value, path } of measured.effects)
      if (kind !== 'contact') unsafe = graver(unsafe, unsafeEffect(kind, path, value));
    const cpu = cpuOf(call, (trace.ops.end.get(row) - trace.ops.start.get(row)) * 1000);
    return {
      id: identityOf(trace, row) || `row ${row}`,
      effects: measured.effects.map(({ path: _, ...effect }) => effect),
      whole: links.every(
        ({ method, confidence, outside_recording }) =>
          (method === 'command' || method === 'order') && confidence !== 'incomplete' && !outside_recording,
      ),
      unsafe,
      ...(links.some(({ process }) => process !== undefined) && { cpu: cpu?.share ?? null }),
    };
  });
  const reasons = reasonsOf(summary.processes, parts);
  const processes = new Counts<NotAttached>();
  for (const reason of reasons.values()) processes.add(reason);
  const events = new Counts<NotAttached>();
  for (const deed of deeds.left) events.add(reasons.get(processKey(deed)) ?? 'ambiguous');
  const systemReads = [...system.values()].reduce((sum, count) => sum + count, 0);
  const unattached = new Counts<'no_process' | 'twins' | 'ambiguous'>();
  for (const { reason } of parts.unattached) unattached.add(reason === 'no process' ? 'no_process' : reason);
  const having = (test: (link: RecordedToolCall['links'][number]) => boolean): number =>
    calls.filter(({ links }) => links.some(test)).length;
  const ledger = {
    id,
    engine: summary.header?.engine.name ?? ('' as const),
    whole: summary.complete && summary.gaps.length === 0,
    sessions: parts.agents.size,
    calls: {
      in_time: parts.inTime,
      attached: calls.length,
      incomplete: having(({ confidence }) => confidence === 'incomplete'),
      outside_recording: having(({ outside_recording }) => outside_recording),
      outlives_call: having(({ outlives_call }) => outlives_call),
      not_attached: unattached.all(),
    },
    processes: {
      recorded: summary.processes.size,
      attached: summary.processes.size - processes.total,
      not_attached: processes.all(),
    },
    events: {
      recorded: whole.deeds.length + systemReads,
      system: systemReads,
      effects: counted,
      without_effect: without.all(),
      not_attached: events.all(),
    },
  };
  return { ledger, calls: digests };
}

function measuredCall(
  trace: Trace,
  history: HistoryRows,
  { row, links, processes }: RecordedToolCall,
  deeds: readonly Deed[],
  whole: ReadWhole,
  names: Names,
) {
  const session = trace.ops.session.get(row);
  return measuredOf({
    deeds,
    processes: whole.summary.processes,
    own: new Set(processes.map(({ key }) => key)),
    roots: new Set(links.flatMap(({ process }) => process ?? [])),
    command: history.commandsOf(session).get(row) ?? '',
    asked: new Set((history.parsed.get(row) ?? []).map(effect => keyOf(trace, effect))),
    project: history.projectOf(session),
    names,
  });
}

/** Deeds by the tool row they belong to, and those that belong to none. */
function deedsByCall(
  deeds: readonly Deed[],
  calls: readonly RecordedToolCall[],
): { of: Map<number, Deed[]>; left: Deed[] } {
  const byProcess = new Map<string, number>();
  const bySeq = new Map<number, number>();
  for (const { row, links } of calls)
    for (const { processes, events } of links) {
      for (const key of processes) byProcess.set(key, row);
      for (const seq of events) bySeq.set(seq, row);
    }
  const of = new Map<number, Deed[]>();
  const left: Deed[] = [];
  for (const deed of deeds) {
    const row = byProcess.get(processKey(deed)) ?? bySeq.get(deed.seq);
    if (row === undefined) left.push(deed);
    else {
      const list = of.get(row);
      if (list) list.push(deed);
      else of.set(row, [deed]);
    }
  }
  return { of, left };
}
