import { createHash, timingSafeEqual } from 'node:crypto';
import { Hono } from 'hono';

/** Names under which a browser on this machine reaches it; any other Host is a page elsewhere that rebinds its name. */
const HOSTS: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);

const HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** One page at `/TOKEN/`. Everything without the token, with a foreign Host or another method is refused alike. */
export function pageServer(html: string, token: string): Hono {
  const app = new Hono();
  app.use(async (context, next) => {
    await next();
    for (const [name, value] of Object.entries(HEADERS)) context.res.headers.set(name, value);
  });
  app.all('*', context => {
    const request = context.req;
    const host = (request.header('host') ?? '').replace(/:\d+$/, '');
    const given = /^\/([^/]+)\/?$/.exec(request.path)?.[1] ?? '';
    const allowed = HOSTS.has(host) && equal(given, token) && (request.method === 'GET' || request.method === 'HEAD');
    return allowed ? context.html(html) : context.text('refused\n', 403);
  });
  return app;
}

/** Compares digests, so that neither length nor first difference can be timed. */
function equal(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
