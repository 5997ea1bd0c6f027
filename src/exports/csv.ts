import { amountsOf, COST } from '../trace/amounts.ts';
import { KIND_NAMES } from '../trace/kinds.ts';
import { MEASURES } from '../trace/measures.ts';
import { type Chunk, type Exported, inTime, shownValue } from './exported.ts';

/** Columns before the measures. */
const FIELDS = [
  'agent',
  'agent_version',
  'project',
  'branch',
  'session',
  'parent_session',
  'subagent',
  'prompt_id',
  'prompt',
  'call',
  'model',
  'tool',
  'command',
  'status',
  'error',
  'event',
  'effect',
  'file',
  'domain',
] as const;

const LINES_A_CHUNK = 1000;

/**
 * One line an operation (RFC 4180), in the order of time: when it began, its kind, fields, then every measure. Measures
 * add up to those of the profile; `roundCost` turns nano-dollars into micro-dollars so that their sum does too.
 */
export function* csv(exported: Exported, roundCost: (nanos: readonly bigint[]) => ArrayLike<bigint>): Generator<Chunk> {
  const { trace } = exported;
  const { ops } = trace;
  const rows = inTime(exported);
  const vectors = measured(exported, rows);
  const costs = roundCost(vectors.map(vector => BigInt(vector[COST] as number)));
  yield `${['time', 'duration_ns', 'kind', ...FIELDS, ...MEASURES.map(({ name }) => name)].join(',')}\r\n`;
  let lines = '';
  for (const [at, row] of rows.entries()) {
    const start = ops.start.get(row);
    const duration = BigInt(Math.max(0, ops.end.get(row) - start)) * 1000n;
    const values = vectors[at] as Float64Array;
    const cells = [
      start === 0 ? '' : new Date(start / 1000).toISOString(),
      String(duration),
      KIND_NAMES[ops.kind.get(row)] ?? '',
      ...FIELDS.map(field => quoted(shownValue(exported, field, row))),
      ...MEASURES.map((_, m) => (m === COST ? String(costs[at]) : String(BigInt(values[m] as number)))),
    ];
    lines += `${cells.join(',')}\r\n`;
    if ((at + 1) % LINES_A_CHUNK === 0) {
      yield lines;
      lines = '';
    }
  }
  if (lines !== '') yield lines;
}

/** Sums of the portions of each row, in the order of the rows. */
function measured({ trace }: Exported, rows: readonly number[]): Float64Array[] {
  const amounts = amountsOf(trace);
  return rows.map(row => {
    const sums = new Float64Array(MEASURES.length);
    amounts(row, (_, values) => {
      for (let m = 0; m < sums.length; m++) sums[m] = (sums[m] as number) + (values[m] as number);
    });
    return sums;
  });
}

/** A spreadsheet takes a cell that begins like a formula for one, whoever wrote it: such a cell begins with a quote. */
function quoted(value: string): string {
  const plain = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
