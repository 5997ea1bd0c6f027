import type { Whereabouts } from '../reader.ts';

export const whereabouts: Whereabouts = {
  agent: 'operations',
  version: 1,
  roots: () => [],
};
