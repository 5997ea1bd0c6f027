import { isAbsolute, join } from 'node:path';

/** `${XDG_DATA_HOME:-HOME/.local/share}/agentpprof/marks.json`; a relative variable is ignored, as its standard says. */
export function marksFile(env: NodeJS.ProcessEnv, home: string): string {
  const { XDG_DATA_HOME: data } = env;
  return join(data && isAbsolute(data) ? data : join(home, '.local', 'share'), 'agentpprof', 'marks.json');
}
