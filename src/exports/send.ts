import { encodeTraces, type TracesData } from '../otlp/encode.ts';
import { Wire } from '../otlp/wire.ts';

export interface SendOptions {
  /** Where to: an address whose path is empty gets `/v1/traces`. */
  readonly endpoint: string;
  readonly format: 'otlp-json' | 'otlp-proto';
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds that one try may take. */
  readonly patience?: number;
  readonly tries?: number;
  /** Waits between tries; milliseconds. */
  readonly wait?: (millis: number) => Promise<void>;
}

export interface Sent {
  readonly batches: number;
  readonly spans: number;
  /** Spans that the receiver took the batch of but refused. */
  readonly rejected: number;
}

/** A batch that the receiver does not take. Batches before it were taken. */
export class SendError extends Error {
  override readonly name = 'SendError';
}

const PATIENCE = 30_000;
const TRIES = 5;
const FIRST_WAIT = 1000;
const LONGEST_WAIT = 60_000;

/** What OTLP/HTTP says may succeed later; all else is final. */
const LATER: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/**
 * Sends batches over OTLP/HTTP, one after the other. A receiver that is busy or gone is tried again, later each time or
 * when it says. Ids are the same in every run, so sending again after a failure doubles nothing at receivers that know
 * spans by their ids. Throws SendError.
 */
export async function send(batches: Iterable<TracesData>, options: SendOptions): Promise<Sent> {
  const url = tracesUrl(options.endpoint);
  let [count, spans, rejected] = [0, 0, 0];
  for (const batch of batches) {
    rejected += await post(url, batch, options);
    count++;
    for (const { scopeSpans } of batch.resourceSpans) for (const scope of scopeSpans) spans += scope.spans.length;
  }
  return { batches: count, spans, rejected };
}

/** Throws SendError for what is no address of HTTP. */
export function tracesUrl(endpoint: string): string {
  let url: URL;
  try {
    url = new URL(endpoint);
  } catch {
    throw new SendError(`${JSON.stringify(endpoint)} is no address; write http://127.0.0.1:4318`);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new SendError(`${url.protocol}// is not spoken here; OTLP goes over http:// or https://`);
  if (url.username !== '' || url.password !== '')
    throw new SendError('put credentials into --otlp-header, not into the address');
  if (url.pathname === '/' || url.pathname === '') url.pathname = '/v1/traces';
  return url.href;
}

async function post(url: string, batch: TracesData, options: SendOptions): Promise<number> {
  const { format, headers, patience = PATIENCE, tries = TRIES, wait = sleep } = options;
  const isJson = format === 'otlp-json';
  const body = isJson ? JSON.stringify(batch) : new Uint8Array(encodeTraces(batch));
  const type = isJson ? 'application/json' : 'application/x-protobuf';
  let problem = '';
  for (let tried = 1; tried <= tries; tried++) {
    let retryAfter = 0;
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': type },
        body,
        redirect: 'error',
        signal: AbortSignal.timeout(patience),
      });
      const answer = Buffer.from(await response.arrayBuffer());
      if (response.ok) return isJson ? rejectedInJson(answer) : rejectedInMessage(answer);
      problem = `it answered ${response.status}`;
      if (!LATER.has(response.status)) break;
      retryAfter = millisOf(response.headers.get('retry-after'));
    } catch (error) {
      problem = reasonOf(error, patience);
    }
    if (tried < tries) await wait(Math.min(LONGEST_WAIT, retryAfter || FIRST_WAIT * 2 ** (tried - 1)));
  }
  throw new SendError(`${new URL(url).host}: ${problem}`);
}

/** `{partialSuccess: {rejectedSpans}}`; whatever else a receiver answers is no complaint. */
function rejectedInJson(answer: Buffer): number {
  try {
    return Number(JSON.parse(answer.toString())?.partialSuccess?.rejectedSpans ?? 0) || 0;
  } catch {
    return 0;
  }
}

/** The same as `ExportTraceServiceResponse`: partial_success = 1 with rejected_spans = 1. Some answer with JSON all the same. */
function rejectedInMessage(answer: Buffer): number {
  if (answer[0] === 0x7b) return rejectedInJson(answer);
  try {
    const response = new Wire(answer);
    while (response.next()) {
      if (response.field !== 1 || response.type !== 2) {
        response.skip();
        continue;
      }
      const partial = response.message();
      while (partial.next()) {
        if (partial.field === 1 && partial.type === 0) return Number(partial.varint());
        partial.skip();
      }
    }
  } catch {
    // no message of this kind
  }
  return 0;
}

/** Seconds to wait, or a date to wait for, as HTTP has it; 0 for neither. */
function millisOf(header: string | null): number {
  if (header === null) return 0;
  if (/^\d{1,5}$/.test(header)) return Number(header) * 1000;
  const until = Date.parse(header);
  return Number.isNaN(until) ? 0 : Math.max(0, until - Date.now());
}

function reasonOf(error: unknown, patience: number): string {
  if (error instanceof Error && error.name === 'TimeoutError') return `no answer for ${patience / 1000} seconds`;
  const cause = error instanceof Error ? (error.cause as NodeJS.ErrnoException | undefined) : undefined;
  return cause?.code ?? 'cannot be reached';
}

function sleep(millis: number): Promise<void> {
  return new Promise(done => setTimeout(done, millis));
}
