import type { Reader } from '../reader.ts';
import { settleStreams } from '../streams.ts';
import { AGENT } from './agent.ts';
import { EitherSink } from './either.ts';
import { KEEP } from './keep.ts';
import { companion, isDocumentPath } from './paths.ts';
import { sniff } from './sniff.ts';
import { isTellingEvent } from './stream.ts';
import { whereabouts } from './whereabouts.ts';

/** Gemini CLI, 0.10 to 0.61: see README.md beside this file. */
export const geminiCli: Reader = {
  ...whereabouts,
  keep: KEEP,
  sniff: head => sniff(head) || head.records.some(isTellingEvent),
  isDocument: isDocumentPath,
  companion,
  open: (file, out, ledger, state) => new EitherSink(file, out, ledger, state),
  settle: (out, ledgers) => settleStreams(out, AGENT, ledgers),
};
