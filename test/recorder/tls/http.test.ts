import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Foreign, HttpStream, type Message } from '../../../src/recorder/tls/http.ts';

/** Runs one direction; numbers in the input are bytes that went by unseen. */
function run(input: (string | number)[], { methods = [] as string[], most = Number.MAX_SAFE_INTEGER } = {}) {
  const messages: Message[] = [];
  const foreign: Foreign[] = [];
  const stream: HttpStream = new HttpStream(
    methods,
    () => most - stream.held,
    message => messages.push(message),
    what => foreign.push(what),
  );
  input.forEach((piece, at) => {
    if (typeof piece === 'number') stream.missed(piece);
    else stream.take(Buffer.from(piece, 'latin1'), at);
  });
  stream.end(input.length);
  const told = messages.map(({ start, body, len, lacking, whole }) => {
    const notes = [whole ? '' : 'cut', lacking > 0 ? `${lacking} lacking` : ''].filter(Boolean).join(', ');
    return `${start} | ${body.toString('latin1')} | ${len}${notes === '' ? '' : ` (${notes})`}`;
  });
  return { messages, told: [...told, ...foreign] };
}

const POST = 'POST /v1 HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello';
const GET = 'GET / HTTP/1.1\r\nHost: h\r\n\r\n';
const CHUNKED =
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nTrailer: t\r\n\r\n';
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';

describe('one direction of a connection', () => {
  it.each<[string, (string | number)[], { methods?: string[]; most?: number }, string[]]>([
    ['a body of a told length', [POST], {}, [`POST /v1 HTTP/1.1 | hello | ${POST.length}`]],
    [
      'one message after the other',
      [GET + POST + GET],
      {},
      [`GET / HTTP/1.1 |  | ${GET.length}`, `POST /v1 HTTP/1.1 | hello | ${POST.length}`, `GET / HTTP/1.1 |  | 27`],
    ],
    ['chunks are joined', [CHUNKED], {}, [`HTTP/1.1 200 OK | hello world | ${CHUNKED.length}`]],
    [
      'an answer without a length goes on to the end',
      ['HTTP/1.0 200 OK\r\n\r\nall', ' of it'],
      {},
      ['HTTP/1.0 200 OK | all of it | 28'],
    ],
    [
      'the answer to HEAD has no body',
      ['HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nHTTP/1.1 204 No\r\n\r\n'],
      { methods: ['HEAD', 'GET'] },
      ['HTTP/1.1 200 OK |  | 38', 'HTTP/1.1 204 No |  | 19'],
    ],
    [
      'an interim answer does not use up the request',
      [`${CONTINUE}HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n`],
      { methods: ['HEAD'] },
      ['HTTP/1.1 100 Continue |  | 25', 'HTTP/1.1 200 OK |  | 38'],
    ],
    ['the connection ends within a body', [POST.slice(0, -2)], {}, ['POST /v1 HTTP/1.1 | hel | 52 (cut)']],
    ['the connection ends within a head', [GET.slice(0, -2)], {}, []],
    [
      'bytes are missed within a body: nothing behind them is kept',
      [POST.slice(0, -4), 2, POST.slice(-2)],
      {},
      ['POST /v1 HTTP/1.1 | h | 54 (4 lacking)'],
    ],
    ['bytes are missed within a head', [GET.slice(0, 9), 3, GET.slice(12)], {}, ['a part was missed']],
    ['bytes are missed over the end of a message', [POST.slice(0, -2), 4, GET], {}, ['a part was missed']],
    ['a body larger than may be kept', [POST], { most: 3 }, ['POST /v1 HTTP/1.1 | hel | 54 (2 lacking)']],
    ['HTTP/2', ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'], {}, ['HTTP/2']],
    ['the beginning of HTTP/2 comes in parts', ['PRI', ' * HTTP/2.0\r\n\r\n'], {}, ['HTTP/2']],
    ['something else', ['\x00\x01\x02'], {}, ['another protocol']],
    [
      'a change of protocol',
      ['HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n\x81\x05hello'],
      { methods: ['GET'] },
      ['HTTP/1.1 101 Switching Protocols |  | 56', 'another protocol'],
    ],
    ['a chunk of no size', ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n'], {}, ['another protocol']],
  ])('%s', (_, input, options, expected) => {
    expect(run(input, options).told).toEqual(expected);
  });

  it('gives the same messages however the bytes are cut into pieces', () => {
    const streams = [POST + GET + POST, CONTINUE + CHUNKED + CHUNKED, 'HTTP/1.0 200 OK\r\n\r\nto the end'];
    fc.assert(
      fc.property(fc.constantFrom(...streams), fc.array(fc.nat(200), { maxLength: 12 }), (stream, cuts) => {
        const at = [0, ...cuts.filter(cut => cut < stream.length).sort((a, b) => a - b), stream.length];
        const pieces = at.slice(1).map((end, index) => stream.slice(at[index], end));
        expect(run(pieces).told).toEqual(run([stream]).told);
      }),
    );
  });

  it('never fails on what is no HTTP', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string(), fc.constantFrom(POST, CHUNKED, '\r\n', '0', 'HTTP/1.1 ')), { maxLength: 8 }),
        input => {
          for (const { body, len } of run(input).messages) expect(body.length).toBeLessThanOrEqual(len);
        },
      ),
    );
  });
});
