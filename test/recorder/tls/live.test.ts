import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onPath } from '../../../src/recorder/find-engine.ts';
import { textName } from '../../../src/recorder/place.ts';
import { liveRecorder, readBack, unusable } from '../live.ts';

const live = liveRecorder();
afterAll(() => live.remove());
const file = (name: string): string => join(live.dir, name);

const SECRETS = {
  bearer: `sk-ant-${'api03'}-Hh7Gg6Ff5Ee4Dd3Cc2Bb1Aa0`,
  key: 'x-api-key-in-plain-words',
  cookie: 'sid-of-the-session-8812',
  password: 'a-password-in-a-body',
  answered: `sk-proj-${'Kk9Jj8Ii7'}Hh6Gg5Ff4Ee3Dd2`,
};

const reason = unusable('bpf') ?? (onPath('openssl', process.env) === undefined ? 'no openssl' : undefined);

/** Runs a command, recorded or not; the server of this process answers meanwhile. */
async function run(argv: readonly string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const env = { ...live.env, NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_NO_WARNINGS: '1' };
  const child = spawn(argv[0]!, argv.slice(1), { cwd: live.dir, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', data => (said.stdout += data));
  child.stderr.on('data', data => (said.stderr += data));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...said };
}

/** Records it and gives all that is on the disk afterwards, unpacked. */
async function recorded(name: string, argv: readonly string[], flags: readonly string[] = []) {
  const out = file(name);
  const record = [process.execPath, live.program, 'record', '--quiet', '--tls', ...flags, '--out', out, '--'];
  const ending = await run([...record, ...argv]);
  const names = readdirSync(out);
  const disk = names.map(each => gunzipSync(readFileSync(join(out, each))).toString()).join('\n');
  const { header, events, summary } = await readBack(out);
  const text = names.includes(textName(header.id)) ? join(out, textName(header.id)) : undefined;
  const lines = text === undefined ? [] : gunzipSync(readFileSync(text)).toString().split('\n').filter(Boolean);
  const messages = lines.map(line => JSON.parse(line) as { ref: number; dir: string; start: string; body?: string });
  return { ending, out, disk, header, events, summary, text, messages };
}

describe.skipIf(reason)(`text of TLS, read by bpf${reason ? `: ${reason}` : ''}`, () => {
  let server: Server;
  let port = 0;

  beforeAll(async () => {
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject];
    execFileSync('openssl', [...made, '-keyout', file('key.pem'), '-out', file('cert.pem')], { stdio: 'ignore' });
    server = createServer({ key: readFileSync(file('key.pem')), cert: readFileSync(file('cert.pem')) });
    server.on('request', async (request, response) => {
      let size = 0;
      for await (const piece of request) size += (piece as Buffer).length;
      response.setHeader('set-cookie', SECRETS.cookie);
      response.setHeader('content-type', 'application/json');
      const text = JSON.stringify({ path: request.url, size, key: SECRETS.answered });
      const packed = (request.headers['accept-encoding'] ?? '').includes('gzip');
      if (packed) response.setHeader('content-encoding', 'gzip');
      response.end(packed ? gzipSync(text) : text);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;

    // Secrets stand in files, because what stands among the arguments is in every recording.
    const body = JSON.stringify({ ask: 'what is in here', password: SECRETS.password });
    const url = `https://127.0.0.1:${port}`;
    const headers = [
      `Authorization: Bearer ${SECRETS.bearer}`,
      `x-api-key: ${SECRETS.key}`,
      `Cookie: ${SECRETS.cookie}`,
    ];
    const curl = [
      'silent',
      'insecure',
      'compressed',
      `url = "${url}/curl"`,
      ...headers.map(each => `header = "${each}"`),
    ];
    writeFileSync(file('curl.conf'), [...curl, `data = ${JSON.stringify(body)}`].join('\n'));
    const pairs = JSON.stringify(Object.fromEntries(headers.map(each => each.split(': '))));
    writeFileSync(
      file('client.py'),
      `import ssl, urllib.request
context = ssl._create_unverified_context()
request = urllib.request.Request('${url}/python', headers=${pairs}, data=${JSON.stringify(body)}.encode() + b' ' * 200000)
print(urllib.request.urlopen(request, context=context).status)`,
    );
    writeFileSync(
      file('client.mjs'),
      `const answer = await fetch('${url}/node', { method: 'POST', headers: ${pairs}, body: ${JSON.stringify(body)} });
console.log(answer.status);`,
    );
    // Every byte a write of its own: a header is split wherever it can be.
    writeFileSync(
      file('split.mjs'),
      `import { connect } from 'node:tls';
const socket = connect({ host: '127.0.0.1', port: ${port}, rejectUnauthorized: false }, async () => {
  const text = ${JSON.stringify(`GET /split HTTP/1.1\r\nHost: h\r\n${headers.join('\r\n')}\r\nConnection: close\r\n\r\n`)};
  for (const byte of text) await new Promise(done => socket.write(byte, done));
});
socket.resume().on('end', () => console.log('over'));`,
    );
  });
  afterAll(() => void server?.closeAllConnections());
  afterAll(() => void server?.close());

  it('of curl, python3 and node is there, without their secrets, and the programs run as ever', async () => {
    const clients: [string, string, string][] = [
      ['curl', 'curl --config curl.conf', 'POST /curl HTTP/1.1'],
      ['/usr/bin/python3', '/usr/bin/python3 client.py', 'POST /python HTTP/1.1'],
      ['node', 'node client.mjs', 'POST /node HTTP/1.1'],
      ['node', 'node split.mjs', 'GET /split HTTP/1.1'],
    ];
    const here = clients.filter(([program]) => onPath(program, process.env) !== undefined);
    const argv = ['bash', '-c', `${here.map(([, line]) => `${line} && echo on`).join('; ')}; exit 3`];
    const alone = await run(argv);
    const { ending, out, disk, header, events, text, messages } = await recorded('clients', argv);
    expect(ending).toEqual(alone);
    expect([alone.code, alone.stdout.match(/on$/gm)?.length]).toEqual([3, here.length]);

    for (const secret of Object.values(SECRETS))
      for (let at = 0; at + 12 <= secret.length; at += 6) expect(disk).not.toContain(secret.slice(at, at + 12));
    expect(statSync(text!).mode & 0o777).toBe(0o600);
    expect(header.caps.tls).toBe('openssl');
    expect(messages.map(each => [each.ref, each.dir, each.start])).toEqual(
      here.flatMap(([, , start], at) => [
        [2 * at + 1, 'sent', start],
        [2 * at + 2, 'received', 'HTTP/1.1 200 OK'],
      ]),
    );
    for (const { dir, start, body } of messages)
      if (dir === 'received') expect(body).toMatch(/^\{"path":"\/\w+","size":\d+,"key":"\[redacted\]"\}$/);
      else if (start.startsWith('POST')) expect(body?.trim()).toBe('{"ask":"what is in here","password":"[redacted]"}');
    const data = events.filter(event => event.type === 'tls.data');
    expect(data.map(event => [event.text_ref, event.whole, event.redacted > 0])).toEqual(
      messages.map(({ ref }) => [ref, true, true]),
    );
    const report = live.run(['report', out]).stdout;
    for (const [, , start] of here) expect(report).toContain(`${start}  1 time`);
  });

  it('is only of the tree: what others send meanwhile is not in it', async () => {
    writeFileSync(file('wait.mjs'), `await fetch('https://127.0.0.1:${port}/inside');`);
    const script = `node wait.mjs; touch asked; until [ -e answered ]; do sleep 0.05; done`;
    const recording = recorded('tree', ['bash', '-c', script]);
    while (!readdirSync(live.dir).includes('asked')) await new Promise(resolve => setTimeout(resolve, 20));
    await run([process.execPath, '-e', `fetch('https://127.0.0.1:${port}/outside')`]);
    writeFileSync(file('answered'), '');
    const { messages } = await recording;
    expect(messages.map(({ start }) => start)).toEqual(['GET /inside HTTP/1.1', 'HTTP/1.1 200 OK']);
  });

  it('of a program that carries a TLS library without symbols is a gap that names it', async () => {
    if (onPath('clang', process.env) === undefined) return;
    // The mark of BoringSSL, and none of its functions.
    const source = `#include <stdio.h>
      static const char big[1 << 20] = "../boringssl/ssl/ssl_lib.cc";
      int main(int argc, char **argv) { (void)argv; return puts(big + argc - 1) < 0; }`;
    writeFileSync(file('stripped.c'), source);
    execFileSync('clang', ['-no-pie', '-s', '-o', file('stripped'), file('stripped.c')]);
    const { ending, out, header, summary, messages } = await recorded('stripped-run', [file('stripped')]);
    expect([ending.code, ending.stdout, header.caps.tls]).toEqual([0, '../boringssl/ssl/ssl_lib.cc\n', 'none']);
    expect(messages).toEqual([]);
    expect(summary.gaps.map(({ reason, what }) => [reason, what])).toContainEqual([
      'tls_unavailable',
      `${file('stripped')}: 0 functions look like SSL_write of BoringSSL`,
    ]);
    expect(live.run(['report', out]).stdout).toContain('TLS text unavailable for this binary');
  });
});

describe('--tls without the engine that reads TLS', () => {
  it('records without it and says so', async () => {
    const { ending, header, summary } = await recorded('none', ['echo', 'on'], ['--engine', 'none']);
    expect([ending.code, ending.stdout, header.caps.tls]).toEqual([0, 'on\n', 'none']);
    expect(summary.gaps.map(({ reason, what }) => [reason, what])).toContainEqual([
      'tls_unavailable',
      'the engine none does not read TLS',
    ]);
  });
});
