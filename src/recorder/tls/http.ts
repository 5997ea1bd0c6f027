/** One HTTP/1.1 message as it went over the connection, chunks joined, still coded and uncleaned: never to be written anywhere. */
export interface Message {
  start: string;
  headers: [name: string, value: string][];
  body: Buffer;
  /** Bytes on the connection, head and chunk marks included. */
  len: number;
  /** Bytes of the body that are missing or were not kept. */
  lacking: number;
  /** The message came to its end. */
  whole: boolean;
  first_ns: number;
  last_ns: number;
}

/** What is not HTTP/1.1, from where on nothing of the direction is kept. */
export type Foreign = 'HTTP/2' | 'another protocol' | 'a part was missed';

const LONGEST_HEAD = 256 << 10;
const METHOD =
  /^(?:GET|HEAD|POST|PUT|DELETE|CONNECT|OPTIONS|TRACE|PATCH|PROPFIND|REPORT|MKCOL|COPY|MOVE|LOCK|UNLOCK|SEARCH|MERGE|PURGE) /;
const LONGEST_METHOD = 'PROPFIND '.length;

type State = 'head' | 'length' | 'to the end' | 'size' | 'chunk' | 'chunk end' | 'trailer' | 'foreign';

/**
 * One direction of one connection, cut into messages (RFC 9112, sections 2, 6 and 7). A message is given when its last byte
 * has come. `methods` is shared by both directions: requests put their methods in, answers take them out.
 */
export class HttpStream {
  private state: State = 'head';
  /** Bytes of a head, or of a line between chunks, that are not whole yet. */
  private text: Buffer = Buffer.alloc(0);
  private left = 0;
  private pieces: Buffer[] = [];
  private kept = 0;
  private message: Message | undefined;
  private len = 0;
  private first_ns = 0;
  private readonly methods: string[];
  private readonly most: () => number;
  private readonly done: (message: Message) => void;
  private readonly foreign: (what: Foreign) => void;

  /** `most`: how many bytes more of a body may be kept; asked again for every piece. */
  constructor(
    methods: string[],
    most: () => number,
    done: (message: Message) => void,
    foreign: (what: Foreign) => void,
  ) {
    this.methods = methods;
    this.most = most;
    this.done = done;
    this.foreign = foreign;
  }

  /** Bytes held in memory. */
  get held(): number {
    return this.kept + this.text.length;
  }

  take(bytes: Buffer, t_ns: number): void {
    let rest = bytes;
    while (rest.length > 0 && this.state !== 'foreign') {
      if (this.state === 'head' && this.text.length === 0) [this.first_ns, this.len] = [t_ns, 0];
      const before = rest.length;
      rest = this.step(rest, t_ns);
      this.len += before - rest.length;
      if (this.message !== undefined && this.isComplete()) this.finish(t_ns, true);
    }
  }

  /** Bytes that went by unseen. Inside a body whose length is known they are only lacking; elsewhere the thread is lost. */
  missed(bytes: number): void {
    if (this.state === 'foreign' || bytes === 0) return;
    const inside =
      this.state === 'to the end' || ((this.state === 'length' || this.state === 'chunk') && bytes < this.left);
    if (!inside) {
      this.abandon('a part was missed');
      return;
    }
    if (this.state !== 'to the end') this.left -= bytes;
    this.len += bytes;
    this.message!.lacking += bytes;
  }

  /** The connection is over. */
  end(t_ns: number): void {
    if (this.message !== undefined) this.finish(t_ns, this.state === 'to the end');
    this.abandon();
  }

  private isComplete(): boolean {
    return this.state === 'length' && this.left === 0;
  }

  /** Takes what belongs to the present state and gives the rest. */
  private step(bytes: Buffer, t_ns: number): Buffer {
    switch (this.state) {
      case 'head':
        return this.head(bytes, t_ns);
      case 'length':
      case 'chunk':
      case 'to the end': {
        const here = this.state === 'to the end' ? bytes.length : Math.min(bytes.length, this.left);
        this.keep(bytes.subarray(0, here));
        if (this.state !== 'to the end') this.left -= here;
        if (this.state === 'chunk' && this.left === 0) this.state = 'chunk end';
        return bytes.subarray(here);
      }
      default:
        return this.line(bytes, t_ns);
    }
  }

  private head(bytes: Buffer, t_ns: number): Buffer {
    const before = this.text.length;
    const all = before === 0 ? bytes : Buffer.concat([this.text, bytes]);
    const begin = all.toString('latin1', 0, 24);
    if (!couldBegin(begin)) {
      this.abandon(begin.startsWith('PRI * HT') ? 'HTTP/2' : 'another protocol');
      return bytes.subarray(bytes.length);
    }
    const end = all.indexOf('\r\n\r\n', Math.max(0, before - 3));
    if (end < 0) {
      if (all.length > LONGEST_HEAD) this.abandon('another protocol');
      else this.text = Buffer.from(all);
      return bytes.subarray(bytes.length);
    }
    this.text = Buffer.alloc(0);
    this.begin(all.toString('utf8', 0, end), t_ns);
    return all.subarray(end + 4);
  }

  private begin(head: string, t_ns: number): void {
    const [start = '', ...lines] = head.split('\r\n');
    const headers = lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
    });
    const of = (name: string): string | undefined => headers.find(([key]) => key.toLowerCase() === name)?.[1];
    this.message = {
      ...{ start, headers, body: Buffer.alloc(0), len: 0, lacking: 0, whole: false },
      ...{ first_ns: this.first_ns, last_ns: t_ns },
    };
    const status = /^HTTP\/1\.\d (\d{3})/.exec(start)?.[1];
    // An interim answer (1xx) is followed by the real one, to the same request.
    const method = status === undefined || /^1(?!01)/.test(status) ? undefined : this.methods.shift();
    if (status === undefined) this.methods.push(start.slice(0, start.indexOf(' ')));
    const length = Number(of('content-length') ?? Number.NaN);
    this.left = 0;
    this.state = 'length';
    if (status !== undefined && (/^(?:1..|204|304)$/.test(status) || method === 'HEAD')) return;
    if (method === 'CONNECT' && status?.startsWith('2')) return;
    if (/\bchunked\b/i.test(of('transfer-encoding') ?? '')) this.state = 'size';
    else if (Number.isSafeInteger(length) && length >= 0) this.left = length;
    else if (status !== undefined) this.state = 'to the end';
  }

  /** A line between chunks: a size, the end of a chunk, a trailer. */
  private line(bytes: Buffer, t_ns: number): Buffer {
    const before = this.text.length;
    const all = before === 0 ? bytes : Buffer.concat([this.text, bytes]);
    const end = all.indexOf('\n');
    if (end < 0) {
      if (all.length > LONGEST_HEAD) this.abandon('another protocol');
      else this.text = Buffer.from(all);
      return bytes.subarray(bytes.length);
    }
    const text = all.toString('latin1', 0, end).trim();
    this.text = Buffer.alloc(0);
    if (this.state === 'chunk end') this.state = 'size';
    else if (this.state === 'trailer') {
      if (text === '') {
        this.len += end + 1 - before;
        this.finish(t_ns, true);
        this.len -= end + 1 - before;
      }
    } else {
      this.left = Number.parseInt(text, 16);
      if (!(this.left >= 0)) this.abandon('another protocol');
      else this.state = this.left === 0 ? 'trailer' : 'chunk';
    }
    return all.subarray(end + 1);
  }

  private keep(bytes: Buffer): void {
    // After a hole nothing more is kept: what stands behind it could be the rest of a secret.
    const room = this.message!.lacking > 0 ? 0 : Math.min(bytes.length, this.most());
    if (room > 0) this.pieces.push(Buffer.from(bytes.subarray(0, room)));
    this.kept += room;
    this.message!.lacking += bytes.length - room;
  }

  private finish(t_ns: number, whole: boolean): void {
    const message = this.message!;
    const { start } = message;
    message.body = Buffer.concat(this.pieces);
    [message.len, message.last_ns, message.whole] = [this.len, t_ns, whole];
    [this.pieces, this.kept, this.message, this.state] = [[], 0, undefined, 'head'];
    this.done(message);
    // What follows is another protocol, inside this one.
    if (/^HTTP\/1\.\d 101/.test(start)) this.abandon('another protocol');
  }

  private abandon(what?: Foreign): void {
    const before = this.state;
    this.state = 'foreign';
    this.text = Buffer.alloc(0);
    [this.pieces, this.kept, this.message] = [[], 0, undefined];
    if (what !== undefined && before !== 'foreign') this.foreign(what);
  }
}

/** True for the first bytes of a request or an answer, also when there are only a few yet. */
function couldBegin(text: string): boolean {
  if ('HTTP/1.'.startsWith(text.slice(0, 7))) return true;
  if (METHOD.test(text)) return true;
  return text.length < LONGEST_METHOD && /^[A-Z]+$/.test(text);
}
