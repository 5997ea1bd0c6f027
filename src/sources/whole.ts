import { beside, copyRows, shiftParents } from '../trace/blocks.ts';
import { Operations } from '../trace/operations.ts';
import { Texts } from '../trace/texts.ts';
import type { Discovery } from './find.ts';
import { type Block, type FileRows, type Gathered, gathered } from './gathered.ts';
import type { LoadOptions } from './read-file.ts';

/** The operations of all files while their blocks come in. */
export class Whole {
  readonly ops: Operations;
  readonly files: FileRows[] = [];

  constructor({ texts, earlier }: LoadOptions) {
    this.ops = earlier ? beside(earlier.ops, new Texts(texts)) : new Operations(new Texts(texts));
  }

  gathered(discovery: Discovery, lost: boolean): Gathered {
    return gathered(this.ops, this.files, discovery, lost);
  }

  /** The block of a file that was just read. */
  add({ ops: block, ...told }: Block): void {
    const first = copyRows(this.ops, block, 0, block.length);
    shiftParents(this.ops, first, this.ops.length, first);
    this.ops.texts.take(block.texts, first);
    this.ops.touches.take(block.touches, first);
    const sessions = told.sessions.map(session => this.ops.sessions.join(session, this.files.length));
    this.number(first, at => sessions[at]);
    this.files.push({ ...told, first, count: block.length });
  }

  /** The block of a file that an earlier run read. */
  keep(rows: FileRows, earlier: Operations): void {
    const { sessions } = earlier;
    const first = copyRows(this.ops, earlier, rows.first, rows.first + rows.count);
    shiftParents(this.ops, first, this.ops.length, first - rows.first);
    const moved = new Map<number, number>();
    for (const session of rows.sessions) {
      const now = this.ops.sessions.join(session, this.files.length);
      moved.set(sessions.find(session.agent, session.id) ?? -1, now);
    }
    this.number(first, at => moved.get(at));
    this.files.push({ ...rows, first });
  }

  /** Gives the rows of the last block their file and their sessions. */
  private number(first: number, moved: (session: number) => number | undefined): void {
    const { ops } = this;
    const file = this.files.length;
    for (let row = first; row < ops.length; row++) {
      ops.file.set(row, file);
      ops.session.set(row, moved(ops.session.get(row)) ?? 0);
    }
  }
}
