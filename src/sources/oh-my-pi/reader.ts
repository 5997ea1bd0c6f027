import { KEEP } from '../pi/keep.ts';
import { SessionSink } from '../pi/read.ts';
import { clientOf } from '../pi/sniff.ts';
import type { FileState } from '../pi/state.ts';
import type { Reader } from '../reader.ts';
import { whereabouts } from './whereabouts.ts';

/** Oh My Pi, a fork of Pi: see README.md beside this file. */
export const ohMyPi: Reader = {
  ...whereabouts,
  keep: KEEP,
  sniff: head => clientOf(head) === 'oh-my-pi',
  open: (file, out, ledger, state) => new SessionSink('oh-my-pi', file, out, ledger, state as FileState | undefined),
};
