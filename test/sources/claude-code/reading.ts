import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { prune } from '../../../src/ingest/prune.ts';
import { claudeCode } from '../../../src/sources/claude-code/reader.ts';
import { type FileLedger, fileLedger } from '../../../src/sources/ledger.ts';
import { Flag } from '../../../src/trace/flags.ts';
import { KIND_NAMES, Kind, NO_ROW } from '../../../src/trace/kinds.ts';
import { type Links, link } from '../../../src/trace/link.ts';
import { TOKEN_COLUMNS } from '../../../src/trace/measures.ts';
import { Operations } from '../../../src/trace/operations.ts';
import { Texts } from '../../../src/trace/texts.ts';
import { secondsOf } from './rows.ts';

/** A file as a test gives it: its records, or its lines (a line may be broken). */
export type File = readonly unknown[];

export interface Read {
  out: Operations;
  ledgers: FileLedger[];
}

/** Reads files by path, in the order given, and settles; not yet linked. `beside` holds JSON files by name. */
export function read(files: Record<string, File>, beside: Record<string, unknown> = {}): Read {
  const out = new Operations(new Texts(['prompt', 'call', 'command', 'result']));
  const ledgers: FileLedger[] = [];
  for (const [path, records] of Object.entries(files)) {
    const ledger = fileLedger(path, claudeCode.agent);
    const file = { index: ledgers.length, path, sibling: (name: string) => beside[name] };
    ledgers.push(ledger);
    const sink = claudeCode.open(file, out, ledger);
    let offset = 0;
    for (const record of records) {
      sink.record(shrunk(record), offset, 10);
      offset += 11;
    }
    sink.end();
  }
  claudeCode.settle?.(out, ledgers);
  return { out, ledgers };
}

/** One main file. */
export function readMain(...records: unknown[]): Read {
  return read({ '/h/.claude/projects/-work-shop/s1.jsonl': records });
}

/** A record as ingest delivers it. */
export function shrunk(record: unknown): unknown {
  return prune(record, claudeCode.keep);
}

export interface StoryOptions {
  /** Show start and end in seconds. */
  times?: boolean;
  sessions?: boolean;
}

/**
 * All that was read, as text: one line a row that counts, indented below its parent.
 * `call claude-a 5/0/0/0/50/0` gives input, cache read, 5-minute and 1-hour writes, output and reasoning.
 */
export function story({ out }: Read, options: StoryOptions = {}): string[] {
  const links = link(out);
  const lines: string[] = [];
  for (let row = 0; row < out.length; row++) {
    if (out.has(row, Flag.copy)) continue;
    lines.push(`${'  '.repeat(depthOf(out, links, row))}${describe(out, row, options)}`);
  }
  return lines;
}

function depthOf(out: Operations, links: Links, row: number): number {
  let depth = 0;
  let at = row;
  for (let steps = 0; steps < 20; steps++) {
    let up = out.parentOf(at);
    if (up === NO_ROW) up = links.spawn[out.session.get(at)] as number;
    if (up === NO_ROW) break;
    depth++;
    at = up;
  }
  return depth;
}

const SHOWN: readonly (keyof typeof Flag)[] = [
  'lowerBound',
  'inferred',
  'waits',
  'opensTurn',
  'unknownUsage',
  'background',
  'compaction',
];

export function describe(out: Operations, row: number, options: StoryOptions = {}): string {
  const { field } = out;
  const kind = out.kind.get(row);
  const parts: string[] = [KIND_NAMES[kind] as string];
  if (kind === Kind.event) parts.push(field.event.get(row));
  if (kind === Kind.tool) parts.push(field.tool.get(row));
  if (kind === Kind.call)
    parts.push(field.model.get(row), TOKEN_COLUMNS.map(name => out.tokens[name].get(row)).join('/'));
  if (kind === Kind.prompt) parts.push(JSON.stringify(out.texts.get('prompt', row)));
  const outcome = [field.status.get(row), field.error.get(row)].filter(word => word !== '').join(':');
  if (outcome !== '') parts.push(outcome);
  if (field.skill.get(row) !== '') parts.push(`skill=${field.skill.get(row)}`);
  if (options.times) parts.push(`${secondsOf(out.start.get(row))}-${secondsOf(out.end.get(row))}`);
  if (options.sessions) parts.push(`@${out.sessions.all[out.session.get(row)]?.id}`);
  for (const name of SHOWN) if (out.has(row, Flag[name])) parts.push(`+${name}`);
  return parts.join(' ');
}

/** Everything that was read, for comparing two readings as a whole. */
export function everything({ out, ledgers }: Read): object {
  const rows: unknown[] = [];
  for (let row = 0; row < out.length; row++) {
    rows.push([
      describe(out, row, { times: true, sessions: true }),
      out.parentOf(row),
      out.flags.get(row),
      [out.file.get(row), out.offset.get(row), out.bytes.get(row)],
      [out.key.high[row] ?? 0, out.key.low[row] ?? 0],
      [out.argsKey.high[row] ?? 0, out.argsKey.low[row] ?? 0],
      [out.spawnedId.get(row), out.spawnedType.get(row), out.spawnedPrompt.high[row] ?? 0],
      Object.values(out.field).map(column => column.get(row)),
      (['prompt', 'call', 'command', 'result'] as const).map(kind => out.texts.get(kind, row)),
    ]);
  }
  const { rows: touched, kinds, values } = out.touches;
  return {
    rows,
    touches: touched.map((row, i) => [row, kinds[i], values[i]]),
    sessions: out.sessions.all,
    ledgers: ledgers.map(ledger => ({ ...ledger, unknown: [...ledger.unknown] })),
  };
}

export interface Sums {
  calls: number;
  input: number;
  cache_read: number;
  cache_write: number;
  output: number;
  total: number;
}

/** Tokens of all calls that count, by model; `output` with reasoning in it, as the provider reports it. Links first. */
export function sumsByModel({ out }: Read): Record<string, Sums> {
  link(out);
  const sums: Record<string, Sums> = {};
  for (let row = 0; row < out.length; row++) {
    if (out.kind.get(row) !== Kind.call || out.has(row, Flag.copy)) continue;
    const model = out.field.model.get(row);
    sums[model] ??= { calls: 0, input: 0, cache_read: 0, cache_write: 0, output: 0, total: 0 };
    const sum = sums[model];
    const t = (name: (typeof TOKEN_COLUMNS)[number]) => out.tokens[name].get(row);
    sum.calls++;
    sum.input += t('input_tokens');
    sum.cache_read += t('cache_read_tokens');
    sum.cache_write += t('cache_write_5m_tokens') + t('cache_write_1h_tokens');
    sum.output += t('output_tokens') + t('reasoning_tokens');
    sum.total = sum.input + sum.cache_read + sum.cache_write + sum.output;
  }
  return sums;
}

/** Rows of a kind that count. Links first. */
export function countOf({ out }: Read, kind: Kind): number {
  link(out);
  let count = 0;
  for (let row = 0; row < out.length; row++) if (out.kind.get(row) === kind && !out.has(row, Flag.copy)) count++;
  return count;
}

/** The corpus that is shared beside the project; '' where it is not. */
export const SHARED = (() => {
  const path = process.env.AGENTPPROF_SHARED ?? join(import.meta.dirname, '../../../../shared');
  return existsSync(join(path, 'corpus')) ? join(path, 'corpus') : '';
})();

export const FIXTURES = join(import.meta.dirname, '../../fixtures/claude-code');

/** Files below a directory whose path a test accepts, sorted. */
export function filesBelow(directory: string, accepts: (path: string) => boolean): string[] {
  const found: string[] = [];
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) found.push(...filesBelow(path, accepts));
    else if (accepts(path)) found.push(path);
  }
  return found.sort();
}

export function isTranscript(path: string): boolean {
  return path.endsWith('.jsonl') && basename(path) !== 'journal.jsonl';
}

/** The records of a JSON-lines file; broken lines are left out. */
export function recordsOf(path: string): unknown[] {
  const records: unknown[] = [];
  const bytes = readFileSync(path);
  for (const line of (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8').split('\n')) {
    if (line.trim() === '') continue;
    try {
      records.push(JSON.parse(line));
    } catch {
      // A torn line: ingest counts it.
    }
  }
  return records;
}

/** Reads real files, with what lies beside them. */
export function readFiles(paths: readonly string[]): Read {
  const beside: Record<string, unknown> = {};
  for (const path of paths) {
    for (const name of readdirSync(dirname(path))) {
      if (name.endsWith('.meta.json')) beside[name] = JSON.parse(readFileSync(join(dirname(path), name), 'utf8'));
    }
  }
  return read(Object.fromEntries(paths.map(path => [path, recordsOf(path)])), beside);
}
