import { join } from 'node:path';
import type { Whereabouts } from '../reader.ts';

export const whereabouts: Whereabouts = {
  agent: 'droid',
  version: 1,
  roots: home => [
    {
      path: join(home, '.factory', 'sessions'),
      from: 'HOME/.factory/sessions',
      accepts: relative => relative.endsWith('.jsonl'),
    },
  ],
};
