import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
export const PROGRAM = join(ROOT, 'dist/agentpprof.js');

/** The corpus beside the project; undefined where it is not there. */
export const SHARED = (() => {
  const path = process.env.AGENTPPROF_SHARED ?? join(ROOT, '../shared');
  return existsSync(join(path, 'corpus')) ? path : undefined;
})();

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly bytes: Buffer;
  readonly err: string;
}

/** Runs the built program as a person would, in a home of its own. */
export function agentpprof(
  args: readonly string[],
  options: {
    readonly home?: string;
    readonly cwd?: string;
    readonly env?: Record<string, string>;
    /** Another file than the built program. */
    readonly program?: string;
  } = {},
): Ran {
  if (!existsSync(PROGRAM)) throw new Error('dist/ is not built: run npm run build');
  const env = {
    ...process.env,
    // What other tests keep (marks, traces, an archive) is no part of this home.
    ...(options.home ? { HOME: options.home, XDG_DATA_HOME: join(options.home, '.local/share') } : {}),
    TZ: 'UTC',
    NO_COLOR: '1',
    AGENTPPROF_ID_KEY: '00'.repeat(32),
    ...options.env,
  };
  const ran = spawnSync(process.execPath, [options.program ?? PROGRAM, ...args], {
    cwd: options.cwd ?? ROOT,
    env,
    maxBuffer: 1 << 28,
  });
  return { code: ran.status ?? -1, out: ran.stdout.toString(), bytes: ran.stdout, err: ran.stderr.toString() };
}

/** A scratch folder for one test file. */
export function scratch(name: string): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), `agentpprof-${name}-`));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
