import type { NetExchange, NetIo } from './events.ts';

/** What `--io` measured of one address. Times in ns. */
export interface HostIo {
  /** Connections that were measured to their end. */
  connections: number;
  sent: number;
  received: number;
  /** Answered exchanges without greetings of TLS, and those that nobody answered. */
  exchanges: number;
  unanswered: number;
  /** From the end of a question to the first byte of its answer, one each answered exchange. */
  first_byte_ns: number[];
  connect_ns: number[];
  blocked_ns: number;
  /** Part of blocked_ns that other connections of the same process claim too. */
  shared_ns: number;
}

export const noIo = (): HostIo => ({
  connections: 0,
  sent: 0,
  received: 0,
  exchanges: 0,
  unanswered: 0,
  first_byte_ns: [],
  connect_ns: [],
  blocked_ns: 0,
  shared_ns: 0,
});

/** Adds one event to an address. Bytes and blocked time come from net.io alone, which holds the whole connection. */
export function addIo(io: HostIo, event: NetExchange | NetIo): void {
  if (event.type === 'net.io') {
    io.connections++;
    io.sent += event.sent;
    io.received += event.received;
    io.blocked_ns += event.blocked_ns;
    io.shared_ns += event.shared_ns;
    if (event.connect_ns !== undefined) io.connect_ns.push(event.connect_ns);
  } else if (event.first_ns === undefined) io.unanswered++;
  else if (!event.handshake) {
    io.exchanges++;
    io.first_byte_ns.push(event.first_ns - event.asked_ns);
  }
}

export interface Spread {
  median: number;
  max: number;
}

/** Undefined of nothing. The median of an even count is the lower of the middle two, so it is a time that was measured. */
export function spreadOf(times: readonly number[]): Spread | undefined {
  if (times.length === 0) return undefined;
  const sorted = Float64Array.from(times).sort();
  return { median: sorted[(sorted.length - 1) >> 1]!, max: sorted.at(-1)! };
}

/** The form of a report: lists of times as their middle and largest. */
export const ioJson = ({ first_byte_ns, connect_ns, ...io }: HostIo): object => ({
  ...io,
  first_byte_ns: spreadOf(first_byte_ns),
  connect_ns: spreadOf(connect_ns),
});

/** `3 exchanges, sent 1.2 kB, received 40 kB, first byte 12.0 ms (most 120.0 ms), waited 140.0 ms`. */
export function ioText(io: HostIo): string {
  const parts: string[] = [];
  if (io.exchanges > 0) parts.push(`${io.exchanges} exchange${io.exchanges === 1 ? '' : 's'}`);
  if (io.unanswered > 0) parts.push(`${io.unanswered} unanswered`);
  parts.push(`sent ${bytes(io.sent)}`, `received ${bytes(io.received)}`);
  const connect = spreadOf(io.connect_ns);
  if (connect !== undefined) parts.push(`connected in ${most(connect)}`);
  const first = spreadOf(io.first_byte_ns);
  if (first !== undefined) parts.push(`first byte after ${most(first)}`);
  if (io.blocked_ns > 0) {
    const shared = io.shared_ns > 0 ? ` (${duration(io.shared_ns)} of it for other addresses too)` : '';
    parts.push(`waited ${duration(io.blocked_ns)}${shared}`);
  }
  return parts.join(', ');
}

const most = ({ median, max }: Spread): string =>
  median === max ? duration(max) : `${duration(median)} (most ${duration(max)})`;

export const duration = (ns: number): string =>
  ns < 1e9 ? `${(ns / 1e6).toFixed(1)} ms` : `${(ns / 1e9).toFixed(2)} s`;

function bytes(count: number): string {
  if (count < 1000) return `${count} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let size = count;
  let unit = -1;
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000;
    unit++;
  }
  return `${size.toFixed(size < 10 ? 1 : 0)} ${units[unit]}`;
}
