import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OperationsAnswer } from '../../src/cli/page-questions.ts';
import { pageServer } from '../../src/cli/page-server.ts';
import type { Timeline } from '../../src/profile/timelines.ts';
import { agentpprof } from '../cli/program.ts';
import { type Opened, opened, SAMPLE } from './opened.ts';

const app = pageServer('<!doctype html>page', 'secret', {
  operations: () => ({ schema: 'agentpprof.operations/1', total: 0, operations: [] }),
  timeline: () => undefined,
});
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
    ['operations without a token', '/operations?stack=agent', {}],
    ['operations with another token', '/secreT/operations?stack=agent', {}],
    ['operations for a foreign host', '/secret/operations?stack=agent', { headers: { host: 'evil.example' } }],
    ['a session for a foreign host', '/secret/timeline?session=s', { headers: { host: 'evil.example' } }],
    ['operations posted', '/secret/operations?stack=agent', { method: 'POST' }],
  ])('refuses %s', async (_, url, init) => {
    const response = await ask(url, init);
    expect([response.status, await response.text()]).toEqual([403, 'refused\n']);
  });

  test('a page without a history behind it answers no questions', async () => {
    const alone = pageServer('page', 'secret');
    const response = await alone.request('/secret/operations', { headers: { host: 'localhost' } });
    expect(response.status).toBe(403);
  });
});

describe('agentpprof open', () => {
  let server: Opened;
  beforeAll(async () => {
    server = await opened(SAMPLE);
  });
  afterAll(async () => expect(await server.close()).toBe(0));
  /** On a connection of its own: an idle one may be closed while another program runs. */
  const get = (question: string) => fetch(`${server.url}${question}`, { headers: { connection: 'close' } });
  const operations = async (query: string): Promise<OperationsAnswer> => {
    const response = await get(`operations?${query}`);
    expect(response.status).toBe(200);
    return (await response.json()) as OperationsAnswer;
  };

  test('prints an address of this machine with a token, and serves the page there alone', async () => {
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}\/$/);
    const page = await (await get('')).text();
    expect(page).toContain('28,298,786 tokens');
    expect(page).toContain("connect-src 'self'".replaceAll("'", '&#39;'));
    const status = (path: string, host: string) =>
      new Promise<number>((done, fail) => {
        const { hostname, port } = new URL(server.url);
        request({ hostname, port, path, headers: { host } }, response => done(response.resume().statusCode ?? 0))
          .on('error', fail)
          .end();
      });
    expect(await status(new URL(server.url).pathname, 'evil.example')).toBe(403);
    expect(await status('/', new URL(server.url).host)).toBe(403);
  });

  test.each([
    ['agent:claude-code', 'agent,prompt,tool'],
    ['agent:codex;prompt:debug', 'agent,prompt,call,model,token'],
    ['agent:claude-code;prompt:test;tool:Bash', 'agent,prompt,tool,command'],
    ['agent:codex', 'agent,tool,domain'],
  ])('the operations under %s of the stack %s are those that explain lists', async (path, stack) => {
    const { shown } = JSON.parse(
      agentpprof(['explain', path, '--home', SAMPLE, '--stack', stack, '--limit', '0', '--json', '-q']).out,
    ) as { shown: { session: string; offset: number; bytes: number }[] };
    const place = (each: { session: string; offset: number; bytes: number }) =>
      `${each.session} ${each.offset} ${each.bytes}`;
    const z = path
      .split(';')
      .map(frame => `z=${encodeURIComponent(frame)}`)
      .join('&');
    const all = [];
    for (let offset = 0; ; offset += 70) {
      const { total, operations: part } = await operations(`stack=${stack}&${z}&offset=${offset}&limit=70`);
      all.push(...part);
      expect(total).toBe(shown.length);
      if (part.length < 70) break;
    }
    expect(all.map(place).sort()).toEqual(shown.map(place).sort());
  });

  test('filters and a session narrow the operations as they narrow the page', async () => {
    const all = await operations('stack=agent&limit=500');
    const day = (start: number) => new Date(start).toISOString().slice(0, 10);
    const codex = await operations('stack=agent&only.agent=codex&from=2026-10-20&to=2026-10-21&limit=500');
    expect(
      codex.operations.map(each => day(each.start)).every(each => each >= '2026-10-20' && each <= '2026-10-21'),
    ).toBe(true);
    expect(codex.total).toBeGreaterThan(0);
    const session = all.operations[0]?.session ?? '';
    const narrowed = await operations(`stack=agent&session=${session}&limit=500`);
    expect(narrowed.operations.every(each => each.session === session)).toBe(true);
    expect(narrowed.operations.length).toBe(all.operations.filter(each => each.session === session).length);
  });

  test('any session is given over time, with the places of its records; an unknown one is not', async () => {
    const [first] = (await operations('stack=agent&limit=1')).operations;
    const response = await get(`timeline?session=${first?.session}`);
    const timeline = (await response.json()) as Timeline;
    expect(timeline.sessions).toContain(first?.session);
    expect(timeline.spans.filter(span => span.kind === 'call').every(span => span.bytes > 0)).toBe(true);
    expect((await get('timeline?session=nobody')).status).toBe(404);
  });

  test.each([
    ['stack=nonsense', 'there is no frame "nonsense"'],
    ['stack=agent&limit=many', 'limit: "many" is no number'],
    ['stack=agent&only.nonsense=1', 'there is no field "nonsense"'],
  ])('%s is answered with what is wrong', async (query, said) => {
    const response = await get(`operations?${query}`);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain(said);
  });
});
