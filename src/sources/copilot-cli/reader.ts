import type { Reader } from '../reader.ts';
import { KEEP } from './keep.ts';
import { companion } from './paths.ts';
import { EventSink } from './read.ts';
import { sniff } from './sniff.ts';
import type { FileState } from './state.ts';
import { whereabouts } from './whereabouts.ts';

/** Copilot CLI, 1.0.102 (0.0.420 to 1.0.72 in part): see README.md beside this file. */
export const copilotCli: Reader = {
  ...whereabouts,
  keep: KEEP,
  sniff,
  companion,
  open: (file, out, ledger, state) => new EventSink(file, out, ledger, state as FileState | undefined),
};
