import { spawn } from 'node:child_process';
import { request } from 'node:http';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { pageServer } from '../../src/cli/page-server.ts';

const app = pageServer('<!doctype html>page', 'secret');
const ask = (url: string, init: RequestInit & { headers?: Record<string, string> } = {}) =>
  app.request(url, { ...init, headers: { host: '127.0.0.1:4000', ...init.headers } });

describe('the server of the page', () => {
  test('gives the page to who knows the token, and lets nobody keep or frame it', async () => {
    const response = await ask('/secret/');
    expect([response.status, await response.text()]).toEqual([200, '<!doctype html>page']);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('x-frame-options')).toBe('DENY');
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });

  test.each([
    ['no token', '/', {}],
    ['another token', '/secreT/', {}],
    ['a longer path', '/secret/more', {}],
    ['a token in the query', '/?token=secret', {}],
    ['a foreign host', '/secret/', { headers: { host: 'evil.example' } }],
    ['a foreign host with the port', '/secret/', { headers: { host: 'evil.example:4000' } }],
    ['a host that begins like ours', '/secret/', { headers: { host: '127.0.0.1.evil.example' } }],
    ['no host', '/secret/', { headers: { host: '' } }],
    ['a post', '/secret/', { method: 'POST' }],
  ])('refuses %s', async (_, url, init) => {
    const response = await ask(url, init);
    expect([response.status, await response.text()]).toEqual([403, 'refused\n']);
  });
});

describe('agentpprof open', () => {
  test('prints an address of this machine with a token, serves the page there, and ends when it is interrupted', async () => {
    const root = resolve(import.meta.dirname, '../..');
    const child = spawn(
      process.execPath,
      [join(root, 'dist/agentpprof.js'), 'open', '--home', join(root, 'sample/home'), '--no-browser', '-q'],
      { env: { ...process.env, TZ: 'UTC' } },
    );
    try {
      const url = await new Promise<string>((done, fail) => {
        child.stdout.once('data', (data: Buffer) => done(data.toString().trim()));
        child.once('exit', code => fail(new Error(`ended with ${code}`)));
      });
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}\/$/);
      const page = await (await fetch(url)).text();
      expect(page).toContain('28,298,786 tokens');
      const status = (path: string, host: string) =>
        new Promise<number>((done, fail) => {
          const { hostname, port } = new URL(url);
          request({ hostname, port, path, headers: { host } }, response => done(response.resume().statusCode ?? 0))
            .on('error', fail)
            .end();
        });
      expect(await status(new URL(url).pathname, 'evil.example')).toBe(403);
      expect(await status('/', new URL(url).host)).toBe(403);
    } finally {
      child.removeAllListeners('exit');
      const ended = new Promise(done => child.once('exit', done));
      child.kill('SIGINT');
      expect(await ended).toBe(0);
    }
  });
});
