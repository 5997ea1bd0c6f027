import { statSync } from 'node:fs';
import { EFFECTS_VERSION } from '../effects/version.ts';
import type { Discovery, FoundFile } from '../sources/discover.ts';
import { type Gathered, gather, type Histories, type LoadOptions, settle } from '../sources/load.ts';
import { Projects } from '../sources/projects.ts';
import { StringColumn } from '../trace/columns.ts';
import type { Session } from '../trace/sessions.ts';
import type { TextKind } from '../trace/texts.ts';
import { LINKS_VERSION, Trace } from '../trace/trace.ts';
import { EarlierHistory } from './earlier.ts';
import { attach, type EffectRows } from './effects.ts';
import { entryOf, saveReadings, storedLedger } from './files.ts';
import { type FormerPart, longest, type StoredHistory, writePack } from './history.ts';
import { saveLinks } from './links.ts';
import { saveOperations } from './operations.ts';
import { PackWriter } from './pack.ts';
import { loadPart, type Part, savePart } from './parts.ts';
import { askedOf, type Facts, FORMAT, type Keeping, type Named, type Stored, type Stranger } from './stored.ts';
import { type PackedText, packText, saveTexts } from './texts.ts';
import { Changes, saveChanges } from './undo.ts';

/** For how long after its last change a file is expected to grow: so long its reader's state is kept. */
const MAY_GROW = 30 * 86_400_000;

type Options = Pick<LoadOptions, 'texts' | 'progress'>;

/** Reads what is new beside what a pack has, or everything. Throws PackError where the pack shows damage. */
export async function refresh(store: Keeping, discovery: Discovery, stored: Stored | undefined, options: Options): Promise<StoredHistory> {
  const earlier = stored ? new EarlierHistory(stored) : undefined;
  const keeps = store.directory !== undefined;
  const resumable = (file: FoundFile) => keeps && store.started - file.mtimeMs < MAY_GROW;
  const found = [...discovery.problems];
  for (;;) {
    discovery.problems.splice(0, discovery.problems.length, ...found);
    const gathered = gather(discovery, { ...options, earlier, resumable });
    const changes = keeps ? new Changes(gathered.ops) : undefined;
    const ownNotes = gathered.ledgers.map(ledger => ledger.notes.length);
    const projects = new Projects();
    settle(gathered, projects);
    if (earlier && !earlier.projectsHold(gathered)) continue;
    const effects = await attach(gathered, earlier);
    changes?.watch();
    if (earlier) storedTexts(gathered, earlier);
    const trace = new Trace(gathered.ops);
    return new FreshHistory({ store, gathered, trace, stored, earlier, changes, ownNotes, projects, effects });
  }
}

/** Texts of rows that were taken over are fetched when one is asked for. */
function storedTexts({ ops, discovery, files }: Gathered, earlier: EarlierHistory): void {
  for (const kind of ops.texts.kinds()) {
    ops.texts.stored(kind, function* () {
      const texts = earlier.storedTexts(kind);
      for (const [at, file] of discovery.files.entries()) {
        const entry = earlier.takenOver(file);
        if (!entry) continue;
        const by = (files[at]?.first ?? 0) - entry.first;
        for (const [row, text] of texts.in(entry.first, entry.first + entry.count)) yield [row + by, text] as const;
      }
    });
  }
}

interface Made {
  readonly store: Keeping;
  readonly gathered: Gathered;
  readonly trace: Trace;
  readonly stored: Stored | undefined;
  readonly earlier: EarlierHistory | undefined;
  readonly changes: Changes | undefined;
  readonly ownNotes: readonly number[];
  readonly projects: Projects;
  readonly effects: EffectRows;
}

class FreshHistory implements StoredHistory {
  readonly histories: Histories;
  readonly trace: Trace;
  private readonly made: Made;
  private readonly parts: Part[] = [];

  constructor(made: Made) {
    this.made = made;
    this.histories = made.gathered;
    this.trace = made.trace;
  }

  part(name: string, key: string): Part | undefined {
    return this.parts.find(part => part.name === name && part.key === key);
  }

  formerPart(name: string, key: string): FormerPart | undefined {
    const { stored } = this.made;
    const part = stored ? loadPart(stored.pack, name, key) : undefined;
    return part ? { facts: part.facts, column: column => this.moved(part.strings[column]) } : undefined;
  }

  private moved(then: StringColumn | undefined): StringColumn {
    if (!then) return new StringColumn();
    const now = new StringColumn(then.dictionary);
    const { earlier, gathered } = this.made;
    gathered.discovery.files.forEach((file, at) => {
      const entry = earlier?.takenOver(file);
      if (entry) now.place(gathered.files[at]?.first ?? 0, then, entry.first, entry.first + entry.count);
    });
    return now;
  }

  keep(part: Part): void {
    this.parts.push(part);
  }

  save(): void {
    const { changes, store } = this.made;
    if (changes) writePack(store, () => this.pack(changes));
  }

  private pack(changes: Changes): Uint8Array[] {
    const { gathered, trace, ownNotes } = this.made;
    const { ops, files, discovery, ledgers } = gathered;
    const pack = new PackWriter();
    saveOperations(pack, ops, this.hasLostRows());
    saveChanges(pack, changes.made());
    saveLinks(pack, trace.links, trace.times, ops.length);
    for (const kind of ops.texts.kinds()) saveTexts(pack, kind, this.texts(kind));
    pack.json('files', this.named());
    pack.json('sessions', ops.sessions.all.map(withoutLabels));
    pack.json('ledgers', ledgers.map((ledger, at) => storedLedger(ledger, ownNotes[at] as number)));
    saveReadings(pack, files);
    for (const part of this.parts) savePart(pack, part, longest(ops));
    return pack.finish({
      format: FORMAT,
      searched: this.made.store.searched,
      rows: ops.length,
      files: files.length,
      bytes: discovery.files.reduce((sum, file) => sum + file.size, 0),
      texts: ops.texts.kinds(),
      effects: EFFECTS_VERSION,
      links: LINKS_VERSION,
      parts: this.parts.map(({ name, key }) => [name, key] as const),
    } satisfies Facts);
  }

  private named(): Named {
    const { gathered, effects, store, projects } = this.made;
    const { discovery, files } = gathered;
    return {
      files: discovery.files.map((file, at) => entryOf(file, files[at] as Gathered['files'][number], effects[at] ?? [0, 0], store.started)),
      strangers: discovery.unknown.map(strangerAt),
      asked: askedOf(store.readers),
      projects: projects.entries(),
    };
  }

  /** Rows of the pack are gone, and words that only they used: these are not kept. */
  private hasLostRows(): boolean {
    const { stored, earlier, gathered } = this.made;
    if (!stored) return false;
    return gathered.discovery.files.filter(file => earlier?.usedOf(file)).length < stored.files.length;
  }

  /** All texts of a kind by rising row: those taken over as they are packed, the others from memory. */
  private *texts(kind: TextKind): Generator<PackedText> {
    const { gathered, earlier } = this.made;
    const { ops, discovery, files } = gathered;
    const here = ops.texts.here(kind);
    const rows = Float64Array.from(here.keys()).sort();
    let next = 0;
    const stored = earlier?.storedTexts(kind);
    for (const [at, file] of discovery.files.entries()) {
      const { first, count } = files[at] as Gathered['files'][number];
      const entry = earlier?.takenOver(file);
      if (entry && stored) {
        for (const text of stored.packedIn(entry.first, entry.first + entry.count)) yield { ...text, row: text.row - entry.first + first };
      }
      for (; next < rows.length && (rows[next] as number) < first + count; next++) {
        const row = rows[next] as number;
        if (!entry) yield packText(row, here.get(row) as string);
      }
    }
  }
}

function strangerAt(path: string): Stranger {
  const stat = statSync(path, { throwIfNoEntry: false });
  return { path, inode: stat?.ino ?? 0, size: stat?.size ?? -1, mtimeMs: stat?.mtimeMs ?? -1 };
}

function withoutLabels({ labels: _, ...session }: Session): Omit<Session, 'labels'> {
  return session;
}
