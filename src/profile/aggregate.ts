import { type Amounts, amountsOf } from '../trace/amounts.ts';
import { NO_ROW } from '../trace/kinds.ts';
import { MEASURES } from '../trace/measures.ts';
import type { Trace } from '../trace/trace.ts';
import { type Dictionaries, Dimension, sharedChains } from './cell-dimensions.ts';
import { chooseEvidence } from './cell-evidence.ts';
import type { CellSlot, Cells } from './cells.ts';
import type { Shown } from './fold.ts';
import { Pairs } from './pairs.ts';
import { columnOf } from './stack-spec.ts';
import { Sums } from './sums.ts';

export interface CellOptions {
  readonly shown: Shown;
  /** Operations kept as evidence for each value of each dimension; fewer where they would become too many. */
  readonly evidence: number;
  /** Frames that must be offered, whatever they are. */
  readonly frames: readonly string[];
}

/** Fields that no cell carries unless a stack names them: private, one for each operation, or told by the day. */
const NOT_OFFERED: ReadonlySet<string> = new Set([
  'cwd',
  'prompt_id',
  'parent_session',
  'event',
  'week',
  'month',
  'token',
]);

/** The dimensions cells are sorted by first: what is constant over long runs. The others follow in their own order. */
const FIRST = [
  'session',
  'day',
  'agent',
  'project',
  'host',
  'entrypoint',
  'agent_version',
  'branch',
  'subagent',
  'prompt',
  'turn',
  'task',
];

/** Aggregates rows, which must be in a stable order (evidence is the first of them), to cells. */
export function cellsOf(trace: Trace, rows: Uint32Array, options: CellOptions): Cells {
  const names = offered(trace, options.frames);
  const dimensions = names.map(name => new Dimension(columnOf(trace, name), options.shown));
  const chains = sharedChains(trace, options.shown);
  const building = new Building();
  const amounts = amountsOf(trace);
  const cellOfRow = new Uint32Array(rows.length).fill(NO_ROW);
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as number;
    let key = chains.of(row);
    for (let at = 0; at < dimensions.length; at++) key = building.key(at, key, (dimensions[at] as Dimension).code(row));
    amounts(row, (amount, values) => {
      for (let m = 0; m < values.length; m++) {
        if (values[m] !== 0) building.slot(amount, m).add((cellOfRow[i] = building.cellOf(key)), values[m] as number);
      }
    });
  }
  const sizes = { rows, cellOfRow, cells: building.length };
  return finished(trace, building, dimensions, chains, sizes, options);
}

/** Every frame worth offering that has a value somewhere; whether the rows have it too is known when all are added. */
function offered(trace: Trace, frames: readonly string[]): string[] {
  const filled = (name: string) =>
    name === 'prompt' || (trace.field(name) ?? []).some(field => field.column.values.length > 1);
  const all = trace
    .names()
    .filter(name => name !== 'token' && (!NOT_OFFERED.has(name) || frames.includes(name)) && filled(name));
  const rank = (name: string) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  return all.sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
}

/** Cells while rows are added: keys of values to cells, and one column of exact sums a slot. */
class Building {
  length = 0;
  readonly slots: { readonly amount: Amounts; readonly measure: number; readonly sums: Sums }[] = [];
  private readonly pairs: Pairs[] = [];
  /** By key (a pair of the last dimension): its cell plus one. */
  private cells: Uint32Array = new Uint32Array(1024);
  private keys: Uint32Array = new Uint32Array(1024);
  private readonly slotAt = new Map<Amounts, number[]>();

  key(dimension: number, before: number, code: number): number {
    this.pairs[dimension] ??= new Pairs();
    return (this.pairs[dimension] as Pairs).id(before, code);
  }

  /** The chain of a cell, then its code in each dimension. */
  valuesOf(cell: number): number[] {
    const codes: number[] = [];
    let key = this.keys[cell] as number;
    for (let at = this.pairs.length - 1; at >= 0; at--) {
      codes.unshift((this.pairs[at] as Pairs).second[key] as number);
      key = (this.pairs[at] as Pairs).first[key] as number;
    }
    return [key, ...codes];
  }

  cellOf(key: number): number {
    if (key >= this.cells.length) this.cells = grown(this.cells, key);
    let cell = this.cells[key] as number;
    if (cell === 0) {
      if (this.length >= this.keys.length) this.keys = grown(this.keys, this.length);
      this.keys[this.length] = key;
      cell = this.cells[key] = ++this.length;
    }
    return cell - 1;
  }

  slot(amount: Amounts, measure: number): Sums {
    let of = this.slotAt.get(amount);
    if (!of) this.slotAt.set(amount, (of = []));
    of[measure] ??= this.slots.push({ amount, measure, sums: new Sums() }) - 1;
    return (this.slots[of[measure] as number] as { sums: Sums }).sums;
  }
}

function grown(values: Uint32Array, at: number): Uint32Array {
  const larger = new Uint32Array(Math.max(at + 1, values.length * 2));
  larger.set(values);
  return larger;
}

interface Sizes {
  readonly rows: Uint32Array;
  readonly cellOfRow: Uint32Array;
  readonly cells: number;
}

function finished(
  trace: Trace,
  building: Building,
  dimensions: readonly Dimension[],
  chains: Dictionaries,
  sizes: Sizes,
  options: CellOptions,
): Cells {
  const sorted = dimensions.map(dimension => dimension.sorted());
  const columns = [chains, ...dimensions].map(() => new Uint32Array(sizes.cells));
  for (let cell = 0; cell < sizes.cells; cell++) {
    building.valuesOf(cell).forEach((code, at) => {
      (columns[at] as Uint32Array)[cell] =
        at === 0 ? (chains.rank[code] as number) : ((sorted[at - 1] as { rank: Uint32Array }).rank[code] as number);
    });
  }
  const byValue = [...columns.slice(1), columns[0] as Uint32Array];
  const sequence = Uint32Array.from({ length: sizes.cells }, (_, cell) => cell).sort((a, b) => {
    for (const column of byValue) if (column[a] !== column[b]) return (column[a] as number) - (column[b] as number);
    return a - b;
  });
  const { pieces, piece, slots } = slotsOf(building, sequence);
  const place = new Uint32Array(sizes.cells);
  pieces.forEach((cell, at) => {
    if (piece[at] === 0) place[cell] = at;
  });
  const cellOf = sizes.cellOfRow.map(cell => (cell === NO_ROW ? NO_ROW : (place[cell] as number)));
  const all = dimensions.map((dimension, at) => ({
    name: dimension.name,
    values: (sorted[at] as { values: string[] }).values,
    codes: pieces.map(cell => (columns[at + 1] as Uint32Array)[cell] as number),
  }));
  const used = all.filter(dimension => dimension.values.length > 1);
  return {
    length: pieces.length,
    measures: MEASURES,
    dimensions: used,
    chains: chains.chains,
    chain: pieces.map(cell => (columns[0] as Uint32Array)[cell] as number),
    slots,
    evidence: chooseEvidence(trace, sizes.rows, cellOf, used, options.evidence),
  };
}

const WHOLE = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * The sums as doubles. A cell with a sum beyond 2^53 - 1 comes several times, in pieces that add up to it. Columns of
 * one portion that hold the same numbers are one slot of several measures (a token kind and `tokens`).
 */
function slotsOf(
  building: Building,
  sequence: Uint32Array,
): { pieces: Uint32Array; piece: Uint32Array; slots: CellSlot[] } {
  const exact = building.slots.map(({ sums }) => {
    const all = sums.toArray(building.length);
    return BigInt64Array.from(sequence, cell => all[cell] as bigint);
  });
  const counts = Uint32Array.from(sequence, (_, at) =>
    exact.reduce(
      (most, sums) =>
        (sums[at] as bigint) > WHOLE ? Math.max(most, Math.ceil(Number(sums[at]) / Number.MAX_SAFE_INTEGER) + 1) : most,
      1,
    ),
  );
  const from: number[] = [];
  const piece: number[] = [];
  counts.forEach((count, at) => {
    for (let each = 0; each < count; each++) {
      from.push(at);
      piece.push(each);
    }
  });
  const slots: { token: string; domain: boolean; measures: number[]; values: Float64Array }[] = [];
  building.slots.forEach(({ amount, measure }, s) => {
    const sums = exact[s] as BigInt64Array;
    const values = Float64Array.from(from, (at, i) => pieceOf(sums[at] as bigint, piece[i] as number));
    const token = amount.token ?? '';
    const same = slots.find(
      slot => slot.token === token && slot.domain === amount.domain && equal(slot.values, values),
    );
    if (same) same.measures.push(measure);
    else slots.push({ token, domain: amount.domain, measures: [measure], values });
  });
  const name = (slot: CellSlot) => `${slot.token} ${slot.domain} ${String(slot.measures[0]).padStart(2, '0')}`;
  for (const slot of slots) slot.measures.sort((a, b) => a - b);
  slots.sort((a, b) => (name(a) < name(b) ? -1 : 1));
  return { pieces: Uint32Array.from(from, at => sequence[at] as number), piece: Uint32Array.from(piece), slots };
}

function pieceOf(sum: bigint, piece: number): number {
  if (sum <= WHOLE) return piece === 0 ? Number(sum) : 0;
  const rest = sum - WHOLE * BigInt(piece);
  return rest <= 0n ? 0 : Number(rest < WHOLE ? rest : WHOLE);
}

function equal(a: Float64Array, b: Float64Array): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
