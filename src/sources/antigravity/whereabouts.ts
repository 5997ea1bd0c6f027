import type { Whereabouts } from '../reader.ts';

export const whereabouts: Whereabouts = {
  agent: 'antigravity',
  version: 1,
  // No sample shows where the client keeps its logs: they are read where a person names them.
  roots: () => [],
};
