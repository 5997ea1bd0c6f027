import { wideCells } from '../trace/columns.ts';
import { MEASURES } from '../trace/measures.ts';
import type { Portion, PortionMeasure } from '../trace/portions.ts';
import { sortedBy } from './counting.ts';
import { Pairs } from './pairs.ts';
import type { Placement } from './placement.ts';
import { Sums } from './sums.ts';

/**
 * Rows with equal stacks and labels are one group, whose sums are one before anything is split. Each portion that a
 * group has is a sample; samples that come to stand at one node with equal labels (the stack shows no split) are
 * merged when they are put in order.
 */
export interface Samples {
  readonly length: number;
  /** By sample: a node of the stacks, and a label set. */
  readonly node: Uint32Array;
  readonly labels: Uint32Array;
  /** One array a measure, in the order of a sequence, exact. */
  values(sequence: Sequence): BigInt64Array[];
  /** Up to `most` rows of each sample of a sequence, in the order in which rows are given. */
  evidence(rows: Uint32Array, sequence: Sequence, most: number): number[][];
}

/** Samples in the order of a profile. */
export interface Sequence {
  readonly length: number;
  readonly node: Uint32Array;
  readonly labels: Uint32Array;
  /** Where each sample went. */
  readonly placeOf: Uint32Array;
}

const NO_SAMPLE = 0xffffffff;

export function samplesOf(
  placement: Placement,
  rows: Uint32Array,
  labels: Uint32Array,
  portions: readonly Portion[],
): Samples {
  const groups = grouped(placement, labels);
  const { stacks } = groups;
  const longest = Math.max(0, ...portions.flatMap(({ measures }) => measures.map(({ cells }) => cells.length)));
  const room = new Float64Array(longest);
  const node = new Uint32Array(groups.length * portions.length);
  const set = new Uint32Array(node.length);
  let length = 0;
  const parts = portions.map(({ name, measures }) => {
    const sums = measures.map(({ cells }) => groupSums(rows, groups, wideCells(cells, room)));
    const present = name === 'whole' ? new Uint8Array(groups.length).fill(1) : presence(sums, groups.length);
    const sampleOf = new Uint32Array(groups.length).fill(NO_SAMPLE);
    /** The node of each stack plus one, once it is asked for. */
    const nodes = new Uint32Array(stacks.length);
    for (let group = 0; group < groups.length; group++) {
      if (present[group] === 0) continue;
      const stack = groups.stack[group] as number;
      if (nodes[stack] === 0)
        nodes[stack] = placement.node(stacks.shared[stack] as number, stacks.rest[stack] as number, name) + 1;
      node[length] = (nodes[stack] as number) - 1;
      set[length] = groups.labels[group] as number;
      sampleOf[group] = length++;
    }
    return { sums, sampleOf };
  });

  const values = ({ length: places, placeOf }: Sequence): BigInt64Array[] => {
    const all = new Sums(places);
    return MEASURES.map((_, measure) => {
      all.clear();
      portions.forEach(({ measures }, at) => {
        const { sums, sampleOf } = parts[at] as (typeof parts)[number];
        sums.forEach((sum, m) => {
          if ((measures[m] as PortionMeasure).measure === measure) scatter(sum, sampleOf, placeOf, all);
        });
      });
      return all.toArray(places);
    });
  };

  const evidence = (given: Uint32Array, { length: places, placeOf }: Sequence, most: number): number[][] => {
    const kept: number[][] = Array.from({ length: places }, () => []);
    given.forEach((row, i) => {
      portions.forEach(({ name, measures }, at) => {
        if (name !== 'whole' && measures.every(({ cells }) => (cells[row] ?? 0) === 0)) return;
        const sample = parts[at]?.sampleOf[groups.of[i] as number] as number;
        const list = kept[placeOf[sample] as number] as number[];
        if (list.length < most && list.at(-1) !== row) list.push(row);
      });
    });
    return kept;
  };
  return { length, node, labels: set, values, evidence };
}

/** By node in the given order, then by labels; samples that are alike in both become one. Two passes of counting. */
export function sampleOrder({ length, node, labels }: Samples, rank: Uint32Array, labelSets: number): Sequence {
  const all = new Uint32Array(length);
  for (let i = 0; i < length; i++) all[i] = i;
  const ranks = new Uint32Array(length);
  for (let i = 0; i < length; i++) ranks[i] = rank[node[i] as number] as number;
  const order = sortedBy(sortedBy(all, labels, labelSets), ranks, rank.length);
  const sequence = {
    length: 0,
    node: new Uint32Array(length),
    labels: new Uint32Array(length),
    placeOf: new Uint32Array(length),
  };
  let [lastRank, lastSet] = [-1, -1];
  for (let i = 0; i < length; i++) {
    const sample = order[i] as number;
    if (ranks[sample] !== lastRank || labels[sample] !== lastSet) {
      sequence.node[sequence.length] = lastRank = ranks[sample] as number;
      sequence.labels[sequence.length++] = lastSet = labels[sample] as number;
    }
    sequence.placeOf[sample] = sequence.length - 1;
  }
  return {
    ...sequence,
    node: sequence.node.subarray(0, sequence.length),
    labels: sequence.labels.subarray(0, sequence.length),
  };
}

interface Groups {
  readonly length: number;
  /** The group of each row. */
  readonly of: Uint32Array;
  /** By group. */
  readonly stack: Uint32Array;
  readonly labels: Uint32Array;
  /** By stack: the two numbers of a placement. */
  readonly stacks: { readonly length: number; readonly shared: Uint32Array; readonly rest: Uint32Array };
}

function grouped({ shared, rest }: Placement, labels: Uint32Array): Groups {
  const stacks = new Pairs();
  const pairs = new Pairs(4096);
  const of = new Uint32Array(shared.length);
  for (let i = 0; i < of.length; i++)
    of[i] = pairs.id(stacks.id(shared[i] as number, rest[i] as number), labels[i] as number);
  return {
    length: pairs.length,
    of,
    stack: pairs.first,
    labels: pairs.second,
    stacks: { length: stacks.length, shared: stacks.first, rest: stacks.second },
  };
}

function groupSums(rows: Uint32Array, { of, length }: Groups, cells: Float64Array): Sums {
  const sums = new Sums(length);
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as number;
    if (row >= cells.length) continue;
    const value = cells[row] as number;
    if (value !== 0) sums.add(of[i] as number, value);
  }
  return sums;
}

function presence(sums: readonly Sums[], groups: number): Uint8Array {
  const present = new Uint8Array(groups);
  for (const sum of sums) for (let group = 0; group < groups; group++) if (!sum.isZero(group)) present[group] = 1;
  return present;
}

function scatter(sum: Sums, sampleOf: Uint32Array, placeOf: Uint32Array, into: Sums): void {
  for (let group = 0; group < sampleOf.length; group++) {
    if (!sum.isZero(group)) into.addSum(placeOf[sampleOf[group] as number] as number, sum, group);
  }
}
