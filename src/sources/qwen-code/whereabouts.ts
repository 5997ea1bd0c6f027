import type { Whereabouts } from '../reader.ts';
import { roots } from './paths.ts';

export const whereabouts: Whereabouts = {
  agent: 'qwen-code',
  version: 2,
  roots,
};
