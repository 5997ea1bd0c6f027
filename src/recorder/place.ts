import { isAbsolute, join } from 'node:path';

/** `${XDG_STATE_HOME:-HOME/.local/state}/agentpprof/recordings`; a relative variable is ignored, as its standard says. */
export function recordingsDirectory(env: NodeJS.ProcessEnv, home: string): string {
  const { XDG_STATE_HOME: state } = env;
  return join(state && isAbsolute(state) ? state : join(home, '.local', 'state'), 'agentpprof', 'recordings');
}

export const PART = /^(\d{8}T\d{6}Z-[0-9a-f]{6})\.(\d{4,})\.ndjson\.gz$/;
export const partName = (id: string, part: number): string => `${id}.${String(part).padStart(4, '0')}.ndjson.gz`;
/** Beside the parts: the text of TLS, a message a line. */
export const textName = (id: string): string => `${id}.tls.ndjson.gz`;
/** Beside the parts while a recording runs: the recorder's process number and start, so that `stop` never hits another. */
export const runningName = (id: string): string => `${id}.running`;
export const RUNNING = /^(\d{8}T\d{6}Z-[0-9a-f]{6})\.running$/;
