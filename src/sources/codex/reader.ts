import type { Reader } from '../reader.ts';
import { settleStreams } from '../streams.ts';
import { EitherSink } from './either.ts';
import { settleForks } from './forks.ts';
import { KEEP } from './keep.ts';
import { codexRoots, isDocumentPath, rolloutIdentity } from './paths.ts';
import { isRollout } from './sniff.ts';
import { isTellingEvent } from './stream.ts';
import { settleTurns } from './stream-turns.ts';

/** Codex: the CLI, `codex exec`, the desktop application and the editor extensions; see README.md. */
export const codex: Reader = {
  agent: 'codex',
  version: 3,
  keep: KEEP,
  roots: codexRoots,
  sniff: head => isRollout(head) || head.records.some(isTellingEvent),
  isDocument: isDocumentPath,
  identity: rolloutIdentity,
  open: (file, out, ledger, state) => new EitherSink(file, out, ledger, state),
  settle(out, ledgers) {
    settleForks(out, ledgers);
    settleTurns(out);
    settleStreams(out, 'codex', ledgers);
  },
};
