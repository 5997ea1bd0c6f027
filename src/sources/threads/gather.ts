import type { Discovery, FoundFile } from '../find.ts';
import { type FileRows, type Gathered, gathered } from '../gathered.ts';
import { Joining, type Said } from '../joining.ts';
import { type LoadOptions, readBlock } from '../read-file.ts';
import { readerOf } from '../registry.ts';
import { Queue } from './queue.ts';
import { filesOf, type HandedShare, Share, takenShare } from './share.ts';
import { type Work, workOn } from './work.ts';

/** Milliseconds between two tellings of how far the other threads are. */
const TELL = 100;

export interface Threads {
  /** How many beside this one. */
  readonly count: number;
  /** Lets a thread do work; gives its share, undefined if it failed. */
  start(work: Work): Promise<HandedShare | undefined>;
}

/** What `gather` gives, in the same order, read by several threads. */
export async function gatherBeside(discovery: Discovery, options: LoadOptions, threads: Threads): Promise<Gathered> {
  const { ops, files } = (await readBeside(discovery, options, threads)).joined(options.texts);
  // Column by column: what the threads gave of one is let go when it is put together.
  const { numbers, strings } = ops.columns();
  for (const column of numbers.values()) column.cells;
  for (const column of strings.values()) column.codes;
  return gathered(ops, files, discovery, options.earlier !== undefined);
}

async function readBeside({ files }: Discovery, options: LoadOptions, { count, start }: Threads): Promise<Joining> {
  const { earlier, progress } = options;
  const known = files.map(file => earlier?.known(file));
  const unknown = [...files.keys()].filter(at => !known[at]);
  // A database is not read like a file.
  const isForAll = (at: number) => !readerOf((files[at] as FoundFile).reader).readWhole;
  const work = workOn(files, unknown.filter(isForAll), options);
  const others = Array.from({ length: count }, () => start(work));

  const own = new Share(options);
  const read = (at: number) => own.read(files[at] as FoundFile, at);
  const queue = new Queue(work.files.length, work.queue);
  const all = work.files.reduce((sum, { file }) => sum + file.size, 0);
  const tell = () => progress?.(queue.bytes, all);
  for (const at of unknown) if (!isForAll(at)) read(at);
  for (let next = queue.take(); next !== undefined; next = queue.take()) {
    tell();
    const { at, file } = work.files[next] as Work['files'][number];
    read(at);
    queue.done(file.size);
  }
  const telling = setInterval(tell, TELL);
  const handed = await Promise.all(others);
  clearInterval(telling);

  const shares = handed.flatMap(share => (share ? takenShare(share, own.ops) : []));
  const from = new Map<number, readonly [FileRows, Share['ops'], Said]>();
  for (const share of [{ ops: own.ops, files: own.files() }, ...shares])
    for (const [at, rows, said] of filesOf(share)) from.set(at, [rows, share.ops, said]);
  const joining = new Joining();
  for (const [at, file] of files.entries()) {
    const before = known[at];
    const one = from.get(at);
    if (one) joining.keep(...one);
    else if (earlier && before && !before.grown) joining.keep(before.rows, earlier.ops);
    // A file that goes on, or that a thread took which failed.
    else joining.add(readBlock(file, own.ops, before, options));
  }
  return joining;
}
