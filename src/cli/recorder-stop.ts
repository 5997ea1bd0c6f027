import { readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { RUNNING, recordingsDirectory } from '../recorder/place.ts';
import { startOf } from '../recorder/recording.ts';

/** `agentsight stop [DIR]`: ends the recordings under way in a folder; what is recorded goes on running. */
export function stopCommand(given: string | undefined): number {
  const dir = resolve(given ?? recordingsDirectory(process.env, homedir()));
  let stopped = 0;
  for (const name of listed(dir)) {
    if (!RUNNING.test(name)) continue;
    try {
      const { pid, start } = JSON.parse(readFileSync(join(dir, name), 'utf8')) as { pid: number; start: number };
      // The number may be another process by now: its start time tells.
      if (startOf(pid) !== start) continue;
      process.kill(pid, 'SIGUSR2');
      stopped++;
    } catch {
      // a recording that ended while we looked
    }
  }
  process.stdout.write(
    stopped === 0 ? `no recording is running in ${dir}\n` : `${stopped} recording${stopped === 1 ? '' : 's'} stopped\n`,
  );
  return 0;
}

function listed(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}
