import type { Discovery, FoundFile } from '../sources/find.ts';
import type { Block, Histories } from '../sources/gathered.ts';
import type { FileLedger } from '../sources/ledger.ts';
import { gatherAll, joinBlocks } from '../sources/load.ts';
import { Projects } from '../sources/projects.ts';
import { type KnownFile, type LoadOptions, readBlock } from '../sources/read-file.ts';
import type { Trace } from '../trace/trace.ts';
import { EarlierHistory } from './earlier.ts';
import { touchedBy } from './families.ts';
import { ledgerOf } from './files.ts';
import { type Missing, type StoredHistory, writePack } from './history.ts';
import { loadPart, type Part } from './parts.ts';
import { completed } from './piece.ts';
import { type Spliced, splice } from './splice.ts';
import type { Keeping, Reading, Stored } from './stored.ts';
import { type WholeHistory, writeHistory } from './whole.ts';

/** For how long after its last change a file is expected to grow: so long its reader's state is kept. */
const MAY_GROW = 30 * 86_400_000;

/** With more than so many bytes to read, files are read and put together one by one: their blocks fill no memory. */
const MUCH = 64 << 20;

/** Reads what is new beside what a pack has, or everything. Throws PackError where the pack shows damage. */
export async function refresh(
  keeping: Keeping,
  discovery: Discovery,
  stored: Stored | undefined,
  options: Reading,
): Promise<StoredHistory> {
  const earlier = stored ? new EarlierHistory(stored) : undefined;
  if (earlier) earlier.readAgain(directoriesThatMoved(earlier.stored));
  const resumable = (file: FoundFile) => keeping.directory !== undefined && keeping.started - file.mtimeMs < MAY_GROW;
  const found = [...discovery.problems];
  for (;;) {
    discovery.problems.splice(0, discovery.problems.length, ...found);
    const all = { ...options, earlier, resumable };
    const known = earlier ? new Map(discovery.files.map(file => [file, earlier.known(file)])) : undefined;
    const made =
      earlier && known && bytesToRead(known) <= MUCH
        ? await piecewise(discovery, earlier, known, all)
        : await atOnce(discovery, earlier, all);
    if (made) return new RefreshedHistory(keeping, earlier, made);
  }
}

/** Working directories that belong to other projects than before. */
function directoriesThatMoved({ projects }: Stored): ReadonlySet<string> {
  const now = new Projects();
  return new Set(
    projects.flatMap(([cwd, before]) => (JSON.stringify(now.of(cwd)) === JSON.stringify(before) ? [] : cwd)),
  );
}

function bytesToRead(known: ReadonlyMap<FoundFile, KnownFile | undefined>): number {
  let bytes = 0;
  for (const [file, before] of known)
    if (!before) bytes += file.size;
    else if (before.grown) bytes += file.size - (before.rows.resume?.end ?? 0);
  return bytes;
}

interface Made {
  readonly whole: WholeHistory;
  /** The families that were worked out anew, where the others were not. */
  readonly piece?: { readonly trace: Trace; readonly join: Spliced['join'] };
}

async function atOnce(
  discovery: Discovery,
  earlier: EarlierHistory | undefined,
  options: LoadOptions,
): Promise<Made | undefined> {
  earlier?.release(earlier.stored.files.keys());
  const whole = await completed(await gatherAll(discovery, options), earlier);
  return whole ? { whole } : undefined;
}

/** Works out the families of the files that are not as they were, and splices them into the others. */
async function piecewise(
  discovery: Discovery,
  earlier: EarlierHistory,
  known: ReadonlyMap<FoundFile, KnownFile | undefined>,
  options: LoadOptions,
): Promise<Made | undefined> {
  const changed = new Set(earlier.stored.files.keys());
  const unread: FoundFile[] = [];
  for (const [file, before] of known) {
    if (before && !before.grown) changed.delete(earlier.numberOf(file) as number);
    else unread.push(file);
  }
  earlier.release(changed);
  const blocks = new Map<FoundFile, Block>();
  for (const [at, file] of unread.entries()) {
    options.progress?.(at, unread.length);
    blocks.set(file, readBlock(file, earlier.ops, known.get(file), options));
  }
  const touched = touchedBy(
    earlier.relations,
    changed,
    [...blocks].map(([file, { ops, sessions }]) => ({ ops, sessions, from: earlier.relatedAsBefore(file, ops) })),
  );
  earlier.release(touched);
  const files = discovery.files.filter(file => blocks.has(file) || touched.has(earlier.numberOf(file) ?? -1));
  const piece = await completed(joinBlocks({ ...discovery, files }, blocks, options), earlier);
  if (!piece) return undefined;
  for (const { problem } of earlier.stored.files.filter(
    (entry, at) => entry.problem !== undefined && !touched.has(at) && !changed.has(at),
  )) {
    discovery.problems.push(problem as string);
  }
  const { whole, join } = splice(earlier, piece, discovery);
  return { whole, piece: { trace: piece.trace, join } };
}

class RefreshedHistory implements StoredHistory {
  readonly histories: Histories;
  readonly trace: Trace;
  private readonly keeping: Keeping;
  private readonly earlier: EarlierHistory | undefined;
  private readonly made: Made;
  private readonly parts: Part[] = [];

  constructor(keeping: Keeping, earlier: EarlierHistory | undefined, made: Made) {
    this.keeping = keeping;
    this.earlier = earlier;
    this.made = made;
    const { trace, discovery, files } = made.whole;
    this.trace = trace;
    let ledgers: FileLedger[] | undefined;
    this.histories = {
      ops: trace.ops,
      discovery,
      get ledgers() {
        ledgers ??= files.map(({ ledger }) => ledgerOf(ledger));
        return ledgers;
      },
    };
  }

  part(name: string, key: string): Part | undefined {
    return this.parts.find(part => part.name === name && part.key === key);
  }

  missing(name: string, key: string): Missing {
    const { piece } = this.made;
    const before = this.earlier ? loadPart(this.earlier.stored.pack, name, key) : undefined;
    if (!piece || !before) return { trace: this.trace, complete: made => made, facts: before?.facts };
    return { trace: piece.trace, complete: made => piece.join(before, made), facts: before.facts };
  }

  keep(part: Part): void {
    this.parts.push(part);
  }

  family(file: number): number {
    return this.made.whole.files[file]?.family ?? -1;
  }

  save(): void {
    const before = this.earlier?.stored.files ?? [];
    writePack(this.keeping, sink => writeHistory(sink, this.made.whole, this.keeping, before, this.parts));
  }
}
