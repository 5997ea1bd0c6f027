import type { PortionName } from '../trace/portions.ts';
import type { Trace } from '../trace/trace.ts';
import { chainFrames } from './chain.ts';
import { type FrameColumn, LIST } from './columns.ts';
import { type Engine, type Numbers, type PairTable, stepsOf } from './kernel/engine.ts';
import type { Stacks } from './stacks.ts';
import { OUTER_FRAMES } from './views.ts';

/**
 * Where frames that split an operation stand in the stack: index into `columns` before which they come. `token` is
 * not among the columns, and `domain` neither.
 */
export interface Splits {
  readonly token?: number;
  readonly domain?: { readonly at: number; readonly column: FrameColumn };
}

/**
 * The stacks of many rows, computed a column at a time. The portions of a row share the frames above the first split,
 * `shared`; what stands from there on is a path of its own, `rest` (0 where there is nothing), which holds a mark
 * where each split may put its frame. So rows are grouped by two numbers, and split once a group.
 */
export interface Placement {
  readonly shared: Numbers;
  readonly rest: Numbers;
  /** The node of one portion of the rows that have these two numbers. */
  node(shared: number, rest: number, portion: PortionName): number;
}

/** Marks stand in the rest's tree beside frames, whose ids are small. */
const TOKEN_MARK = 0xffffffff;
const DOMAIN_MARK = 0x80000000;

/** `stacks` hold their nodes in a table of the engine. */
export function placed(
  engine: Engine,
  trace: Trace,
  rows: Numbers,
  stacks: Stacks,
  columns: readonly FrameColumn[],
  splits: Splits,
): Placement {
  const firstInner = columns.findIndex(column => !OUTER_FRAMES.has(column.name));
  const inner = firstInner < 0 ? columns.length : firstInner;
  const firstSplit = Math.min(splits.token ?? columns.length, splits.domain?.at ?? columns.length);
  const tail = engine.pairs();
  const [shared, rest] = [engine.numbers(rows.length), engine.numbers(rows.length)];
  const [codes, room] = [engine.numbers(rows.length), engine.numbers(rows.length)];

  const domainFrames = splits.domain && framesOf(stacks, splits.domain.column);
  for (let at = 0; at <= columns.length; at++) {
    const [nodes, table]: [Numbers, PairTable] = at < firstSplit ? [shared, stacks.nodes] : [rest, tail];
    const descend = (column: FrameColumn, framesOf: (code: number) => readonly number[]) => {
      column.codes(engine, rows, codes, room);
      engine.descend(nodes, codes, stepsOf(engine.distinct(codes, column.values.length), framesOf), table);
    };
    if (at === inner) chainFrames(trace, stacks, columns)?.(engine, rows, nodes, table, room);
    if (at === splits.token) {
      codes.cells.fill(1);
      engine.descend(
        nodes,
        codes,
        stepsOf(Uint32Array.of(1), () => [TOKEN_MARK]),
        table,
      );
    }
    if (splits.domain?.at === at) descend(splits.domain.column, code => [DOMAIN_MARK + code]);
    const column = columns[at];
    if (column) descend(column, framesOf(stacks, column));
  }

  engine.release(codes);
  engine.release(room);
  // To keep: nobody goes down this tree any more.
  const [above, marks] = [tail.first.slice(), tail.second.slice()];
  const node = (from: number, path: number, portion: PortionName): number => {
    const frames: number[] = [];
    for (let at = path; at !== 0; at = above[at - 1] as number) frames.push(marks[at - 1] as number);
    let to = from;
    for (let i = frames.length - 1; i >= 0; i--) {
      const frame = frames[i] as number;
      if (frame === TOKEN_MARK) {
        if (portion !== 'whole' && portion !== 'domain') to = stacks.child(to, stacks.frameId('token', portion));
      } else if (frame >= DOMAIN_MARK) {
        if (portion === 'domain')
          for (const each of domainFrames?.(frame - DOMAIN_MARK) ?? []) to = stacks.child(to, each);
      } else to = stacks.child(to, frame);
    }
    return to;
  };
  return { shared, rest, node };
}

/** The frames of a code: one, or several for a list. */
function framesOf(stacks: Stacks, column: FrameColumn): (code: number) => readonly number[] {
  const known: (readonly number[])[] = [];
  return code =>
    (known[code] ??= (column.values[code] as string)
      .split(LIST)
      .filter(part => part !== '')
      .map(part => stacks.frameId(column.name, part)));
}
