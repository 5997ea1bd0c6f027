import { graver, type Unsafe } from '../effects/unsafe.ts';
import { StringColumn } from '../trace/columns.ts';
import { Flag } from '../trace/flags.ts';
import { Kind } from '../trace/kinds.ts';
import type { Trace } from '../trace/trace.ts';
import { type CallDigest, keyOf, type RecordingDigest } from './digest.ts';
import type { HistoryRows } from './history-rows.ts';
import type { RecordingLedger } from './ledger.ts';
import { effectKey } from './measured.ts';

/** Reads of libraries are no measured effects, so what a command names there stays as it was parsed. */
const STAYS = 'read external/system';

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };
type Effects = Writable<RecordingLedger['effects']>;
type Time = Writable<RecordingLedger['time']>;

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

  /** `rows` are those of the digest's calls. */
  add({ ledger, calls }: RecordingDigest, rows: readonly number[]): RecordingLedger {
    const effects: Effects = { files: 0, contacts: 0, replaced_files: 0, replaced_contacts: 0 };
    const time: Time = { split: 0, cpu_ns: 0, waiting_ns: 0, more_cpu_than_time: 0, not_split: 0 };
    calls.forEach((call, at) => {
      const row = rows[at] as number;
      this.replace(row, call, effects);
      this.append(row, call, effects);
      this.split(row, call, time);
    });
    return { ...ledger, effects, time };
  }

  /** Of a call that was seen whole, all that was parsed goes; else only what was measured too. */
  private replace(row: number, { effects, whole }: CallDigest, counts: Effects): void {
    const { ops } = this.trace;
    const seen = new Set(effects.map(effectKey));
    for (const effect of this.history.parsed.get(row) ?? []) {
      if (ops.has(effect, Flag.copy)) continue;
      const key = keyOf(this.trace, effect);
      if (!seen.has(key) && (!whole || key === STAYS || key.startsWith('mcp:'))) continue;
      ops.flag(effect, Flag.copy);
      if (ops.field.domain.codeAt(effect) !== 0) counts.replaced_contacts++;
      else counts.replaced_files++;
    }
  }

  private append(row: number, { effects, unsafe }: CallDigest, counts: Effects): void {
    const { field } = this.trace.ops;
    for (const { kind, value, process } of effects) {
      const added = this.row(row);
      this.evidence.set(added, 'measured');
      if (process !== '') field.process.set(added, process);
      if (kind === 'contact') {
        field.domain.set(added, value);
        counts.contacts++;
      } else {
        field.file.set(added, value);
        field.effect.set(added, kind);
        counts.files++;
      }
    }
    const worst = graver(field.unsafe.get(row) as Unsafe | '', unsafe);
    if (worst !== '') field.unsafe.set(row, worst);
  }

  /** Spreads the time of a call over what it computed and what it waited. */
  private split(row: number, { cpu }: CallDigest, counts: Time): void {
    const { times, spread } = this.trace;
    const charged = times.time.get(row);
    if (charged === 0 || cpu === undefined) return;
    if (cpu === null) {
      counts.not_split++;
      return;
    }
    counts.split++;
    if (cpu > 1) counts.more_cpu_than_time++;
    // Of calls beside each other each has its part of the time, so CPU counts by its share.
    const own = Math.floor(charged * Math.min(1, cpu));
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
