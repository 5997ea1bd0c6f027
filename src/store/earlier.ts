import { deserialize } from 'node:v8';
import { type FoundFile, pathOf } from '../sources/find.ts';
import type { FileRows, Gathered, Resume } from '../sources/gathered.ts';
import { type Earlier, type KnownFile, MORE_ROWS } from '../sources/read-file.ts';
import { tailBefore } from '../sources/tail.ts';
import { Excerpts, type Stretch } from '../trace/blocks.ts';
import type { Cells } from '../trace/columns.ts';
import type { Operations } from '../trace/operations.ts';
import type { Session } from '../trace/sessions.ts';
import { type TextKind, Texts } from '../trace/texts.ts';
import type { Known } from './families.ts';
import {
  type Entry,
  isOf,
  isUnchanged,
  loadReadings,
  ownLedgerOf,
  type Readings,
  type StoredLedger,
  siblingsCheck,
} from './files.ts';
import { loadOperations } from './operations.ts';
import { bytesOf } from './pack.ts';
import type { Stored } from './stored.ts';
import { StoredTexts } from './texts.ts';
import { loadUndo, type Undo, undo } from './undo.ts';

/**
 * The history of a pack, to be gone on with. Its operations are settled and linked, but for those of files that were
 * released: their rows are as their readers made them.
 */
export class EarlierHistory implements Earlier {
  readonly ops: Operations;
  readonly stored: Stored;
  readonly changes: readonly Undo[];
  readonly readings: Readings;
  readonly ledgers: readonly StoredLedger[];
  readonly sessions: readonly Session[];
  private readonly numbers: ReadonlyMap<string, number>;
  private readonly settled: ReadonlyMap<string, Session>;
  private readonly texts = new Map<TextKind, StoredTexts>();
  private readonly siblingsAsBefore = siblingsCheck();
  private readonly released = new Set<number>();
  /** Codes of models that settling gave to released rows. */
  private readonly models = new Map<number, number>();
  /** Names of files that must be read again whatever their own bytes say. */
  private readonly again = new Set<string>();
  /** By name: files that were taken over, and of these the ones of which only the first rows were. */
  private readonly used = new Map<string, Entry>();
  private readonly grown = new Set<string>();
  /** By number: files that may be gone on with; and their rows, with which of the excerpts each is. */
  private readonly growing = new Set<number>();
  private excerpts: { readonly rows: Excerpts; readonly of: ReadonlyMap<number, number> } | undefined;

  /** Throws PackError. */
  constructor(stored: Stored) {
    const { pack, facts, path } = stored;
    this.stored = stored;
    this.ops = loadOperations(pack, facts.rows, new Texts([]));
    this.changes = loadUndo(pack);
    this.numbers = new Map(stored.files.map((entry, at) => [entry.name, at]));
    this.readings = loadReadings(pack, path);
    this.ledgers = pack.json('ledgers') as StoredLedger[];
    this.sessions = stored.sessions();
    this.ops.sessions.restore(this.sessions);
    this.settled = new Map(this.sessions.map(session => [sessionName(session), session]));
  }

  /** What decides which files a change touches. */
  get relations(): Known {
    const files = this.stored.files.map(({ made, family }) => ({ first: made[0], count: made[1], family }));
    return { ops: this.ops, changes: this.changes, sessions: this.readings.sessions, files };
  }

  /** The number that a file had; undefined for one that is new. */
  numberOf(file: FoundFile): number | undefined {
    return this.numbers.get(pathOf(file));
  }

  /** Makes rows of these files what their readers made. */
  release(files: Iterable<number>): void {
    const concerned = new Uint8Array(this.ops.length);
    for (const file of files) {
      const entry = this.stored.files[file];
      if (!entry || this.released.has(file)) continue;
      this.released.add(file);
      this.excerpts = undefined;
      for (const [first, count] of [entry.made, entry.effects]) concerned.fill(1, first, first + count);
    }
    const { model } = this.ops.field;
    for (const row of this.changes.find(change => change.name === 'field.model')?.rows ?? []) {
      if (concerned[row] === 1) this.models.set(row, model.codeAt(row));
    }
    undo(this.changes, this.ops, row => concerned[row] === 1);
  }

  known(file: FoundFile): KnownFile | undefined {
    const at = this.numberOf(file);
    const entry = at === undefined ? undefined : this.stored.files[at];
    this.used.delete(pathOf(file));
    this.grown.delete(pathOf(file));
    if (at === undefined || !entry || this.again.has(entry.name) || !isOf(entry, file)) return undefined;
    if (!this.siblingsAsBefore(entry)) return undefined;
    const rows = this.rowsOf(entry, at);
    if (isUnchanged(entry, file)) {
      this.used.set(entry.name, entry);
      return { rows };
    }
    if (!rows.resume || !hasGrown(entry, file, rows.resume)) return undefined;
    this.growing.add(at);
    return {
      rows,
      grown: {
        state: () => stateOf(rows.resume as Resume),
        rows: texts => this.excerpt(at, entry, rows, texts),
        stillHolds: block => this.stillHolds(at, entry, rows, block),
      },
    };
  }

  /**
   * The entry of a file whose rows, or the first of them, were taken over, with the effects that belong to these rows;
   * undefined for one that was read from its start.
   */
  usedOf(file: FoundFile): Entry | undefined {
    return this.used.get(pathOf(file));
  }

  /** The entry of a file that has not changed. */
  takenOver(file: FoundFile): Entry | undefined {
    const entry = this.used.get(pathOf(file));
    return entry && !this.grown.has(entry.name) ? entry : undefined;
  }

  /** Reads the files again whose sessions work in one of these directories. */
  readAgain(directories: ReadonlySet<string>): void {
    this.readings.sessions.forEach((told, at) => {
      const entry = this.stored.files[at];
      if (entry && told.some(({ cwd }) => cwd !== undefined && directories.has(cwd))) this.again.add(entry.name);
    });
  }

  /**
   * Whether the effects of files taken over are still right: they were made for the projects of their sessions and the
   * models of their calls, and both may follow other files. Files of which that is not so will be read again.
   */
  effectsHold({ discovery, files, ops }: Gathered): boolean {
    const before = this.again.size;
    discovery.files.forEach((file, at) => {
      const entry = this.usedOf(file);
      const rows = files[at];
      if (!entry || !rows || (this.projectsHold(rows, ops) && this.modelsHold(entry, rows, ops))) return;
      this.again.add(entry.name);
    });
    return this.again.size === before;
  }

  private projectsHold({ sessions }: FileRows, ops: Operations): boolean {
    return sessions.every(told => {
      const now = ops.sessions.all[ops.sessions.find(told.agent, told.id) ?? -1];
      const then = this.settled.get(sessionName(told));
      return !then || (now?.cwd === then.cwd && `${now?.roots}` === `${then.roots}`);
    });
  }

  /** The hosts of calls follow their models, which settling may change. */
  private modelsHold({ made: [first, count] }: Entry, rows: FileRows, ops: Operations): boolean {
    const then = this.ops.field.model.codes.subarray(first, first + count);
    const now = ops.field.model.codes.subarray(rows.first, rows.first + count);
    if (this.models.size === 0 && beginsWith(now, then, count)) return true;
    for (let i = 0; i < count; i++) if ((now[i] ?? 0) !== (this.models.get(first + i) ?? then[i] ?? 0)) return false;
    return true;
  }

  storedTexts(kind: TextKind): StoredTexts {
    let texts = this.texts.get(kind);
    if (!texts) {
      texts = new StoredTexts(this.stored.pack, kind);
      this.texts.set(kind, texts);
    }
    return texts;
  }

  private rowsOf(entry: Entry, at: number): FileRows {
    return {
      first: entry.made[0],
      count: entry.made[1],
      ledger: ownLedgerOf(this.ledgers[at] as StoredLedger),
      sessions: this.readings.sessions[at] as Session[],
      siblings: entry.siblings,
      resume: this.readings.resumes[at],
      problem: entry.problem,
    };
  }

  /** The rows of a file that has grown, as its reader left them. Files are released before the first is asked for. */
  private excerpt(at: number, { made: [first, count] }: Entry, rows: FileRows, kinds: Iterable<TextKind>): Operations {
    this.excerpts ??= this.excerptsOf([...this.growing].filter(file => this.released.has(file)));
    const { of } = this.excerpts;
    const which = of.get(at);
    if (which === undefined) throw new Error('rows are asked for that were not released');
    const ops = this.excerpts.rows.of(which, new Texts(kinds), MORE_ROWS);
    ops.sessions.restore(rows.sessions.map(session => ({ ...session })));
    ops.texts.goOn((kind, row) => {
      if (row >= count) return undefined;
      const [found] = this.storedTexts(kind).in(first + row, first + row + 1);
      return found?.[1];
    });
    return ops;
  }

  private excerptsOf(files: readonly number[]) {
    const stretches = files.map((file): Stretch => {
      const [first, count] = (this.stored.files[file] as Entry).made;
      const told = this.readings.sessions[file] as readonly Session[];
      const sessions = new Map(told.map(({ agent, id }, own) => [this.ops.sessions.find(agent, id) ?? -1, own]));
      return { first, end: first + count, sessions };
    });
    return { rows: new Excerpts(this.ops, stretches), of: new Map(files.map((file, which) => [file, which])) };
  }

  /** How many rows of a file that has grown have the keys, and tell the sessions, by which they found their family. */
  relatedAsBefore(file: FoundFile, block: Operations): number {
    const at = this.numberOf(file);
    const which = at === undefined || !this.grown.has(pathOf(file)) ? undefined : this.excerpts?.of.get(at);
    if (at === undefined || which === undefined) return 0;
    const { made } = this.stored.files[at] as Entry;
    const { numbers, strings } = block.columns();
    const asBefore = (name: string, column: Looked | undefined) =>
      column !== undefined && this.isAsItWas(name, column, which, made[1]);
    const all =
      asBefore('key.high', numbers.get('key.high')) &&
      asBefore('key.low', numbers.get('key.low')) &&
      asBefore('spawned_id', strings.get('spawned_id'));
    return all ? made[1] : 0;
  }

  /** Whether the first so many cells of an excerpt's column are those of the earlier run. */
  private isAsItWas(name: string, column: Looked, which: number, count: number): boolean {
    const { excerpts } = this;
    return column.isElsewhere || (!!excerpts && beginsWith(column.glance(), excerpts.rows.cut(name, which), count));
  }

  /** What the effects of old rows were made from must be what it was, and none of these rows may get a second set. */
  private stillHolds(at: number, entry: Entry, rows: FileRows, block: Operations): boolean {
    const { excerpts, ops } = this;
    const which = excerpts?.of.get(at);
    if (!excerpts || which === undefined) return false;
    const isAsItWas = (name: string, column: Looked) => this.isAsItWas(name, column, which, entry.made[1]);
    for (const name of ['tool', 'cwd', 'model', 'mcp_server'] as const)
      if (!isAsItWas(`field.${name}`, block.field[name])) return false;
    for (const told of rows.sessions) {
      const now = block.sessions.all[block.sessions.find(told.agent, told.id) ?? -1];
      if (now?.cwd !== told.cwd) return false;
    }
    const places = ['start', 'offset', 'bytes'] as const;
    const touched = new Set(block.touches.rows.filter(row => row < entry.made[1]));
    if (touched.size > 0 || !places.every(name => isAsItWas(name, block[name]))) {
      const [firstEffect, effects] = entry.effects;
      for (let row = firstEffect; row < firstEffect + effects; row++) {
        const tool = ops.parentOf(row) - entry.made[0];
        if (touched.has(tool)) return false;
        for (const name of places) if (ops[name].get(row) !== block[name].get(tool)) return false;
      }
    }
    this.used.set(entry.name, entry);
    this.grown.add(entry.name);
    return true;
  }
}

interface Looked {
  readonly isElsewhere: boolean;
  glance(): Cells;
}

/** Whether the first so many cells are the same. Behind their end cells read as 0. */
function beginsWith(cells: Cells, before: Cells, count: number): boolean {
  if (cells.BYTES_PER_ELEMENT === before.BYTES_PER_ELEMENT && before.length === count && cells.length >= count)
    return Buffer.compare(bytesOf(cells.subarray(0, count)), bytesOf(before)) === 0;
  for (let row = 0; row < count; row++) if ((cells[row] ?? 0) !== (before[row] ?? 0)) return false;
  return true;
}

function stateOf(resume: Resume): unknown {
  try {
    return deserialize(resume.state());
  } catch {
    // Another version of Node may write it in another way.
    return undefined;
  }
}

/** Grown, not rewritten: the same file, longer, and the end of what was read of it stands where it stood. */
function hasGrown(entry: Entry, file: FoundFile, { end, tail }: Resume): boolean {
  if (entry.inode !== file.inode || file.size <= entry.size || file.size < end) return false;
  try {
    return tailBefore(file.path, end)?.hash === tail.hash;
  } catch {
    return false;
  }
}

function sessionName({ agent, id }: Session): string {
  return `${agent}\u0000${id}`;
}
