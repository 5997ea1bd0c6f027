import type { Reader } from '../reader.ts';
import { settleStreams } from '../streams.ts';
import { AGENT } from './context.ts';
import { settleForks } from './forks.ts';
import { KEEP } from './keep.ts';
import { companion } from './paths.ts';
import { TranscriptSink } from './read.ts';
import { settleResiduals } from './residuals.ts';
import { sniff } from './sniff.ts';
import type { FileState } from './state.ts';
import { settleSubagents } from './subagents.ts';
import { whereabouts } from './whereabouts.ts';

/** Claude Code, 1.0 to 2.1.33x: see README.md beside this file. */
export const claudeCode: Reader = {
  ...whereabouts,
  keep: KEEP,
  sniff,
  companion,
  open: (file, out, ledger, state) => new TranscriptSink(file, out, ledger, state as FileState | undefined),
  settle(out, ledgers) {
    settleStreams(out, AGENT, ledgers);
    settleForks(out);
    settleSubagents(out);
    settleResiduals(out, ledgers);
  },
};
