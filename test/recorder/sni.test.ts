import { createServer } from 'node:net';
import { connect } from 'node:tls';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { serverName } from '../../src/recorder/sni.ts';

/** What Node really sends to begin TLS with a server of this name. */
function clientHello(servername: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const server = createServer(socket => {
      socket.on('error', () => {});
      socket.once('data', bytes => {
        socket.destroy();
        server.close();
        resolve(bytes);
      });
    });
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      connect({ port, host: '127.0.0.1', ...(servername && { servername }) }).on('error', () => {});
    });
  });
}

/** The same message in records of at most `size` bytes. */
function inRecords(hello: Buffer, size: number): Buffer {
  const message = hello.subarray(5);
  const parts: Buffer[] = [];
  for (let at = 0; at < message.length; at += size) {
    const part = message.subarray(at, at + size);
    parts.push(Buffer.from([22, 3, 1, part.length >> 8, part.length & 255]), part);
  }
  return Buffer.concat(parts);
}

describe('the name in a TLS greeting', () => {
  it('is read from what a real client sends, also in several records', async () => {
    const hello = await clientHello('API.example.invalid');
    expect(serverName(hello)).toBe('api.example.invalid');
    for (const size of [1, 7, 100]) expect(serverName(inRecords(hello, size))).toBe('api.example.invalid');
  });

  it('is nothing where the client gave none, and never a part of one that was cut', async () => {
    expect(serverName(await clientHello(''))).toBeUndefined();
    const hello = await clientHello('api.example.invalid');
    for (let size = 0; size < hello.length; size++)
      expect([undefined, 'api.example.invalid']).toContain(serverName(hello.subarray(0, size)));
  });

  it('survives any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 120 }), bytes => {
        serverName(Uint8Array.from([22, 3, 1, 0, bytes.length + 1, 1, ...bytes]));
        return true;
      }),
    );
  });
});
