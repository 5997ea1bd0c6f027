import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RecordedEvent } from '../../../src/recorder/events.ts';
import { TlsCapture } from '../../../src/recorder/tls/capture.ts';
import { cleanMessage } from '../../../src/recorder/tls/clean.ts';
import { redactStream } from '../../../src/recorder/tls/event-stream.ts';
import type { Message } from '../../../src/recorder/tls/http.ts';

const message = (parts: Partial<Message>): Message => ({
  ...{ start: 'HTTP/1.1 200 OK', headers: [], body: Buffer.alloc(0), len: 0, lacking: 0, whole: true },
  ...{ first_ns: 0, last_ns: 0, ...parts },
});
const KEY = `sk-ant-${'api03'}-Zq8Xw7Vu6Ts5Rr4Qp3On2Ml1`;

describe('the head of a message', () => {
  it.each<[string, string, string]>([
    ['Authorization', `Bearer ${KEY}`, '[redacted]'],
    ['x-api-key', 'any', '[redacted]'],
    ['X-Goog-Api-Key', 'any', '[redacted]'],
    ['Cookie', 'a=b', '[redacted]'],
    ['set-cookie', 'a=b; Path=/', '[redacted]'],
    ['Proxy-Authorization', 'Basic abc', '[redacted]'],
    ['x-amz-security-token', 'any', '[redacted]'],
    ['x-internal', 'Zq8Xw7Vu6Ts5Rr4Qp3On2Ml1', '[redacted]'],
    ['x-internal', 'eu-west', 'eu-west'],
    [
      'content-type',
      'multipart/form-data; boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW',
      'multipart/form-data; boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW',
    ],
    ['user-agent', 'claude-cli/2.1.332 (external, cli)', 'claude-cli/2.1.332 (external, cli)'],
    ['anthropic-ratelimit-tokens-remaining', '1000', '1000'],
    ['location', `/next?token=abc&page=2`, '/next?token=[redacted]&page=2'],
  ])('%s: %s is kept as %s', (name, value, kept) => {
    expect(cleanMessage(message({ headers: [[name, value]] })).headers).toEqual([[name, kept]]);
  });

  it.each([
    ['POST /v1/messages?beta=true HTTP/1.1', 'POST /v1/messages?beta=true HTTP/1.1'],
    ['GET /a?key=short&x=1 HTTP/1.1', 'GET /a?key=[redacted]&x=1 HTTP/1.1'],
    [
      'GET /a?X-Amz-Signature=0f&y=Zq8Xw7Vu6Ts5Rr4Qp3On2Ml1 HTTP/1.1',
      'GET /a?X-Amz-Signature=[redacted]&y=[redacted] HTTP/1.1',
    ],
    [`GET /${KEY}/x HTTP/1.1`, 'GET /[redacted]/x HTTP/1.1'],
  ])('%s', (start, kept) => {
    expect(cleanMessage(message({ start })).start).toBe(kept);
  });
});

describe('the body of a message', () => {
  const json = Buffer.from(JSON.stringify({ text: `the key is ${KEY}`, password: 'hunter2', model: 'm' }));
  const clean = { body: '{"text":"the key is [redacted]","password":"[redacted]","model":"m"}', redacted: 2 };
  it.each<[string, string | undefined, Buffer, object]>([
    ['is cleaned', undefined, json, clean],
    ['is unpacked and cleaned: gzip', 'gzip', gzipSync(json), clean],
    ['is unpacked and cleaned: deflate', 'deflate', deflateSync(json), clean],
    ['is unpacked and cleaned: deflate without its wrapper', 'deflate', deflateRawSync(json), clean],
    ['is unpacked and cleaned: br', 'br', brotliCompressSync(json), clean],
    ['is unpacked and cleaned: twice', 'gzip, br', brotliCompressSync(gzipSync(json)), clean],
    [
      'is not kept when its coding is unknown',
      'aes128gcm',
      json,
      { note: 'not kept: aes128gcm could not be unpacked', redacted: 0 },
    ],
    ['is not kept when it is broken', 'gzip', json, { note: 'not kept: gzip could not be unpacked', redacted: 0 }],
    [
      'is not kept when it is no text',
      undefined,
      Buffer.from([0xff, 0xfe, 1]),
      { note: 'not kept: not text', redacted: 0 },
    ],
  ])('%s', (_, coding, body, expected) => {
    const headers: [string, string][] = coding === undefined ? [] : [['content-encoding', coding]];
    const { start: _start, headers: _headers, ...rest } = cleanMessage(message({ headers, body }));
    expect(rest).toEqual(expected);
  });

  it('that was cut loses the word at its end, which may be half a secret', () => {
    const body = Buffer.from(`first ${KEY.slice(0, 12)}`);
    expect(cleanMessage(message({ body, lacking: 7 }))).toMatchObject({ body: 'first ', note: 'cut: 7 bytes more' });
  });

  it('of a form loses what its fields call a secret', () => {
    const headers: [string, string][] = [['Content-Type', 'application/x-www-form-urlencoded']];
    const body = Buffer.from('grant_type=authorization_code&code=abc&client_secret=x');
    expect(cleanMessage(message({ headers, body })).body).toBe(
      'grant_type=authorization_code&code=[redacted]&client_secret=[redacted]',
    );
  });
});

describe('an answer in small steps', () => {
  const redact = (text: string): string => text.replaceAll('SECRET', '[redacted]');
  const step = (text: string, index = 0): string =>
    `event: delta\ndata: {"id":"SECRET-id","index":${index},"delta":{"type":"text","text":"${text}"}}\n`;

  it('loses a secret that is spread over its steps', () => {
    expect(redactStream([step('my SE'), step('CR'), step('ET!')].join('\n'), redact)).toBe(
      [step('my [redacted]!'), step(''), step('')].join('\n').replaceAll(/\n$/g, '\n'),
    );
  });

  it('keeps parallel parts apart', () => {
    const text = [step('SEC', 0), step('SEC', 1), step('ret', 0)].join('\n');
    expect(redactStream(text, redact)).toBe(text);
  });

  it('may be a JSON object a line', () => {
    const lines = ['{"message":{"content":"SEC"}}', '{"message":{"content":"RET"}}'];
    expect(redactStream(lines.join('\n'), redact)).toBe(
      '{"message":{"content":"[redacted]"}}\n{"message":{"content":""}}',
    );
  });

  it('stays as it is byte for byte where there is no secret', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.string(),
            fc.json().map(json => `data: ${json}`),
          ),
        ),
        lines => {
          expect(redactStream(lines.join('\n'), text => text)).toBe(lines.join('\n'));
        },
      ),
    );
  });
});

describe('what comes out of a connection', () => {
  const request = `POST /v1/messages?key=${KEY} HTTP/1.1\r\nHost: api\r\nAuthorization: Bearer ${KEY}\r\nX-Api-Key: plain-words\r\nContent-Length: 60\r\n\r\n${JSON.stringify({ t: `use ${KEY} here` }).padEnd(60)}`;

  function capture(pieces: string[], end: (capture: TlsCapture) => void = each => each.end(9)) {
    const out: RecordedEvent[] = [];
    const texts: object[] = [];
    const capturing = new TlsCapture({ event: event => out.push(event), text: line => texts.push(line) });
    const of = { t_ns: 1, pid: 7, start_ns: 8, exec_id: 1, ssl: 'abc', dir: 'sent' as const };
    for (const piece of pieces) {
      const bytes = Buffer.from(piece, 'latin1');
      capturing.take({ ...of, len: bytes.length, at: 0, bytes: bytes.toString('base64') });
    }
    end(capturing);
    return { out, texts };
  }

  it('holds no secret, wherever the program cut its writes', () => {
    const whole = capture([request]);
    expect(whole.texts).toHaveLength(1);
    expect(JSON.stringify(whole.texts)).toContain('use [redacted] here');
    fc.assert(
      fc.property(fc.array(fc.nat(request.length), { maxLength: 6 }), cuts => {
        const at = [0, ...cuts.sort((a, b) => a - b), request.length];
        const { out, texts } = capture(
          at
            .slice(1)
            .map((end, index) => request.slice(at[index], end))
            .filter(Boolean),
        );
        const said = JSON.stringify([out, texts]);
        for (let from = 0; from + 8 <= KEY.length; from += 4) expect(said).not.toContain(KEY.slice(from, from + 8));
        expect(said).not.toContain('plain-words');
        expect(texts).toEqual(whole.texts);
      }),
    );
  });

  it('holds no half of a secret either, wherever the connection broke off', () => {
    for (let length = 0; length < request.length; length++) {
      const said = JSON.stringify(Object.values(capture([request.slice(0, length)])));
      for (let from = 8; from + 8 <= KEY.length; from += 4) expect(said).not.toContain(KEY.slice(from, from + 8));
    }
  });

  it('is an event a message, with who, how much and where its text is', () => {
    const { out } = capture([request]);
    expect(out).toEqual([
      {
        ...{ type: 'tls.data', seq: 0, t_ns: 1, pid: 7, start_ns: 8, exec_id: 1, dir: 'sent', conn: 1, message: 1 },
        ...{ first_ns: 1, len: request.length, captured: 60, whole: true, host: 'api', text_ref: 1, redacted: 4 },
        start: 'POST /v1/messages?key=[redacted] HTTP/1.1',
      },
    ]);
  });

  it('is nothing of a connection from which pieces were lost, until it is over', () => {
    const { out, texts } = capture([request.slice(0, 200)], each => {
      each.lost();
      each.end(3);
    });
    expect(texts).toEqual([]);
    expect(out).toMatchObject([{ type: 'gap', reason: 'tls_not_http1', what: 'a part was missed' }]);
  });

  it('begins anew when the address of a connection is used again', () => {
    const of = { t_ns: 1, pid: 7, start_ns: 8, exec_id: 1, ssl: 'abc' };
    const { out } = capture([request.slice(0, 200)], each => {
      each.take({ ...of, dir: 'freed' });
      const bytes = Buffer.from('GET / HTTP/1.1\r\n\r\n');
      each.take({ ...of, dir: 'sent', len: bytes.length, at: 0, bytes: bytes.toString('base64') });
    });
    expect(out).toMatchObject([
      { whole: false, conn: 1 },
      { whole: true, conn: 2, start: 'GET / HTTP/1.1' },
    ]);
  });
});
