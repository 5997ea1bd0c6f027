import type { Whereabouts } from '../reader.ts';

export const whereabouts: Whereabouts = {
  agent: 'swe-agent',
  version: 1,
  roots: () => [],
};
