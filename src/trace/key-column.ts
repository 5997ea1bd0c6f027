import { type Cells, NumberColumn } from './columns.ts';

/** 64-bit keys as two 32-bit lanes; (0, 0) means "no key". */
export class KeyColumn {
  private readonly lanes: readonly [NumberColumn, NumberColumn];

  constructor(high: NumberColumn = new NumberColumn(), low: NumberColumn = new NumberColumn()) {
    this.lanes = [high, low];
  }

  get high(): Cells {
    return this.lanes[0].cells;
  }

  get low(): Cells {
    return this.lanes[1].cells;
  }

  set(row: number, high: number, low: number): void {
    this.lanes[0].set(row, high);
    this.lanes[1].set(row, low);
  }

  has(row: number): boolean {
    return ((this.high[row] ?? 0) | (this.low[row] ?? 0)) !== 0;
  }

  /** The keys of a few rows; stored ones are not kept for it. */
  of(rows: Uint32Array): { readonly high: Uint32Array; readonly low: Uint32Array } {
    const [high, low] = this.lanes.map(lane => {
      const cells = lane.glance();
      return rows.map(row => cells[row] ?? 0);
    }) as [Uint32Array, Uint32Array];
    return { high, low };
  }
}
