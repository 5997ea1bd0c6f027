import { join } from 'node:path';
import { KEEP } from '../pi/keep.ts';
import { SessionSink } from '../pi/read.ts';
import { clientOf } from '../pi/sniff.ts';
import type { FileState } from '../pi/state.ts';
import type { Reader, Root } from '../reader.ts';

/** OpenClaw, which runs Pi inside: see README.md beside this file. */
export const openclaw: Reader = {
  agent: 'openclaw',
  version: 1,
  keep: KEEP,
  roots,
  sniff: head => clientOf(head) === 'openclaw',
  open: (file, out, ledger, state) => new SessionSink('openclaw', file, out, ledger, state as FileState | undefined),
};

/** `OPENCLAW_STATE_DIR` stands for `~/.openclaw`; each agent of it has sessions of its own. */
function roots(home: string, env: NodeJS.ProcessEnv): Root[] {
  const moved = env.OPENCLAW_STATE_DIR ?? '';
  const path = join(moved || join(home, '.openclaw'), 'agents');
  return [{ path, from: moved === '' ? 'HOME/.openclaw/agents' : 'OPENCLAW_STATE_DIR', accepts }];
}

function accepts(relative: string): boolean {
  return /^[^/]+\/sessions\/[^/]+\.jsonl$/.test(relative);
}
