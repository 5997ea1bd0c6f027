import { brotliDecompressSync, constants, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import { unpackZstd } from '../../ingest/compressed.ts';
import { REDACTED } from '../../privacy/placeholders.ts';
import { redactText } from '../../privacy/redact.ts';
import { redactStream } from './event-stream.ts';
import type { Message } from './http.ts';

/** A message with its credentials taken out: the only form in which it may be written. */
export interface CleanMessage {
  start: string;
  headers: [name: string, value: string][];
  /** The text of the body, unpacked. */
  body?: string;
  /** Why there is no body, or not all of it. */
  note?: string;
  /** How many things were taken out. */
  redacted: number;
}

/** Names of headers and of values in an address whose value is a credential. */
const CREDENTIAL =
  /auth|cookie|token|secret|passw|credential|signature|session|api[-_]?key|\bkey\b|access[-_]?key|^(?:sig|code|jwt|x-amz-security)/i;
/** Headers that hold long words which are no secrets. */
const HARMLESS =
  /^(?:host|date|server|accept.*|content-.*|user-agent|connection|keep-alive|cache-control|transfer-encoding|vary|via|etag|last-modified|expires|age|anthropic-(?:version|beta|ratelimit-.*)|openai-(?:version|model|processing-ms)|x-stainless-.*|x-ratelimit-.*|retry-after|(?:x-)?request-id|cf-ray|access-control-.*|strict-transport-security|alt-svc)$/i;
/** What an unknown header may hold that could be a key of no known shape. */
const LONG_WORD = /[A-Za-z0-9_+/=.~-]{20,}/g;
/** Unpacked text beyond this is not kept. */
const LARGEST = 32 << 20;

export function cleanMessage(message: Message): CleanMessage {
  const start = cleanStart(message.start);
  const headers = message.headers.map(([name, value]): [string, string] => [
    redactText(name),
    cleanHeader(name, value),
  ]);
  const { text, note } = bodyOf(message);
  const stream =
    text !== undefined && /event-stream|ndjson|jsonl|json-seq/i.test(headerOf(message, 'content-type') ?? '');
  const form = /x-www-form-urlencoded/i.test(headerOf(message, 'content-type') ?? '');
  const safer = (plain: string): string =>
    stream ? redactStream(plain, redactText) : form ? cleanAddress(`?${plain}`).slice(1) : plain;
  const body = text === undefined ? undefined : redactText(safer(text));
  const before = marks([message.start, ...message.headers.flat(), text ?? '']);
  const after = marks([start, ...headers.flat(), body ?? '']);
  return {
    start,
    headers,
    ...(body !== undefined && body !== '' && { body }),
    ...(note !== undefined && { note }),
    redacted: Math.max(0, after - before),
  };
}

export const headerOf = (message: Message, name: string): string | undefined =>
  message.headers.find(([key]) => key.toLowerCase() === name)?.[1];

const marks = (texts: string[]): number => texts.reduce((sum, text) => sum + text.split(REDACTED).length - 1, 0);

function cleanHeader(name: string, value: string): string {
  if (CREDENTIAL.test(name) && !/ratelimit/i.test(name)) return REDACTED;
  const clean = redactText(value);
  if (HARMLESS.test(name)) return clean;
  return /^(?:referer|location|origin|link)$/i.test(name) ? cleanAddress(clean) : clean.replace(LONG_WORD, REDACTED);
}

/** The address of a request may carry keys; the words of an answer's first line may not. */
function cleanStart(start: string): string {
  const [method, target, version] = start.split(' ');
  return start.startsWith('HTTP/') || target === undefined
    ? redactText(start)
    : [redactText(method!), cleanAddress(target), version].filter(Boolean).join(' ');
}

function cleanAddress(text: string): string {
  const clean = text.replace(/([?&;#])([^=&;#]*)=([^&;#]*)/g, (whole, mark: string, name: string, value: string) =>
    value !== '' && (CREDENTIAL.test(decoded(name)) || /[A-Za-z0-9_+/=.~%-]{20,}/.test(value))
      ? `${mark}${name}=${REDACTED}`
      : whole,
  );
  return redactText(clean);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function bodyOf(message: Message): { text?: string; note?: string } {
  const cut = message.lacking > 0 || !message.whole;
  if (message.body.length === 0) return cut ? { note: 'the body was not seen' } : {};
  const coding = (headerOf(message, 'content-encoding') ?? 'identity').toLowerCase();
  let plain: Buffer;
  try {
    plain = coding
      .split(',')
      .reverse()
      .reduce((bytes, each) => unpacked(bytes, each.trim()), message.body);
  } catch {
    return { note: `not kept: ${/^[a-z0-9, -]{1,40}$/.test(coding) ? coding : 'its coding'} could not be unpacked` };
  }
  let text: string;
  try {
    // `stream`: a character that is cut at the end is no reason to call it no text.
    text = new TextDecoder('utf-8', { fatal: true }).decode(plain, { stream: cut });
  } catch {
    return { note: 'not kept: not text' };
  }
  if (text.includes('\0')) return { note: 'not kept: not text' };
  if (!cut) return { text };
  // The end may be half a secret, which has no shape any more.
  return { text: text.replace(/[^\s"',;{}[\]()<>]+$/, ''), note: `cut: ${message.lacking} bytes more` };
}

function unpacked(bytes: Buffer, coding: string): Buffer {
  const options = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: LARGEST };
  switch (coding) {
    case 'identity':
      return bytes;
    case 'gzip':
    case 'x-gzip':
      return gunzipSync(bytes, options);
    case 'deflate':
      try {
        return inflateSync(bytes, options);
      } catch {
        return inflateRawSync(bytes, options); // as some servers send it
      }
    case 'br':
      return brotliDecompressSync(bytes, { finishFlush: constants.BROTLI_OPERATION_FLUSH, maxOutputLength: LARGEST });
    case 'zstd':
      return unzstd(bytes);
  }
  throw new Error(coding);
}

function unzstd(bytes: Buffer): Buffer {
  const unpack = unpackZstd();
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += unpack.step) {
    if (unpack.push(bytes.subarray(at, at + unpack.step), pieces) === 'corrupt') throw new Error('corrupt');
    if (pieces.reduce((sum, { length }) => sum + length, 0) > LARGEST) throw new Error('too large');
  }
  return Buffer.concat(pieces);
}
