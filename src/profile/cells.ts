import type { Measure } from '../trace/measures.ts';
import { LIST } from './columns.ts';

/**
 * A history aggregated over everything that may become a frame, so that a reader of the file can project any stack,
 * filter and fold without the history. A cell is one combination of values with the sums of its operations.
 *
 * Conservation: for every measure the slots that name it, summed over all cells, are the selected operations.
 * Costs are nano-dollars here, although their measure is in micro-dollars: they are rounded after folding.
 */
export interface Cells {
  readonly length: number;
  readonly measures: readonly Measure[];
  readonly dimensions: readonly CellDimension[];
  /** For subagents: what led to them, outermost first. Chain 0 is of main sessions and empty. */
  readonly chains: readonly (readonly ChainLevel[])[];
  readonly chain: Uint32Array;
  readonly slots: readonly CellSlot[];
  readonly evidence: EvidenceTable;
}

/** A frame kind that a stack may name. Values are as they may be shown, sorted; value 0 is '' and gives no frame. */
export interface CellDimension {
  readonly name: string;
  /** Several frames in one value (a list) are parted by LIST of columns.ts. */
  readonly values: readonly string[];
  /** One a cell. */
  readonly codes: Uint32Array;
}

/** One tool call that spawned a subagent. Values may be ''. */
export interface ChainLevel {
  readonly task: string;
  readonly call: string;
  readonly tool: string;
  readonly subagent: string;
}

/** Values that go the same way through every stack: the portion they belong to, and the measures they count for. */
export interface CellSlot {
  /** The frame `token` of this portion, where a stack has that frame. */
  readonly token: string;
  /** Only this portion stands below the frame `domain`. */
  readonly domain: boolean;
  readonly measures: readonly number[];
  /** Non-negative integers below 2^53, one a cell; what does not fit is in another cell with the same values. */
  readonly values: Float64Array;
}

/** Operations that stand for their cells: where the record of each is, and when it was. One entry a column each. */
export interface EvidenceTable {
  readonly length: number;
  /** Sorted. */
  readonly cell: Uint32Array;
  /** Number of the file among the files that were read, by path. */
  readonly file: Uint32Array;
  readonly offset: Float64Array;
  readonly bytes: Float64Array;
  /** Milliseconds since the epoch; 0 where unknown. */
  readonly start: Float64Array;
  /** Row in the trace: for the caller that adds texts. */
  readonly row: Uint32Array;
}

/** The frames of a value: several where it is a list. */
export function framesOf(value: string): string[] {
  return value.includes(LIST) ? value.split(LIST).filter(part => part !== '') : value === '' ? [] : [value];
}
