import type { Reader } from '../reader.ts';
import { KEEP } from './keep.ts';
import { settleModels } from './models.ts';
import { companion } from './paths.ts';
import { AGENT, ChatSink } from './read.ts';
import { sniff } from './sniff.ts';
import type { FileState } from './state.ts';
import { whereabouts } from './whereabouts.ts';

/** Qwen Code, 0.24 (0.21 in outline): see README.md beside this file. */
export const qwenCode: Reader = {
  ...whereabouts,
  keep: KEEP,
  sniff,
  companion,
  settle: out => settleModels(out, AGENT),
  open: (file, out, ledger, state) => new ChatSink(file, out, ledger, state as FileState | undefined),
};
