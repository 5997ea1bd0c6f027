import type { Whereabouts } from '../reader.ts';
import { AGENT } from './agent.ts';
import { roots } from './paths.ts';

export const whereabouts: Whereabouts = {
  agent: AGENT,
  version: 1,
  roots,
};
