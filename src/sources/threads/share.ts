import { BlockRoom } from '../../trace/blocks.ts';
import { type Handed, handOver, takeOver } from '../../trace/handed.ts';
import type { Operations } from '../../trace/operations.ts';
import type { TextKind } from '../../trace/texts.ts';
import type { FoundFile } from '../find.ts';
import type { FileRows } from '../gathered.ts';
import type { Said } from '../joining.ts';
import { type LoadOptions, readBlock } from '../read-file.ts';
import { Whole } from '../whole.ts';

/** One file in the share of a thread. */
interface SharedFile {
  /** Its number in the discovery. */
  readonly at: number;
  readonly rows: FileRows;
  /** Where what it said ends among the touches, and among the texts of each kind; it begins where that of the file before ends. */
  readonly touches: number;
  readonly texts: readonly number[];
}

/** What one thread reads of a history: blocks of rows behind each other, in the order in which it took the files. */
export class Share {
  private readonly whole: Whole;
  private readonly room: BlockRoom;
  private readonly options: LoadOptions;
  private readonly kinds: readonly TextKind[];
  private readonly ends: Pick<SharedFile, 'at' | 'touches' | 'texts'>[] = [];

  constructor(options: LoadOptions) {
    this.options = options;
    this.whole = new Whole(options);
    this.room = new BlockRoom(this.whole.ops, options.texts);
    this.kinds = this.whole.ops.texts.kinds();
  }

  get ops(): Operations {
    return this.whole.ops;
  }

  /** Reads a file that no earlier run knows; `at` is its number in the discovery. */
  read(file: FoundFile, at: number): void {
    const { ops } = this;
    const block = readBlock(file, ops, undefined, this.options, this.room.take());
    this.whole.add(block);
    this.room.giveBack(block.ops);
    this.ends.push({ at, touches: ops.touches.length, texts: this.kinds.map(kind => ops.texts.here(kind).size) });
  }

  files(): SharedFile[] {
    return this.whole.files.map((rows, i) => ({ rows, ...(this.ends[i] as (typeof this.ends)[number]) }));
  }
}

/** The share of another thread as a message. */
export interface HandedShare {
  readonly ops: Handed;
  readonly files: readonly HandedFile[];
}

type HandedFile = Omit<SharedFile, 'rows'> & {
  readonly rows: Omit<FileRows, 'resume'>;
  readonly resume: (Omit<NonNullable<FileRows['resume']>, 'state'> & { readonly state: Uint8Array }) | undefined;
};

export function handedShare(share: Share): HandedShare {
  const files = share.files().map(({ rows: { resume, ...rows }, ...file }): HandedFile => {
    const state = resume && { ...resume, state: resume.state() };
    return { ...file, rows, resume: state };
  });
  return { ops: handOver(share.ops), files };
}

/** A share whose codes are those of `base`. */
export interface TakenShare {
  readonly ops: Operations;
  readonly files: readonly SharedFile[];
}

export function takenShare({ ops, files }: HandedShare, base: Operations): TakenShare {
  return {
    ops: takeOver(ops, base),
    files: files.map(({ rows, resume, ...file }) => {
      const state = resume && { ...resume, state: () => resume.state };
      return { ...file, rows: { ...rows, resume: state } };
    }),
  };
}

/** By the number of a file: its rows in a share, and how to tell what it said. */
export function* filesOf({ ops, files }: TakenShare): Generator<readonly [at: number, rows: FileRows, said: Said]> {
  const kinds = ops.texts.kinds();
  const texts = kinds.map(kind => [...ops.texts.here(kind)]);
  let before: Pick<SharedFile, 'touches' | 'texts'> = { touches: 0, texts: kinds.map(() => 0) };
  for (const file of files) {
    const { touches, texts: ends } = before;
    before = file;
    yield [
      file.at,
      file.rows,
      (into, first) => {
        const by = first - file.rows.first;
        for (const [i, kind] of kinds.entries()) {
          const said = texts[i]?.slice(ends[i], file.texts[i]) ?? [];
          for (const [row, text] of said) into.texts.put(kind, row + by, text);
        }
        into.touches.takePart(ops.touches, touches, file.touches, by);
      },
    ];
  }
}
