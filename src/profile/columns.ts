import type { StringColumn } from '../trace/columns.ts';
import { NO_ROW } from '../trace/kinds.ts';
import type { Field, Trace } from '../trace/trace.ts';
import type { Engine, Numbers } from './kernel/engine.ts';

/** Separates the frames of a list value ("a list value gives several frames of that kind"). */
export const LIST = '\u001f';

/**
 * One field of a stack, compiled: the code of a row in one shared dictionary, whichever column it came from, so that
 * rows can be grouped by numbers alone. Code 0 is "no frame".
 */
export interface FrameColumn {
  readonly name: string;
  readonly values: readonly string[];
  code(row: number): number;
  /** The codes of many rows at once: cell i of `into` is that of row `rows[i]`. `room` is a column as long, of any content. */
  codes(engine: Engine, rows: Numbers, into: Numbers, room: Numbers): void;
}

/** A column computed for exactly these rows (`--op-map`, `--stack-rule`), or any field of the trace. */
export function frameColumn(trace: Trace, name: string, fields: readonly Field[], fallback?: Fallback): FrameColumn {
  if (fields.length === 1 && !fallback) return single(trace, name, fields[0] as Field);
  const values: string[] = [''];
  const index = new Map<string, number>([['', 0]]);
  const intern = (value: string) => {
    let code = index.get(value);
    if (code === undefined) index.set(value, (code = values.push(value) - 1));
    return code;
  };
  const sources = fields.map(({ column, through }) => ({
    column,
    via: trace.via(through),
    remap: remapOf(column, intern),
  }));
  const code = (row: number): number => {
    for (const { column, via, remap } of sources) {
      const at = via ? (via[row] ?? 0) : row;
      const found = at === NO_ROW ? 0 : column.codeAt(at);
      if (found !== 0) return remap(found);
    }
    return fallback ? intern(fallback(row)) : 0;
  };
  const codes: FrameColumn['codes'] = (engine, rows, into, room) => {
    const given = into.cells.fill(0);
    // From the last source to the first: what stands before overwrites.
    if (fallback) rows.cells.forEach((row, i) => void (given[i] = intern(fallback(row))));
    for (const { column, via, remap } of [...sources].reverse()) {
      engine.gather(column.glance(), via, rows, room);
      const to = new Uint32Array(column.values.length);
      for (const found of engine.distinct(room, to.length)) to[found] = remap(found);
      engine.overlay(room, to, into);
    }
  };
  return { name, values, code, codes };
}

export type Fallback = (row: number) => string;

function single(trace: Trace, name: string, field: Field): FrameColumn {
  const { column } = field;
  const via = trace.via(field.through);
  const code = via ? (row: number) => column.codes[via[row] ?? 0] ?? 0 : (row: number) => column.codes[row] ?? 0;
  const codes: FrameColumn['codes'] = (engine, rows, into) => engine.gather(column.glance(), via, rows, into);
  return { name, values: column.values, code, codes };
}

function remapOf(column: StringColumn, intern: (value: string) => number): (code: number) => number {
  const remap: number[] = [];
  return code => {
    let to = remap[code];
    if (to === undefined) remap[code] = to = intern(column.values[code] as string);
    return to;
  };
}
