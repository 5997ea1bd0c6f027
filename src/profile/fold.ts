import { type Amounts, amountsOf, COST } from '../trace/amounts.ts';
import { MEASURES } from '../trace/measures.ts';
import type { Trace } from '../trace/trace.ts';
import { chainFrames } from './chain.ts';
import type { FrameColumn } from './columns.ts';
import { LIST } from './columns.ts';
import { Pairs } from './pairs.ts';
import type { Evidence, Label, Profile } from './profile.ts';
import { Stacks } from './stacks.ts';
import { Sums } from './sums.ts';
import { OUTER_FRAMES } from './views.ts';

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
  /** Where frames that split an operation stand in the stack: index into `columns` before which they come. */
  readonly splits: { readonly token?: number; readonly domain?: { readonly at: number; readonly column: FrameColumn } };
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

export function fold(trace: Trace, rows: Uint32Array, options: FoldOptions): Profile {
  const stacks = new Stacks(options.shown);
  const place = placer(trace, stacks, options);
  const samples = new Samples(options.evidence);
  const labels = new LabelSets(options.labels, options.shown);
  const amounts = amountsOf(trace);
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as number;
    const set = labels.of(row);
    amounts(row, (amount, values) => samples.add(place(row, amount), set, values, row));
  }
  return samples.finish(trace, rows, stacks, labels, options);
}

/** The node of each portion of each row, without summing: what `explain` searches. */
export function placements(
  trace: Trace,
  rows: Uint32Array,
  options: Pick<FoldOptions, 'columns' | 'splits'>,
  visit: (row: number, node: number, values: Float64Array) => void,
): Stacks {
  const stacks = new Stacks();
  const place = placer(trace, stacks, options);
  const amounts = amountsOf(trace);
  for (const row of rows) amounts(row, (amount, values) => visit(row, place(row, amount), values));
  return stacks;
}

/** Which frames an amount of a row stands under. */
function placer(
  trace: Trace,
  stacks: Stacks,
  options: Pick<FoldOptions, 'columns' | 'splits'>,
): (row: number, amount: Amounts) => number {
  const { columns, splits } = options;
  const firstInner = columns.findIndex(column => !OUTER_FRAMES.has(column.name));
  const inner = firstInner < 0 ? columns.length : firstInner;
  const descend = columns.map(column => descender(stacks, column));
  const chain = chainFrames(trace, stacks, columns);
  const descendDomain = splits.domain ? descender(stacks, splits.domain.column) : undefined;
  /** The portions of a row share the frames above the first split: they are walked once. */
  const firstSplit = Math.min(splits.token ?? columns.length, splits.domain?.at ?? columns.length);
  let lastRow = -1;
  let shared = 0;
  return (row, amount) => {
    if (row !== lastRow) {
      shared = 0;
      for (let at = 0; at < firstSplit; at++) {
        if (at === inner) shared = chain(shared, row);
        shared = (descend[at] as Descend)(shared, row);
      }
      lastRow = row;
    }
    let node = shared;
    for (let at = firstSplit; at <= columns.length; at++) {
      if (at === inner) node = chain(node, row);
      if (at === splits.token && amount.token !== undefined)
        node = stacks.child(node, stacks.frameId('token', amount.token));
      if (descendDomain && at === splits.domain?.at && amount.domain) node = descendDomain(node, row);
      if (at < columns.length) node = (descend[at] as Descend)(node, row);
    }
    return node;
  };
}

type Descend = (node: number, row: number) => number;

function descender(stacks: Stacks, column: FrameColumn): Descend {
  const frameOf: number[] = [];
  const listOf = new Map<number, number[]>();
  return (node, row) => {
    const code = column.code(row);
    if (code === 0) return node;
    let frame = frameOf[code];
    if (frame === undefined) {
      const parts = (column.values[code] as string).split(LIST).filter(part => part !== '');
      if (parts.length > 1)
        listOf.set(
          code,
          parts.map(part => stacks.frameId(column.name, part)),
        );
      frame = frameOf[code] =
        parts.length === 1 ? stacks.frameId(column.name, parts[0] as string) : parts.length === 0 ? -2 : -1;
    }
    if (frame >= 0) return stacks.child(node, frame);
    if (frame === -2) return node;
    for (const each of listOf.get(code) as number[]) node = stacks.child(node, each);
    return node;
  };
}

class LabelSets {
  readonly sets: Label[][] = [[]];
  private readonly columns: readonly FrameColumn[];
  private readonly index = new Map<string, number>();
  private readonly shown: Shown;
  private readonly last: Int32Array;
  private lastSet = 0;

  constructor(columns: readonly FrameColumn[], shown: Shown) {
    this.columns = columns;
    this.shown = shown;
    this.last = new Int32Array(columns.length).fill(-1);
  }

  of(row: number): number {
    if (this.columns.length === 0) return 0;
    let changed = false;
    for (let at = 0; at < this.columns.length; at++) {
      const code = (this.columns[at] as FrameColumn).code(row);
      if (code !== this.last[at]) {
        this.last[at] = code;
        changed = true;
      }
    }
    if (!changed) return this.lastSet;
    const key = this.last.join(',');
    let set = this.index.get(key);
    if (set === undefined) {
      const labels: Label[] = [];
      for (const column of this.columns) {
        const text = column.values[column.code(row)] as string;
        if (text !== '') labels.push({ key: column.name, text: this.shown(column.name, text.replaceAll(LIST, ' > ')) });
      }
      set = labels.length === 0 ? 0 : this.sets.push(labels) - 1;
      this.index.set(key, set);
    }
    this.lastSet = set;
    return set;
  }
}

class Samples {
  private readonly evidenceCap: number;
  /** Node and label set of each sample. */
  private readonly keys = new Pairs();
  private readonly sums = MEASURES.map(() => new Sums());
  private readonly evidence: number[][] = [];

  constructor(evidenceCap: number) {
    this.evidenceCap = evidenceCap;
  }

  add(node: number, labels: number, values: Float64Array, row: number): void {
    const at = this.keys.id(node, labels);
    if (this.evidenceCap > 0 && at === this.evidence.length) this.evidence.push([]);
    for (let m = 0; m < values.length; m++) if (values[m] !== 0) (this.sums[m] as Sums).add(at, values[m] as number);
    if (this.evidenceCap > 0) {
      const rows = this.evidence[at] as number[];
      if (rows.length < this.evidenceCap && rows.at(-1) !== row) rows.push(row);
    }
  }

  finish(trace: Trace, rows: Uint32Array, stacks: Stacks, labels: LabelSets, options: FoldOptions): Profile {
    const { order, frames, parent, frame } = stacks.sorted();
    const { labelSets, labelRank } = sortedLabels(labels.sets);
    const sequence = this.keys.order(order.length, order, labelRank);
    const values: BigInt64Array[] = this.sums.map(sum => sum.toArray(sequence));
    values[COST] = options.roundCost(values[COST] as BigInt64Array);
    const last = lastTime(trace, rows);
    return {
      view: options.view,
      measure: options.measure,
      measures: MEASURES,
      frames,
      nodes: { parent, frame },
      samples: {
        length: sequence.length,
        node: sequence.map(at => order[this.keys.first[at] as number] as number),
        labels: sequence.map(at => labelRank[this.keys.second[at] as number] as number),
        values,
        ...(this.evidenceCap > 0 ? this.evidenceOf(trace, sequence, options.shown) : {}),
      },
      labelSets,
      comments: options.comments,
      timeNanos: BigInt(last) * 1000n,
      durationNanos: unionOfSessions(trace, rows),
    };
  }

  private evidenceOf(
    trace: Trace,
    sequence: Uint32Array,
    shown: Shown,
  ): { evidenceFirst: Uint32Array; evidence: Evidence[] } {
    const { ops } = trace;
    const evidenceFirst = new Uint32Array(sequence.length + 1);
    const evidence: Evidence[] = [];
    sequence.forEach((at, i) => {
      for (const row of this.evidence[at] as number[]) {
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
}

function sortedLabels(sets: readonly Label[][]): { labelSets: Label[][]; labelRank: Uint32Array } {
  const text = sets.map(set =>
    set
      .map(label => ('text' in label ? `${label.key}\u0001${label.text}` : `${label.key}\u0001${label.number}`))
      .join('\u0002'),
  );
  const sequence = sets
    .map((_, at) => at)
    .sort((a, b) =>
      (text[a] as string) < (text[b] as string) ? -1 : (text[a] as string) > (text[b] as string) ? 1 : 0,
    );
  const labelRank = new Uint32Array(sets.length);
  sequence.forEach((at, rank) => {
    labelRank[at] = rank;
  });
  return { labelSets: sequence.map(at => sets[at] as Label[]), labelRank };
}

function lastTime(trace: Trace, rows: Uint32Array): number {
  let last = 0;
  for (const row of rows) {
    const end = trace.ops.end.get(row);
    if (end > last) last = end;
  }
  return last;
}

/** Union of the wall time, first to last selected operation, of the main sessions; nanoseconds. */
function unionOfSessions(trace: Trace, rows: Uint32Array): bigint {
  const span = new Map<number, [number, number]>();
  for (const row of rows) {
    const start = trace.ops.start.get(row);
    if (start === 0) continue;
    const end = trace.ops.end.get(row);
    const root = trace.links.root[trace.ops.session.get(row)] as number;
    const known = span.get(root);
    if (!known) span.set(root, [start, end]);
    else {
      if (start < known[0]) known[0] = start;
      if (end > known[1]) known[1] = end;
    }
  }
  let union = 0;
  let until = 0;
  for (const [start, end] of [...span.values()].sort((a, b) => a[0] - b[0])) {
    union += Math.max(0, end - Math.max(start, until));
    until = Math.max(until, end);
  }
  return BigInt(Math.round(union)) * 1000n;
}
