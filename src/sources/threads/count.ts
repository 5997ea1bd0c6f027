import { availableParallelism } from 'node:os';

const GIB = 2 ** 30;

/** Bytes to read for each thread: one costs its own start, its own compilation and its own memory. */
const WORTH = GIB;

/** A thread reads faster than what comes after it works; and each has a heap. */
const MOST = 7;

/** Threads beside the first for so many unread bytes: none below two gigabytes. */
export function threadsFor(unread: number, cores = availableParallelism()): number {
  return Math.max(0, Math.min(cores - 1, Math.floor(unread / WORTH) - 1, MOST));
}
