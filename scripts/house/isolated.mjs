// @ts-check
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Variables by which an agent, its provider or agentpprof itself is told of places and keys of this machine. */
const OF_THIS_MACHINE =
  /^(CLAUDE|CODEX|GEMINI|QWEN|OPENCODE|PI_|OMP_|COPILOT|CLINE|CURSOR|AMP_|FACTORY|DROID|KIMI|GROK|XAI|OPENCLAW|ANTIGRAVITY|ANTHROPIC|OPENAI|AGENTPPROF)/;
const KEPT = new Set(['AGENTPPROF_SHARED']);

/**
 * An empty home in a folder of its own, and an environment that knows no other: HOME and the XDG folders point into it
 * and the agents' own variables are gone, so nothing a child does can read or touch this machine's histories.
 *
 * @param {NodeJS.ProcessEnv} [from] the environment to start from
 * @returns {{ root: string, home: string, env: NodeJS.ProcessEnv, remove: () => void }}
 */
export function isolated(from = process.env) {
  const root = mkdtempSync(path.join(tmpdir(), 'agentpprof-'));
  const home = path.join(root, 'home');
  const within = {
    HOME: home,
    USERPROFILE: home,
    XDG_CONFIG_HOME: path.join(home, '.config'),
    XDG_CACHE_HOME: path.join(home, '.cache'),
    XDG_DATA_HOME: path.join(home, '.local', 'share'),
    XDG_STATE_HOME: path.join(home, '.local', 'state'),
    XDG_RUNTIME_DIR: path.join(root, 'run'),
    APPDATA: path.join(home, 'AppData', 'Roaming'),
    LOCALAPPDATA: path.join(home, 'AppData', 'Local'),
    TMPDIR: path.join(root, 'tmp'),
  };
  for (const folder of [home, within.XDG_RUNTIME_DIR, within.TMPDIR]) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }
  /** @type {NodeJS.ProcessEnv} */
  const env = {};
  for (const [name, value] of Object.entries(from)) {
    if (KEPT.has(name) || !OF_THIS_MACHINE.test(name)) env[name] = value;
  }
  return { root, home, env: { ...env, ...within }, remove: () => rmSync(root, { recursive: true, force: true }) };
}
