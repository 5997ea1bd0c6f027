import { graver, type Unsafe, unsafeEffect } from '../effects/unsafe.ts';
import { StringColumn } from '../trace/columns.ts';
import type { FileEffect } from '../trace/fields.ts';
import { Flag } from '../trace/flags.ts';
import { Kind } from '../trace/kinds.ts';
import type { Trace } from '../trace/trace.ts';
import type { ReadWhole } from './deeds.ts';
import { type Deed, processKey } from './events.ts';
import type { HistoryRows } from './history-rows.ts';
import { Counts, type NoEffect, type NotAttached, type RecordingLedger } from './ledger.ts';
import { effectKey, type MeasuredCall, measuredOf } from './measured.ts';
import { Names } from './names.ts';
import type { Parts, RecordedToolCall } from './parts.ts';
import { reasonsOf } from './reasons.ts';
import { cpuOf } from './waiting.ts';

/** Reads of libraries are no measured effects, so what a command names there stays as it was parsed. */
const STAYS = 'read external/system';

/** Puts what was recorded of tool calls into a trace, as rows and fields, and counts it. */
export class AttachedCalls {
  private readonly trace: Trace;
  private readonly history: HistoryRows;
  private readonly evidence = new StringColumn();
  private readonly wait = new StringColumn();

  constructor(trace: Trace, history: HistoryRows) {
    this.trace = trace;
    this.history = history;
    const { file, domain } = trace.ops.field;
    const parsed = this.evidence.code('parsed');
    for (let row = 0; row < trace.ops.length; row++)
      if (file.codeAt(row) !== 0 || domain.codeAt(row) !== 0) this.evidence.setCode(row, parsed);
  }

  register(): void {
    this.trace.register('evidence', { column: this.evidence, through: 'row' });
    this.trace.register('wait', { column: this.wait, through: 'row' });
  }

  add(id: string, whole: ReadWhole, parts: Parts): RecordingLedger {
    const { summary, system } = whole;
    const { calls } = parts;
    const deeds = deedsByCall(whole.deeds, calls);
    const names = new Names(whole.deeds);
    const effects = { files: 0, contacts: 0, replaced_files: 0, replaced_contacts: 0 };
    const time = { split: 0, cpu_ns: 0, waiting_ns: 0, more_cpu_than_time: 0, not_split: 0 };
    const without = new Counts<NoEffect>();
    let counted = 0;
    for (const call of calls) {
      const measured = this.measured(call, deeds.of.get(call.row) ?? [], whole, names);
      counted += measured.counted;
      without.addAll(measured.without);
      this.replace(call, measured, effects);
      this.append(call, measured, effects);
      this.split(call, time);
    }
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
    return {
      id,
      engine: summary.header?.engine.name ?? '',
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
      effects,
      time,
    };
  }

  private measured(
    { row, links, processes }: RecordedToolCall,
    deeds: readonly Deed[],
    whole: ReadWhole,
    names: Names,
  ) {
    const session = this.trace.ops.session.get(row);
    return measuredOf({
      deeds,
      processes: whole.summary.processes,
      own: new Set(processes.map(({ key }) => key)),
      roots: new Set(links.flatMap(({ process }) => process ?? [])),
      command: this.history.commandsOf(session).get(row) ?? '',
      asked: new Set((this.history.parsed.get(row) ?? []).map(effect => this.keyOf(effect))),
      project: this.history.projectOf(session),
      names,
    });
  }

  private keyOf(effect: number): string {
    const { field } = this.trace.ops;
    return field.domain.get(effect) || `${field.effect.get(effect)} ${field.file.get(effect)}`;
  }

  /** Of a call that was seen whole, all that was parsed goes; else only what was measured too. */
  private replace(
    { row, links }: RecordedToolCall,
    { effects }: MeasuredCall,
    counts: RecordingLedger['effects'],
  ): void {
    const { ops } = this.trace;
    const whole = links.every(
      ({ method, confidence, outside_recording }) =>
        (method === 'command' || method === 'order') && confidence !== 'incomplete' && !outside_recording,
    );
    const seen = new Set(effects.map(effectKey));
    for (const effect of this.history.parsed.get(row) ?? []) {
      if (ops.has(effect, Flag.copy)) continue;
      const key = this.keyOf(effect);
      if (!seen.has(key) && (!whole || key === STAYS || key.startsWith('mcp:'))) continue;
      ops.flag(effect, Flag.copy);
      if (ops.field.domain.codeAt(effect) !== 0) (counts as Writable).replaced_contacts++;
      else (counts as Writable).replaced_files++;
    }
  }

  private append({ row }: RecordedToolCall, { effects }: MeasuredCall, counts: RecordingLedger['effects']): void {
    const { field } = this.trace.ops;
    let worst = field.unsafe.get(row) as Unsafe | '';
    for (const { kind, value, path, process } of effects) {
      const added = this.row(row);
      this.evidence.set(added, 'measured');
      if (process !== '') field.process.set(added, process);
      if (kind === 'contact') {
        field.domain.set(added, value);
        (counts as Writable).contacts++;
      } else {
        field.file.set(added, value);
        field.effect.set(added, kind);
        (counts as Writable).files++;
        worst = graver(worst, unsafeEffect(kind as FileEffect, path, value));
      }
    }
    if (worst !== '') field.unsafe.set(row, worst);
  }

  /** Spreads the time of a call over what it computed and what it waited. */
  private split(call: RecordedToolCall, counts: Writable<RecordingLedger['time']>): void {
    const { ops, times, spread } = this.trace;
    const { row } = call;
    const charged = times.time.get(row);
    if (charged === 0 || !call.links.some(({ process }) => process !== undefined)) return;
    const cpu = cpuOf(call, (ops.end.get(row) - ops.start.get(row)) * 1000);
    if (cpu === undefined) {
      counts.not_split++;
      return;
    }
    counts.split++;
    if (cpu.share > 1) counts.more_cpu_than_time++;
    // Of calls beside each other each has its part of the time, so CPU counts by its share.
    const own = Math.floor(charged * Math.min(1, cpu.share));
    counts.cpu_ns += own;
    counts.waiting_ns += charged - own;
    times.time.set(row, 0);
    spread.set(row, charged);
    for (const [name, part] of [
      ['cpu', own],
      ['waiting', charged - own],
    ] as const) {
      if (part === 0) continue;
      const added = this.row(row);
      this.evidence.set(added, 'measured');
      this.wait.set(added, name);
      times.time.set(added, part);
      spread.set(added, charged);
    }
  }

  /** A row under a tool call, with its time and evidence. */
  private row(tool: number): number {
    const { ops } = this.trace;
    const { session, start, file, offset, bytes } = ops;
    return ops.add(
      Kind.effect,
      session.get(tool),
      tool,
      start.get(tool),
      file.get(tool),
      offset.get(tool),
      bytes.get(tool),
    );
  }
}

type Writable<T = RecordingLedger['effects']> = { -readonly [Key in keyof T]: T[Key] };

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
