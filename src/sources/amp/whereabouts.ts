import { join } from 'node:path';
import type { Whereabouts } from '../reader.ts';

export const whereabouts: Whereabouts = { agent: 'amp', version: 1, roots };

function roots(home: string, env: NodeJS.ProcessEnv) {
  const moved = env.XDG_DATA_HOME ?? '';
  const path = join(moved || join(home, '.local', 'share'), 'amp', 'threads');
  const accepts = (relative: string) => /^T-[^/]+\.json$/.test(relative);
  return [{ path, from: moved === '' ? 'HOME/.local/share/amp/threads' : 'XDG_DATA_HOME', accepts }];
}
