import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { decodeTraces } from '../../src/otlp/decode.ts';
import type { OtlpSpan, TracesData } from '../../src/otlp/encode.ts';
import { headerOf, writeStory } from '../recorder/story.ts';
import { scratch } from './program.ts';
import { running } from './running.ts';

const place = scratch('recording-export');
afterAll(() => place.remove());
const dir = join(place.path, 'run');
const env = { HOME: place.path, XDG_STATE_HOME: '' };
const SECRET = `sk-ant-api03-${'x'.repeat(80)}`;

writeStory(
  dir,
  `
  0 1 exec claude
  1 1 fork 2
  2 2 exec curl --key ${SECRET} /home/mallory/x
  3 2 connect 10.0.0.1:443
  9 2 exit 7 cpu=3
  end
`,
  headerOf('20261101T000000Z-00c0de', ['/home/mallory/bin/claude']),
);

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A receiver on loopback that answers with these, the last again and again. */
async function collector(...answers: { status: number; headers?: Record<string, string> }[]) {
  const seen: { type: string; body: Buffer }[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', part => parts.push(part));
    request.on('end', () => {
      const answer = answers[Math.min(seen.length, answers.length - 1)] ?? { status: 200 };
      seen.push({ type: request.headers['content-type'] ?? '', body: Buffer.concat(parts) });
      response.writeHead(answer.status, answer.headers).end();
    });
  });
  servers.push(server);
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

const report = (...args: string[]) => running(['report', dir, ...args], env, 'agentsight');
const spansIn = (data: TracesData): OtlpSpan[] =>
  data.resourceSpans.flatMap(each => each.scopeSpans.flatMap(scope => scope.spans));

describe('agentsight report --otlp-endpoint', () => {
  test.each([
    ['otlp-proto', 'application/x-protobuf'],
    ['otlp-json', 'application/json'],
  ])('sends the processes as %s, without arguments and homes', async (format, type) => {
    const { url, seen } = await collector();
    const ran = await report('--otlp-endpoint', url, '--otlp-format', format);
    expect([ran.code, ran.out, ran.err]).toEqual([0, '', 'sent 3 spans in 1 request\n']);
    expect(seen.map(each => each.type)).toEqual([type]);
    const body = seen[0]?.body as Buffer;
    const data = (format === 'otlp-json' ? JSON.parse(body.toString()) : decodeTraces(body)) as TracesData;
    expect(spansIn(data).map(span => span.name)).toEqual(['recording', 'claude', 'curl']);
    expect(JSON.stringify(data)).not.toMatch(/mallory|sk-ant|--key/);
  });

  test('sends arguments where they are asked for, secrets and homes replaced', async () => {
    const { url, seen } = await collector();
    await report('--otlp-endpoint', url, '--otlp-format', 'otlp-json', '--include-previews');
    const text = seen[0]?.body.toString() ?? '';
    expect(text).toContain('--key');
    expect(text).not.toMatch(/mallory|sk-ant-api03/);
  });

  test('--json says what was sent', async () => {
    const { url } = await collector();
    const { out } = await report('--otlp-endpoint', url, '--json');
    expect(JSON.parse(out)).toEqual({ schema: 'agentpprof.export/1', batches: 1, spans: 3, rejected: 0 });
  });

  test.each([429, 503])('waits when the receiver answers %i and says when', async status => {
    const { url, seen } = await collector({ status, headers: { 'retry-after': '1' } }, { status: 200 });
    expect((await report('--otlp-endpoint', url)).code).toBe(0);
    expect(seen.length).toBe(2);
  });

  test('fails when it is refused, and names the receiver', async () => {
    const { url } = await collector({ status: 401 });
    const ran = await report('--otlp-endpoint', url);
    expect([ran.code, ran.out]).toEqual([1, '']);
    expect(ran.err).toMatch(/--otlp-endpoint: 127\.0\.0\.1:\d+: it answered 401\./);
  });

  test('sends nothing without the option, whatever the environment names', async () => {
    const { url, seen } = await collector();
    const told = { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url };
    for (const args of [
      ['report', dir],
      ['report', dir, '--json'],
    ]) {
      expect((await running(args, told, 'agentsight')).code).toBe(0);
    }
    expect(seen).toEqual([]);
  });

  test.each<[string, string[], RegExp]>([
    ['no address', ['--otlp-endpoint', 'x'], /--otlp-endpoint: "x" is no address/],
    ['an unknown form', ['--otlp-endpoint', 'http://127.0.0.1:1', '--otlp-format', 'csv'], /--otlp-format: takes/],
    ['a header for nobody', ['--otlp-header', 'a=b'], /is for --otlp-endpoint, which is not given/],
  ])('%s is wrong usage', async (_, args, message) => {
    const ran = await report(...args);
    expect([ran.code, ran.out]).toEqual([2, '']);
    expect(ran.err).toMatch(message);
  });
});
