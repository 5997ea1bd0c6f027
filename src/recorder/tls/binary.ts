import { type FileHandle, open } from 'node:fs/promises';
import { BORINGSSL_MARK, findBoringSsl } from './boringssl.ts';
import { type Bytes, elfOf, functionsOf } from './elf.ts';
import { firstConstant } from './scan.ts';

/** A place in a file that may get a probe. */
export interface Probe {
  function: (typeof FUNCTIONS)[number];
  offset: number;
  /** The bytes that stand there, in hex: compared again on the very file that gets the probe. */
  start: string;
}

export type Examined =
  | { library: 'openssl' | 'boringssl'; how: 'symbols' | 'fingerprint'; probes: Probe[] }
  /** There is TLS in it that cannot be read, and why. */
  | { why: string };

const FUNCTIONS = ['SSL_write', 'SSL_read', 'SSL_write_ex', 'SSL_read_ex', 'SSL_free'] as const;
/** Functions of other libraries, each where its library exports it. */
const OTHERS: Readonly<Record<string, string>> = {
  gnutls_record_send: 'GnuTLS',
  SSL_ImportFD: 'NSS',
  mbedtls_ssl_write: 'Mbed TLS',
  wolfSSL_write: 'wolfSSL',
};
/** What stands in a program that carries a library of which nothing is exported. */
const MARKS: readonly (readonly [Buffer, string])[] = [
  [BORINGSSL_MARK, 'BoringSSL'],
  [Buffer.from('crypto/tls.(*Conn).'), 'TLS of Go'],
  [Buffer.from('rustls::'), 'rustls'],
  [Buffer.from('ssl/ssl_lib.c\0'), 'OpenSSL without symbols'],
];
/** A program with TLS inside is larger. */
const SMALLEST = 512 << 10;

/** The first bytes of a function that are compared before a probe is put on it. */
const START_BYTES = 16;

/** Looks for the functions through which a program or library passes plaintext. Undefined: nothing of TLS is in it. */
export async function examine(path: string): Promise<Examined | undefined> {
  let handle: FileHandle;
  try {
    handle = await open(path, 'r');
  } catch {
    return undefined;
  }
  try {
    return await examined(await bytesOf(handle));
  } finally {
    await handle.close();
  }
}

async function bytesOf(handle: FileHandle): Promise<Bytes> {
  const { size } = await handle.stat();
  return {
    size,
    read: async (offset, length) => {
      const left = Math.min(length, size - offset);
      if (!(left > 0)) return Buffer.alloc(0);
      const buffer = Buffer.allocUnsafe(left);
      const { bytesRead } = await handle.read(buffer, 0, left, offset);
      return buffer.subarray(0, bytesRead);
    },
  };
}

export async function examined(file: Bytes): Promise<Examined | undefined> {
  const elf = await elfOf(file);
  if (elf === undefined) return undefined;
  const probe = async (name: Probe['function'], offset: number): Promise<Probe> => ({
    function: name,
    offset,
    start: (await file.read(offset, START_BYTES)).toString('hex'),
  });
  const functions = await functionsOf(file, elf, [...FUNCTIONS, ...Object.keys(OTHERS)]);
  const exported = FUNCTIONS.filter(name => functions.get(name)! + START_BYTES <= file.size);
  if (exported.includes('SSL_write') && exported.includes('SSL_read'))
    return {
      library: 'openssl',
      how: 'symbols',
      probes: await Promise.all(exported.map(name => probe(name, functions.get(name)!))),
    };
  const other = Object.keys(OTHERS).find(name => functions.has(name));
  if (other !== undefined) return { why: `${OTHERS[other]} is not read` };
  if (file.size < SMALLEST) return undefined;
  const marks = MARKS.map(([mark]) => mark);
  const marked = await firstConstant(file, elf, marks);
  if (marked === undefined) return undefined;
  if (marked.pattern > 0) return { why: `${MARKS[marked.pattern]![1]} is not read` };
  const found = await findBoringSsl(file, elf, marked.places);
  if (typeof found === 'string') return { why: found };
  return {
    library: 'boringssl',
    how: 'fingerprint',
    probes: [await probe('SSL_write', found.write), await probe('SSL_read', found.read)],
  };
}
