import type { Whereabouts } from '../reader.ts';
import { AGENT } from './agent.ts';
import { identity, roots } from './paths.ts';

export const whereabouts: Whereabouts = {
  agent: AGENT,
  version: 2,
  roots,
  identity,
};
