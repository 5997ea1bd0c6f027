import type { Doer, Gap, RecordedEvent } from '../events.ts';
import { cleanMessage, headerOf } from './clean.ts';
import { type Foreign, HttpStream, type Message } from './http.ts';

/** A line of the engine with a piece of plaintext. */
export interface TlsPiece {
  t_ns: number;
  pid: number;
  start_ns: number;
  exec_id: number;
  ssl: string;
  dir: 'sent' | 'received' | 'freed';
  /** Bytes of the whole call, and where this piece begins in them. */
  len?: number;
  at?: number;
  /** Base64; empty when it could not be read. */
  bytes?: string;
}

export interface CaptureSinks {
  event(event: RecordedEvent): void;
  /** Keeps a cleaned message; its number, or undefined. */
  text(line: object): number | undefined;
}

interface Connection {
  id: number;
  process: string;
  doer: Omit<Doer, 'seq' | 't_ns'>;
  sent: Direction;
  received: Direction;
  foreign: boolean;
}

interface Direction {
  stream: HttpStream;
  messages: number;
  /** Where the next piece of the call under way must begin; behind it, bytes were missed. */
  expected: number;
  callLen: number;
}

/** Of one message, and of all that are under way together. */
const [MOST, MOST_TOGETHER] = [8 << 20, 64 << 20];

/**
 * Puts pieces of plaintext together to HTTP messages, connection by connection, cleans each when it is whole, and only then
 * lets it out. Nothing of a message that is not whole has been written anywhere: when the recorder is killed it is gone.
 */
export class TlsCapture {
  private readonly connections = new Map<string, Connection>();
  private readonly sinks: CaptureSinks;
  private count = 0;

  constructor(sinks: CaptureSinks) {
    this.sinks = sinks;
  }

  take(piece: TlsPiece): void {
    const key = `${piece.pid}:${piece.start_ns}:${piece.ssl}`;
    if (piece.dir === 'freed') {
      this.close(key, piece.t_ns);
      return;
    }
    const connection = this.connections.get(key) ?? this.open(key, piece);
    connection.doer.exec_id = piece.exec_id;
    const direction = connection[piece.dir];
    const { at = 0, len = 0, t_ns } = piece;
    const bytes = Buffer.from(piece.bytes ?? '', 'base64');
    if (at === 0) {
      direction.stream.missed(direction.callLen - direction.expected); // the end of a call that was longer than is taken
      [direction.expected, direction.callLen] = [0, len];
    }
    direction.stream.missed(at - direction.expected);
    if (bytes.length > 0) direction.stream.take(bytes, t_ns);
    direction.expected = at + bytes.length;
  }

  /** Pieces were lost, of whichever connection: what is under way cannot be trusted any more. */
  lost(): void {
    for (const { sent, received } of this.connections.values())
      for (const { stream } of [sent, received]) stream.missed(Number.MAX_SAFE_INTEGER);
  }

  /** A process has ended, and with it its connections. */
  ended(process: string, t_ns: number): void {
    for (const [key, connection] of this.connections) if (connection.process === process) this.close(key, t_ns);
  }

  end(t_ns: number): void {
    for (const key of [...this.connections.keys()]) this.close(key, t_ns);
  }

  private open(key: string, { pid, start_ns, exec_id }: TlsPiece): Connection {
    const methods: string[] = [];
    const direction = (dir: 'sent' | 'received'): Direction => ({
      stream: new HttpStream(
        methods,
        () => Math.min(MOST - connection[dir].stream.held, MOST_TOGETHER - this.held()),
        message => this.message(connection, dir, message),
        what => this.foreign(connection, what),
      ),
      ...{ messages: 0, expected: 0, callLen: 0 },
    });
    const connection: Connection = {
      id: ++this.count,
      process: `${pid}:${start_ns}`,
      doer: { pid, start_ns, exec_id },
      foreign: false,
      sent: direction('sent'),
      received: direction('received'),
    };
    this.connections.set(key, connection);
    return connection;
  }

  private held(): number {
    let sum = 0;
    for (const { sent, received } of this.connections.values()) sum += sent.stream.held + received.stream.held;
    return sum;
  }

  private close(key: string, t_ns: number): void {
    const connection = this.connections.get(key);
    this.connections.delete(key);
    connection?.sent.stream.end(t_ns);
    connection?.received.stream.end(t_ns);
  }

  private message(connection: Connection, dir: 'sent' | 'received', message: Message): void {
    const clean = cleanMessage(message);
    const { start, headers, body, note, redacted } = clean;
    const number = ++connection[dir].messages;
    const who = { ...connection.doer, dir, conn: connection.id, message: number };
    const ref = this.sinks.text({
      ...who,
      t_ns: message.first_ns,
      start,
      headers,
      ...(body !== undefined && { body }),
      ...(note !== undefined && { note }),
    });
    const host = headerOf(message, 'host');
    this.sinks.event({
      type: 'tls.data',
      seq: 0,
      t_ns: message.last_ns,
      ...who,
      first_ns: message.first_ns,
      len: message.len,
      captured: message.body.length,
      whole: message.whole && message.lacking === 0,
      start,
      ...(host !== undefined && { host: headers.find(([name]) => name.toLowerCase() === 'host')![1] }),
      ...(ref !== undefined && { text_ref: ref }),
      redacted,
    });
  }

  private foreign(connection: Connection, what: Foreign): void {
    if (connection.foreign) return;
    connection.foreign = true;
    const { pid, start_ns } = connection.doer;
    const t_ns = Number(process.hrtime.bigint());
    const gap: Gap = { type: 'gap', seq: 0, t_ns, reason: 'tls_not_http1', count: 1, pid, start_ns, what };
    this.sinks.event(gap);
  }
}
