import { type CellDimension, type Cells, framesOf } from '../profile/cells.ts';
import { LIST } from '../profile/columns.ts';
import type { Frame } from '../profile/profile.ts';
import { weekOf } from '../trace/calendar.ts';

/**
 * The cells of a page, made ready for folding: every frame that any stack can show has a number, and numbers follow
 * kind and value in code unit order, so that comparing numbers is comparing names.
 */
export interface Model {
  readonly cells: Cells;
  readonly frames: readonly Frame[];
  /** Frames of each value, by dimension and code. */
  readonly dimensions: ReadonlyMap<string, ModelDimension>;
  /** Every frame a stack may name, `token` included, sorted. */
  readonly kinds: readonly string[];
  frameId(kind: string, value: string): number | undefined;
}

export interface ModelDimension extends CellDimension {
  /** The frame of each value; NO_FRAME for '', SEVERAL where the value is a list. */
  readonly frameOf: Int32Array;
  /** Frames of the values that are lists. */
  readonly lists: ReadonlyMap<number, readonly number[]>;
}

export const NO_FRAME = -1;
export const SEVERAL = -2;

/** Frames that the page derives from the day. */
const CALENDAR: readonly (readonly [string, (day: string) => string])[] = [
  ['week', day => weekOf(new Date(Number(day.slice(0, 4)), Number(day.slice(5, 7)) - 1, Number(day.slice(8, 10))))],
  ['month', day => day.slice(0, 7)],
];

export function modelOf(cells: Cells): Model {
  const dimensions = [...cells.dimensions, ...calendarOf(cells.dimensions)];
  const extra = elsewhere(cells);
  const kinds = [...new Set([...dimensions.map(dimension => dimension.name), ...extra.keys()])].sort();
  const frames: Frame[] = [];
  const spans = new Map<string, readonly [first: number, end: number]>();
  const ready = new Map<string, ModelDimension>();
  // Numbers of a kind lie together in the order of values, so a value is found by halving.
  const frameId = (kind: string, value: string): number | undefined => {
    let [low, end] = spans.get(kind) ?? [0, 0];
    const last = end;
    while (low < end) {
      const middle = (low + end) >> 1;
      if ((frames[middle] as Frame).value < value) low = middle + 1;
      else end = middle;
    }
    return low < last && (frames[low] as Frame).value === value ? low : undefined;
  };
  for (const kind of kinds) {
    const first = frames.length;
    const dimension = dimensions.find(each => each.name === kind);
    const { values, plain } = partsOf(dimension?.values ?? [''], extra.get(kind) ?? []);
    for (const value of values) frames.push({ kind, value });
    spans.set(kind, [first, frames.length]);
    if (!dimension) continue;
    const frameOf = new Int32Array(dimension.values.length).fill(NO_FRAME);
    const lists = new Map<number, readonly number[]>();
    for (let code = 1; code < frameOf.length; code++) {
      if (plain) frameOf[code] = first + code - 1;
      else {
        const ids = framesOf(dimension.values[code] as string).map(part => frameId(kind, part) as number);
        frameOf[code] = ids.length === 0 ? NO_FRAME : ids.length === 1 ? (ids[0] as number) : SEVERAL;
        if (ids.length > 1) lists.set(code, ids);
      }
    }
    ready.set(kind, { ...dimension, frameOf, lists });
  }
  const offered = [...ready.keys(), ...(extra.has('token') ? ['token'] : [])];
  return { cells, frames, dimensions: ready, kinds: offered.sort(), frameId };
}

/** The frames of a kind, sorted; `plain` where they are exactly the values, which are sorted already. */
function partsOf(values: readonly string[], extra: readonly string[]): { values: readonly string[]; plain: boolean } {
  if (extra.length === 0 && !values.some(value => value.includes(LIST)))
    return { values: values.slice(1), plain: true };
  const parts = new Set(extra);
  for (const value of values) for (const part of framesOf(value)) parts.add(part);
  return { values: [...parts].sort(), plain: false };
}

/** Frames that stand in no dimension: those of chains, and the kinds of tokens. */
function elsewhere(cells: Cells): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const add = (kind: string, value: string) => {
    if (value !== '') found.set(kind, [...(found.get(kind) ?? []), value]);
  };
  for (const chain of cells.chains)
    for (const level of chain) for (const kind of ['task', 'call', 'tool', 'subagent'] as const) add(kind, level[kind]);
  for (const slot of cells.slots) add('token', slot.token);
  return found;
}

function calendarOf(dimensions: readonly CellDimension[]): CellDimension[] {
  const day = dimensions.find(dimension => dimension.name === 'day');
  if (!day) return [];
  return CALENDAR.filter(([name]) => !dimensions.some(dimension => dimension.name === name)).map(([name, of]) => {
    const each = day.values.map(value => (value === '' ? '' : of(value)));
    const values = [...new Set(['', ...each])].sort();
    const index = new Map(values.map((value, code) => [value, code]));
    const codes = Uint32Array.from(each, value => index.get(value) as number);
    return { name, values, codes: day.codes.map(code => codes[code] as number) };
  });
}
