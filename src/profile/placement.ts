import type { PortionName } from '../trace/portions.ts';
import type { Trace } from '../trace/trace.ts';
import { chainFrames } from './chain.ts';
import { type FrameColumn, LIST } from './columns.ts';
import { Pairs } from './pairs.ts';
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
  readonly shared: Uint32Array;
  readonly rest: Uint32Array;
  /** The node of one portion of the rows that have these two numbers. */
  node(shared: number, rest: number, portion: PortionName): number;
}

/** Marks stand in the rest's tree beside frames, whose ids are small. */
const TOKEN_MARK = 0xffffffff;
const DOMAIN_MARK = 0x80000000;

export function placed(
  trace: Trace,
  rows: Uint32Array,
  stacks: Stacks,
  columns: readonly FrameColumn[],
  splits: Splits,
): Placement {
  const firstInner = columns.findIndex(column => !OUTER_FRAMES.has(column.name));
  const inner = firstInner < 0 ? columns.length : firstInner;
  const firstSplit = Math.min(splits.token ?? columns.length, splits.domain?.at ?? columns.length);
  const tail = new Pairs();
  const shared = new Uint32Array(rows.length);
  const rest = new Uint32Array(rows.length);
  const codes = new Uint32Array(rows.length);
  const above = (node: number, frame: number) => stacks.child(node, frame);
  const below = (node: number, frame: number) => tail.id(node, frame) + 1;

  const domainFrames = splits.domain && framesOf(stacks, splits.domain.column);
  for (let at = 0; at <= columns.length; at++) {
    const [nodes, child] = at < firstSplit ? [shared, above] : [rest, below];
    if (at === inner) chainFrames(trace, stacks, columns)?.(rows, nodes, child);
    if (at === splits.token) descend(codes.fill(1), () => [TOKEN_MARK], nodes, child);
    if (splits.domain?.at === at) {
      splits.domain.column.codes(rows, codes);
      descend(codes, code => [DOMAIN_MARK + code], nodes, child);
    }
    const column = columns[at];
    if (!column) continue;
    column.codes(rows, codes);
    descend(codes, framesOf(stacks, column), nodes, child);
  }

  const node = (from: number, path: number, portion: PortionName): number => {
    const frames: number[] = [];
    for (let at = path; at !== 0; at = tail.first[at - 1] as number) frames.push(tail.second[at - 1] as number);
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

/** One step down for every row. Neighbours are mostly alike: the last step is remembered. */
function descend(
  codes: Uint32Array,
  framesOf: (code: number) => readonly number[],
  nodes: Uint32Array,
  child: (node: number, frame: number) => number,
): void {
  let lastCode = 0;
  let lastNode = 0;
  let lastTo = 0;
  for (let i = 0; i < nodes.length; i++) {
    const code = codes[i] as number;
    if (code === 0) continue;
    const node = nodes[i] as number;
    if (code !== lastCode || node !== lastNode) {
      lastCode = code;
      lastNode = lastTo = node;
      for (const frame of framesOf(code)) lastTo = child(lastTo, frame);
    }
    nodes[i] = lastTo;
  }
}
