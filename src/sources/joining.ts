import { ofRuns, type Run, shift } from '../trace/blocks.ts';
import { type Codes, codesBelow } from '../trace/cells.ts';
import type { Operations } from '../trace/operations.ts';
import { type TextKind, Texts } from '../trace/texts.ts';
import type { Block, FileRows } from './gathered.ts';

/** Puts the texts and touches of a block to other operations, where its first row is `first`. */
export type Said = (into: Operations, first: number) => void;

/** Blocks of files that are put together at once, and what ties their rows to the whole. */
export class Joining {
  private readonly files: FileRows[] = [];
  private readonly runs: Run[] = [];
  private readonly said: (Said | undefined)[] = [];
  private length = 0;

  /** The block of a file that was just read. */
  add({ ops, ...told }: Block): void {
    this.take(ops, 0, ops.length, told);
    this.said.push((into, first) => {
      into.texts.take(ops.texts, first);
      into.touches.take(ops.touches, first);
    });
  }

  /** The block of a file that an earlier run read, or that stands among those of others; then `said` tells the rest. */
  keep(rows: FileRows, from: Operations, said?: Said): void {
    this.take(from, rows.first, rows.count, rows);
    this.said.push(said);
  }

  private take(from: Operations, first: number, count: number, told: Omit<FileRows, 'first' | 'count'>): void {
    this.files.push({ ...told, first: this.length, count });
    this.runs.push({ from, first, end: first + count });
    this.length += count;
  }

  joined(texts: Iterable<TextKind>): { ops: Operations; files: FileRows[] } {
    const { files, runs, said } = this;
    const ops = ofRuns(runs, new Texts(texts));
    const moved = files.map(({ sessions }, at) => {
      const { from } = runs[at] as Run;
      return new Map(
        sessions.map(session => [from.sessions.find(session.agent, session.id) ?? -1, ops.sessions.join(session, at)]),
      );
    });
    const fileOf = codesBelow(files.length, ops.length);
    const sessionOf = codesBelow(ops.sessions.all.length, ops.length);
    // Until they are moved they may be larger than any row of these.
    const parents = new Uint32Array(ops.length);
    parents.set(ops.parent.glance());
    for (const [at, { first, count }] of files.entries()) {
      const { from, first: before } = runs[at] as Run;
      fileOf.fill(at, first, first + count);
      placeSessions(sessionOf.subarray(first, first + count), from, before, moved[at] as (typeof moved)[number]);
      shift(parents.subarray(first, first + count), first - before);
      said[at]?.(ops, first);
    }
    ops.file.replace(fileOf);
    ops.session.replace(sessionOf);
    const narrow = codesBelow(ops.length + 1, ops.length);
    narrow.set(parents);
    ops.parent.replace(narrow);
    return { ops, files };
  }
}

/** What the sessions of rows are in the whole. */
function placeSessions(into: Codes, from: Operations, first: number, moved: ReadonlyMap<number, number>): void {
  const [only = 0] = moved.values();
  if (moved.size < 2) into.fill(only);
  else {
    const sessions = from.session.glance();
    for (let row = 0; row < into.length; row++) into[row] = moved.get(sessions[first + row] ?? 0) ?? 0;
  }
}
