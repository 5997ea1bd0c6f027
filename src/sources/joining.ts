import { ofRuns, type Run, shift } from '../trace/blocks.ts';
import type { Operations } from '../trace/operations.ts';
import { type TextKind, Texts } from '../trace/texts.ts';
import type { Block, FileRows } from './gathered.ts';

/** Blocks of files that are put together at once, and what ties their rows to the whole. */
export class Joining {
  private readonly files: FileRows[] = [];
  private readonly runs: Run[] = [];
  private readonly blocks: (Operations | undefined)[] = [];
  private length = 0;

  /** The block of a file that was just read. */
  add({ ops, ...told }: Block): void {
    this.take(ops, 0, ops.length, told);
    this.blocks.push(ops);
  }

  /** The block of a file that an earlier run read. */
  keep(rows: FileRows, earlier: Operations): void {
    this.take(earlier, rows.first, rows.count, rows);
    this.blocks.push(undefined);
  }

  private take(from: Operations, first: number, count: number, told: Omit<FileRows, 'first' | 'count'>): void {
    this.files.push({ ...told, first: this.length, count });
    this.runs.push({ from, first, end: first + count });
    this.length += count;
  }

  joined(texts: Iterable<TextKind>): { ops: Operations; files: FileRows[] } {
    const { files, runs, blocks } = this;
    const ops = ofRuns(runs, new Texts(texts));
    const [fileOf, sessionOf, parents] = [0, 0, 0].map(() => new Uint32Array(ops.length)) as Three;
    parents.set(ops.parent.glance());
    for (const [at, { first, count, sessions }] of files.entries()) {
      const { from, first: before } = runs[at] as Run;
      fileOf.fill(at, first, first + count);
      const moved = new Map<number, number>();
      for (const session of sessions)
        moved.set(from.sessions.find(session.agent, session.id) ?? -1, ops.sessions.join(session, at));
      placeSessions(sessionOf.subarray(first, first + count), from, before, moved);
      shift(parents.subarray(first, first + count), first - before);
      const block = blocks[at];
      if (!block) continue;
      ops.texts.take(block.texts, first);
      ops.touches.take(block.touches, first);
    }
    ops.file.replace(fileOf);
    ops.session.replace(sessionOf);
    ops.parent.replace(parents);
    return { ops, files };
  }
}

/** What the sessions of rows are in the whole. */
function placeSessions(into: Uint32Array, from: Operations, first: number, moved: ReadonlyMap<number, number>): void {
  const [only = 0] = moved.values();
  if (moved.size < 2) into.fill(only);
  else {
    const sessions = from.session.glance();
    for (let row = 0; row < into.length; row++) into[row] = moved.get(sessions[first + row] ?? 0) ?? 0;
  }
}

type Three = [Uint32Array, Uint32Array, Uint32Array];
