import type { Whereabouts } from '../reader.ts';
import { codexRoots, rolloutIdentity } from './paths.ts';

export const whereabouts: Whereabouts = {
  agent: 'codex',
  version: 3,
  roots: codexRoots,
  identity: rolloutIdentity,
};
