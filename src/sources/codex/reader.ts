import type { Reader } from '../reader.ts';
import { settleForks } from './forks.ts';
import { KEEP } from './keep.ts';
import { codexRoots, isDocumentPath, rolloutIdentity } from './paths.ts';
import { RolloutSink } from './read.ts';
import { isRollout } from './sniff.ts';

/** Codex: the CLI, `codex exec`, the desktop application and the editor extensions; see README.md. */
export const codex: Reader = {
  agent: 'codex',
  version: 1,
  keep: KEEP,
  roots: codexRoots,
  sniff: isRollout,
  isDocument: isDocumentPath,
  identity: rolloutIdentity,
  open: (file, out, ledger, state) => new RolloutSink(file, out, ledger, state),
  settle: settleForks,
};
