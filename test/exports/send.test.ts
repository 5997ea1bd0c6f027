import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { type SendOptions, send, tracesUrl } from '../../src/exports/send.ts';
import { decodeTraces } from '../../src/otlp/decode.ts';
import type { TracesData } from '../../src/otlp/encode.ts';

/** What the server does with a request: answers with a status, or not at all. */
interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly never?: boolean;
  readonly reset?: boolean;
}

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

interface Seen {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** A receiver on loopback that answers as scripted, the last answer for all later requests. */
async function scripted(...answers: Answer[]): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', part => parts.push(part));
    request.on('end', () => {
      const answer = answers[Math.min(seen.length, answers.length - 1)] as Answer;
      seen.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(parts) });
      if (answer.never) return;
      if (answer.reset) request.socket.destroy();
      else response.writeHead(answer.status ?? 200, answer.headers).end(answer.body ?? '{}');
    });
  });
  servers.push(server);
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

const batch = (...names: string[]): TracesData => ({
  resourceSpans: [
    {
      scopeSpans: [
        {
          spans: names.map((name, at) => ({
            traceId: '0af7651916cd43dd8448eb211c80319c',
            spanId: `b7ad6b716920333${at}`,
            name,
            startTimeUnixNano: '1000',
            endTimeUnixNano: '2000',
          })),
        },
      ],
    },
  ],
});

/** Waits that were asked for, and none that is waited. */
function options(endpoint: string, more: Partial<SendOptions> = {}): SendOptions & { waits: number[] } {
  const waits: number[] = [];
  const wait = async (millis: number) => void waits.push(millis);
  return { endpoint, format: 'otlp-proto', headers: {}, wait, waits, ...more };
}

describe('a receiver that takes everything', () => {
  test.each(['otlp-proto', 'otlp-json'] as const)('gets each batch as %s, with the headers given', async format => {
    const { url, seen } = await scripted({});
    const asked = options(url, { format, headers: { authorization: 'Basic eA==' } });
    expect(await send([batch('a', 'b'), batch('c')], asked)).toEqual({ batches: 2, spans: 3, rejected: 0 });
    expect(seen.map(each => each.path)).toEqual(['/v1/traces', '/v1/traces']);
    expect(seen[0]?.headers.authorization).toBe('Basic eA==');
    const first = seen[0]?.body as Buffer;
    const got = format === 'otlp-json' ? JSON.parse(first.toString()) : decodeTraces(first);
    expect(got.resourceSpans[0].scopeSpans[0].spans.map((span: { name: string }) => span.name)).toEqual(['a', 'b']);
  });

  test.each([
    ['in JSON', '{"partialSuccess":{"rejectedSpans":"2","errorMessage":"old"}}', 2],
    ['in protobuf', '\n\u0007\b\u0002\u0012\u0003old', 2],
    ['with nothing', '', 0],
    ['with something else', '<html>', 0],
    ['with half a message', '\n\u0007\b', 0],
  ])('that refuses some spans says so, %s', async (_, body, rejected) => {
    const { url } = await scripted({ body });
    expect((await send([batch('a', 'b', 'c')], options(url))).rejected).toBe(rejected);
  });
});

describe('a receiver that does not answer well', () => {
  test('is busy twice: it is tried again when it says, and later each time', async () => {
    const { url, seen } = await scripted({ status: 429, headers: { 'retry-after': '7' } }, { status: 503 }, {});
    const asked = options(url);
    expect((await send([batch('a')], asked)).batches).toBe(1);
    expect(asked.waits).toEqual([7000, 2000]);
    expect(new Set(seen.map(each => each.body.toString('hex'))).size).toBe(1);
  });

  test('is busy until a date: it is tried again then, but nobody waits longer than a minute', async () => {
    const { url } = await scripted(
      { status: 503, headers: { 'retry-after': new Date(Date.now() + 9e6).toUTCString() } },
      {},
    );
    const asked = options(url);
    await send([batch('a')], asked);
    expect(asked.waits).toEqual([60_000]);
  });

  test('is busy for ever: the tries end', async () => {
    const { url, seen } = await scripted({ status: 429 });
    await expect(send([batch('a')], options(url, { tries: 3 }))).rejects.toThrow(/127\.0\.0\.1:\d+: it answered 429$/);
    expect(seen.length).toBe(3);
  });

  test.each([400, 401, 404, 500])('answers %i: that is final', async status => {
    const { url, seen } = await scripted({ status });
    await expect(send([batch('a'), batch('b')], options(url))).rejects.toThrow(`it answered ${status}`);
    expect(seen.length).toBe(1);
  });

  test('sends elsewhere: nothing follows there', async () => {
    const other = await scripted({});
    const { url } = await scripted({ status: 307, headers: { location: other.url } });
    await expect(send([batch('a')], options(url, { tries: 1 }))).rejects.toThrow();
    expect(other.seen).toEqual([]);
  });

  test('is slow: a try ends, and the next is made', async () => {
    const { url, seen } = await scripted({ never: true }, {});
    expect((await send([batch('a')], options(url, { patience: 300 }))).batches).toBe(1);
    expect(seen.length).toBe(2);
  });

  test('breaks off, or is not there: it is named with the reason', async () => {
    const { url } = await scripted({ reset: true });
    await expect(send([batch('a')], options(url, { tries: 2 }))).rejects.toThrow(/^127\.0\.0\.1:\d+: /);
    await expect(send([batch('a')], options('http://127.0.0.1:1', { tries: 2 }))).rejects.toThrow(/^127\.0\.0\.1:1: /);
  });
});

test.each([
  ['http://h:4318', 'http://h:4318/v1/traces'],
  ['https://h/', 'https://h/v1/traces'],
  ['https://h/api/public/otel/v1/traces', 'https://h/api/public/otel/v1/traces'],
])('%s means %s', (given, url) => expect(tracesUrl(given)).toBe(url));

test.each(['', 'h:4318', 'ftp://h', 'https://user:secret@h'])('%j is no receiver', given =>
  expect(() => tracesUrl(given)).toThrow(),
);
