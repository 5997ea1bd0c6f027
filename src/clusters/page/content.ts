import type { Report } from '../report.ts';

/** What the page shows. Every name in it is data: it becomes text, never markup. */
export interface PageContent {
  readonly version: string;
  readonly report: Report;
  readonly notes: readonly string[];
  readonly points: PagePoints;
  /** One a cluster of the report, in its order. */
  readonly flames: readonly Flame[];
}

/** Units on the map, those of hidden clusters left out; one entry each in every list. */
export interface PagePoints {
  readonly x: readonly number[];
  readonly y: readonly number[];
  readonly cluster: readonly number[];
  readonly session: readonly string[];
  readonly tokens: readonly number[];
  /** Wall time in milliseconds, 0 where unknown. */
  readonly duration: readonly number[];
  readonly tools: readonly number[];
  /** 1 failed, 0 not, -1 unknown. */
  readonly failed: readonly number[];
  readonly probability: readonly number[];
}

/** The flame graph of a cluster: nodes in depth-first order, the root first; frames as `kind:value`. */
export interface Flame {
  readonly measure: string;
  readonly names: readonly string[];
  readonly parent: readonly number[];
  readonly name: readonly number[];
  readonly value: readonly number[];
}
