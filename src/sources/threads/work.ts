import type { TextKind } from '../../trace/texts.ts';
import type { FoundFile } from '../find.ts';
import type { LoadOptions } from '../read-file.ts';
import type { TraceSettings } from '../spans/boundaries.ts';
import { SESSION_GAP } from '../spans/boundaries.ts';
import { whereaboutsWith } from '../whereabouts.ts';
import { Queue } from './queue.ts';
import { type HandedShare, handedShare, Share } from './share.ts';

/** What threads are told, as plain values. */
export interface Work {
  readonly files: readonly WorkFile[];
  readonly texts: readonly TextKind[];
  /** See `Queue`; its numbers are those of `files`. */
  readonly queue: SharedArrayBuffer;
}

interface WorkFile {
  readonly file: Omit<FoundFile, 'reader'>;
  readonly agent: string;
  readonly settings: TraceSettings | undefined;
  /** Its number in the discovery. */
  readonly at: number;
  readonly resumable: boolean;
}

/** Work on these files of a discovery, the largest first. */
export function workOn(files: readonly FoundFile[], numbers: readonly number[], options: LoadOptions): Work {
  const sorted = [...numbers].sort((a, b) => (files[b] as FoundFile).size - (files[a] as FoundFile).size || a - b);
  const work = sorted.map((at): WorkFile => {
    const found = files[at] as FoundFile;
    const { reader, ...file } = found;
    const resumable = options.resumable?.(found) === true;
    return { file, agent: reader.agent, settings: reader.settings, at, resumable };
  });
  return { files: work, texts: [...options.texts], queue: new Queue(work.length).shared };
}

/** Reads files until all are taken, and gives what they have. */
export function doneWork({ files, texts, queue: shared }: Work): HandedShare {
  const resumable = new Set<string>();
  const share = new Share({ texts, resumable: ({ path }) => resumable.has(path) });
  const queue = new Queue(files.length, shared);
  for (let next = queue.take(); next !== undefined; next = queue.take()) {
    const { file, agent, settings = { sessionGap: SESSION_GAP }, at, resumable: goesOn } = files[next] as WorkFile;
    const reader = whereaboutsWith(settings).find(each => each.agent === agent);
    if (!reader) throw new Error(`there is no reader of ${agent}`);
    if (goesOn) resumable.add(file.path);
    share.read({ ...file, reader }, at);
    queue.done(file.size);
  }
  return handedShare(share);
}
