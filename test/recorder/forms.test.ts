import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textOfBytes } from '../../src/recorder/byte-text.ts';
import { shellWords } from '../../src/recorder/command-match.ts';
import { dnsMessage } from '../../src/recorder/dns.ts';
import { joined } from '../../src/recorder/paths.ts';
import { harmlessJson, printable } from '../../src/recorder/printable.ts';
import { addressOf } from '../../src/recorder/sockaddr.ts';
import { finishedLine } from '../../src/recorder/wire.ts';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');

describe('socket addresses', () => {
  it.each([
    ['0200 0009 7f000001 0000000000000000', { family: 'inet', addr: '127.0.0.1', port: 9 }],
    ['0a00 0050 00000000 00000000000000000000000000000001 00000000', { family: 'inet6', addr: '::1', port: 80 }],
    [
      '0a00 01bb 00000000 20010db8000000000001000000000001 00000000',
      { family: 'inet6', addr: '2001:db8::1:0:0:1', port: 443 },
    ],
    ['0a00 01bb 00000000 00000000000000000000ffff0a000001 00000000', { family: 'inet', addr: '10.0.0.1', port: 443 }],
    ['0100 2f612f62 00 deadbeef', { family: 'unix', addr: '/a/b' }],
    ['0100 00 6162', { family: 'unix', addr: '@ab' }],
    ['0100', { family: 'unix', addr: '' }],
    ['', { family: 'other', addr: '' }],
    ['1000 0000', { family: 'other', addr: 'family 16' }],
  ])('%s', (bytes, expected) => {
    expect(addressOf(hex(bytes))).toEqual(expected);
  });
});

describe('DNS messages', () => {
  const question = '076578616d706c6507696e76616c696400 0001 0001';
  it('reads the question', () => {
    expect(dnsMessage(hex(`0fcd 0100 0001 0000 0000 0000 ${question}`))).toEqual({
      name: 'example.invalid',
      addr: [],
      answer: false,
    });
  });
  it('reads the addresses of an answer, through pointers', () => {
    const answers =
      'c00c 0001 0001 00000010 0004 0a000001  c00c 001c 0001 00000010 0010 20010db8000000000000000000000001';
    expect(dnsMessage(hex(`0fcd 8180 0001 0002 0000 0000 ${question} ${answers}`))).toEqual({
      name: 'example.invalid',
      addr: ['10.0.0.1', '2001:db8::1'],
      answer: true,
    });
  });
  it('survives any bytes, also pointers that go round in circles', () => {
    expect(dnsMessage(hex('0fcd 8180 0001 0001 0000 0000 c00c 0001 0001'))).toBeUndefined();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), bytes => {
        dnsMessage(bytes);
        return true;
      }),
    );
  });
});

describe('names', () => {
  it.each([
    ['/a/b', 'c', '/a/b/c'],
    ['/a/b', '../c', '/a/c'],
    ['/a/b', './c//d/.', '/a/b/c/d'],
    ['/a', '../../..', '/'],
    ['/a', '/x/../y', '/y'],
    ['/a', '...', '/a/...'],
    ['/', 'c', '/c'],
  ])('%s + %s', (dir, raw, expected) => {
    expect(joined(dir, raw)).toBe(expected);
  });

  it('keeps every byte: text of bytes gives the bytes back', () => {
    const bytesOf = (text: string): Buffer =>
      Buffer.concat(
        (
          text.match(/[\udc80-\udcff](?<![\ud800-\udbff].)|[\ud800-\udbff][\udc00-\udfff]|[^\ud800-\udfff]+|./gsu) ?? []
        ).map(part => {
          const code = part.charCodeAt(0);
          return part.length === 1 && code >= 0xdc80 && code <= 0xdcff
            ? Buffer.from([code - 0xdc00])
            : Buffer.from(part, 'utf8');
        }),
      );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), bytes => bytesOf(textOfBytes(bytes)).equals(Buffer.from(bytes))),
    );
    expect(textOfBytes(Buffer.from([0x61, 0xff, 0xc3, 0xa9]))).toBe('a\udcffé');
  });

  it('are shown so that no name moves the cursor, runs backwards or looks like two lines', () => {
    expect(printable('a\nb\x1b[2J\udcff\u202egpj')).toBe('a\\nb\\x1b[2J\\xff\\u202egpj');
    expect(printable('文件 é')).toBe('文件 é');
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), text => {
        const shown = printable(text);
        return (
          !/[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/.test(shown) &&
          !/[\ud800-\udfff]/.test(shown.replace(/[\ud800-\udbff][\udc00-\udfff]/g, '')) &&
          JSON.parse(harmlessJson(text)) === text
        );
      }),
    );
  });

  it('longer than the line lose their middle, with the count', () => {
    const shown = printable('x'.repeat(4095), 100);
    expect(shown.length).toBeLessThan(110);
    expect(shown).toContain('(4011 more)');
  });

  it.each([
    [`a 'b c' "d \\" e" f\\ g`, ['a', 'b c', 'd " e', 'f g']],
    [`eval 'it'\\''s'`, ['eval', "it's"]],
    [`''`, ['']],
  ])('shell words of %s', (text, words) => {
    expect(shellWords(text)).toEqual(words);
  });
});

describe('lines of the kernel engine', () => {
  const doer = { seq: 1, t_ns: 2, pid: 3, start_ns: 4, exec_id: 1 };
  it.each<[object, object | undefined]>([
    [
      { type: 'file.delete', dir: '/a/b', path_raw: '../c' },
      { type: 'file.delete', path: '/a/c', path_state: 'resolved' },
    ],
    [
      { type: 'file.rename', dir: '/a', path_raw: 'x', to_dir: '/b', to_raw: '/y' },
      { type: 'file.rename', from: '/a/x', to: '/y', path_state: 'resolved' },
    ],
    [
      { type: 'file.link', target: '../c', to_dir: '/a', to_raw: 's', symbolic: true },
      { type: 'file.link', from: '../c', to: '/a/s', symbolic: true, path_state: 'resolved' },
    ],
    [
      { type: 'net.connect', sockaddr: '020000097f000001', socket: 'stream', ret: -115 },
      {
        type: 'net.connect',
        family: 'inet',
        addr: '127.0.0.1',
        port: 9,
        in_progress: true,
        socket: 'stream',
        ret: -115,
      },
    ],
    [{ type: 'net.dns', message: '00' }, undefined],
  ])('%o', (raw, expected) => {
    const line = finishedLine(JSON.stringify({ ...doer, ...raw }));
    const event = line === undefined ? undefined : JSON.parse(line);
    expect(event).toEqual(expected && { ...doer, ...expected });
  });
});
