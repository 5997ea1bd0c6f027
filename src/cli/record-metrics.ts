import { spawn } from 'node:child_process';
import type { Person } from '../recorder/target.ts';
import { listenAddress } from './metrics-server.ts';

/**
 * Serves metrics beside a recording, in a process of its own: reading histories must not keep the recorder from its events.
 * That process ends with this one, however this one ends; the terminal's signals are not for it.
 */
export function metricsBeside(listen: string, recordings: string, person: Person | undefined): { end(): void } {
  const args = [process.argv[1] ?? '', 'metrics', '--quiet', '--listen', listen, '--recordings', recordings];
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    detached: true,
    ...(person && { uid: person.uid, gid: person.gid, env: { ...process.env, HOME: person.home } }),
  });
  child.on('error', () => {}); // the recording goes on without it
  child.unref();
  child.channel?.unref();
  return {
    end: () => {
      if (child.connected) child.disconnect();
    },
  };
}

/** Throws UsageError for an address that is none, before anything is started. */
export function checkMetrics(listen: string | undefined): void {
  if (listen !== undefined) listenAddress(listen, '--metrics', false);
}
