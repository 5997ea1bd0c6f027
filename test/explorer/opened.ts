import { type ChildProcess, spawn } from 'node:child_process';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
export const SAMPLE = join(ROOT, 'sample/home');

/** `agentpprof open` on a home, until it is closed. */
export interface Opened {
  /** The printed address. */
  readonly url: string;
  /** Interrupts it as Ctrl+C does; gives its exit code. */
  close(): Promise<number | null>;
}

export async function opened(home: string, ...more: string[]): Promise<Opened> {
  const child: ChildProcess = spawn(
    process.execPath,
    [join(ROOT, 'dist/agentpprof.js'), 'open', '--home', home, '--no-browser', '-q', ...more],
    { env: { ...process.env, TZ: 'UTC', AGENTPPROF_ID_KEY: '00'.repeat(32) } },
  );
  const url = await new Promise<string>((done, fail) => {
    child.stdout?.once('data', (data: Buffer) => done(data.toString().trim()));
    child.once('exit', code => fail(new Error(`ended with ${code}`)));
  });
  return {
    url,
    close: () => {
      child.removeAllListeners('exit');
      const ended = new Promise<number | null>(done => child.once('exit', code => done(code)));
      child.kill('SIGINT');
      return ended;
    },
  };
}
