import { spawn } from 'node:child_process';
import { resolve } from 'node:path';

const PROGRAM = resolve(import.meta.dirname, '../../dist/agentpprof.js');

/** Runs the built program beside a server of this process, which must go on answering. */
export function running(
  args: readonly string[],
  env: Record<string, string>,
): Promise<{ code: number; out: string; err: string }> {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [PROGRAM, ...args], {
      env: { ...process.env, TZ: 'UTC', NO_COLOR: '1', AGENTPPROF_ID_KEY: '00'.repeat(32), ...env },
    });
    const said = { out: '', err: '' };
    child.stdout.on('data', chunk => (said.out += chunk));
    child.stderr.on('data', chunk => (said.err += chunk));
    child.on('error', fail);
    child.on('close', code => done({ code: code ?? -1, ...said }));
  });
}
