import { join } from 'node:path';
import type { Whereabouts } from '../reader.ts';

export const whereabouts: Whereabouts = {
  agent: 'kimi',
  version: 1,
  roots: home => [
    {
      path: join(home, '.kimi-code', 'sessions'),
      from: 'HOME/.kimi-code/sessions',
      accepts: relative => /(^|\/)state\.json$/.test(relative),
    },
  ],
};
