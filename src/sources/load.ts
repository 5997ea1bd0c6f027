import { BlockRoom, beside, copyRows, placeRows } from '../trace/blocks.ts';
import { Operations } from '../trace/operations.ts';
import { Texts } from '../trace/texts.ts';
import type { Discovery, FoundFile } from './find.ts';
import { type Block, type Gathered, gathered, type Histories } from './gathered.ts';
import { Joining } from './joining.ts';
import { Projects } from './projects.ts';
import { type KnownFile, type LoadOptions, readBlock } from './read-file.ts';
import { readerOf } from './registry.ts';
import { threadsFor } from './threads/count.ts';
import { Whole } from './whole.ts';

/** One pass over each file. A file that fails costs itself alone and is told in `discovery.problems`. */
export function load(discovery: Discovery, options: LoadOptions): Gathered {
  const gathered = gather(discovery, options);
  settle(gathered);
  return gathered;
}

/** `gather`, by several threads where there is enough to read. */
export async function gatherAll(discovery: Discovery, options: LoadOptions): Promise<Gathered> {
  const unread = discovery.files.reduce((sum, file) => sum + bytesToRead(file, options.earlier?.known(file)), 0);
  const count = options.threads ?? threadsFor(unread);
  if (count === 0) return gather(discovery, options);
  const [{ gatherBeside }, { startThread }] = await Promise.all([
    import('./threads/gather.ts'),
    import('./threads/start.ts'),
  ]);
  return gatherBeside(discovery, options, { count, start: work => startThread(work) });
}

/** Reads what an earlier run does not know and puts the blocks of all files together, in the order of the files. */
export function gather(discovery: Discovery, options: LoadOptions): Gathered {
  const { earlier, progress } = options;
  const whole = new Whole(options);
  const known = discovery.files.map(file => earlier?.known(file));
  const unread = discovery.files.map((file, at) => bytesToRead(file, known[at]));
  const all = unread.reduce((sum, bytes) => sum + bytes, 0);
  const room = new BlockRoom(whole.ops, options.texts);
  let done = 0;
  let read = 0;
  discovery.files.forEach((file, at) => {
    const before = known[at];
    if (earlier && before && !before.grown) whole.keep(before.rows, earlier.ops);
    else {
      progress?.(done, all);
      const block = readBlock(file, whole.ops, before, options, room.take());
      whole.add(block);
      read += block.ops.length;
      room.giveBack(block.ops);
      done += unread[at] as number;
      if (done > TELLING) whole.ops.expect(whole.ops.length + Math.ceil(((all - done) * read) / done));
    }
  });
  return whole.gathered(discovery, earlier !== undefined);
}

/** Bytes after which the rows of all files are foretold by those of the files read so far. */
const TELLING = 32 << 20;

/**
 * Puts blocks together that were read before, beside those that an earlier run has; in the order of the files. Each column
 * is put together when it is first used.
 */
export function joinBlocks(
  discovery: Discovery,
  blocks: ReadonlyMap<FoundFile, Block>,
  options: LoadOptions,
): Gathered {
  const { earlier, texts } = options;
  const base = earlier?.ops ?? new Operations(new Texts(texts));
  const joining = new Joining();
  for (const file of discovery.files) {
    const block = blocks.get(file);
    const known = block ? undefined : earlier?.known(file);
    if (earlier && known && !known.grown) joining.keep(known.rows, earlier.ops);
    else joining.add(block ?? readBlock(file, base, known, options));
  }
  const { ops, files } = joining.joined(texts);
  return gathered(ops, files, discovery, earlier !== undefined);
}

function bytesToRead(file: FoundFile, known: KnownFile | undefined): number {
  if (!known) return file.size;
  return known.grown ? Math.max(0, file.size - (known.rows.resume?.end ?? 0)) : 0;
}

/** What only all files together tell: readers' corrections, then project, host and roots of the sessions. */
export function settle({ ops, ledgers, discovery }: Histories, projects: Projects = new Projects()): void {
  const made = ops.length;
  for (const reader of new Set(discovery.files.map(file => readerOf(file.reader)))) reader.settle?.(ops, ledgers);
  sortByFile(ops, made);
  describeSessions(ops, discovery.files, projects);
}

/** Rows that settling appends have the order of their files, whatever order their readers are asked in. */
function sortByFile(ops: Operations, first: number): void {
  const files = Array.from({ length: ops.length - first }, (_, i) => ops.file.get(first + i));
  if (files.every((file, i) => i === 0 || (files[i - 1] as number) <= file)) return;
  const rows = beside(ops, new Texts([]));
  copyRows(rows, ops, first, ops.length);
  const order = files.map((_, i) => i).sort((a, b) => (files[a] as number) - (files[b] as number) || a - b);
  for (let i = 0; i < order.length; i++) placeRows(ops, first + i, rows, order[i] as number, (order[i] as number) + 1);
}

/** Project, host and roots of each session; a subagent has its parent's project where it names no directory itself. */
function describeSessions(ops: Operations, files: readonly FoundFile[], projects: Projects): void {
  for (const session of ops.sessions.all) {
    const host = files[session.file]?.host;
    if (host !== undefined) session.host = host;
    const parent = session.parent === undefined ? undefined : ops.sessions.find(session.agent, session.parent);
    const cwd = session.cwd ?? (parent === undefined ? undefined : ops.sessions.all[parent]?.cwd);
    if (cwd === undefined || cwd === '') continue;
    const project = projects.of(cwd);
    session.project ??= project.name;
    session.roots = project.roots;
  }
}
