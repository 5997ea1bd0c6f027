import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Keep, WHOLE } from '../../../src/ingest/keep.ts';
import { prune } from '../../../src/ingest/prune.ts';
import { readRecords } from '../../../src/ingest/records.ts';
import { codex } from '../../../src/sources/codex/reader.ts';
import { type FileLedger, fileLedger } from '../../../src/sources/ledger.ts';
import { Flag } from '../../../src/trace/flags.ts';
import { KIND_NAMES, Kind, NO_ROW } from '../../../src/trace/kinds.ts';
import { link } from '../../../src/trace/link.ts';
import { Operations } from '../../../src/trace/operations.ts';
import { Texts } from '../../../src/trace/texts.ts';

/** The corpus beside the project; undefined where it is not. */
export const SHARED = [process.env.AGENTPPROF_SHARED ?? resolve(import.meta.dirname, '../../../../shared')].find(
  existsSync,
);

export const FIXTURES = resolve(import.meta.dirname, '../../fixtures/codex');

export interface Read {
  readonly ops: Operations;
  readonly ledgers: FileLedger[];
}

/** Histories given as records, one list a file, read through the allow-list as in life. Settled and linked. */
export function readAll(files: Readonly<Record<string, readonly unknown[]>>, cuts: readonly number[] = []): Read {
  const ops = new Operations(new Texts(['prompt', 'call', 'command', 'result']));
  const ledgers: FileLedger[] = [];
  for (const [path, records] of Object.entries(files)) {
    const ledger = fileLedger(path, 'codex');
    const file = { index: ledgers.push(ledger) - 1, path, sibling: () => undefined };
    let state: unknown;
    for (const [from, to] of parts(records.length, cuts)) {
      const sink = codex.open(file, ops, ledger, structuredClone(state));
      for (let i = from; i < to; i++) sink.record(prune(records[i], codex.keep), i * 100, 99);
      state = sink.end();
    }
  }
  codex.settle?.(ops, ledgers);
  link(ops);
  return { ops, ledgers };
}

function parts(length: number, cuts: readonly number[]): [number, number][] {
  const ends = [...cuts.filter(cut => cut < length), length];
  return ends.map((end, i) => [ends[i - 1] ?? 0, end]);
}

/** Histories in files, read by the ingest. */
export function readFiles(paths: readonly string[], keep: Keep = codex.keep): Read {
  const ops = new Operations(new Texts(['prompt', 'call', 'command', 'result']));
  const ledgers = paths.map((path, index) => {
    const ledger = fileLedger(path, 'codex');
    const sink = codex.open({ index, path, sibling: () => undefined }, ops, ledger);
    if (codex.isDocument?.(path)) {
      const text = readFileSync(path, 'utf8');
      sink.record(prune(JSON.parse(text), keep), 0, text.length);
    } else {
      ledger.badLines = readRecords(path, keep, (value, offset, bytes) => sink.record(value, offset, bytes)).badLines;
    }
    sink.end();
    return ledger;
  });
  codex.settle?.(ops, ledgers);
  link(ops);
  return { ops, ledgers };
}

/** The records of a rollout file; lines that are no JSON are left out. */
export function recordsOf(path: string): unknown[] {
  const records: unknown[] = [];
  readRecords(path, WHOLE, value => records.push(value));
  return records;
}

/** All files below a directory whose name passes, sorted. */
export function filesBelow(directory: string, accepts: (path: string) => boolean): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map(name => join(directory, name))
    .filter(path => accepts(path) && statSync(path).isFile())
    .sort();
}

export interface Tokens {
  calls: number;
  input: number;
  cache_read: number;
  cache_write: number;
  output: number;
  reasoning: number;
  total: number;
}

/** Tokens of what counts once, by model; `all` is their sum. */
export function tokensByModel({ ops }: Read, wanted: (row: number) => boolean = () => true): Map<string, Tokens> {
  const models = new Map<string, Tokens>();
  for (let row = 0; row < ops.length; row++) {
    if (ops.kind.get(row) !== Kind.call || ops.has(row, Flag.copy) || !wanted(row)) continue;
    const t = ops.tokens;
    const [input, read, write] = [
      t.input_tokens.get(row),
      t.cache_read_tokens.get(row),
      t.cache_write_5m_tokens.get(row),
    ];
    const [output, reasoning] = [t.output_tokens.get(row), t.reasoning_tokens.get(row)];
    for (const name of [ops.field.model.get(row), 'all']) {
      const sum = models.get(name) ?? {
        calls: 0,
        input: 0,
        cache_read: 0,
        cache_write: 0,
        output: 0,
        reasoning: 0,
        total: 0,
      };
      sum.calls++;
      sum.input += input;
      sum.cache_read += read;
      sum.cache_write += write;
      sum.output += output;
      sum.reasoning += reasoning;
      sum.total += input + read + write + output + reasoning;
      models.set(name, sum);
    }
  }
  return models;
}

export function totalTokens(read: Read, wanted?: (row: number) => boolean): number {
  return tokensByModel(read, wanted).get('all')?.total ?? 0;
}

/**
 * Rows as lines, for a glance: `kind [start-end s] name fields #parent`. Times count from the first row, copies are
 * left out unless asked for.
 */
export function drawn({ ops }: Read, options: { times?: boolean; copies?: boolean } = {}): string[] {
  const lines: string[] = [];
  const numbers = new Map<number, number>();
  const zero = ops.start.get(0);
  for (let row = 0; row < ops.length; row++) {
    if (ops.has(row, Flag.copy) && !options.copies) continue;
    numbers.set(row, lines.length);
    const kind = ops.kind.get(row);
    const words: string[] = [KIND_NAMES[kind] as string];
    if (options.times) words.push(`${seconds(ops.start.get(row) - zero)}-${seconds(ops.end.get(row) - zero)}`);
    const f = ops.field;
    if (kind === Kind.prompt) words.push(JSON.stringify(ops.texts.get('prompt', row)));
    if (kind === Kind.event) words.push(f.event.get(row));
    if (kind === Kind.tool) words.push(f.tool.get(row));
    if (kind === Kind.call) {
      const t = ops.tokens;
      const counts = [
        t.input_tokens,
        t.cache_read_tokens,
        t.cache_write_5m_tokens,
        t.output_tokens,
        t.reasoning_tokens,
      ];
      words.push(
        f.model.get(row),
        ops.has(row, Flag.unknownUsage) ? '?' : counts.map(count => count.get(row)).join('+'),
      );
    }
    words.push(...[f.status.get(row), f.error.get(row), f.mcp_server.get(row)].filter(word => word !== ''));
    if (ops.spawnedId.get(row) !== '') words.push(`spawns=${ops.spawnedId.get(row)}`);
    for (const [name, flag] of Object.entries(Flag)) {
      if (ops.has(row, flag) && flag !== Flag.unknownUsage) words.push(name);
    }
    const parent = ops.parentOf(row);
    if (parent !== NO_ROW) words.push(`<${numbers.get(parent) ?? '-'}`);
    lines.push(words.join(' '));
  }
  return lines;
}

function seconds(micros: number): string {
  return String(Math.round(micros / 1000) / 1000);
}

/** Touches as lines. */
export function touched({ ops }: Read): string[] {
  const { rows, kinds, values, others } = ops.touches;
  return rows.map((_, i) => [kinds[i], values[i], ...(others[i] ? [`(${others[i]})`] : [])].join(' '));
}

/** Everything a reading made, for comparing two. */
export function everything({ ops, ledgers }: Read): unknown {
  const rows = Array.from({ length: ops.length }, (_, row) => [
    ops.kind.get(row),
    ops.session.get(row),
    ops.parentOf(row),
    ops.start.get(row),
    ops.end.get(row),
    ops.file.get(row),
    ops.offset.get(row),
    ops.bytes.get(row),
    ops.flags.get(row),
    ops.key.high[row],
    ops.key.low[row],
    ops.argsKey.high[row] ?? 0,
    ops.argsKey.low[row] ?? 0,
    ops.spawnedId.get(row),
    ...Object.values(ops.field).map(column => column.get(row)),
    ...Object.values(ops.tokens).map(column => column.get(row)),
    ...(['prompt', 'call', 'command', 'result'] as const).map(kind => ops.texts.get(kind, row)),
  ]);
  const { rows: touchRows, kinds, values, others } = ops.touches;
  return {
    rows,
    touches: touchRows.map((row, i) => [row, kinds[i], values[i], others[i]]),
    sessions: ops.sessions.all,
    ledgers: ledgers.map(({ unknown, ...rest }) => ({ ...rest, unknown: [...unknown].sort() })),
  };
}
