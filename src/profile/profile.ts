import type { Measure } from '../trace/measures.ts';
import type { ValueColumns } from './value-columns.ts';

/**
 * A profile: stacks with one value a measure. Immutable once built; every format is a pure function of it.
 *
 * Stacks are a prefix tree: node 0 is the root, `parent[n] < n`, `frame[n]` indexes `frames`. Samples with equal
 * node and equal labels are one. Samples are sorted by their stack (see fold.ts), so equal input gives equal bytes.
 * Values may be negative only in a difference.
 */
export interface Profile {
  /** Name of the view, and the measure that is its width. */
  readonly view: string;
  readonly measure: string;
  readonly measures: readonly Measure[];
  readonly frames: readonly Frame[];
  readonly nodes: { readonly parent: Uint32Array; readonly frame: Uint32Array };
  readonly samples: Samples;
  /** Label sets that samples refer to; set 0 is always empty. */
  readonly labelSets: LabelSets;
  /** Facts for the reader of the file: version, rules, selection, coverage, time zone. No private text. */
  readonly comments: readonly string[];
  /** Time of the last selected operation, ns since the epoch (0 for an empty profile). */
  readonly timeNanos: bigint;
  /** Union of the sessions' wall time. */
  readonly durationNanos: bigint;
}

export interface Frame {
  readonly kind: string;
  readonly value: string;
}

export interface Samples {
  readonly length: number;
  readonly node: Uint32Array;
  /** Index into `labelSets`. */
  readonly labels: Uint32Array;
  /** One array a measure, in the order of `measures`. */
  readonly values: ValueColumns;
  /** Evidence: the operations behind each sample, as a range [first[i], first[i+1]) of `evidence`, capped a sample. */
  readonly evidenceFirst?: Uint32Array;
  readonly evidence?: readonly Evidence[];
}

/** Where an operation stands, in the form that may leave the machine. */
export interface Evidence {
  /** Pseudonymous session id. */
  readonly session: string;
  readonly file: number;
  readonly offset: number;
  readonly bytes: number;
}

/** An array of sets, or what can be asked like one. */
export interface LabelSets extends Iterable<readonly Label[]> {
  readonly length: number;
  at(set: number): readonly Label[] | undefined;
  map<T>(each: (labels: readonly Label[]) => T): T[];
}

/** A label: text, or a number with a unit. */
export type Label =
  | { readonly key: string; readonly text: string }
  | { readonly key: string; readonly number: number; readonly unit: string };
