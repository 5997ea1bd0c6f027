import type { Reader } from '../reader.ts';
import { KEEP } from './keep.ts';
import { companion, isDocumentPath, roots } from './paths.ts';
import { AGENT, MessagesSink } from './read.ts';
import { sniff } from './sniff.ts';

/** Cline CLI, 3.0: see README.md beside this file. */
export const cline: Reader = {
  agent: AGENT,
  version: 1,
  keep: KEEP,
  roots,
  sniff,
  isDocument: isDocumentPath,
  companion,
  open: (file, out, ledger) => new MessagesSink(file, out, ledger),
};
