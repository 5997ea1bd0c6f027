import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { serve } from '@hono/node-server';
import { formatNamed } from '../formats/index.ts';
import { UsageError } from '../trace/usage-error.ts';
import { pageQuestions } from './page-questions.ts';
import { pageServer } from './page-server.ts';
import { type ProfileFlags, prepare } from './profile.ts';
import { warn } from './terminal.ts';

export interface OpenFlags extends ProfileFlags {
  port: string;
  browser: boolean;
}

const ADDRESS = '127.0.0.1';

/** Serves the explorer of the selected histories to this machine alone, until it is interrupted. */
export async function open(flags: OpenFlags): Promise<void> {
  const port = Number(flags.port);
  if (!/^\d+$/.test(flags.port) || port > 65535)
    throw new UsageError(`--port: ${JSON.stringify(flags.port)} is not a port; give 0 to 65535.`);
  const format = formatNamed('html');
  const { folded, history, options, asked } = await prepare(flags, format, true);
  const parts: string[] = [];
  const write = await format.writer();
  write(folded, chunk => parts.push(String(chunk)), options);
  const token = randomBytes(24).toString('base64url');
  const questions = asked && pageQuestions(history, asked.rows, asked.shown, asked.previews);
  const app = pageServer(parts.join(''), token, questions);
  await new Promise<void>((resolve, reject) => {
    const server = serve({ fetch: app.fetch, hostname: ADDRESS, port }, ({ port: taken }) => {
      const url = `http://${ADDRESS}:${taken}/${token}/`;
      process.stdout.write(`${url}\n`);
      if (!flags.quiet) warn('the page is served to this machine only; Ctrl+C ends it');
      if (flags.browser) show(url);
    });
    server.on('error', error =>
      reject(
        new UsageError(
          `--port: cannot listen on ${ADDRESS}:${port}: ${(error as NodeJS.ErrnoException).code ?? error.message}.`,
        ),
      ),
    );
    const stop = () => {
      server.close(() => resolve());
      if ('closeAllConnections' in server) server.closeAllConnections();
    };
    process.once('SIGINT', stop).once('SIGTERM', stop);
  });
}

/** Opens the address where there is a browser to open; a machine without a screen only gets the printed line. */
function show(url: string): void {
  const command = process.platform === 'darwin' ? 'open' : process.platform === 'win32' ? 'explorer.exe' : 'xdg-open';
  const screen =
    process.platform === 'darwin' || process.platform === 'win32' || process.env.DISPLAY || process.env.WAYLAND_DISPLAY;
  if (!screen) return;
  const child = spawn(command, [url], { detached: true, stdio: 'ignore' });
  child.on('error', () => warn(`no browser could be started; open ${url}`));
  child.unref();
}
