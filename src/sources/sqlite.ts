import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type * as Sqlite from 'node-sqlite3-wasm';

export type Value = Sqlite.SQLiteValue;
export type Connection = Sqlite.Database;
export type Statement = Sqlite.Statement;

const load = createRequire(import.meta.url);

/** Where a build puts the engine, with its `.wasm` beside it; in a checkout it comes from its package. */
const SHIPPED = fileURLToPath(new URL('./node-sqlite3-wasm.cjs', import.meta.url));

let engine: typeof Sqlite | undefined;

/** Opens for reading. The engine (1.3 MB of WebAssembly, instantiated at once) is loaded when first used. */
export function connect(path: string): Connection {
  engine ??= load(existsSync(SHIPPED) ? SHIPPED : 'node-sqlite3-wasm') as typeof Sqlite;
  const connection = new engine.Database(path, { readOnly: true, fileMustExist: true });
  try {
    // Without shared memory beside the file a write-ahead log can only be read by one that says it is alone.
    // One transaction over all queries spares looking at the file's size before each.
    connection.exec('pragma locking_mode=exclusive; pragma cache_size=-32768; begin;');
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}
