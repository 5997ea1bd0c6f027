import type { Address, NetExchange, NetIo, RecordedEvent } from './events.ts';
import { processKey } from './events.ts';
import { addressOf } from './sockaddr.ts';

/** One call on a socket, or one change of its state, as either engine saw it. Times are CLOCK_MONOTONIC in ns. */
export interface SocketCall {
  /** connect: it returned, with success or under way. stood, failed: connecting is over. close: `last` if nobody else holds it. */
  op: 'connect' | 'stood' | 'failed' | 'accept' | 'send' | 'receive' | 'close';
  seq: number;
  pid: number;
  start_ns: number;
  exec_id: number;
  tid: number;
  conn: number;
  /** The other end: a `struct sockaddr` in hexadecimal, or what the caller knows of it. */
  peer: string | Address;
  socket: NetIo['socket'];
  bytes: number;
  from_ns: number;
  to_ns: number;
  /** All standing still of this thread up to now. */
  waited_ns: number;
  /** Standing still in this call. */
  blocked_ns: number;
  last?: boolean;
}

type Process = Pick<SocketCall, 'pid' | 'start_ns'>;

interface Exchange {
  asker: SocketCall;
  from_ns: number;
  asked_ns: number;
  sent: number;
  received: number;
  first_ns?: number;
  last_ns?: number;
  blocked_ns?: number;
  shared: boolean;
  handshake: boolean;
}

/** What net.io will tell of a connection when it is over. */
type Told = Pick<
  NetIo,
  | 'role'
  | 'opened_ns'
  | 'connect_ns'
  | 'sent'
  | 'received'
  | 'sends'
  | 'receives'
  | 'exchanges'
  | 'blocked_ns'
  | 'shared_ns'
>;

interface Connection extends Told {
  address: Address;
  last: SocketCall;
  /** Where the clock of standing still of a thread stood when this connection was last used. */
  mark?: { tid: number; waited_ns: number };
  exchange?: Exchange;
  /** The greeting of TLS comes next. */
  greets: boolean;
  /** Connecting was left to go on in the background. */
  underWay: boolean;
  /** The call whose sequence number the last exchange took. */
  taken?: number;
}

/** What the threads of one process have waited for. */
interface Waits {
  unanswered: Set<Exchange>;
  /** By thread: stretches of its clock of standing still that some connection has claimed. */
  claimed: Map<number, [number, number][]>;
}

/** More stretches than this are never apart in practice; beyond it the oldest is forgotten. */
const MOST_STRETCHES = 256;

/**
 * Turns calls on sockets into exchanges and sums of connections (NetExchange and NetIo of events.ts). Waiting between two uses
 * of a connection is claimed by the receive that ends it. In an event loop several connections wait at once: the same
 * waiting is then claimed several times, and every claim after the first counts as shared, so that blocked less shared, summed
 * over connections, never exceeds what the threads really waited.
 */
export class IoMeter {
  private readonly bySocket = new Map<number, Map<string, Connection>>();
  private readonly waits = new Map<string, Waits>();
  private readonly emit: (event: RecordedEvent) => void;

  constructor(emit: (event: RecordedEvent) => void) {
    this.emit = emit;
  }

  take(call: SocketCall): void {
    if (call.op === 'close') {
      if (call.last) this.closed(call.conn, call.to_ns);
      return;
    }
    const connection = this.connectionOf(call);
    this.waitsOf(call);
    if (call.op === 'send' || call.op === 'receive') {
      if (call.op === 'send') this.sent(connection, call);
      else this.received(connection, call);
      connection.mark = { tid: call.tid, waited_ns: call.waited_ns };
    } else this.opened(connection, call);
    connection.last = call;
  }

  /** The bytes that are sent on this connection now are the greeting of TLS; told just before or after them. */
  hello(conn: number): void {
    for (const connection of this.bySocket.get(conn)?.values() ?? []) {
      if (connection.exchange?.received === 0) connection.exchange.handshake = true;
      else connection.greets = true;
    }
  }

  processEnded(of: Process, t_ns: number): void {
    const key = processKey(of);
    if (!this.waits.has(key)) return;
    for (const [conn, connections] of this.bySocket)
      for (const [name, connection] of connections)
        if (processKey(connection.last) === key) this.finished(conn, name, connection, 'exit', t_ns);
    this.waits.delete(key);
  }

  /** Call once after the last call: what is still open is told as far as it went. */
  end(t_ns: number): void {
    for (const [conn, connections] of this.bySocket)
      for (const [name, connection] of connections) this.finished(conn, name, connection, 'recording', t_ns);
  }

  /** A socket that connects again is another connection. */
  private connectionOf(call: SocketCall): Connection {
    const name = call.socket === 'stream' ? '' : JSON.stringify(call.peer);
    const connections = this.bySocket.get(call.conn) ?? new Map<string, Connection>();
    const known = connections.get(name);
    const again =
      known !== undefined && call.op !== 'send' && call.op !== 'receive' && known.sends + known.receives > 0;
    if (again) this.finished(call.conn, name, known, 'closed', call.from_ns);
    else if (known !== undefined) return known;
    const zero = { sent: 0, received: 0, sends: 0, receives: 0, exchanges: 0, blocked_ns: 0, shared_ns: 0 };
    const address = typeof call.peer === 'string' ? addressOf(Buffer.from(call.peer, 'hex')) : call.peer;
    const connection: Connection = { role: 'unknown', address, last: call, ...zero, greets: false, underWay: false };
    connections.set(name, connection);
    this.bySocket.set(call.conn, connections);
    return connection;
  }

  private waitsOf(of: Process): Waits {
    const key = processKey(of);
    let waits = this.waits.get(key);
    if (waits === undefined) {
      waits = { unanswered: new Set(), claimed: new Map() };
      this.waits.set(key, waits);
    }
    return waits;
  }

  private opened(connection: Connection, call: SocketCall): void {
    if (call.op === 'accept') {
      connection.role = 'server';
      connection.opened_ns = call.to_ns;
      return;
    }
    connection.role = 'client';
    connection.opened_ns ??= call.from_ns;
    if (call.op === 'stood') connection.connect_ns ??= call.to_ns - call.from_ns;
    else if (call.op === 'failed') {
      // A refusal at once is told by the call itself.
      if (connection.underWay) this.tellIo(call.conn, connection, 'closed', call.to_ns, true);
      this.bySocket.delete(call.conn);
    } else {
      connection.underWay = connection.connect_ns === undefined && call.socket === 'stream';
      connection.mark = { tid: call.tid, waited_ns: call.waited_ns };
    }
  }

  private sent(connection: Connection, call: SocketCall): void {
    if (connection.role === 'unknown') connection.role = 'client';
    connection.sent += call.bytes;
    connection.sends++;
    if (connection.role === 'server') return;
    let { exchange } = connection;
    if (exchange === undefined || exchange.received > 0) {
      this.tellExchange(connection, call.from_ns);
      exchange = this.ask(connection, call, call.from_ns, call.to_ns);
    }
    exchange.sent += call.bytes;
    exchange.asked_ns = call.to_ns;
  }

  private ask(connection: Connection, call: SocketCall, from_ns: number, asked_ns: number): Exchange {
    const { unanswered } = this.waitsOf(call);
    for (const other of unanswered) other.shared = true;
    const shared = unanswered.size > 0;
    const handshake = connection.greets;
    connection.greets = false;
    const exchange = { asker: call, from_ns, asked_ns, sent: 0, received: 0, shared, handshake };
    connection.exchange = exchange;
    unanswered.add(exchange);
    return exchange;
  }

  private received(connection: Connection, call: SocketCall): void {
    if (connection.role === 'unknown') connection.role = 'server';
    // An end of file: the wait for it was for nobody's answer.
    if (call.bytes === 0) return;
    connection.received += call.bytes;
    connection.receives++;
    if (connection.role === 'server') return;
    const { opened_ns, connect_ns } = connection;
    const exchange =
      connection.exchange ??
      this.ask(connection, call, opened_ns ?? call.from_ns, (opened_ns ?? call.from_ns) + (connect_ns ?? 0));
    const waited = this.claim(connection, call);
    exchange.received += call.bytes;
    exchange.last_ns = call.to_ns;
    if (exchange.first_ns !== undefined) return;
    exchange.first_ns = call.to_ns;
    if (waited !== undefined)
      exchange.blocked_ns = Math.max(0, Math.min(waited, exchange.first_ns - exchange.asked_ns));
    this.waitsOf(exchange.asker).unanswered.delete(exchange);
  }

  /** Waiting that this receive ended, or undefined where it was another thread's and cannot be known. */
  private claim(connection: Connection, call: SocketCall): number | undefined {
    const { mark } = connection;
    const since = mark?.tid === call.tid ? mark.waited_ns : call.waited_ns - call.blocked_ns;
    const waited = call.waited_ns - since;
    connection.blocked_ns += waited;
    if (waited > 0) {
      const { claimed } = this.waitsOf(call);
      const stretches = claimed.get(call.tid) ?? [];
      connection.shared_ns += claimStretch(stretches, since, call.waited_ns);
      claimed.set(call.tid, stretches);
    }
    return mark?.tid === call.tid || call.blocked_ns > 0 ? waited : undefined;
  }

  private closed(conn: number, t_ns: number): void {
    for (const [name, connection] of this.bySocket.get(conn) ?? [])
      this.finished(conn, name, connection, 'closed', t_ns);
  }

  private finished(conn: number, name: string, connection: Connection, ended: NetIo['ended'], t_ns: number): void {
    this.tellExchange(connection, t_ns);
    if (connection.sends + connection.receives > 0 || connection.connect_ns !== undefined)
      this.tellIo(conn, connection, ended, t_ns, false);
    const connections = this.bySocket.get(conn)!;
    connections.delete(name);
    if (connections.size === 0) this.bySocket.delete(conn);
  }

  private tellExchange(connection: Connection, t_ns: number): void {
    const { exchange } = connection;
    if (exchange === undefined) return;
    const { asker, shared, handshake, ...times } = exchange;
    this.waits.get(processKey(asker))?.unanswered.delete(exchange);
    delete connection.exchange;
    connection.taken = asker.seq;
    const event: NetExchange = {
      type: 'net.exchange',
      ...doer(asker, asker.seq, t_ns),
      ...connection.address,
      conn: asker.conn,
      n: ++connection.exchanges,
      ...times,
      ...(shared && { shared: true as const }),
      ...(handshake && { handshake: true as const }),
    };
    this.emit(event);
  }

  private tellIo(conn: number, connection: Connection, ended: NetIo['ended'], t_ns: number, failed: boolean): void {
    const { last, role, opened_ns, connect_ns, sent, received, sends, receives, exchanges, blocked_ns, shared_ns } =
      connection;
    const event: NetIo = {
      type: 'net.io',
      // A sequence number names one event: this one takes that of the last call, unless an exchange began with it.
      ...doer(last, connection.taken === last.seq ? 0 : last.seq, t_ns),
      ...connection.address,
      conn,
      role,
      socket: last.socket,
      ...(opened_ns !== undefined && { opened_ns }),
      ...(connect_ns !== undefined && { connect_ns }),
      ...(failed && { failed: true as const }),
      ...{ sent, received, sends, receives, exchanges, blocked_ns, shared_ns, ended },
    };
    this.emit(event);
  }
}

const doer = ({ pid, start_ns, exec_id }: SocketCall, seq: number, t_ns: number) => ({
  seq,
  t_ns,
  pid,
  start_ns,
  exec_id,
});

/** Adds [from, to] to stretches that are apart from each other; returns how much of it was in them already. */
function claimStretch(stretches: [number, number][], from: number, to: number): number {
  let already = 0;
  let [low, high] = [from, to];
  const apart = stretches.filter(([a, b]) => {
    if (b < from || a > to) return true;
    already += Math.min(b, to) - Math.max(a, from);
    low = Math.min(low, a);
    high = Math.max(high, b);
    return false;
  });
  apart.push([low, high]);
  if (apart.length > MOST_STRETCHES) apart.shift();
  stretches.splice(0, stretches.length, ...apart);
  return already;
}
