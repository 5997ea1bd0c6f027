import { microDollars } from '../money/round.ts';
import type { CellSlot } from '../profile/cells.ts';
import { OUTER_FRAMES } from '../profile/views.ts';
import { type Flame, FlameBuilder } from './flame.ts';
import { type Model, type ModelDimension, SEVERAL } from './model.ts';

/** What part of the history counts: a span of days, and for some dimensions the values to keep. */
export interface Filter {
  /** First and last day, inclusive; '' for no bound. */
  readonly from: string;
  readonly to: string;
  readonly only: Readonly<Record<string, readonly string[]>>;
}

export const NO_FILTER: Filter = { from: '', to: '', only: {} };

/** One byte a cell: 1 where the filter keeps it. A cell without a day is kept only while there is no bound. */
export function filterMask(model: Model, filter: Filter): Uint8Array {
  const mask = new Uint8Array(model.cells.length).fill(1);
  const keep = (dimension: ModelDimension | undefined, wanted: (value: string) => boolean) => {
    if (!dimension) return;
    const good = dimension.values.map(wanted);
    for (let cell = 0; cell < mask.length; cell++) if (!good[dimension.codes[cell] as number]) mask[cell] = 0;
  };
  const { from, to } = filter;
  if (from !== '' || to !== '')
    keep(model.dimensions.get('day'), day => day !== '' && (from === '' || day >= from) && (to === '' || day <= to));
  for (const [name, values] of Object.entries(filter.only)) {
    const wanted = new Set(values);
    if (wanted.size > 0) keep(model.dimensions.get(name), value => wanted.has(value));
  }
  return mask;
}

/** Writes the frames of a slot of a cell into `out` and gives their number. */
export type Placer = (cell: number, slot: CellSlot, out: number[]) => number;

/**
 * The stack of each cell: the dimensions named, outermost first; the chain of a subagent above the first frame that
 * tells what was done; `token` and `domain` only for the portions that are theirs. The same order as fold.ts. A name
 * of which nothing is known gives no frames.
 */
export function placerOf(model: Model, stack: readonly string[]): Placer {
  const steps = stack;
  const inner = steps.findIndex(name => name !== 'token' && name !== 'domain' && !OUTER_FRAMES.has(name));
  const chains = chainsOf(model, steps);
  const columns = steps.map(name => model.dimensions.get(name));
  const tokens = new Map(
    model.cells.slots.map(slot => [slot.token, slot.token === '' ? undefined : model.frameId('token', slot.token)]),
  );
  const { chain } = model.cells;
  let chainAt = inner < 0 ? steps.length : inner;
  // Frames that split stand below the chain even where the stack names them just above the first inner frame.
  while (chainAt > 0 && (steps[chainAt - 1] === 'token' || steps[chainAt - 1] === 'domain')) chainAt--;
  return (cell, slot, out) => {
    let length = 0;
    for (let at = 0; at <= steps.length; at++) {
      if (at === chainAt) for (const frame of chains[chain[cell] as number] as number[]) out[length++] = frame;
      if (at === steps.length) break;
      const column = columns[at];
      if (steps[at] === 'token') {
        const token = tokens.get(slot.token);
        if (token !== undefined) out[length++] = token;
      } else if (column && (column.name !== 'domain' || slot.domain)) {
        const code = column.codes[cell] as number;
        const frame = column.frameOf[code] as number;
        if (frame >= 0) out[length++] = frame;
        else if (frame === SEVERAL)
          for (const each of column.lists.get(code) as readonly number[]) out[length++] = each;
      }
    }
    return length;
  };
}

function chainsOf(model: Model, steps: readonly string[]): number[][] {
  const shows = steps.includes('call') || steps.includes('tool');
  const above = steps.filter(name => name === 'task' || name === 'call') as ('task' | 'call')[];
  const frame = (kind: string, value: string) => (value === '' ? [] : [model.frameId(kind, value) as number]);
  return model.cells.chains.map(chain =>
    !shows
      ? []
      : chain.flatMap(level => [
          ...above.flatMap(kind => frame(kind, level[kind])),
          ...frame('tool', level.tool),
          ...(steps.includes('subagent') ? [] : frame('subagent', level.subagent)),
        ]),
  );
}

/** The slots that a measure is made of. */
export function slotsOf(model: Model, measure: string): CellSlot[] {
  const at = model.cells.measures.findIndex(each => each.name === measure);
  return model.cells.slots.filter(slot => slot.measures.includes(at));
}

/** Folds the cells that the mask keeps by a stack. Costs come out as micro-dollars whose parts add up to the whole. */
export function project(model: Model, stack: readonly string[], measure: string, mask: Uint8Array): Flame {
  const slots = slotsOf(model, measure);
  const builder = new FlameBuilder(model.frames, sumOf(slots) >= Number.MAX_SAFE_INTEGER / 2, mask.length + 1);
  const place = placerOf(model, stack);
  const splits = stack.includes('token') || stack.includes('domain');
  const path: number[] = [];
  for (let cell = 0; cell < mask.length; cell++) {
    if (mask[cell] === 0) continue;
    let length = -1;
    for (const slot of slots) {
      const value = slot.values[cell] as number;
      if (value === 0) continue;
      if (length < 0 || splits) length = place(cell, slot, path);
      builder.add(path, length, value);
    }
  }
  return builder.finish(measure === 'cost' ? microDollars : undefined);
}

function sumOf(slots: readonly CellSlot[]): number {
  let sum = 0;
  for (const slot of slots) for (let cell = 0; cell < slot.values.length; cell++) sum += slot.values[cell] as number;
  return sum;
}

/** The exact sum of a measure over the cells that `counts` keeps, by slot; costs in nano-dollars. */
export function exactSum(slots: readonly CellSlot[], counts: (cell: number, slot: CellSlot) => boolean): bigint {
  let low = 0;
  let high = 0n;
  for (const slot of slots) {
    for (let cell = 0; cell < slot.values.length; cell++) {
      const value = slot.values[cell] as number;
      if (value === 0 || !counts(cell, slot)) continue;
      if (low + value > Number.MAX_SAFE_INTEGER) {
        high += BigInt(low);
        low = 0;
      }
      low += value;
    }
  }
  return high + BigInt(low);
}
