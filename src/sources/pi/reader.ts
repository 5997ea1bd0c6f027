import type { Reader } from '../reader.ts';
import { KEEP } from './keep.ts';
import { SessionSink } from './read.ts';
import { clientOf } from './sniff.ts';
import type { FileState } from './state.ts';
import { whereabouts } from './whereabouts.ts';

/** Pi, from the first version of its sessions to 0.73: see README.md beside this file. */
export const pi: Reader = {
  ...whereabouts,
  keep: KEEP,
  sniff: head => clientOf(head) === 'pi',
  open: (file, out, ledger, state) => new SessionSink('pi', file, out, ledger, state as FileState | undefined),
};
