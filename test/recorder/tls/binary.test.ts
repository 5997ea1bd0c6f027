import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { examined } from '../../../src/recorder/tls/binary.ts';
import { bytesOf, CODE, CONSTANTS_ADDRESS, elfFile, type Parts } from './synthetic-elf.ts';

const look = async (parts: Parts, padding = 0) => {
  const found = await examined(bytesOf(Buffer.concat([elfFile(parts), Buffer.alloc(padding)])));
  if (found === undefined || 'why' in found) return found;
  const probes = found.probes.map(each => `${each.function} ${each.offset - CODE} ${each.start.slice(0, 8)}`);
  return `${found.library} by ${found.how}: ${probes.join(', ')}`;
};

describe('a library or program that exports the functions of OpenSSL', () => {
  const code = Buffer.from(Array.from({ length: 256 }, (_, at) => at));
  const symbols = [
    { name: 'SSL_write', address: 16 },
    { name: 'SSL_read', address: 32 },
  ];
  const both = 'openssl by symbols: SSL_write 16 10111213, SSL_read 32 20212223';
  const more = [...symbols, { name: 'SSL_read_ex', address: 48 }, { name: 'SSL_free', address: 64 }];
  it.each<[string, Parts, unknown]>([
    ['gets a probe on each', { code, symbols }, both],
    [
      'also on those for large sizes, and on the end of a connection',
      { code, symbols: more },
      `${both}, SSL_read_ex 48 30313233, SSL_free 64 40414243`,
    ],
    [
      'is understood when a name is the tail of another',
      { code, symbols, strings: '\0BIO_SSL_write\0my_SSL_read\0' },
      both,
    ],
    ['is none when it only uses them', { symbols: symbols.map(each => ({ ...each, section: 0 })) }, undefined],
    ['is none when they are no functions', { symbols: symbols.map(each => ({ ...each, kind: 1 })) }, undefined],
    [
      'is none when one name stands for two places',
      { symbols: [...symbols, { name: 'SSL_read', address: 4 }] },
      undefined,
    ],
    [
      'is none when they lie outside the code',
      { symbols: symbols.map(each => ({ ...each, address: -16 })) },
      undefined,
    ],
  ])('%s', async (_, parts, expected) => {
    expect(await look(parts)).toEqual(expected);
  });
});

describe('a program with TLS that cannot be read says whose it is', () => {
  const LARGE = 1 << 20;
  it.each<[string, Parts, number, unknown]>([
    ['GnuTLS', { symbols: [{ name: 'gnutls_record_send', address: 0 }] }, 0, { why: 'GnuTLS is not read' }],
    ['rustls', { constants: Buffer.from('rustls::client') }, LARGE, { why: 'rustls is not read' }],
    ['Go', { constants: Buffer.from('crypto/tls.(*Conn).Write') }, LARGE, { why: 'TLS of Go is not read' }],
    ['nothing', { constants: Buffer.from('rust') }, LARGE, undefined],
  ])('%s', async (_, parts, padding, expected) => {
    expect(await look(parts, padding)).toEqual(expected);
  });
});

const number = (value: number): number[] => [0, 8, 16, 24].map(shift => (value >> shift) & 255);

/** A function as BoringSSL's ssl_lib.cc compiles: its beginning, a check of a field of an argument, errors it reports. */
function boring(
  reports: [reason: number, line: number][],
  { field = 0x98, register = 7, name = CONSTANTS_ADDRESS } = {},
): Buffer {
  const check = [0x48, 0x83, 0xb8 + register, ...number(field), 0, 0x74, 0x10];
  const errors = reports.flatMap(([reason, line]) => [
    ...[0xb9, ...number(name), 0xbf, 16, 0, 0, 0, 0x31, 0xf6, 0xba, ...number(reason)],
    ...[0x41, 0xb8, ...number(line)],
  ]);
  const body = [0x55, 0x48, 0x89, 0xe5, ...check, ...errors, 0xc3];
  return Buffer.from([...body, ...Array(16 - (body.length % 16)).fill(0xcc)]);
}

describe('BoringSSL in a program without symbols', () => {
  const constants = Buffer.from('../../vendor/boringssl/ssl/ssl_lib.cc\0');
  const other = boring([[0xba, 406]]);
  const read = boring([[0x42, 933]]);
  // Lines and reasons are those of Bun 1.4; rbx holds the first argument.
  const writing: [number, number][] = [
    [0x42, 955],
    [0xe2, 960],
    [0xd7, 975],
  ];
  const write = boring(writing, { register: 3 });
  // Like SSL_read, for another purpose: the field is not checked on the first argument.
  const provide = boring([[0x42, 900]], { register: 3 });
  const program = (...functions: Buffer[]): Parts => ({ constants, code: Buffer.concat(functions) });
  const places = `SSL_write ${other.length + read.length} 554889e5, SSL_read ${other.length} 554889e5`;
  it.each<[string, Parts, unknown]>([
    [
      'is found by the errors of its functions',
      program(other, read, write, provide),
      `boringssl by fingerprint: ${places}`,
    ],
    ['is not found in a program that may be moved', { ...program(read, write), fixed: false }, 'fixed addresses'],
    ['is not found on another processor', { ...program(read, write), machine: 183 }, 'x86-64'],
    ['is not taken when two could be SSL_write', program(read, write, write), '2 functions look like SSL_write'],
    ['is not taken when two could be SSL_read', program(read, read, write), '2 functions look like SSL_read'],
    ['is not taken without SSL_read', program(provide, write), '0 functions look like SSL_read'],
    [
      'is not taken when SSL_read checks another field',
      program(boring([[0x42, 933]], { field: 0xa0 }), write),
      '0 functions look like SSL_read',
    ],
    [
      'is not taken when the two are far apart in the source',
      program(boring([[0x42, 100]]), write),
      '0 functions look like SSL_read',
    ],
    [
      'is not taken when its mark stands there twice',
      { ...program(read, write), constants: Buffer.concat([constants, constants]) },
      'exactly once',
    ],
    [
      'is not taken when the errors name another file',
      program(read, boring(writing, { name: 0x1234 })),
      '0 functions look like SSL_write',
    ],
  ])('%s', async (_, parts, expected) => {
    const found = await look(parts, 1 << 20);
    expect(typeof found === 'object' ? found.why : found).toContain(expected);
  });
});

it('a file that is cut or scrambled is nothing, or something else, but never an error', async () => {
  const whole = elfFile({
    symbols: [
      { name: 'SSL_write', address: 0 },
      { name: 'SSL_read', address: 8 },
    ],
  });
  const changes = fc.array(fc.tuple(fc.nat(255), fc.nat(255)), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length), changes, async (length, changed) => {
      const bytes = Buffer.from(whole.subarray(0, length));
      for (const [at, value] of changed) if (at < bytes.length) bytes[at] = value;
      const found = await examined(bytesOf(bytes));
      for (const each of found !== undefined && 'probes' in found ? found.probes : [])
        expect(each.offset).toBeLessThan(whole.length);
    }),
  );
});
