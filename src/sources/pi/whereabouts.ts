import type { Whereabouts } from '../reader.ts';
import { roots } from './paths.ts';

export const whereabouts: Whereabouts = {
  agent: 'pi',
  version: 1,
  roots,
};
