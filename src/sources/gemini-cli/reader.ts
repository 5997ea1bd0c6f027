import type { Reader } from '../reader.ts';
import { KEEP } from './keep.ts';
import { companion, identity, isDocumentPath, roots } from './paths.ts';
import { AGENT, ChatSink } from './read.ts';
import { sniff } from './sniff.ts';
import type { FileState } from './state.ts';

/** Gemini CLI, 0.10 to 0.61: see README.md beside this file. */
export const geminiCli: Reader = {
  agent: AGENT,
  version: 1,
  keep: KEEP,
  roots,
  sniff,
  isDocument: isDocumentPath,
  companion,
  identity,
  open: (file, out, ledger, state) => new ChatSink(file, out, ledger, state as FileState | undefined),
};
