import { join } from 'node:path';
import type { Whereabouts } from '../reader.ts';

export const whereabouts: Whereabouts = { agent: 'grok', version: 1, roots };

function roots(home: string, env: NodeJS.ProcessEnv) {
  const moved = env.GROK_HOME ?? '';
  return [
    {
      path: join(moved || join(home, '.grok'), 'sessions'),
      from: moved === '' ? 'HOME/.grok/sessions' : 'GROK_HOME',
      accepts: (relative: string) => /(^|\/)chat_history\.jsonl$/.test(relative),
    },
  ];
}
