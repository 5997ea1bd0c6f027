import type { Whereabouts } from '../reader.ts';

export const whereabouts: Whereabouts = {
  agent: 'mini-swe-agent',
  version: 1,
  roots: () => [],
};
