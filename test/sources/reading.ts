import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Keep, WHOLE } from '../../src/ingest/keep.ts';
import { prune } from '../../src/ingest/prune.ts';
import { readDocument, readHead, readRecords } from '../../src/ingest/records.ts';
import { type FileLedger, fileLedger } from '../../src/sources/ledger.ts';
import type { Head, Reader } from '../../src/sources/reader.ts';
import { Flag } from '../../src/trace/flags.ts';
import { KIND_NAMES, Kind, NO_ROW } from '../../src/trace/kinds.ts';
import { type Links, link } from '../../src/trace/link.ts';
import { Operations } from '../../src/trace/operations.ts';
import { Texts } from '../../src/trace/texts.ts';

/** The corpus beside the project; undefined where it is not. */
export const CORPUS = [
  join(process.env.AGENTPPROF_SHARED ?? resolve(import.meta.dirname, '../../../shared'), 'corpus'),
].find(existsSync);

export const FIXTURES = resolve(import.meta.dirname, '../fixtures');

export interface Read {
  readonly ops: Operations;
  readonly ledgers: FileLedger[];
  readonly links: Links;
}

/** A file as a test gives it: its records. A document is a list of one. */
export type Files = Readonly<Record<string, readonly unknown[]>>;

/**
 * Reads files given as records through the reader's allow-list, in the order given; each is cut into parts before the
 * records numbered in `cuts`, as a file that grows is. `beside` holds JSON files by the name a reader asks for.
 */
export function readAll(
  reader: Reader,
  files: Files,
  cuts: readonly number[] = [],
  beside: Readonly<Record<string, unknown>> = {},
): Read {
  return reading(reader, Object.keys(files), (path, ledger, open) => {
    const records = files[path] as readonly unknown[];
    let state: unknown;
    let from = 0;
    for (const to of [...cuts.filter(cut => cut < records.length), records.length]) {
      const sink = open(structuredClone(state), name => beside[name]);
      for (; from < to; from++) sink.record(prune(records[from], reader.keep), from * 100, 99);
      state = sink.end();
    }
    ledger.lines = records.length;
  });
}

/** Reads files from disk, with what lies beside them. */
export function readFiles(reader: Reader, paths: readonly string[]): Read {
  return reading(reader, paths, (path, ledger, open) => {
    const sink = open(undefined, name => jsonAt(join(dirname(path), name)));
    if (reader.isDocument?.(path)) {
      const { value, bytes } = readDocument(path, reader.keep);
      ledger.lines = 1;
      if (value === undefined) ledger.badLines++;
      else sink.record(value, 0, bytes);
    } else {
      const outcome = readRecords(path, reader.keep, (value, offset, bytes) => sink.record(value, offset, bytes));
      ledger.lines = outcome.lines;
      ledger.badLines += outcome.badLines;
      ledger.tornTail = outcome.tornTail;
    }
    sink.end();
  });
}

type Open = (state: unknown, sibling: (name: string) => unknown) => ReturnType<Reader['open']>;

function reading(
  reader: Reader,
  paths: readonly string[],
  each: (path: string, ledger: FileLedger, open: Open) => void,
): Read {
  const ops = new Operations(new Texts(['prompt', 'call', 'command', 'result']));
  const ledgers: FileLedger[] = [];
  for (const path of paths) {
    const ledger = fileLedger(path, reader.agent);
    const index = ledgers.push(ledger) - 1;
    each(path, ledger, (state, sibling) => reader.open({ index, path, sibling }, ops, ledger, state));
  }
  reader.settle?.(ops, ledgers);
  return { ops, ledgers, links: link(ops) };
}

function jsonAt(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/** The records of a file, whole; a document is one. */
export function recordsOf(path: string, isDocument = false): unknown[] {
  if (isDocument) return [readDocument(path, WHOLE).value];
  const records: unknown[] = [];
  readRecords(path, WHOLE, value => records.push(value));
  return records;
}

/** The head of a file as discovery gives it. */
export function headOf(path: string): Head {
  const { records } = readHead(path, 20);
  const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
  return records.some(isObject) || !path.endsWith('.json')
    ? { path, records }
    : { path, records, document: readDocument(path, 1024 satisfies Keep).value };
}

/** All files below a directory whose path passes, sorted. */
export function filesBelow(directory: string, accepts: (path: string) => boolean = () => true): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map(name => join(directory, name))
    .filter(path => accepts(path) && statSync(path).isFile())
    .sort();
}

/** Rows of a kind that count once. */
export function rowsOf({ ops }: Read, kind: Kind, wanted: (row: number) => boolean = () => true): number[] {
  const rows: number[] = [];
  for (let row = 0; row < ops.length; row++) {
    if (ops.kind.get(row) === kind && !ops.has(row, Flag.copy) && wanted(row)) rows.push(row);
  }
  return rows;
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

/** Tokens of calls that count, by model; `all` is their sum. */
export function tokensByModel(read: Read): Map<string, Tokens> {
  const models = new Map<string, Tokens>();
  const { ops } = read;
  for (const row of rowsOf(read, Kind.call)) {
    const t = ops.tokens;
    const [input, cache_read, output, reasoning] = [
      t.input_tokens,
      t.cache_read_tokens,
      t.output_tokens,
      t.reasoning_tokens,
    ].map(column => column.get(row)) as [number, number, number, number];
    const cache_write = t.cache_write_5m_tokens.get(row) + t.cache_write_1h_tokens.get(row);
    const own: Tokens = {
      calls: 1,
      input,
      cache_read,
      cache_write,
      output,
      reasoning,
      total: input + cache_read + cache_write + output + reasoning,
    };
    for (const name of [ops.field.model.get(row), 'all']) {
      const sum = models.get(name);
      models.set(
        name,
        sum === undefined
          ? { ...own }
          : (Object.fromEntries(
              Object.entries(sum).map(([key, value]) => [key, value + own[key as keyof Tokens]]),
            ) as unknown as Tokens),
      );
    }
  }
  return models;
}

/**
 * Rows as lines, indented below their parents: `call model input+read+write+output+reasoning`, `?` where the usage is
 * not known. Times in seconds from the first row with one.
 */
export function drawn(read: Read, options: { times?: boolean; sessions?: boolean } = {}): string[] {
  const { ops, links } = read;
  const lines: string[] = [];
  const zero = Math.min(
    ...Array.from({ length: ops.length }, (_, row) => ops.start.get(row) || Number.MAX_SAFE_INTEGER),
  );
  for (let row = 0; row < ops.length; row++) {
    if (ops.has(row, Flag.copy)) continue;
    const kind = ops.kind.get(row);
    const f = ops.field;
    const words: string[] = [KIND_NAMES[kind] as string];
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
        f.model.get(row) || '-',
        ops.has(row, Flag.unknownUsage) ? '?' : counts.map(count => count.get(row)).join('+'),
      );
    }
    words.push(
      ...[f.status.get(row), f.error.get(row), f.mcp_server.get(row), f.skill.get(row)].filter(word => word !== ''),
    );
    for (const [name, flag] of Object.entries(Flag))
      if (ops.has(row, flag) && flag !== Flag.unknownUsage) words.push(`+${name}`);
    const seconds = (micros: number) => (micros === 0 ? '-' : String(Math.round((micros - zero) / 1000) / 1000));
    if (options.times) words.push(`${seconds(ops.start.get(row))}..${seconds(ops.end.get(row))}`);
    if (options.sessions) words.push(`@${ops.sessions.all[ops.session.get(row)]?.id}`);
    lines.push('  '.repeat(depthOf(ops, links, row)) + words.join(' '));
  }
  return lines;
}

function depthOf(ops: Operations, links: Links, row: number): number {
  let depth = 0;
  for (let at = row; depth < 20; depth++) {
    const up = ops.parentOf(at);
    at = up === NO_ROW ? (links.spawn[ops.session.get(at)] as number) : up;
    if (at === NO_ROW) break;
  }
  return depth;
}

/** What tool calls touched, as lines. */
export function touched({ ops }: Read): string[] {
  const { rows, kinds, values, others } = ops.touches;
  return rows.map((_, i) => [kinds[i], values[i], ...(others[i] ? [`(${others[i]})`] : [])].join(' '));
}

/** Everything a reading made, for comparing two. */
export function everything(read: Read): unknown {
  const { ops, ledgers } = read;
  const columns = [ops.kind, ops.session, ops.parent, ops.start, ops.end, ops.file, ops.offset, ops.bytes, ops.flags];
  const rows = Array.from({ length: ops.length }, (_, row) => [
    ...columns.map(column => column.get(row)),
    ...[ops.key, ops.argsKey, ops.spawnedPrompt].flatMap(key => [key.high[row] ?? 0, key.low[row] ?? 0]),
    ops.spawnedId.get(row),
    ops.spawnedType.get(row),
    ...Object.values(ops.field).map(column => column.get(row)),
    ...Object.values(ops.tokens).map(column => column.get(row)),
    ...(['prompt', 'call', 'command', 'result'] as const).map(kind => ops.texts.get(kind, row)),
  ]);
  const told = ledgers.map(({ unknown, ...rest }) => ({ ...rest, unknown: [...unknown].sort() }));
  return { rows, touches: touched(read), sessions: ops.sessions.all, ledgers: told };
}
