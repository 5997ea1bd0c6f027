import { Flag } from '../trace/flags.ts';
import type { Trace } from '../trace/trace.ts';
import { UsageError } from '../trace/usage-error.ts';
import { type FrameColumn, frameColumn } from './columns.ts';
import type { FoldOptions } from './fold.ts';

/** Work of an agent before any prompt stands under this; rows of operation files simply have no such frame. */
const NO_PROMPT = 'none';

/** The columns of a stack, checked: an unknown frame name is an error that lists the names. */
export function stackColumns(
  trace: Trace,
  names: readonly string[],
  flag: string,
): Pick<FoldOptions, 'columns' | 'splits'> {
  const known = new Set([...trace.names(), 'token']);
  const columns: FrameColumn[] = [];
  const splits: { token?: number; domain?: { at: number; column: FrameColumn } } = {};
  if (names.length === 0) throw new UsageError(`${flag}: the stack is empty.`);
  for (const name of names) {
    if (!known.has(name))
      throw new UsageError(
        `${flag}: there is no frame ${JSON.stringify(name)}. Known frames: ${[...known].sort().join(', ')}.`,
      );
    if (names.indexOf(name) !== names.lastIndexOf(name))
      throw new UsageError(`${flag}: the frame ${JSON.stringify(name)} is named twice.`);
    if (name === 'token') splits.token = columns.length;
    else if (name === 'domain') splits.domain = { at: columns.length, column: columnOf(trace, name) };
    else columns.push(columnOf(trace, name));
  }
  return { columns, splits };
}

export function columnOf(trace: Trace, name: string): FrameColumn {
  const fields = trace.field(name) ?? [];
  if (name !== 'prompt') return frameColumn(trace, name, fields);
  return frameColumn(trace, name, fields, row => (trace.ops.has(row, Flag.given) ? '' : NO_PROMPT));
}
