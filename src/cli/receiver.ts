import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { decodeTraces } from '../otlp/decode.ts';
import { UsageError } from '../trace/usage-error.ts';

export interface ReceiverOptions {
  readonly file: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Bytes of one request, and of what it unpacks to. */
  readonly mostBytes?: number;
  /** Bytes that the file may reach; then requests are refused. */
  readonly mostFileBytes?: number;
}

export interface Receiver {
  readonly port: number;
  /** Requests whose spans were written, and requests refused. */
  readonly counts: { readonly written: number; readonly refused: number };
  /** Takes no new requests, ends those under way (at most `patience` milliseconds), and closes the file. */
  close(patience?: number): Promise<void>;
}

const MOST_BYTES = 32 << 20;
const MOST_FILE_BYTES = 4 * 2 ** 30;
const MOST_CONNECTIONS = 64;
const LOOPBACK = '127.0.0.1';
const PATH = '/v1/traces';
const PROTOBUF = 'application/x-protobuf';
const JSON_TYPE = 'application/json';

/** A request that is not taken, with the status that tells the exporter not to send it again (or, 503, to wait). */
class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * Listens for traces over OTLP/HTTP (JSON and protobuf, plain or gzip) on this machine's loopback address alone, and
 * appends each request to a file as one line of JSON. Web pages are refused: they too can reach loopback. Throws UsageError
 * where the file or the port cannot be had.
 */
export async function startReceiver(options: ReceiverOptions): Promise<Receiver> {
  const { mostBytes = MOST_BYTES, mostFileBytes = MOST_FILE_BYTES } = options;
  const file = openLines(options.file);
  const counts = { written: 0, refused: 0 };
  let underWay = 0;
  const take = async (request: IncomingMessage) => {
    const type = checked(request);
    if (underWay + mostBytes > 4 * mostBytes) throw new Refused(503, 'too many requests at once');
    underWay += mostBytes;
    try {
      const line = lineOf(type, unpacked(request, await bodyOf(request, mostBytes), mostBytes));
      if (file.size() + line.length > mostFileBytes) throw new Refused(507, 'the file is full');
      file.append(line);
    } finally {
      underWay -= mostBytes;
    }
    return type;
  };
  const server = createServer((request, response) => {
    take(request).then(
      type => {
        counts.written++;
        answer(response, 200, type, type === JSON_TYPE ? '{}' : '');
      },
      (error: unknown) => {
        counts.refused++;
        const status = error instanceof Refused ? error.status : 500;
        const message = error instanceof Refused ? error.message : 'cannot be written';
        // What is still being sent is not wanted.
        if (!request.complete) response.setHeader('connection', 'close');
        if (status === 503) response.setHeader('retry-after', '1');
        answer(response, status, JSON_TYPE, JSON.stringify({ message }));
      },
    );
  });
  server.maxConnections = MOST_CONNECTIONS;
  server.requestTimeout = 60_000;
  try {
    await listening(server, options.port);
  } catch (error) {
    file.close();
    throw error;
  }
  const { port } = server.address() as AddressInfo;
  return { port, counts, close: patience => closed(server, patience).finally(() => file.close()) };
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'something else listens there' : (error.code ?? 'cannot listen');
      reject(new UsageError(`--port: ${LOOPBACK}:${port}: ${why}.`));
    });
    server.listen(port, LOOPBACK, resolve);
  });
}

function closed(server: Server, patience = 5000): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(() => server.closeAllConnections(), patience);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}

function answer(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) }).end(body);
}

/** The content type of a request that is worth reading. */
function checked(request: IncomingMessage): string {
  const { headers, method, url = '' } = request;
  const host = (headers.host ?? '').replace(/:\d+$/, '');
  if (headers.origin !== undefined || !['127.0.0.1', 'localhost', '[::1]'].includes(host)) {
    throw new Refused(403, 'only programs of this machine may send');
  }
  if (url.split('?')[0] !== PATH) throw new Refused(404, `only ${PATH} is here: metrics and logs are not read`);
  if (method !== 'POST') throw new Refused(405, 'send with POST');
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (type !== JSON_TYPE && type !== PROTOBUF) throw new Refused(415, `${JSON_TYPE} or ${PROTOBUF}`);
  return type;
}

async function bodyOf(request: IncomingMessage, most: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > most) throw new Refused(413, `more than ${most} bytes`);
  const parts: Buffer[] = [];
  let length = 0;
  try {
    for await (const part of request as AsyncIterable<Buffer>) {
      length += part.length;
      if (length > most) throw new Refused(413, `more than ${most} bytes`);
      parts.push(part);
    }
  } catch (error) {
    throw error instanceof Refused ? error : new Refused(400, 'broken off');
  }
  return Buffer.concat(parts);
}

function unpacked(request: IncomingMessage, body: Buffer, most: number): Buffer {
  const encoding = (request.headers['content-encoding'] ?? 'identity').toLowerCase();
  if (encoding === 'identity') return body;
  if (encoding !== 'gzip') throw new Refused(415, 'gzip or nothing');
  try {
    return gunzipSync(body, { maxOutputLength: most });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw new Refused(413, `more than ${most} bytes`);
    throw new Refused(400, 'no gzip');
  }
}

function isBatch(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { resourceSpans, resource_spans } = value as Record<string, unknown>;
  return Array.isArray(resourceSpans ?? resource_spans);
}

/**
 * A request as one line. JSON stays as it was sent but for line breaks, which stand between its values only: numbers beyond
 * doubles survive.
 */
function lineOf(type: string, body: Buffer): Buffer {
  try {
    if (type === PROTOBUF) return Buffer.from(`${JSON.stringify(decodeTraces(body))}\n`);
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    const value: unknown = JSON.parse(text);
    if (isBatch(value)) return Buffer.from(`${text.replace(/[\r\n]/g, ' ').trim()}\n`);
  } catch {
    // Told below.
  }
  throw new Refused(400, 'no traces of OTLP');
}

interface Lines {
  size(): number;
  append(line: Buffer): void;
  close(): void;
}

/** Opens a file for appending whole lines. What it holds is private: nobody else may read it. */
function openLines(path: string): Lines {
  try {
    const fd = openSync(path, 'a+', 0o600);
    const write = (line: Buffer) => {
      for (let at = 0; at < line.length; ) at += writeSync(fd, line, at);
    };
    const { size } = fstatSync(fd);
    const last = Buffer.alloc(1);
    // A line that broke off earlier must not swallow the next one.
    if (size > 0 && readSync(fd, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a) write(Buffer.from('\n'));
    return {
      size: () => fstatSync(fd).size,
      append: write,
      close: () => {
        fsyncSync(fd);
        closeSync(fd);
      },
    };
  } catch (error) {
    throw new UsageError(
      `--output: ${path} cannot be written (${(error as NodeJS.ErrnoException).code ?? 'unknown'}).`,
    );
  }
}
