import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, isIP } from 'node:net';
import { UsageError } from '../trace/usage-error.ts';

export interface Address {
  readonly host: string;
  readonly port: number;
}

/**
 * `HOST:PORT` or `PORT`; the host is a loopback address or `localhost` unless `anywhere`. Throws UsageError, which names
 * the option.
 */
export function listenAddress(given: string, flag: string, anywhere: boolean): Address {
  const [, bracketed, plain, digits = ''] = /^(?:(?:\[([^\]]*)\]|([^:[\]]*)):)?(\d{1,5})$/.exec(given.trim()) ?? [];
  const host = bracketed ?? (plain || '127.0.0.1');
  const port = Number(digits || Number.NaN);
  if (!(port <= 65_535)) throw new UsageError(`${flag}: ${given} is no address; write 127.0.0.1:9464.`);
  if (host !== 'localhost' && isIP(host) === 0)
    throw new UsageError(`${flag}: ${host} is no IP address; write 127.0.0.1:${port}.`);
  if (!isLoopback(host) && !anywhere)
    throw new UsageError(
      `${flag}: ${host} can be reached from other machines; models, tools and costs would be readable there. ` +
        'Name 127.0.0.1, or add --anywhere if that is meant.',
    );
  return { host, port };
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

export interface MetricsServer {
  readonly host: string;
  readonly port: number;
  close(): Promise<void>;
}

const CONTENT_TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

/**
 * Serves what `text` makes at `/metrics`. It is made when somebody asks, at most once in `floor` milliseconds: until then the
 * same is given again. Web pages and other names for this machine are refused where it listens on loopback. Throws
 * UsageError where the port cannot be had.
 */
export async function serveMetrics(
  { host, port }: Address,
  { text, floor, flag }: { text: () => Promise<string>; floor: number; flag: string },
): Promise<MetricsServer> {
  let made: { readonly at: number; readonly text: Promise<string> } | undefined;
  const current = (): Promise<string> => {
    if (made === undefined || performance.now() - made.at >= floor) {
      const one = text();
      const at = { at: performance.now(), text: one };
      made = at;
      // A failure is not kept, and slow work counts from its end.
      one.then(
        () => {
          if (made === at) made = { at: performance.now(), text: one };
        },
        () => {
          if (made === at) made = undefined;
        },
      );
    }
    return made.text;
  };
  const server = createServer((request, response) => {
    const refusal = refused(request, host);
    if (refusal !== undefined) {
      response.writeHead(refusal[0], { 'content-type': 'text/plain; charset=utf-8' }).end(`${refusal[1]}\n`);
      return;
    }
    current().then(
      body => response.writeHead(200, { 'content-type': CONTENT_TYPE }).end(request.method === 'HEAD' ? '' : body),
      () => response.writeHead(500, { 'content-type': 'text/plain' }).end('the histories cannot be read\n'),
    );
  });
  server.maxConnections = 64;
  server.requestTimeout = 10_000;
  await listening(server, { host, port }, flag);
  const address = server.address() as AddressInfo;
  return {
    host: address.family === 'IPv6' ? `[${address.address}]` : address.address,
    port: address.port,
    close: () =>
      new Promise(done => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

function refused({ headers, method, url = '' }: IncomingMessage, host: string): [number, string] | undefined {
  const asked = (headers.host ?? '').replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
  if (headers.origin !== undefined || (isLoopback(host) && !isLoopback(asked)))
    return [403, 'only programs of this machine may read'];
  if (url.split('?')[0] !== '/metrics') return [404, 'the metrics are at /metrics'];
  return method === 'GET' || method === 'HEAD' ? undefined : [405, 'read with GET'];
}

function listening(server: Server, { host, port }: Address, flag: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'something else listens there' : (error.code ?? 'cannot listen');
      reject(new UsageError(`${flag}: ${host}:${port}: ${why}.`));
    });
    server.listen(port, host, resolve);
  });
}
