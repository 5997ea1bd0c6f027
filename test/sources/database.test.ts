import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Database, isDatabase } from '../../src/sources/database.ts';
import { contentsOf, inFolder, leftBehind, Writer } from './opencode/databases.ts';

/** Opens a database with one message in its log while `writer` runs on. */
function besideWriter(run: (database: Database, writer: Writer, tell: (id: string) => void) => void): void {
  inFolder(folder => {
    const writer = new Writer(join(folder, 'a.db'));
    const tell = (id: string) => writer.tell({ session: 's', messages: [[id, {}]] });
    tell('m1');
    const database = new Database(writer.path);
    try {
      run(database, writer, tell);
    } finally {
      database.close();
      writer.close();
    }
    expect(leftBehind()).toEqual([]);
  });
}

const COUNT = 'select count(*) as n from message';

describe('a database that its agent writes to meanwhile', () => {
  test('what is only added to the log disturbs nobody, and is not seen by what was opened before', () => {
    besideWriter((database, _, tell) => {
      const seen = database.read(query => {
        tell('m2');
        return query(COUNT);
      });
      expect(seen).toEqual([{ n: 1 }]);
    });
  });

  test('when the log is moved into the database meanwhile, everything is asked again', () => {
    besideWriter((database, writer, tell) => {
      let tries = 0;
      const seen = database.read(query => {
        const rows = query(COUNT);
        if (++tries < 3) {
          tell(`more ${tries}`);
          writer.checkpoint();
        }
        return rows;
      });
      expect([seen, tries]).toEqual([[{ n: 3 }], 3]);
    });
  });

  test('one that never rests is told after three tries', () => {
    besideWriter((database, writer, tell) => {
      let tries = 0;
      const never = () =>
        database.read(query => {
          tell(`more ${++tries}`);
          writer.checkpoint();
          return query(COUNT);
        });
      expect(never).toThrow('kept changing');
      expect(tries).toBe(3);
    });
  });

  test('neither a lock that the writer holds nor one that somebody left keeps a reader out', () => {
    besideWriter((database, writer) => {
      mkdirSync(`${writer.path}.lock`, { recursive: true });
      writer.exec('begin exclusive');
      expect(database.read(query => query(COUNT))).toEqual([{ n: 1 }]);
      writer.exec('commit');
    });
  });

  test('through a link the log beside the real database is read, and nothing appears in either folder', () => {
    inFolder(folder => {
      const writer = new Writer(join(folder, 'a.db'));
      writer.tell({ session: 's', messages: [['m1', {}]] });
      const home = join(folder, 'home');
      mkdirSync(home);
      symlinkSync(writer.path, join(home, 'a.db'));
      const before = [contentsOf(home), contentsOf(folder)];
      const database = new Database(join(home, 'a.db'));
      expect(database.read(query => query(COUNT))).toEqual([{ n: 1 }]);
      expect([contentsOf(home), contentsOf(folder)]).toEqual(before);
      database.close();
      writer.close();
    });
  });
});

test('a mistake in a query is told with the path of the database', () => {
  besideWriter((database, { path }) => {
    expect(() => database.read(query => query('select x from nowhere'))).toThrow(`cannot read ${path}: no such table`);
    expect(isDatabase(path)).toBe(true);
    expect(isDatabase(`${path}-wal`)).toBe(false);
    expect(isDatabase('/nowhere')).toBe(false);
  });
});
