import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { HandedShare } from './share.ts';
import type { Work } from './work.ts';

/** Both halves of the young generation of a thread: nearly every object of a record dies at once (see cli/young-space.ts). */
const YOUNG_MB = 8;

/** Starts a thread; gives its share, or undefined if it failed: then what it took is to be read again. */
export function startThread(
  work: Work,
  program = fileURLToPath(new URL('./reading-thread.cjs', import.meta.url)),
): Promise<HandedShare | undefined> {
  return new Promise(done => {
    try {
      const worker = new Worker(program, {
        workerData: work,
        resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
      });
      worker.once('message', (share: HandedShare) => {
        // It has nothing more to do, and the program need not wait until it is gone.
        worker.unref();
        done(share);
      });
      worker.once('error', () => done(undefined));
      worker.once('exit', () => done(undefined));
    } catch {
      done(undefined);
    }
  });
}
