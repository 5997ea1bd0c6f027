import { amountsOf } from '../trace/amounts.ts';
import { counted } from '../trace/counted.ts';
import { MEASURES } from '../trace/measures.ts';
import { countedRows, portionsOf } from '../trace/portions.ts';
import type { Trace } from '../trace/trace.ts';
import { UsageError } from '../trace/usage-error.ts';
import type { FrameColumn } from './columns.ts';
import type { Engine } from './kernel/engine.ts';
import { isOutOfRoom, openEngine } from './kernel/kernel.ts';
import { labelSets } from './label-sets.ts';
import { placed, type Splits } from './placement.ts';
import type { Evidence, Profile } from './profile.ts';
import { samplesOf } from './samples.ts';
import { Stacks } from './stacks.ts';

/**
 * Folding: every selected operation becomes a stack of frames; equal stacks (with equal labels) become one sample;
 * measures are summed exactly. Conservation: for each measure the samples add up to the operations.
 */
export type Shown = (kind: string, value: string) => string;

export interface FoldOptions {
  readonly view: string;
  readonly measure: string;
  /** Frame columns of the stack, outermost first; `token` is not among them, see `splits`. */
  readonly columns: readonly FrameColumn[];
  readonly splits: Splits;
  /** Columns that become labels of the samples. */
  readonly labels: readonly FrameColumn[];
  /** Keep up to this many operations a sample as evidence; 0 for none. */
  readonly evidence: number;
  readonly comments: readonly string[];
  /** Nano-dollars of all samples to micro-dollars, rounded once so that the parts add up to the rounded whole. */
  readonly roundCost: (nanos: BigInt64Array) => BigInt64Array;
  /** The form in which a value of a frame or label may be shown. Values that become equal fold together. */
  readonly shown: Shown;
}

/** Throws UsageError where so many operations do not fit, as `placements` does. */
export function fold(trace: Trace, selected: Uint32Array, options: FoldOptions, engine = openEngine()): Profile {
  return withinRoom(selected.length, () => folded(engine, trace, selected, options));
}

function withinRoom<T>(operations: number, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (!isOutOfRoom(error)) throw error;
    const count = counted(operations, 'operation');
    throw new UsageError(`${count}: too many for one profile; narrow them with --since, --until, --agent or --where.`);
  }
}

function folded(engine: Engine, trace: Trace, selected: Uint32Array, options: FoldOptions): Profile {
  const kept = countedRows(trace, selected);
  const span = spanOf(trace, selected);
  const rows = engine.copy(kept);
  const stacks = new Stacks(options.shown, engine.pairs());
  const placement = placed(engine, trace, rows, stacks, options.columns, options.splits);
  const labels = labelSets(engine, rows, options.labels, options.shown);
  const samples = samplesOf(engine, placement, rows, labels.of, portionsOf(trace, kept));
  const { order, frames, parent, frame } = stacks.sorted();
  const sequence = samples.sequence(order, labels.sets.length);
  const values = samples.values(sequence, options.roundCost);
  const evidence =
    options.evidence > 0
      ? evidenceOf(trace, samples.evidence(kept, sequence, options.evidence), options.shown)
      : undefined;
  // The engine gives no more room from here on: what is looked at stays where it is.
  return {
    view: options.view,
    measure: options.measure,
    measures: MEASURES,
    frames,
    nodes: { parent, frame },
    samples: {
      length: sequence.length,
      node: sequence.node.cells,
      labels: sequence.labels.cells,
      values,
      ...evidence,
    },
    labelSets: labels.sets,
    comments: options.comments,
    timeNanos: BigInt(span.last) * 1000n,
    durationNanos: BigInt(Math.round(span.union)) * 1000n,
  };
}

/** The node of each portion of each row, without summing: what `explain` searches. */
export function placements(
  trace: Trace,
  rows: Uint32Array,
  options: Pick<FoldOptions, 'columns' | 'splits'>,
  visit: (row: number, node: number, values: Float64Array) => void,
): Stacks {
  const engine = openEngine();
  const stacks = new Stacks(undefined, engine.pairs());
  const placement = withinRoom(rows.length, () =>
    placed(engine, trace, engine.copy(rows), stacks, options.columns, options.splits),
  );
  const { node } = placement;
  // Going down the tree may make the memory larger, which empties views of it.
  const [shared, rest] = [placement.shared.cells.slice(), placement.rest.cells.slice()];
  const amounts = amountsOf(trace);
  rows.forEach((row, i) => {
    const [from, path] = [shared[i] as number, rest[i] as number];
    amounts(row, ({ token, domain }, values) =>
      visit(row, node(from, path, token ?? (domain ? 'domain' : 'whole')), values),
    );
  });
  return stacks;
}

function evidenceOf(
  trace: Trace,
  kept: readonly (readonly number[])[],
  shown: Shown,
): { evidenceFirst: Uint32Array; evidence: Evidence[] } {
  const { ops } = trace;
  const evidenceFirst = new Uint32Array(kept.length + 1);
  const evidence: Evidence[] = [];
  kept.forEach((rows, i) => {
    for (const row of rows) {
      evidence.push({
        session: shown('session', ops.sessions.all[ops.session.get(row)]?.id ?? ''),
        file: ops.fileRank[ops.file.get(row)] ?? ops.file.get(row),
        offset: ops.offset.get(row),
        bytes: ops.bytes.get(row),
      });
    }
    evidenceFirst[i + 1] = evidence.length;
  });
  return { evidenceFirst, evidence };
}

/**
 * Of these operations, in microseconds: the last end, and the union of the wall time of the main sessions, each from its first
 * operation to its last.
 */
function spanOf({ ops, links }: Trace, rows: Uint32Array): { last: number; union: number } {
  const { root: roots } = links;
  const sessions = ops.session.cells;
  const first = new Float64Array(roots.length).fill(Number.POSITIVE_INFINITY);
  const until = new Float64Array(roots.length);
  let timeless: Uint8Array | undefined;
  const starts = ops.start.glance();
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as number;
    const start = starts[row] ?? 0;
    const root = roots[sessions[row] ?? 0] as number;
    if (start === 0) (timeless ??= new Uint8Array(rows.length))[i] = 1;
    else if (start < (first[root] as number)) first[root] = start;
  }
  let last = 0;
  const ends = ops.end.glance();
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as number;
    const end = ends[row] ?? 0;
    if (end > last) last = end;
    if (timeless?.[i] === 1) continue;
    const root = roots[sessions[row] ?? 0] as number;
    if (end > (until[root] as number)) until[root] = end;
  }
  return { last, union: unionOf(first, until) };
}

/** Of spans of time; one that begins at infinity is none. */
function unionOf(first: Float64Array, until: Float64Array): number {
  let union = 0;
  let reached = 0;
  const begun = [...first.keys()].filter(at => first[at] !== Number.POSITIVE_INFINITY);
  for (const at of begun.sort((a, b) => (first[a] as number) - (first[b] as number))) {
    const [start, end] = [first[at] as number, until[at] as number];
    union += Math.max(0, end - Math.max(start, reached));
    reached = Math.max(reached, end);
  }
  return union;
}
