import { parentPort, workerData } from 'node:worker_threads';
import { buffersOf } from '../../trace/handed.ts';
import { doneWork, type Work } from './work.ts';

/** What a thread runs: it has a file of its own in the built program. */
const share = doneWork(workerData as Work);
parentPort?.postMessage(share, buffersOf(share.ops));
