import { deserialize } from 'node:v8';
import { type FoundFile, pathOf } from '../sources/discover.ts';
import type { Earlier, FileRows, Gathered, KnownFile, Resume } from '../sources/load.ts';
import { tailBefore } from '../sources/tail.ts';
import type { Operations } from '../trace/operations.ts';
import type { Session } from '../trace/sessions.ts';
import type { TextKind } from '../trace/texts.ts';
import { Texts } from '../trace/texts.ts';
import { type Entry, isOf, isUnchanged, loadReadings, ownLedgerOf, siblingsCheck, type StoredLedger } from './files.ts';
import { loadOperations } from './operations.ts';
import type { Stored } from './stored.ts';
import { StoredTexts } from './texts.ts';
import { undoChanges } from './undo.ts';

/** The history of a pack as its readers made it, to be gone on with. */
export class EarlierHistory implements Earlier {
  readonly ops: Operations;
  private readonly stored: Stored;
  private readonly entries: ReadonlyMap<string, number>;
  private readonly readings: { readonly sessions: Session[][]; readonly resumes: (Resume | undefined)[] };
  private readonly ledgers: readonly StoredLedger[];
  private readonly sessions: ReadonlyMap<string, Session>;
  private readonly siblingsAsBefore = siblingsCheck();
  /** Paths of files that must be read again whatever their own bytes say. */
  private readonly again = new Set<string>();
  /** By name: files that were taken over, and the first rows of those that were gone on with. */
  private readonly used = new Map<string, Entry>();
  private readonly grown = new Set<string>();

  /** Throws PackError. */
  constructor(stored: Stored) {
    const { pack, facts, path } = stored;
    this.stored = stored;
    this.ops = loadOperations(pack, facts.rows, new Texts([]));
    undoChanges(pack, this.ops);
    this.entries = new Map(stored.files.map((entry, at) => [entry.name, at]));
    this.readings = loadReadings(pack, path);
    this.ledgers = pack.json('ledgers') as StoredLedger[];
    const settled = stored.sessions();
    for (const { agent, id } of settled) this.ops.sessions.of(agent, id, 0);
    this.sessions = new Map(settled.map(session => [sessionName(session), session]));
  }

  known(file: FoundFile): KnownFile | undefined {
    const at = this.entries.get(pathOf(file));
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
    return {
      rows,
      grown: {
        state: () => this.stateOf(rows.resume as Resume),
        texts: into => this.textsOf(entry, into),
        stillHolds: block => this.stillHolds(entry, rows, block),
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

  /**
   * Whether the sessions of the files taken over still lie in the projects for which their effects were made. Files of
   * which that is not so are read again by the next gathering.
   */
  projectsHold({ discovery, files, ops }: Gathered): boolean {
    const before = this.again.size;
    discovery.files.forEach((file, at) => {
      const entry = this.usedOf(file);
      const moved = files[at]?.sessions.some(told => {
        const now = ops.sessions.all[ops.sessions.find(told.agent, told.id) ?? -1];
        const then = this.sessions.get(sessionName(told));
        return then !== undefined && (now?.cwd !== then.cwd || `${now?.roots}` !== `${then.roots}`);
      });
      if (entry && moved) this.again.add(entry.name);
    });
    return this.again.size === before;
  }

  /** The stored texts of a file's rows. */
  storedTexts(kind: TextKind): StoredTexts {
    return new StoredTexts(this.stored.pack, kind);
  }

  private rowsOf(entry: Entry, at: number): FileRows {
    return {
      first: entry.first,
      count: entry.count,
      ledger: ownLedgerOf(this.ledgers[at] as StoredLedger),
      sessions: this.readings.sessions[at] as Session[],
      siblings: entry.siblings.map(([path]) => path),
      resume: this.readings.resumes[at],
      problem: entry.problem,
    };
  }

  private stateOf(resume: Resume): unknown {
    try {
      return deserialize(resume.state);
    } catch {
      // Another version of Node may write it in another way.
      return undefined;
    }
  }

  private textsOf(entry: Entry, into: Texts): void {
    for (const kind of into.kinds()) {
      for (const [row, text] of this.storedTexts(kind).in(entry.first, entry.first + entry.count)) {
        into.put(kind, row - entry.first, text);
      }
    }
  }

  /** What the effects of old rows were made from must be what it was, and none of these rows may get a second set. */
  private stillHolds(entry: Entry, rows: FileRows, block: Operations): boolean {
    const { ops } = this;
    for (const name of ['tool', 'cwd', 'model', 'mcp_server'] as const) {
      const [then, now] = [ops.field[name], block.field[name]];
      for (let row = 0; row < entry.count; row++) if (then.codeAt(entry.first + row) !== now.codeAt(row)) return false;
    }
    for (const told of rows.sessions) {
      const now = block.sessions.all[block.sessions.find(told.agent, told.id) ?? -1];
      if (now?.cwd !== told.cwd) return false;
    }
    const touched = new Set(block.touches.rows);
    for (let row = entry.firstEffect; row < entry.firstEffect + entry.effects; row++) {
      if (touched.has(ops.parentOf(row) - entry.first)) return false;
    }
    this.used.set(entry.name, entry);
    this.grown.add(entry.name);
    return true;
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
