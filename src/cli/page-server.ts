import { createHash, timingSafeEqual } from 'node:crypto';
import { Hono, type HonoRequest } from 'hono';
import { UsageError } from '../trace/usage-error.ts';
import type { OperationsQuery, PageQuestions } from './page-questions.ts';

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

/** Operations in one answer, at most and where nothing is said. */
const MOST = 500;
const USUAL = 20;

/**
 * One page at `/TOKEN/`, and what it asks for: `/TOKEN/operations` (those under a frame, a part at a time) and
 * `/TOKEN/timeline` (a session). Everything without the token, with a foreign Host or another method is refused alike.
 */
export function pageServer(html: string, token: string, questions?: PageQuestions): Hono {
  const app = new Hono();
  app.use(async (context, next) => {
    await next();
    for (const [name, value] of Object.entries(HEADERS)) context.res.headers.set(name, value);
  });
  app.all('*', context => {
    const request = context.req;
    const host = (request.header('host') ?? '').replace(/:\d+$/, '');
    const [, given = '', asked = ''] = /^\/([^/]+)(?:\/([a-z]*))?$/.exec(request.path) ?? [];
    const read = request.method === 'GET' || request.method === 'HEAD';
    const known = asked === '' || (questions !== undefined && (asked === 'operations' || asked === 'timeline'));
    const allowed = HOSTS.has(host) && equal(given, token) && read && known;
    if (!allowed) return context.text('refused\n', 403);
    if (asked === '') return context.html(html);
    try {
      if (asked === 'operations') return context.json(questions?.operations(queryOf(request)));
      const timeline = questions?.timeline(request.query('session') ?? '');
      return timeline ? context.json(timeline) : context.text('there is no session of that name\n', 404);
    } catch (error) {
      if (error instanceof UsageError) return context.text(`${error.message}\n`, 400);
      throw error;
    }
  });
  return app;
}

/** The parameters are those of the page's address (state.ts), so that one says what the other shows. */
function queryOf(request: HonoRequest): OperationsQuery {
  const one = (name: string) => request.query(name) ?? '';
  const number = (name: string, usual: number, most: number): number => {
    const text = one(name);
    const value = text === '' ? usual : Number(text);
    if (!Number.isInteger(value) || value < 0) throw new UsageError(`${name}: ${JSON.stringify(text)} is no number.`);
    return Math.min(value, most);
  };
  const only: Record<string, readonly string[]> = {};
  for (const [name, values] of Object.entries(request.queries()))
    if (name.startsWith('only.')) only[name.slice('only.'.length)] = values;
  return {
    stack: one('stack').split(','),
    path: (request.queries('z') ?? []).map(text => {
      const colon = text.indexOf(':');
      return { kind: text.slice(0, Math.max(colon, 0)), value: text.slice(colon + 1) };
    }),
    from: one('from'),
    to: one('to'),
    only,
    session: one('session'),
    offset: number('offset', 0, Number.MAX_SAFE_INTEGER),
    limit: number('limit', USUAL, MOST),
  };
}

/** Compares digests, so that neither length nor first difference can be timed. */
function equal(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
