import type { Cells, NumberColumn } from './columns.ts';
import { Flag } from './flags.ts';
import { Kind } from './kinds.ts';
import { MEASURES, type TokenColumn } from './measures.ts';
import type { CostColumns, Trace } from './trace.ts';

/**
 * What many operations contribute to each measure, column by column: the same amounts as `amountsOf` gives row by row
 * (its twin in tests), for loops that would not have a call for each row.
 */
export type PortionName =
  | 'whole'
  | 'domain'
  | 'input'
  | 'cache_read'
  | 'cache_write'
  | 'output'
  | 'reasoning'
  | 'unknown';

/** One kind of portion, and what the rows hold of it. A row whose cells are all 0 has such a portion only if it is `whole`. */
export interface Portion {
  readonly name: PortionName;
  readonly measures: readonly PortionMeasure[];
}

export interface PortionMeasure {
  readonly measure: number;
  /** By row of the trace; cells beyond the end are 0. Costs are nano-dollars. */
  readonly column: Glanced;
}

/** Cells to look at one column after the other: a stored column need not be kept for it, see `Elsewhere`. */
interface Glanced {
  glance(): Cells;
}

const AT = Object.fromEntries(MEASURES.map((measure, at) => [measure.name, at])) as Record<string, number>;

interface TokenKind {
  readonly name: PortionName;
  readonly measure: string;
  readonly columns: readonly TokenColumn[];
  readonly cost: keyof CostColumns;
}

const TOKENS: readonly TokenKind[] = [
  { name: 'input', measure: 'input_tokens', columns: ['input_tokens'], cost: 'input' },
  { name: 'cache_read', measure: 'cache_read_tokens', columns: ['cache_read_tokens'], cost: 'cacheRead' },
  {
    name: 'cache_write',
    measure: 'cache_write_tokens',
    columns: ['cache_write_5m_tokens', 'cache_write_1h_tokens'],
    cost: 'cacheWrite',
  },
  { name: 'output', measure: 'output_tokens', columns: ['output_tokens'], cost: 'output' },
  { name: 'reasoning', measure: 'reasoning_tokens', columns: ['reasoning_tokens'], cost: 'reasoning' },
];

/** The rows that count: a copy of an operation contributes nothing. */
export function countedRows(trace: Trace, rows: Uint32Array): Uint32Array {
  const flags = trace.ops.flags.cells;
  const isCopy = (row: number) => row < flags.length && ((flags[row] as number) & Flag.copy) !== 0;
  let length = 0;
  while (length < rows.length && !isCopy(rows[length] as number)) length++;
  if (length === rows.length) return rows;
  const counted = rows.slice();
  for (let i = length; i < rows.length; i++) if (!isCopy(rows[i] as number)) counted[length++] = rows[i] as number;
  return counted.subarray(0, length);
}

/** `rows` are counted rows. */
export function portionsOf(trace: Trace, rows: Uint32Array): Portion[] {
  const portions: Portion[] = [...operationPortions(trace, rows)];
  const { ops, cost } = trace;
  for (const { name, measure, columns, cost: priced } of TOKENS) {
    const measures = columns.flatMap(column => [
      ...columnOf(AT[measure] as number, ops.tokens[column]),
      ...columnOf(AT.tokens as number, ops.tokens[column]),
    ]);
    if (cost) measures.push(...columnOf(AT.cost as number, cost[priced]));
    if (measures.length > 0) portions.push({ name, measures });
  }
  const given = ops.given.get('tokens')?.cells;
  if (given) portions.push(beyondKinds(trace, rows, given));
  return portions;
}

function columnOf(measure: number, column: NumberColumn): PortionMeasure[] {
  return column.isEmpty ? [] : [{ measure, column }];
}

/** What a file gives as a total beyond the kinds it names. */
function beyondKinds(trace: Trace, rows: Uint32Array, given: Cells): Portion {
  const tokens = Object.values(trace.ops.tokens);
  const cells = new Float64Array(trace.ops.length);
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as number;
    let seen = 0;
    for (const column of tokens) seen += column.get(row);
    cells[row] = Math.max(0, (given[row] ?? 0) - seen);
  }
  return { name: 'unknown', measures: [{ measure: AT.tokens as number, column: { glance: () => cells } }] };
}

/** The operation itself, and its contact with a domain. Measures given outright replace what would be derived. */
function operationPortions(trace: Trace, rows: Uint32Array): [Portion, Portion] {
  const { ops, times } = trace;
  const operations = new Uint8Array(ops.length);
  const errors = new Uint8Array(ops.length);
  const files = new Uint8Array(ops.length);
  const network = new Uint8Array(ops.length);
  const kinds = ops.kind.cells;
  const flags = ops.flags.cells;
  const { status, file, domain } = ops.field;
  const [statuses, fileCodes, domains] = [status.codes, file.codes, domain.codes];
  const error = status.find('error') ?? -1;
  let given = 0;
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as number;
    if (row < flags.length && ((flags[row] as number) & Flag.given) !== 0) {
      given++;
      continue;
    }
    const kind = row < kinds.length ? kinds[row] : 0;
    if (kind === Kind.prompt || kind === Kind.call || kind === Kind.tool) operations[row] = 1;
    if (kind === Kind.effect) {
      if (row < fileCodes.length && fileCodes[row] !== 0) files[row] = 1;
    } else if (row < statuses.length && statuses[row] === error) errors[row] = 1;
    if (row < domains.length && domains[row] !== 0) network[row] = 1;
  }
  const derived = (name: string, cells: Cells): PortionMeasure => ({
    measure: AT[name] as number,
    column: { glance: () => cells },
  });
  const measures = [
    derived('operations', operations),
    derived('files', files),
    derived('errors', errors),
    ...columnOf(AT.time as number, times.time),
  ];
  if (given > 0) {
    for (const [name, column] of ops.given) {
      if (AT[name] === undefined || name === 'tokens' || name === 'time') continue;
      const cells = new Float64Array(ops.length);
      for (let i = 0; i < rows.length; i++) {
        const row = rows[i] as number;
        if (ops.has(row, Flag.given)) cells[row] = column.get(row);
      }
      measures.push(derived(name, cells));
    }
  }
  return [
    { name: 'whole', measures },
    { name: 'domain', measures: [derived('network', network)] },
  ];
}
