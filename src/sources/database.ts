import {
  closeSync,
  constants,
  copyFileSync,
  mkdtempSync,
  openSync,
  readSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IngestError } from '../ingest/ingest-error.ts';
import { type Connection, connect, type Statement, type Value } from './sqlite.ts';

export type Row = Readonly<Record<string, Value>>;

/** Runs a query; values stand for its `?`. Big columns should be asked for one session at a time. */
export type Query = (sql: string, values?: readonly (string | number)[]) => Row[];

const TRIES = 3;
const MAGIC = 'SQLite format 3\0';

/**
 * A SQLite database of an agent that may be writing to it. Nothing is written beside the original, no lock is taken on
 * it, and its `-wal` is honoured: it is opened in a private folder that holds a link to the database and a copy of the
 * log. A writer that only appends to its log does not disturb; one that moves the log into the database meanwhile does,
 * and shows by the size and time of the database or by the salt of the log.
 */
export class Database {
  private readonly path: string;
  private opened: Opened | undefined;

  /** Throws IngestError where the path cannot be read. */
  constructor(path: string) {
    try {
      this.path = realpathSync(path);
      closeSync(openSync(this.path, 'r'));
    } catch (error) {
      throw IngestError.of(path, error);
    }
  }

  /**
   * What `read` gives on one state of the database, tried three times. What it reads must come to nothing elsewhere
   * before it returns. Throws IngestError where the database is broken or keeps changing.
   */
  read<T>(read: (query: Query) => T): T {
    for (let attempt = 0; attempt < TRIES; attempt++) {
      let failure: unknown;
      let result: T | undefined;
      try {
        this.opened ??= open(this.path);
        result = read(queryOf(this.opened));
      } catch (error) {
        failure = error;
      }
      if (this.opened !== undefined && stateOrGone(this.path) === this.opened.state) {
        if (failure === undefined) return result as T;
        throw this.broken(failure);
      }
      this.close();
      if (attempt === TRIES - 1 && failure !== undefined) throw this.broken(failure);
    }
    throw new IngestError(this.path, 'it kept changing while it was read');
  }

  close(): void {
    const { opened } = this;
    this.opened = undefined;
    if (opened === undefined) return;
    try {
      for (const statement of opened.statements.values()) statement.finalize();
      opened.connection.close();
    } finally {
      rmSync(opened.folder, { recursive: true, force: true });
    }
  }

  private broken(thrown: unknown): IngestError {
    if (thrown instanceof Error && thrown.name === 'SQLite3Error') return new IngestError(this.path, thrown.message);
    return IngestError.of(this.path, thrown);
  }
}

/** True for a file that begins as SQLite databases do. Throws nothing. */
export function isDatabase(path: string): boolean {
  return startOf(path, MAGIC.length, 0) === Buffer.from(MAGIC, 'latin1').toString('hex');
}

interface Opened {
  readonly connection: Connection;
  /** By their text: most queries are asked once a session. */
  readonly statements: Map<string, Statement>;
  readonly folder: string;
  readonly state: string;
}

function open(path: string): Opened {
  const folder = mkdtempSync(join(tmpdir(), 'agentpprof-'));
  try {
    const state = stateOf(path);
    const link = join(folder, 'db');
    try {
      symlinkSync(path, link);
    } catch {
      // Windows lets few people make links.
      copyFileSync(path, link, constants.COPYFILE_FICLONE);
    }
    copyIfThere(`${path}-wal`, `${link}-wal`);
    return { connection: connect(link), statements: new Map(), folder, state };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

function queryOf({ connection, statements }: Opened): Query {
  return (sql, values) => {
    let statement = statements.get(sql);
    if (statement === undefined) {
      statement = connection.prepare(sql);
      statements.set(sql, statement);
    }
    return statement.all(values as Value[] | undefined) as Row[];
  };
}

function copyIfThere(from: string, to: string): void {
  try {
    copyFileSync(from, to, constants.COPYFILE_FICLONE);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/** Size and time of the database, salts of the log: bytes 16 to 23 of its header. */
function stateOf(path: string): string {
  const { ino, size, mtimeNs } = statSync(path, { bigint: true });
  return `${ino} ${size} ${mtimeNs} ${startOf(`${path}-wal`, 8, 16)}`;
}

function stateOrGone(path: string): string {
  try {
    return stateOf(path);
  } catch {
    return '';
  }
}

function startOf(path: string, bytes: number, from: number): string {
  const buffer = Buffer.alloc(bytes);
  try {
    const file = openSync(path, 'r');
    try {
      return buffer.toString('hex', 0, readSync(file, buffer, 0, bytes, from));
    } finally {
      closeSync(file);
    }
  } catch {
    return '';
  }
}
