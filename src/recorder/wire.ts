import { dnsMessage } from './dns.ts';
import type { Address } from './events.ts';
import type { SocketCall } from './io-meter.ts';
import { joined } from './paths.ts';
import { serverName } from './sni.ts';
import { addressOf } from './sockaddr.ts';

const EINPROGRESS = -115;

/** Lines of the engine that are events already; the rest carry raw bytes or a name beside its directory. */
const FINISHED = /^\{"type":"(?:file\.open|proc\.|gap|end)/;

/**
 * One line of the kernel engine as one line of a recording (RECORDED form of events.ts), or undefined where it says nothing.
 * Opens and processes are most of all lines and pass unparsed.
 */
export function finishedLine(line: string): string | undefined {
  if (FINISHED.test(line)) return line;
  const raw = JSON.parse(line) as Record<string, unknown>;
  const event = finished(raw);
  return event === undefined ? undefined : JSON.stringify(event);
}

function finished(raw: Record<string, unknown>): Record<string, unknown> | undefined {
  const { dir, path_raw, to_dir, to_raw, sockaddr, message, received, target, ...rest } = raw as Record<string, string>;
  const state = { path_state: rest.path_state ?? 'resolved' };
  switch (raw.type) {
    case 'file.delete':
    case 'file.mkdir':
    case 'file.truncate':
      return path_raw === undefined ? rest : { ...rest, ...state, path: joined(dir!, path_raw) };
    case 'file.rename':
      return { ...rest, ...state, from: joined(dir!, path_raw!), to: joined(to_dir!, to_raw!) };
    case 'file.link':
      return { ...rest, ...state, from: target ?? joined(dir!, path_raw!), to: joined(to_dir!, to_raw!) };
    case 'net.connect':
    case 'net.accept':
    case 'net.bind': {
      const address: Address = addressOf(Buffer.from(sockaddr!, 'hex'));
      return { ...rest, ...address, ...(raw.ret === EINPROGRESS && { in_progress: true }) };
    }
    case 'net.hello': {
      const name = serverName(Buffer.from(message!, 'hex'));
      if (name === undefined) return undefined;
      const { conn: _, ...doer } = rest;
      return { ...doer, ...told(name, addressOf(Buffer.from(sockaddr!, 'hex')).addr) };
    }
    case 'net.dns':
      return nameEvent(rest, Buffer.from(message!, 'hex'), Boolean(received));
  }
  return rest;
}

/** A name that a client told to the server it was connected to. */
export const told = (name: string, addr: string) =>
  ({ type: 'net.name', name, addr: addr === '' ? [] : [addr], source: 'sni', confidence: 'sent' }) as const;

export const isSocketCall = (line: string): boolean => line.startsWith('io ');

/** The words of an engine line about a socket, in the order of write_io in recorder/write.h. */
export function socketCall(line: string): SocketCall {
  const words = line.split(' ');
  const number = (at: number): number => Number(words[at]);
  const from_ns = number(8);
  const to_ns = number(9);
  return {
    op: words[1] as SocketCall['op'],
    seq: number(2),
    pid: number(3),
    start_ns: number(4),
    exec_id: number(5),
    tid: number(6),
    conn: number(7),
    from_ns,
    to_ns,
    waited_ns: number(10),
    bytes: number(11),
    socket: words[12] as SocketCall['socket'],
    blocked_ns: words[13] === '1' ? to_ns - from_ns : 0,
    last: words[14] === '1',
    peer: words[15] ?? '',
  };
}

/** A look-up: the question when asked, the addresses when answered. */
export function nameEvent<T extends object>(
  doer: T,
  message: Uint8Array,
  received: boolean,
): (T & Record<string, unknown>) | undefined {
  const dns = dnsMessage(message);
  if (dns === undefined || dns.answer !== received) return undefined;
  const confidence = received ? 'answered' : 'asked';
  return { ...doer, type: 'net.name', name: dns.name, addr: dns.addr, source: 'dns', confidence };
}
