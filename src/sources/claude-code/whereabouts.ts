import type { Whereabouts } from '../reader.ts';
import { roots } from './paths.ts';

export const whereabouts: Whereabouts = {
  agent: 'claude-code',
  version: 3,
  roots,
};
