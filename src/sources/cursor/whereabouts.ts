import { join } from 'node:path';
import type { Whereabouts } from '../reader.ts';

export const whereabouts: Whereabouts = {
  agent: 'cursor',
  version: 1,
  roots: home => [
    {
      path: join(home, '.cursor', 'projects'),
      from: 'HOME/.cursor/projects',
      accepts: relative => /\/agent-transcripts\/.*\.jsonl$/.test(relative),
    },
  ],
};
