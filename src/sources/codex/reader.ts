import type { Reader } from '../reader.ts';
import { settleStreams } from '../streams.ts';
import { EitherSink } from './either.ts';
import { settleForks } from './forks.ts';
import { KEEP } from './keep.ts';
import { isDocumentPath } from './paths.ts';
import { isRollout } from './sniff.ts';
import { isTellingEvent } from './stream.ts';
import { settleTurns } from './stream-turns.ts';
import { whereabouts } from './whereabouts.ts';

/** Codex: the CLI, `codex exec`, the desktop application and the editor extensions; see README.md. */
export const codex: Reader = {
  ...whereabouts,
  keep: KEEP,
  sniff: head => isRollout(head) || head.records.some(isTellingEvent),
  isDocument: isDocumentPath,
  open: (file, out, ledger, state) => new EitherSink(file, out, ledger, state),
  settle(out, ledgers) {
    settleForks(out, ledgers);
    settleTurns(out);
    settleStreams(out, 'codex', ledgers);
  },
};
