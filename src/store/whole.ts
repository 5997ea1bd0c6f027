import { statSync } from 'node:fs';
import { EFFECTS_VERSION } from '../effects/version.ts';
import { type Discovery, type FoundFile, pathOf } from '../sources/find.ts';
import type { Resume } from '../sources/gathered.ts';
import type { Project } from '../sources/projects.ts';
import type { Sibling } from '../sources/siblings.ts';
import type { Operations } from '../trace/operations.ts';
import type { Session } from '../trace/sessions.ts';
import type { TextKind } from '../trace/texts.ts';
import { LINKS_VERSION, type Trace } from '../trace/trace.ts';
import { type Entry, entryOf, type Ranges, type StoredLedger, saveReadings } from './files.ts';
import { saveLinks } from './links.ts';
import { saveOperations } from './operations.ts';
import { PackWriter, type Sink } from './pack.ts';
import { longest, type Part, savePart } from './parts.ts';
import { askedOf, type Facts, FORMAT, type Keeping, type Named, type Stranger } from './stored.ts';
import { further, type PackedTexts, saveTexts } from './texts.ts';
import { saveUndo, type Undo } from './undo.ts';

/** A linked history, and by file what a pack has to say of it. */
export interface WholeHistory {
  readonly trace: Trace;
  readonly discovery: Discovery;
  readonly files: readonly WholeFile[];
  readonly changes: readonly Undo[];
  readonly projects: readonly (readonly [cwd: string, project: Project])[];
  /** Rows of an earlier run are gone, and maybe words that only they used. */
  readonly hasLost: boolean;
}

export interface WholeFile extends Ranges {
  readonly file: FoundFile;
  /** See families.ts. */
  readonly family: number;
  /** What the file alone tells of its sessions. */
  readonly told: readonly Session[];
  readonly resume: Resume | undefined;
  readonly siblings: readonly Sibling[];
  readonly problem: string | undefined;
  readonly ledger: StoredLedger;
  /** Its texts of a kind by rising row; rows count from the file's first. */
  texts(kind: TextKind): Iterable<PackedTexts>;
}

/** Where rows `first` to `end` of each file lie; they stand in the order of files. */
export function rangesByFile(
  ops: Operations,
  files: number,
  first: number,
  end: number,
): [first: number, count: number][] {
  const ranges = Array.from({ length: files }, (): [number, number] => [0, 0]);
  for (let row = first; row < end; row++) {
    const range = ranges[ops.file.get(row)] as [number, number];
    if (range[1]++ === 0) range[0] = row;
  }
  return ranges;
}

/** Writes a pack. `before` has the entries of the pack that this one follows. */
export function writeHistory(
  sink: Sink,
  whole: WholeHistory,
  keeping: Keeping,
  before: readonly Entry[],
  parts: readonly Part[],
): void {
  const { trace, files } = whole;
  const { ops } = trace;
  const pack = new PackWriter(sink);
  saveOperations(pack, ops, whole.hasLost);
  saveUndo(pack, whole.changes);
  saveLinks(pack, trace.links, trace.times, ops.length);
  for (const kind of ops.texts.kinds()) saveTexts(pack, kind, textsOf(files, kind));
  pack.json('files', namedOf(whole, keeping, before));
  pack.json('sessions', ops.sessions.all.map(withoutLabels));
  pack.json(
    'ledgers',
    files.map(({ ledger }) => ledger),
  );
  saveReadings(pack, { sessions: files.map(({ told }) => told), resumes: files.map(({ resume }) => resume) });
  for (const part of parts) savePart(pack, part, longest(ops));
  pack.finish({
    format: FORMAT,
    searched: keeping.searched,
    rows: ops.length,
    files: files.length,
    bytes: files.reduce((sum, { file }) => sum + file.size, 0),
    texts: ops.texts.kinds(),
    effects: EFFECTS_VERSION,
    links: LINKS_VERSION,
    parts: parts.map(({ name, key }) => [name, key] as const),
    zone: keeping.zone,
  } satisfies Facts);
}

function* textsOf(files: readonly WholeFile[], kind: TextKind): Generator<PackedTexts> {
  for (const file of files) for (const text of file.texts(kind)) yield further(text, file.made[0]);
}

function namedOf(
  { files, discovery, projects }: WholeHistory,
  { started, readers }: Keeping,
  before: readonly Entry[],
): Named {
  const entries = new Map(before.map(entry => [entry.name, entry]));
  return {
    files: files.map(file => entryOf(file.file, file, started, entries.get(pathOf(file.file)))),
    strangers: discovery.unknown.map(strangerAt),
    asked: askedOf(readers),
    projects,
  };
}

function strangerAt(path: string): Stranger {
  const stat = statSync(path, { throwIfNoEntry: false });
  return { path, inode: stat?.ino ?? 0, size: stat?.size ?? -1, mtimeMs: stat?.mtimeMs ?? -1 };
}

function withoutLabels({ labels: _, ...session }: Session): Omit<Session, 'labels'> {
  return session;
}
