import type { Reader } from '../reader.ts';
import { KEEP } from './keep.ts';
import { companion, isDocumentPath } from './paths.ts';
import { MessagesSink } from './read.ts';
import { sniff } from './sniff.ts';
import { whereabouts } from './whereabouts.ts';

/** Cline CLI, 3.0: see README.md beside this file. */
export const cline: Reader = {
  ...whereabouts,
  keep: KEEP,
  sniff,
  isDocument: isDocumentPath,
  companion,
  open: (file, out, ledger) => new MessagesSink(file, out, ledger),
};
