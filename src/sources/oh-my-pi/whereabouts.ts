import { join } from 'node:path';
import { accepts } from '../pi/paths.ts';
import type { Whereabouts } from '../reader.ts';

export const whereabouts: Whereabouts = {
  agent: 'oh-my-pi',
  version: 1,
  roots: home => [{ path: join(home, '.omp', 'agent', 'sessions'), from: 'HOME/.omp/agent/sessions', accepts }],
};
