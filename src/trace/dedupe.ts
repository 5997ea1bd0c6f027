import { Flag } from './flags.ts';
import type { Key } from './keys.ts';
import { Kind, NO_ROW } from './kinds.ts';
import type { Operations } from './operations.ts';

/**
 * The global dedupe: rows of one agent and kind with equal keys are one operation, however many files repeat it
 * (resume and fork copy history, some with fresh timestamps). The earliest row survives, because copies are only
 * ever written later; equal times leave it to the order of paths, then of bytes. The others become `Flag.copy`: weight 0.
 *
 * Gives the survivor of each row: itself, or the row it is a copy of.
 */
export function dedupe(ops: Operations): { readonly survivor: Uint32Array; readonly hasCopies: boolean } {
  const survivor = rowNumbers(ops.length);
  const copies: number[] = [];
  const keyed = Math.min(ops.length, Math.max(ops.key.high.length, ops.key.low.length));
  const size = tableSize(ops.length);
  const mask = size - 1;
  const slots = new Uint32Array(size);
  const { high, low } = ops.key;
  const agentOf = agentNumbers(ops);
  const { cells: kinds } = ops.kind;
  const { cells: sessions } = ops.session;
  for (let row = 0; row < keyed; row++) {
    const h = high[row] ?? 0;
    const l = low[row] ?? 0;
    if ((h | l) === 0) continue;
    const kind = kinds[row] ?? 0;
    const agent = agentOf[sessions[row] ?? 0] as number;
    let slot = (l ^ Math.imul(kind + 1, 0x9e3779b1)) & mask;
    for (;;) {
      const held = slots[slot] as number;
      if (held === 0) {
        slots[slot] = row + 1;
        break;
      }
      const other = held - 1;
      if (
        high[other] === h &&
        low[other] === l &&
        (kinds[other] ?? 0) === kind &&
        agentOf[sessions[other] ?? 0] === agent
      ) {
        const kept = earlier(ops, row, other) ? row : other;
        const copy = kept === row ? other : row;
        merge(ops, kept, copy);
        survivor[copy] = kept;
        copies.push(copy);
        slots[slot] = kept + 1;
        break;
      }
      slot = (slot + 1) & mask;
    }
  }
  for (const copy of copies) {
    let kept = survivor[copy] as number;
    while (survivor[kept] !== kept) kept = survivor[kept] as number;
    survivor[copy] = kept;
  }
  const hasCopies = copies.length > 0;
  if (hasCopies) dropEffectsOfCopies(ops, survivor);
  return { survivor, hasCopies };
}

/** 0, 1, 2 and so on. */
export function rowNumbers(count: number): Uint32Array {
  const rows = new Uint32Array(count);
  for (let row = 0; row < count; row++) rows[row] = row;
  return rows;
}

/** The rows of one kind that have a wanted key, by the key; copies left out. For the spawn links: few keys, many rows. */
export function rowsWithKeys(ops: Operations, kind: Kind, wanted: readonly Key[]): (agent: string, key: Key) => number {
  const lows = new Set(wanted.map(key => key.low));
  const rows = new Map<number, number[]>();
  const { high, low } = ops.key;
  const { cells: kinds } = ops.kind;
  for (let row = 0; lows.size > 0 && row < ops.length; row++) {
    if ((kinds[row] ?? 0) !== kind || !lows.has(low[row] ?? 0) || ops.has(row, Flag.copy)) continue;
    rows.set(low[row] as number, [...(rows.get(low[row] as number) ?? []), row]);
  }
  return (agent, key) =>
    rows.get(key.low)?.find(row => high[row] === key.high && ops.sessions.all[ops.session.get(row)]?.agent === agent) ??
    NO_ROW;
}

function tableSize(rows: number): number {
  let size = 16;
  while (size < rows * 2) size *= 2;
  return size;
}

function agentNumbers(ops: Operations): Uint16Array {
  const names = new Map<string, number>();
  return Uint16Array.from(ops.sessions.all, session => {
    let number = names.get(session.agent);
    if (number === undefined) names.set(session.agent, (number = names.size));
    return number;
  });
}

/** A replayed row has a false time and never wins over one that is not; then the earlier start; an unknown time is latest. */
function earlier(ops: Operations, row: number, other: number): boolean {
  const replayed = ops.has(row, Flag.replayed);
  if (replayed !== ops.has(other, Flag.replayed)) return !replayed;
  const start = ops.start.get(row) || Number.MAX_SAFE_INTEGER;
  const otherStart = ops.start.get(other) || Number.MAX_SAFE_INTEGER;
  if (start !== otherStart) return start < otherStart;
  const rank = fileRank(ops, row) - fileRank(ops, other);
  return rank !== 0 ? rank < 0 : ops.offset.get(row) < ops.offset.get(other);
}

function fileRank(ops: Operations, row: number): number {
  const file = ops.file.get(row);
  return ops.fileRank[file] ?? file;
}

/** The survivor takes the larger output of its copies: a copy may hold the final usage that a killed original lacks. */
function merge(ops: Operations, kept: number, copy: number): void {
  ops.flag(copy, Flag.copy);
  if (ops.kind.get(kept) !== Kind.call) return;
  const { output_tokens: output, reasoning_tokens: reasoning } = ops.tokens;
  const sum = output.get(kept) + reasoning.get(kept);
  if (output.get(copy) + reasoning.get(copy) > sum) {
    output.set(kept, output.get(copy));
    reasoning.set(kept, reasoning.get(copy));
  }
  if (ops.has(kept, Flag.lowerBound) && !ops.has(copy, Flag.lowerBound))
    ops.flags.set(kept, ops.flags.get(kept) & ~Flag.lowerBound);
}

function dropEffectsOfCopies(ops: Operations, survivor: Uint32Array): void {
  const { cells: kinds } = ops.kind;
  const { cells: parents } = ops.parent;
  for (let row = 0; row < ops.length; row++) {
    if (kinds[row] !== Kind.effect) continue;
    const parent = (parents[row] ?? 0) - 1;
    if (parent >= 0 && survivor[parent] !== parent) ops.flag(row, Flag.copy);
  }
}
