import type { StringColumn } from '../trace/columns.ts';
import { NO_ROW } from '../trace/kinds.ts';
import type { Field, Trace } from '../trace/trace.ts';

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
  const remaps = fields.map(field => remapOf(field.column, intern));
  const code = (row: number): number => {
    for (let i = 0; i < fields.length; i++) {
      const field = fields[i] as Field;
      const at = trace.reach(field.through, row);
      const found = at === NO_ROW ? 0 : field.column.codeAt(at);
      if (found !== 0) return (remaps[i] as (code: number) => number)(found);
    }
    return fallback ? intern(fallback(row)) : 0;
  };
  return { name, values, code };
}

export type Fallback = (row: number) => string;

function single(trace: Trace, name: string, field: Field): FrameColumn {
  const { column } = field;
  const via = trace.via(field.through);
  const code = via ? (row: number) => column.codes[via[row] ?? 0] ?? 0 : (row: number) => column.codes[row] ?? 0;
  return { name, values: column.values, code };
}

function remapOf(column: StringColumn, intern: (value: string) => number): (code: number) => number {
  const remap: number[] = [];
  return code => {
    let to = remap[code];
    if (to === undefined) remap[code] = to = intern(column.values[code] as string);
    return to;
  };
}
