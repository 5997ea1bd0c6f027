import { deserialize } from 'node:v8';
import { discover } from '../sources/discover.ts';
import { type Discovery, type FoundFile, pathOf, type SearchPlan, type Verdicts } from '../sources/find.ts';
import type { Block } from '../sources/gathered.ts';
import { joinBlocks, settle } from '../sources/load.ts';
import { Projects } from '../sources/projects.ts';
import { readBlock } from '../sources/read-file.ts';
import type { Reader } from '../sources/reader.ts';
import { markOf } from '../sources/siblings.ts';
import { tailBefore } from '../sources/tail.ts';
import { beside, copyRows } from '../trace/blocks.ts';
import { Operations } from '../trace/operations.ts';
import { type TextKind, Texts } from '../trace/texts.ts';
import { Trace } from '../trace/trace.ts';
import type { StoredHistory } from './history.ts';
import { PackError } from './pack.ts';
import { distrust, Store } from './store.ts';

export interface LiveOptions {
  /** Where packs lie; undefined where nothing is to be kept: then looking at the whole history reads all of it. */
  readonly directory: string | undefined;
  readonly plan: SearchPlan;
  readonly readers: readonly Reader[];
  readonly texts?: readonly TextKind[];
  /** Milliseconds: files that changed within them are live. */
  readonly window: number;
  /** Told of the whole history whenever it was looked at, with the numbers of the files that are held as live ones. */
  readonly whole?: (history: StoredHistory, live: ReadonlySet<number>) => Promise<void>;
  readonly now?: () => number;
}

/** What is live, linked anew. The same object as long as no file of it changed. */
export interface Live {
  readonly trace: Trace;
  /** By file number of the trace. */
  readonly files: readonly FoundFile[];
}

/** The whole history is looked at again at most so often for files that are new. */
const WHOLE_EVERY = 60_000;

interface Held {
  readonly file: FoundFile;
  readonly block: Block;
}

/**
 * The sessions that are under way, as their files grow. What changed of late and all that belongs together with it (the
 * families of the store, so that copies count once) is held in memory and read on from where it ended; all else is only
 * looked at for whether it changed. The whole history is read, through the store, at the start, when an old file grows again,
 * and at most once a minute when new files appear, which until then count by themselves.
 */
export class LiveHistory {
  private readonly options: LiveOptions;
  private readonly now: () => number;
  /** Gives all blocks their dictionaries. */
  private readonly base: Operations;
  private readonly held = new Map<string, Held>();
  /** Files of the last look at the whole that belong together with live ones; and how those were that do not. */
  private relatives = new Set<string>();
  private others = new Map<string, string>();
  private looked = Number.NEGATIVE_INFINITY;
  private last: Live | undefined;

  constructor(options: LiveOptions) {
    this.options = options;
    this.now = options.now ?? Date.now;
    this.base = new Operations(new Texts(options.texts ?? []));
  }

  /** Brings everything up to date. Throws UsageError for a named path that is gone. */
  async refresh(): Promise<Live> {
    const discovery = this.discovered();
    const since = this.now() - this.options.window;
    const others = discovery.files.filter(file => !this.relatives.has(pathOf(file)));
    const isNew = others.some(file => !this.others.has(pathOf(file)));
    const hasChanged = others.some(file => (this.others.get(pathOf(file)) ?? stateOf(file)) !== stateOf(file));
    if (hasChanged || (isNew && this.now() - this.looked >= WHOLE_EVERY)) await this.lookAtTheWhole(discovery, since);
    const files = discovery.files.filter(file => file.mtimeMs >= since || this.relatives.has(pathOf(file)));
    if (!this.readOn(files) && this.last) return this.last;
    this.last = this.joined(discovery, files);
    return this.last;
  }

  private discovered(): Discovery {
    const { plan, readers } = this.options;
    // Whose a file is does not change while it grows.
    const verdicts: Verdicts = (path, { ino }) => {
      const known = this.held.get(path)?.file;
      return known?.inode === ino ? known.reader.agent : undefined;
    };
    return discover(plan, readers, [], verdicts);
  }

  private async lookAtTheWhole(discovery: Discovery, since: number): Promise<void> {
    const { directory, plan, readers, texts, whole } = this.options;
    this.looked = this.now();
    for (let again = false; ; again = true) {
      const store = new Store({ directory, plan, readers, operationFiles: [] });
      try {
        const history = await store.read({ ...discovery, problems: [] }, { texts: ['prompt', ...(texts ?? [])] });
        const families = discovery.files.map((_, at) => history.family(at));
        const live = new Set(families.filter((_, at) => (discovery.files[at]?.mtimeMs ?? 0) >= since));
        const isLive = (_: unknown, at: number) => live.has(families[at] as number);
        this.relatives = new Set(discovery.files.filter(isLive).map(pathOf));
        const others = discovery.files.filter((file, at) => !isLive(file, at));
        this.others = new Map(others.map(file => [pathOf(file), stateOf(file)]));
        await whole?.(history, new Set(discovery.files.flatMap((file, at) => (isLive(file, at) ? [at] : []))));
        history.save();
        return;
      } catch (error) {
        if (again || !(error instanceof PackError)) throw error;
        distrust(error);
      }
    }
  }

  /** Reads what is new of these files, and forgets all others. True if anything is not as it was. */
  private readOn(files: readonly FoundFile[]): boolean {
    let changed = false;
    const wanted = new Set(files.map(pathOf));
    for (const path of this.held.keys()) {
      if (wanted.has(path)) continue;
      this.held.delete(path);
      changed = true;
    }
    for (const file of files) {
      const before = this.held.get(pathOf(file));
      if (before && isAsItWas(before, file)) continue;
      const options = { texts: this.base.texts.kinds(), resumable: () => true };
      const block = (before && goneOn(before, file, options)) ?? readBlock(file, this.base, undefined, options);
      this.held.set(pathOf(file), { file, block });
      changed = true;
    }
    return changed;
  }

  private joined(discovery: Discovery, files: readonly FoundFile[]): Live {
    const blocks = new Map(
      files.map(file => {
        const { block } = this.held.get(pathOf(file)) as Held;
        // Settling writes into ledgers; each joining settles anew.
        return [file, { ...block, ledger: structuredClone(block.ledger) }];
      }),
    );
    const gathered = joinBlocks({ ...discovery, files: [...files], problems: [] }, blocks, {
      texts: this.base.texts.kinds(),
    });
    settle(gathered, new Projects());
    return { trace: new Trace(gathered.ops), files };
  }
}

function stateOf({ size, mtimeMs, inode }: FoundFile): string {
  return `${inode} ${size} ${mtimeMs}`;
}

function isAsItWas(held: Held, now: FoundFile): boolean {
  return stateOf(held.file) === stateOf(now) && siblingsAreAsTheyWere(held);
}

/** Files beside it that its reader asked for. */
function siblingsAreAsTheyWere({ block }: Held): boolean {
  return block.siblings.every(([path, mark]) => markOf(path) === mark);
}

/** The same rows, sessions and texts once more: the ones that are held were joined with others, which may still look at them. */
function copyOf(block: Operations, kinds: Iterable<TextKind>): Operations {
  const copy = beside(block, new Texts(kinds));
  copyRows(copy, block, 0, block.length);
  copy.sessions.restore(block.sessions.all.map(session => ({ ...session })));
  copy.texts.take(block.texts, 0);
  return copy;
}

/** The block with what its file has grown by; undefined where it must be read from its start. */
function goneOn(
  held: Held,
  now: FoundFile,
  options: { texts: TextKind[]; resumable: () => boolean },
): Block | undefined {
  const { file, block } = held;
  const { resume, ops } = block;
  if (!siblingsAreAsTheyWere(held)) return undefined;
  if (!resume || file.inode !== now.inode || now.size < file.size || now.size < resume.end) return undefined;
  try {
    if (tailBefore(now.path, resume.end)?.hash !== resume.tail.hash) return undefined;
  } catch {
    return undefined;
  }
  const known = {
    rows: { ...block, first: 0, count: ops.length },
    grown: {
      state: () => deserialize(resume.state()),
      rows: (kinds: Iterable<TextKind>) => copyOf(ops, kinds),
      stillHolds: () => true,
    },
  };
  const made = readBlock(now, ops, known, { ...options, earlier: { ops, known: () => known } });
  return made.problem === undefined ? made : undefined;
}
