import { NO_ROW } from '../trace/kinds.ts';
import type { Trace } from '../trace/trace.ts';
import type { CellDimension, EvidenceTable } from './cells.ts';

/** More than these make a page heavy: about 10 bytes each. */
const MOST = 24_000;

/**
 * Keeps a row where some value of its cell has not yet had its share of operations, so that every frame of every
 * stack has up to `most` of them, the first in the order of `rows`. Rows without any measure are not kept.
 */
export function chooseEvidence(
  trace: Trace,
  rows: Uint32Array,
  cellOf: Uint32Array,
  dimensions: readonly CellDimension[],
  most: number,
): EvidenceTable {
  let kept: number[] = [];
  for (let share = most; share > 0; share = Math.floor(share / 2)) {
    kept = keep(cellOf, dimensions, share);
    if (kept.length <= MOST) break;
  }
  if (kept.length > MOST || most === 0) kept = kept.slice(0, most === 0 ? 0 : MOST);
  kept.sort((a, b) => (cellOf[a] as number) - (cellOf[b] as number) || a - b);
  const { ops } = trace;
  const at = (i: number) => rows[i] as number;
  return {
    length: kept.length,
    cell: Uint32Array.from(kept, i => cellOf[i] as number),
    file: Uint32Array.from(kept, i => ops.fileRank[ops.file.get(at(i))] ?? ops.file.get(at(i))),
    offset: Float64Array.from(kept, i => ops.offset.get(at(i))),
    bytes: Float64Array.from(kept, i => ops.bytes.get(at(i))),
    start: Float64Array.from(kept, i => Math.floor(ops.start.get(at(i)) / 1000)),
    row: Uint32Array.from(kept, at),
  };
}

function keep(cellOf: Uint32Array, dimensions: readonly CellDimension[], share: number): number[] {
  const counts = dimensions.map(dimension => new Uint16Array(dimension.values.length));
  const kept: number[] = [];
  for (let i = 0; i < cellOf.length; i++) {
    const cell = cellOf[i] as number;
    if (cell === NO_ROW) continue;
    const wanted = dimensions.some((dimension, at) => {
      const code = dimension.codes[cell] as number;
      return code !== 0 && ((counts[at] as Uint16Array)[code] as number) < share;
    });
    if (!wanted) continue;
    kept.push(i);
    dimensions.forEach((dimension, at) => {
      const code = dimension.codes[cell] as number;
      const count = counts[at] as Uint16Array;
      if ((count[code] as number) < 0xffff) count[code] = (count[code] as number) + 1;
    });
  }
  return kept;
}
