import { isAbsolute, join } from 'node:path';
import type { Root } from '../reader.ts';

/** Where `agentpprof receive` puts what it is sent: `${XDG_DATA_HOME:-HOME/.local/share}/agentpprof/traces`. */
export function tracesDirectory(home: string, env: NodeJS.ProcessEnv): string {
  const { XDG_DATA_HOME: data } = env;
  return join(data && isAbsolute(data) ? data : join(home, '.local', 'share'), 'agentpprof', 'traces');
}

/** Traces have no place of their own but that: other files are named outright. */
export function roots(home: string, env: NodeJS.ProcessEnv): Root[] {
  return [
    {
      path: tracesDirectory(home, env),
      from: 'agentpprof receive',
      accepts: relative => /\.(jsonl?|ndjson|pb|binpb|otlp)(\.gz|\.zst)?$/.test(relative),
    },
  ];
}
