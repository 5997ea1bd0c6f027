import { setTimeout as pause } from 'node:timers/promises';
import { type Endpoint, knock, unreachable } from './endpoint.ts';
import { ModelError, type Usage } from './types.ts';

export interface SendOptions {
  readonly timeoutMs: number;
  readonly retries: number;
  readonly retryDelayMs: number;
}

/** Statuses that may be gone at the next attempt. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504, 529]);
/** What costs the whole time limit is tried less often. */
const MOST_TIMEOUTS = 2;
/** No server may make us wait longer. */
const LONGEST_PAUSE = 120_000;

/**
 * Requests to one server. Who is told to slow down (429, 503 with retry-after) holds all requests back, not only its
 * own, because they share the limit. Redirects are not followed: what is sent goes where the flag says.
 */
export class Sender {
  readonly endpoint: Endpoint;
  private readonly options: SendOptions;
  private readonly usage: Usage;
  private notBefore = 0;
  private known = false;

  constructor(endpoint: Endpoint, options: SendOptions, usage: Usage) {
    this.endpoint = endpoint;
    this.options = options;
    this.usage = usage;
  }

  /** The JSON that was answered. Throws ModelError when there is no use in going on. */
  async post(path: string, body: unknown): Promise<unknown> {
    await this.reach();
    const text = JSON.stringify(body);
    for (let attempt = 0; ; attempt++) {
      await this.gate();
      this.usage.requests++;
      try {
        return await this.once(path, { method: 'POST', body: text }, this.options.timeoutMs);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        const most = error.trouble === 'timeout' ? Math.min(MOST_TIMEOUTS, this.options.retries) : this.options.retries;
        if (!error.passing || attempt >= most) throw this.given(error, attempt);
        this.usage.retries++;
        const wait = Math.min(LONGEST_PAUSE, error.after ?? this.options.retryDelayMs * 2 ** attempt);
        if (error.status === 429 || error.after !== undefined)
          this.notBefore = Math.max(this.notBefore, performance.now() + wait);
        else await pause(wait);
      }
    }
  }

  /** One attempt at a GET. Throws ModelError. */
  async get(path: string, timeoutMs: number): Promise<unknown> {
    await this.reach();
    try {
      return await this.once(path, { method: 'GET' }, timeoutMs);
    } catch (error) {
      throw error instanceof Refusal ? this.given(error, 0) : error;
    }
  }

  private async reach(): Promise<void> {
    if (this.known) return;
    await knock(this.endpoint);
    this.known = true;
  }

  private async gate(): Promise<void> {
    for (let wait = this.notBefore - performance.now(); wait > 0; wait = this.notBefore - performance.now())
      await pause(wait);
  }

  private async once(path: string, init: RequestInit, timeoutMs: number): Promise<unknown> {
    let status = 0;
    let text: string;
    let after: number | undefined;
    try {
      const response = await fetch(`${this.endpoint.base}${path}`, {
        ...init,
        headers: { ...this.endpoint.headers, 'content-type': 'application/json', accept: 'application/json' },
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      });
      status = response.status;
      after = retryAfter(response.headers.get('retry-after'));
      text = await response.text();
    } catch (error) {
      throw troubleOf(error, status);
    }
    if (status < 200 || status > 299) throw new Refusal('status', saidIn(text), PASSING.has(status), status, after);
    try {
      return JSON.parse(text);
    } catch {
      throw new Refusal('broken', 'the reply is no JSON', true, status);
    }
  }

  private given({ trouble, said, status }: Refusal, attempt: number): ModelError {
    const { endpoint } = this;
    const times = attempt === 0 ? '' : ` after ${attempt + 1} attempts`;
    if (trouble === 'unreachable') return unreachable(endpoint, said);
    if (trouble === 'timeout')
      return new ModelError(
        'timeout',
        `${endpoint.flag}: ${endpoint.shown} gave no answer within ${this.options.timeoutMs / 1000} s${times}; give --llm-timeout more seconds`,
      );
    if (trouble === 'broken') return new ModelError('broken', `${endpoint.flag}: ${endpoint.shown}: ${said}${times}`);
    const hint =
      status === 401 || status === 403
        ? '; put the key into AGENTPPROF_LLM_KEY'
        : status === 404
          ? '; is the address right, and the name of the model?'
          : '';
    return new ModelError(
      status === 401 || status === 403 ? 'refused' : 'status',
      `${endpoint.flag}: ${endpoint.shown} answered ${status}${times}${said === '' ? '' : `: ${said}`}${hint}`,
      status,
    );
  }
}

/** One attempt that failed. */
class Refusal extends Error {
  readonly trouble: 'unreachable' | 'timeout' | 'broken' | 'status';
  readonly said: string;
  readonly passing: boolean;
  readonly status: number;
  /** Milliseconds that the server asks for. */
  readonly after: number | undefined;
  constructor(trouble: Refusal['trouble'], said: string, passing: boolean, status = 0, after?: number) {
    super(said);
    this.trouble = trouble;
    this.said = said;
    this.passing = passing;
    this.status = status;
    this.after = after;
  }
}

function troubleOf(error: unknown, status: number): Refusal {
  const { name, message, cause } = error as Error & { cause?: NodeJS.ErrnoException };
  if (name === 'TimeoutError') return new Refusal('timeout', message, true);
  const reason = cause?.code ?? cause?.message ?? message;
  if (status === 0 && /redirect/.test(reason))
    return new Refusal('broken', 'it redirects, and what is sent goes only where the flag says', false);
  const cut = status !== 0 || /SOCKET|RESET|closed/i.test(reason);
  return cut
    ? new Refusal('broken', `the connection broke off (${reason})`, true)
    : new Refusal('unreachable', reason, true);
}

/** Milliseconds of a retry-after header: seconds, or a date. */
function retryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = Number(header);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) && ms >= 0 ? ms : undefined;
}

const MOST_SAID = 300;

/** What a server says of an error, on one line. */
function saidIn(text: string): string {
  let said: unknown = text;
  try {
    const reply = JSON.parse(text) as { error?: { message?: unknown } | string; message?: unknown; detail?: unknown };
    said =
      (typeof reply.error === 'object' ? reply.error?.message : reply.error) ?? reply.message ?? reply.detail ?? text;
  } catch {
    // Plain text or HTML.
  }
  const line = (typeof said === 'string' ? said : JSON.stringify(said)).replace(/[\s\p{C}]+/gu, ' ').trim();
  return line.length > MOST_SAID ? `${line.slice(0, MOST_SAID)}…` : line;
}
