import type { Discovery } from '../sources/find.ts';
import type { Histories } from '../sources/gathered.ts';
import type { FileLedger } from '../sources/ledger.ts';
import type { Operations } from '../trace/operations.ts';
import { Texts } from '../trace/texts.ts';
import { Trace } from '../trace/trace.ts';
import { ledgerOf, type StoredLedger } from './files.ts';
import { loadLinks, loadTimes } from './links.ts';
import { loadOperations } from './operations.ts';
import { PackWriter, type Sink } from './pack.ts';
import { copyPart, isOfPart, loadPart, longest, MOST_KEYS, type Part, type PartColumns, savePart } from './parts.ts';
import { removeUnused, writeWhole } from './place.ts';
import type { Keeping, Stored } from './stored.ts';
import { StoredTexts } from './texts.ts';

/** A linked history with all that is kept of it between runs. */
export interface StoredHistory {
  readonly histories: Histories;
  readonly trace: Trace;
  /** What an earlier run worked out under this key for exactly these operations. */
  part(name: string, key: string): Part | undefined;
  /** What must be worked out of a part that is not there, or not of exactly these operations. */
  missing(name: string, key: string): Missing;
  /** Keeps what this run worked out. */
  keep(part: Part): void;
  /** The family of a file by its number, see families.ts: what is worked out of one family depends on no other. */
  family(file: number): number;
  /** Writes what is new, if anything is; a failure becomes a notice. Nobody's labels may be joined yet. */
  save(): void;
}

export interface Missing {
  /** The operations that are new, with all that they can be related to; or all operations. */
  readonly trace: Trace;
  /** Columns for all operations from those for `trace`. */
  complete(made: PartColumns): PartColumns;
  /** Facts of the part when it was last worked out. */
  readonly facts: unknown;
}

/** Files, kinds, texts and parts as the pack has them; each column is fetched when it is first used. */
export class WarmHistory implements StoredHistory {
  readonly histories: Histories;
  readonly trace: Trace;
  private readonly keeping: Keeping;
  private readonly stored: Stored;
  private readonly parts: Part[] = [];

  /** Throws PackError, now and whenever a column is fetched. */
  constructor(keeping: Keeping, stored: Stored, discovery: Discovery) {
    this.keeping = keeping;
    this.stored = stored;
    const { pack } = stored;
    const ops = operationsOf(stored);
    let ledgers: FileLedger[] | undefined;
    this.histories = {
      ops,
      discovery,
      get ledgers() {
        ledgers ??= (pack.json('ledgers') as StoredLedger[]).map(ledgerOf);
        return ledgers;
      },
    };
    this.trace = new Trace(ops, { links: loadLinks(pack), times: loadTimes(pack) });
  }

  part(name: string, key: string): Part | undefined {
    return loadPart(this.stored.pack, name, key);
  }

  missing(): Missing {
    return { trace: this.trace, complete: made => made, facts: undefined };
  }

  keep(part: Part): void {
    this.parts.push(part);
  }

  family(file: number): number {
    return this.stored.files[file]?.family ?? -1;
  }

  save(): void {
    if (this.parts.length === 0) return;
    const { pack, facts } = this.stored;
    writePack(this.keeping, sink => {
      const writer = new PackWriter(sink);
      for (const section of pack.names()) if (!isOfPart(section)) writer.copy(section, pack);
      const kept = stillKept(facts.parts, this.parts);
      for (const [name, key] of kept) copyPart(writer, pack, name, key);
      for (const part of this.parts) savePart(writer, part, longest(this.histories.ops));
      const parts = [...kept, ...this.parts.map(({ name, key }) => [name, key] as const)];
      writer.finish({ ...facts, parts });
    });
  }
}

function operationsOf(stored: Stored): Operations {
  const { pack, facts } = stored;
  const texts = new Texts(facts.texts);
  for (const kind of facts.texts) texts.stored(kind, new StoredTexts(pack, kind).all());
  const ops = loadOperations(pack, facts.rows, texts);
  ops.fileRank = Uint32Array.from(stored.files, (_, at) => at);
  ops.sessions.restore(stored.sessions());
  return ops;
}

/** Parts of earlier runs that stay beside new ones: of each name those of the latest keys. */
function stillKept(before: Stored['facts']['parts'], now: readonly Part[]): Stored['facts']['parts'] {
  return before.filter(([name, key], at) => {
    if (now.some(part => part.name === name && part.key === key)) return false;
    const later = before.slice(at + 1).filter(each => each[0] === name).length;
    return later + now.filter(part => part.name === name).length < MOST_KEYS;
  });
}

/** Writes a pack; what goes wrong costs the next run its time, this one a line. */
export function writePack({ directory, name, started, notices }: Keeping, write: (sink: Sink) => void): void {
  if (directory === undefined) return;
  try {
    writeWhole(directory, name, write);
    removeUnused(directory, started);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code;
    if (reason === undefined) throw error;
    notices.push(`what was read cannot be kept in the cache directory (${reason}): the next run reads all of it again`);
  }
}
