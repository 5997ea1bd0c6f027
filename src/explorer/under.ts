import type { CellSlot } from '../profile/cells.ts';
import type { Model } from './model.ts';
import { exactSum, placerOf, slotsOf } from './project.ts';

/** Which portions of which cells lie under a path of a stack. */
export type Under = (cell: number, slot: CellSlot) => boolean;

export function underPath(model: Model, stack: readonly string[], mask: Uint8Array, path: readonly number[]): Under {
  if (path.length === 0) return cell => mask[cell] === 1;
  const place = placerOf(model, stack);
  const splits = stack.includes('token') || stack.includes('domain');
  const frames: number[] = [];
  const known = new Int8Array(mask.length);
  return (cell, slot) => {
    if (mask[cell] !== 1) return false;
    if (!splits && known[cell] !== 0) return known[cell] === 1;
    const length = place(cell, slot, frames);
    let under = length >= path.length;
    for (let at = 0; under && at < path.length; at++) under = frames[at] === path[at];
    known[cell] = under ? 1 : -1;
    return under;
  };
}

/** The exact sum of every measure, in the order of the measures; costs rounded to micro-dollars. */
export function sumsOf(model: Model, under: Under): bigint[] {
  return model.cells.measures.map(({ name }) => {
    const sum = exactSum(slotsOf(model, name), under);
    return name === 'cost' ? (sum + 500n) / 1000n : sum;
  });
}

/** Sums of one measure by the values of a dimension (codes), over what lies under a path; costs in nano-dollars. */
export function sumsBy(model: Model, dimension: string, measure: string, under: Under): Map<number, number> {
  const codes = model.dimensions.get(dimension)?.codes;
  const sums = new Map<number, number>();
  if (!codes) return sums;
  for (const slot of slotsOf(model, measure)) {
    for (let cell = 0; cell < slot.values.length; cell++) {
      const value = slot.values[cell] as number;
      if (value === 0 || !under(cell, slot)) continue;
      const code = codes[cell] as number;
      sums.set(code, (sums.get(code) ?? 0) + value);
    }
  }
  return sums;
}

/** Positions in the evidence of cells with any portion under a path. */
export function evidenceUnder(model: Model, under: Under): number[] {
  const { evidence, slots } = model.cells;
  const found: number[] = [];
  for (let at = 0; at < evidence.length; at++) {
    const cell = evidence.cell[at] as number;
    if (slots.some(slot => slot.values[cell] !== 0 && under(cell, slot))) found.push(at);
  }
  return found;
}
