import { Flag } from '../../trace/flags.ts';
import { Kind, NO_ROW } from '../../trace/kinds.ts';
import type { Operations } from '../../trace/operations.ts';
import type { Session } from '../../trace/sessions.ts';
import type { FileLedger } from '../ledger.ts';

/** Said once for each file whose history was copied from a thread that is not among the files. */
export const MISSING_PARENT =
  'Begins with history copied from a session that was not found; it is counted once, at the time of the copy.';

/**
 * What a single file cannot tell: which of its first rows another thread has too. A call is a copy if the other
 * thread has one with the same cumulative counters, in the same order, from the first row on; the first call that
 * has no counterpart is the thread's own. Where the file told for certain what is copied, only that is looked for:
 * a fork and its origin may go on with equal numbers. Copies take over the identity of the original, so that the general
 * dedupe counts them once and the original keeps its date. Threads are treated after those they began with, so
 * forks of forks come out as one family.
 *
 * Without the other thread's file nothing is changed: the copies of all its children carry the same identities
 * already.
 */
export function settleForks(out: Operations, ledgers: readonly FileLedger[]): void {
  const bases = forkBases(out);
  if (bases.size === 0) return;
  const wanted = new Set<number>();
  for (const [child, base] of bases) {
    wanted.add(child);
    if (base !== NO_ROW) wanted.add(base);
  }
  const rows = rowsOf(out, wanted);
  const settled = new Set<number>();
  for (const child of bases.keys()) settleThread(out, child, bases, rows, settled);
  for (const [child, base] of bases) if (base === NO_ROW) noteMissing(out, child, rows, ledgers);
}

/** By thread that began with another's history: that other thread, or NO_ROW where it was not read. */
function forkBases(out: Operations): Map<number, number> {
  const replays = new Set<number>();
  for (let row = 0; row < out.length; row++) if (out.has(row, Flag.replayed)) replays.add(out.session.get(row));
  const bases = new Map<number, number>();
  out.sessions.all.forEach((session: Session, at) => {
    if (session.agent !== 'codex') return;
    const base = session.forkedFrom ?? (replays.has(at) ? session.parent : undefined);
    if (base === undefined || base === session.id) return;
    const found = out.sessions.find('codex', base);
    if (found !== undefined || replays.has(at)) bases.set(at, found ?? NO_ROW);
  });
  return bases;
}

function rowsOf(out: Operations, sessions: ReadonlySet<number>): Map<number, number[]> {
  const rows = new Map<number, number[]>();
  for (const session of sessions) rows.set(session, []);
  for (let row = 0; row < out.length; row++) rows.get(out.session.get(row))?.push(row);
  return rows;
}

function settleThread(
  out: Operations,
  child: number,
  bases: ReadonlyMap<number, number>,
  rows: ReadonlyMap<number, readonly number[]>,
  settled: Set<number>,
): void {
  // Marked before its base is asked, so that threads that claim each other end.
  if (settled.has(child)) return;
  settled.add(child);
  const base = bases.get(child);
  if (base === undefined || base === NO_ROW) return;
  settleThread(out, base, bases, rows, settled);
  const originals = new Originals(out, rows.get(base) ?? []);
  const marked = out.sessions.all[child]?.forkMarked === true;
  const own = (rows.get(child) ?? []).filter(row => !marked || out.has(row, Flag.replayed));
  const last = adoptCalls(out, own, originals);
  for (const row of own) {
    if (out.kind.get(row) === Kind.call) continue;
    const copied = out.has(row, Flag.replayed) || row < last || (last !== NO_ROW && out.parentOf(row) === last);
    if (copied && (last !== NO_ROW || out.has(row, Flag.replayed))) adopt(out, row, originals.next(row));
  }
}

/** Gives the last call that is a copy, NO_ROW if none is. */
function adoptCalls(out: Operations, own: readonly number[], originals: Originals): number {
  let last = NO_ROW;
  for (const row of own) {
    if (out.kind.get(row) !== Kind.call || !out.argsKey.has(row)) continue;
    const original = originals.following(row);
    if (original !== NO_ROW) {
      adopt(out, row, original);
      last = row;
    } else if (!out.has(row, Flag.replayed)) break;
  }
  return last;
}

/** A copy has the identity of its original and, its time being false, no duration. */
function adopt(out: Operations, row: number, original: number): void {
  if (original === NO_ROW) return;
  out.key.set(row, out.key.high[original] ?? 0, out.key.low[original] ?? 0);
  out.flag(row, Flag.replayed);
  out.end.set(row, out.start.get(row));
}

/** The rows of the thread that was copied, found by what they say. */
class Originals {
  private readonly out: Operations;
  private readonly byContent = new Map<string, number[]>();
  private readonly taken = new Map<string, number>();
  private reached = -1;

  constructor(out: Operations, rows: readonly number[]) {
    this.out = out;
    for (const row of rows) {
      if (!out.argsKey.has(row)) continue;
      const name = this.content(row);
      const list = this.byContent.get(name);
      if (list) list.push(row);
      else this.byContent.set(name, [row]);
    }
  }

  /** The call with the same counters after the one found before. */
  following(row: number): number {
    const found = this.byContent.get(this.content(row))?.find(each => each > this.reached) ?? NO_ROW;
    if (found !== NO_ROW) this.reached = found;
    return found;
  }

  /** The next row of the same kind and content that nobody took. */
  next(row: number): number {
    if (!this.out.argsKey.has(row)) return NO_ROW;
    const name = this.content(row);
    const index = this.taken.get(name) ?? 0;
    const found = this.byContent.get(name)?.[index];
    if (found === undefined) return NO_ROW;
    this.taken.set(name, index + 1);
    return found;
  }

  private content(row: number): string {
    const { out } = this;
    const { high, low } = out.argsKey;
    return `${out.kind.get(row)} ${out.field.tool.codeAt(row)} ${high[row]} ${low[row]}`;
  }
}

function noteMissing(
  out: Operations,
  child: number,
  rows: ReadonlyMap<number, readonly number[]>,
  ledgers: readonly FileLedger[],
): void {
  const copied = rows.get(child)?.some(row => out.kind.get(row) === Kind.call && out.has(row, Flag.replayed));
  const ledger = ledgers[out.sessions.all[child]?.file ?? -1];
  if (copied && ledger && !ledger.notes.includes(MISSING_PARENT)) ledger.notes.push(MISSING_PARENT);
}
