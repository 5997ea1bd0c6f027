import { join } from 'node:path';
import type { Root, Whereabouts } from '../reader.ts';

export const whereabouts: Whereabouts = { agent: 'openclaw', version: 1, roots };

/** `OPENCLAW_STATE_DIR` stands for `~/.openclaw`; each agent of it has sessions of its own. */
function roots(home: string, env: NodeJS.ProcessEnv): Root[] {
  const moved = env.OPENCLAW_STATE_DIR ?? '';
  const path = join(moved || join(home, '.openclaw'), 'agents');
  return [{ path, from: moved === '' ? 'HOME/.openclaw/agents' : 'OPENCLAW_STATE_DIR', accepts }];
}

function accepts(relative: string): boolean {
  return /^[^/]+\/sessions\/[^/]+\.jsonl$/.test(relative);
}
