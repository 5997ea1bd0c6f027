import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { receive } from '../../src/cli/receive.ts';
import { type Receiver, startReceiver } from '../../src/cli/receiver.ts';
import { otel } from '../../src/sources/otel/reader.ts';
import { encodeTraces } from '../sources/otel/encode.ts';
import { agent, batch, model } from '../sources/otel/otlp.ts';
import { readFiles, tokensByModel } from '../sources/reading.ts';

const directory = mkdtempSync(join(tmpdir(), 'receive-'));
afterAll(() => rmSync(directory, { recursive: true }));
let running: Receiver | undefined;
afterEach(async () => {
  await running?.close(100);
  running = undefined;
});
let files = 0;

async function start(options: { file?: string; mostBytes?: number; mostFileBytes?: number } = {}) {
  const file = options.file ?? join(directory, `${files++}.jsonl`);
  running = await startReceiver({ port: 0, ...options, file });
  return { file, receiver: running };
}

interface Sending {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The host and origin of a request are what `fetch` would not let a test choose. */
function send(body: Buffer | string, { path = '/v1/traces', method = 'POST', headers = {} }: Sending = {}) {
  return new Promise<{ status: number; body: string; type: string }>((resolve, reject) => {
    const sent = request(
      {
        port: running?.port,
        host: '127.0.0.1',
        path,
        method,
        headers: { 'content-type': 'application/json', ...headers },
      },
      response => {
        const parts: Buffer[] = [];
        response.on('data', part => parts.push(part));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            body: Buffer.concat(parts).toString(),
            type: response.headers['content-type'] ?? '',
          }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

const FIRST = batch([model('a', 100, 10, { parent: 'main', at: 1 })]);
const SECOND = batch([
  agent('main', { to: 9, has: { 'gen_ai.usage.input_tokens': 100, 'gen_ai.usage.output_tokens': 10 } }),
]);
const encoded = (value: object) => encodeTraces(value as Record<string, unknown>);
const protobuf = { 'content-type': 'application/x-protobuf' };

describe('what is sent can be read', () => {
  test.each<[string, Buffer | string, Buffer | string, Record<string, string>]>([
    ['JSON', JSON.stringify(FIRST), JSON.stringify(SECOND, undefined, 2), {}],
    ['protobuf', encoded(FIRST), encoded(SECOND), protobuf],
    ['gzip', gzipSync(JSON.stringify(FIRST)), gzipSync(JSON.stringify(SECOND)), { 'content-encoding': 'gzip' }],
    [
      'protobuf in gzip',
      gzipSync(encoded(FIRST)),
      gzipSync(encoded(SECOND)),
      { ...protobuf, 'content-encoding': 'gzip' },
    ],
  ])('%s', async (_, first, second, headers) => {
    const { file } = await start();
    const answers = [await send(first, { headers }), await send(second, { headers })];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[0]?.type).toBe(headers['content-type'] ?? 'application/json');
    const read = readFiles(otel, [file]);
    expect(read.ledgers[0]).toMatchObject({ lines: 2, badLines: 0 });
    expect(tokensByModel(read).get('all')).toMatchObject({ calls: 1, total: 110 });
  });

  test('numbers beyond doubles stay as they were sent', async () => {
    const { file } = await start();
    await send('{"resourceSpans":[],\n"n":1781293600000000999}');
    expect(readFileSync(file, 'utf8')).toBe('{"resourceSpans":[], "n":1781293600000000999}\n');
  });

  test('a line that broke off before does not swallow the next', async () => {
    const file = join(directory, 'torn.jsonl');
    writeFileSync(file, '{"resourceSpans":[');
    await start({ file });
    await send(JSON.stringify(FIRST));
    expect(readFiles(otel, [file]).ledgers[0]).toMatchObject({ lines: 2, badLines: 1 });
  });

  test.skipIf(process.platform === 'win32')('nobody else may read the file', async () => {
    const { file } = await start();
    expect(statSync(file).mode & 0o77).toBe(0);
  });
});

describe('what is refused, and nothing of it written', () => {
  test.each<[string, Buffer | string, Sending, number]>([
    ['a web page', '{}', { headers: { origin: 'https://evil.example' } }, 403],
    ['another name for this machine', '{}', { headers: { host: 'evil.example' } }, 403],
    ['metrics', '{}', { path: '/v1/metrics' }, 404],
    ['reading', '', { method: 'GET' }, 405],
    ['another type', 'x', { headers: { 'content-type': 'text/plain' } }, 415],
    ['another packing', 'x', { headers: { 'content-encoding': 'br' } }, 415],
    ['no JSON', '{', {}, 400],
    ['JSON of something else', '{"a":1}', {}, 400],
    ['a batch that is none', '{"resourceSpans":5}', {}, 400],
    ['no message', Buffer.from([0xff, 0xff]), { headers: protobuf }, 400],
    ['no gzip', 'x', { headers: { 'content-encoding': 'gzip' } }, 400],
    ['too long', Buffer.alloc(5000, 32), {}, 413],
    ['too long, not said before', Buffer.alloc(5000, 32), { headers: { 'transfer-encoding': 'chunked' } }, 413],
    ['a bomb', gzipSync(Buffer.alloc(1 << 20)), { headers: { 'content-encoding': 'gzip' } }, 413],
  ])('%s', async (_, body, sending, status) => {
    const { file, receiver } = await start({ mostBytes: 4000 });
    expect((await send(body, sending)).status).toBe(status);
    expect(readFileSync(file, 'utf8')).toBe('');
    expect(receiver.counts).toEqual({ written: 0, refused: 1 });
  });

  test('what would make the file too long', async () => {
    const line = JSON.stringify(FIRST);
    const { file } = await start({ mostFileBytes: line.length + 10 });
    expect([(await send(line)).status, (await send(line)).status]).toEqual([200, 507]);
    expect(readFileSync(file, 'utf8')).toBe(`${line}\n`);
  });

  test('a port that is taken, or is none', async () => {
    const { receiver } = await start();
    await expect(startReceiver({ file: join(directory, 'x'), port: receiver.port })).rejects.toThrow(
      /something else listens/,
    );
    await expect(receive({ port: 'http' })).rejects.toThrow(/no port/);
    await expect(startReceiver({ file: join(directory, 'torn.jsonl', 'x'), port: 0 })).rejects.toThrow(
      /cannot be written/,
    );
  });
});

test.each([
  [join(directory, 'nowhere', 'x.jsonl'), /-o: there is no directory .*nowhere; make it first/],
  ['-', /-o: .*not to standard output/],
])('-o %s is refused as everywhere, and nothing is made', async (output, message) => {
  await expect(receive({ port: '0', output, quiet: true })).rejects.toThrow(message);
  expect(existsSync(join(directory, 'nowhere'))).toBe(false);
});

test('without -o the folder of traces is made, for its owner alone', async () => {
  vi.stubEnv('XDG_DATA_HOME', join(directory, 'data'));
  const before = process.listenerCount('SIGINT');
  const ended = receive({ port: '0', quiet: true });
  await expect.poll(() => process.listenerCount('SIGINT')).toBe(before + 1);
  process.emit('SIGINT');
  await ended;
  const folder = join(directory, 'data/agentpprof/traces');
  expect(readdirSync(folder)).toEqual([expect.stringMatching(/^traces-\d{8}T\d{6}Z\.jsonl$/)]);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  vi.unstubAllEnvs();
});

test('SIGINT ends it: what was sent is written, nothing listens any more', async () => {
  const file = join(directory, 'ended.jsonl');
  const before = process.listenerCount('SIGINT');
  const ended = receive({ port: '0', output: file, quiet: true });
  await expect.poll(() => process.listenerCount('SIGINT')).toBe(before + 1);
  process.emit('SIGINT');
  await ended;
  expect(process.listenerCount('SIGINT')).toBe(before);
  expect(readFileSync(file, 'utf8')).toBe('');
});
