import { KEEP } from '../pi/keep.ts';
import { SessionSink } from '../pi/read.ts';
import { clientOf } from '../pi/sniff.ts';
import type { FileState } from '../pi/state.ts';
import type { Reader } from '../reader.ts';
import { whereabouts } from './whereabouts.ts';

/** OpenClaw, which runs Pi inside: see README.md beside this file. */
export const openclaw: Reader = {
  ...whereabouts,
  keep: KEEP,
  sniff: head => clientOf(head) === 'openclaw',
  open: (file, out, ledger, state) => new SessionSink('openclaw', file, out, ledger, state as FileState | undefined),
};
