import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ENGINE = 'agentsight-engine';

/** The built engine: beside the program in `dist/`. AGENTSIGHT_ENGINE names another. */
export function findEngine(env: NodeJS.ProcessEnv): string | undefined {
  const named = env.AGENTSIGHT_ENGINE;
  if (named) return runs(named) ? named : undefined;
  let dir = dirname(fileURLToPath(import.meta.url));
  for (let up = 0; up < 4; up++) {
    for (const place of [ENGINE, `dist/${ENGINE}`]) if (runs(join(dir, place))) return join(dir, place);
    dir = dirname(dir);
  }
  return undefined;
}

/** A program on the PATH. */
export function onPath(name: string, env: NodeJS.ProcessEnv): string | undefined {
  if (name.includes('/')) return runs(name) ? name : undefined;
  for (const dir of (env.PATH ?? '').split(delimiter)) if (dir !== '' && runs(join(dir, name))) return join(dir, name);
  return undefined;
}

function runs(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
