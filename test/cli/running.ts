import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';

const DIST = resolve(import.meta.dirname, '../../dist');

/** Runs the built program beside a server of this process, which must go on answering. */
export function running(
  args: readonly string[],
  env: Record<string, string>,
  program: 'agentpprof' | 'agentsight' = 'agentpprof',
): Promise<{ code: number; out: string; err: string }> {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [join(DIST, `${program}.js`), ...args], {
      env: { ...process.env, TZ: 'UTC', NO_COLOR: '1', AGENTPPROF_ID_KEY: '00'.repeat(32), ...env },
    });
    const said = { out: '', err: '' };
    child.stdout.on('data', chunk => (said.out += chunk));
    child.stderr.on('data', chunk => (said.err += chunk));
    child.on('error', fail);
    child.on('close', code => done({ code: code ?? -1, ...said }));
  });
}
