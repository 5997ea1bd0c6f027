import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type * as Sqlite from 'node-sqlite3-wasm';
import { afterAll } from 'vitest';
import { readDocument } from '../../../src/ingest/records.ts';
import { type FileLedger, fileLedger } from '../../../src/sources/ledger.ts';
import { opencode } from '../../../src/sources/opencode/reader.ts';
import { link } from '../../../src/trace/link.ts';
import { Operations } from '../../../src/trace/operations.ts';
import { Texts } from '../../../src/trace/texts.ts';
import type { Read } from '../reading.ts';

const { Database } = createRequire(import.meta.url)('node-sqlite3-wasm') as typeof Sqlite;

/** Temporary files of this test file alone, so that what is left behind is its own. */
const PRIVATE = mkdtempSync(join(tmpdir(), 'opencode-test-'));
process.env.TMPDIR = PRIVATE;
afterAll(() => rmSync(PRIVATE, { recursive: true, force: true }));

export interface Told {
  readonly session: string;
  readonly parent?: string;
  readonly messages: readonly (readonly [id: string, data: unknown, parts?: readonly unknown[]])[];
}

const TABLES = `
  create table session (id text primary key, project_id text, parent_id text, directory text, version text, title text);
  create table message (id text primary key, session_id text, time_created integer, time_updated integer, data text);
  create table part (id text primary key, message_id text, session_id text, time_created integer, data text);
  create index part_message_id_id_idx on part (message_id, id);`;

/** A client that writes: its tables and rows stay in the `-wal` as long as it runs. */
export class Writer {
  readonly path: string;
  private readonly connection: Sqlite.Database;

  constructor(path: string, journal: 'wal' | 'delete' = 'wal') {
    this.path = path;
    this.connection = new Database(path);
    this.exec(`pragma locking_mode=exclusive; pragma journal_mode=${journal}; pragma wal_autocheckpoint=0;`);
    this.exec(TABLES);
  }

  exec(sql: string): void {
    this.connection.exec(sql);
  }

  tell({ session, parent, messages }: Told): void {
    const run = (sql: string, values: (string | number | null)[]) => this.connection.run(sql, values);
    run("insert or ignore into session values (?, 'p', ?, '/w/repo', '1.18.0', 'A private title')", [
      session,
      parent ?? null,
    ]);
    messages.forEach(([id, data, parts = []], at) => {
      const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
      run('insert into message values (?, ?, ?, 0, ?)', [id, session, at, text(data)]);
      for (const [n, part] of parts.entries()) {
        run('insert into part values (?, ?, ?, 0, ?)', [`${id}_${n}`, id, session, text(part)]);
      }
    });
  }

  checkpoint(): void {
    this.exec('pragma wal_checkpoint(truncate)');
  }

  close(): void {
    this.connection.close();
  }
}

/** Runs with a folder that is there only so long. */
export function inFolder(run: (folder: string) => void): void {
  const folder = mkdtempSync(join(PRIVATE, 'home-'));
  try {
    run(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** All that lies in a folder, with times: to see that reading it left it as it was. */
export function contentsOf(folder: string): string[] {
  return readdirSync(folder).map(name => {
    const { size, mtimeMs } = statSync(join(folder, name));
    return `${name} ${size} ${mtimeMs}`;
  });
}

/** Private folders of readers that were left behind. */
export function leftBehind(): string[] {
  return readdirSync(PRIVATE).filter(name => name.startsWith('agentpprof-'));
}

/** Reads databases, messages and exports as loading does. */
export function readPaths(paths: readonly string[]): Read {
  const ops = new Operations(new Texts(['prompt', 'call', 'command', 'result']));
  const ledgers: FileLedger[] = [];
  for (const path of paths) {
    const ledger = fileLedger(path, opencode.agent);
    const file = {
      index: ledgers.push(ledger) - 1,
      path,
      sibling: (name: string) => jsonAt(join(dirname(path), name)),
    };
    if (opencode.readWhole?.(file, ops, ledger)) continue;
    const sink = opencode.open(file, ops, ledger);
    const { value, bytes } = readDocument(path, opencode.keep);
    ledger.lines = 1;
    if (value === undefined) ledger.badLines++;
    else sink.record(value, 0, bytes);
    sink.end();
  }
  return { ops, ledgers, links: link(ops) };
}

function jsonAt(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
