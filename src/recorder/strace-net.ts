import type { Address, Doer, RecordedEvent } from './events.ts';
import { IoMeter, type SocketCall } from './io-meter.ts';
import { serverName } from './sni.ts';
import { addressOf } from './sockaddr.ts';
import { bytesOfHex, directoryOf, type StraceCall, textOfHex } from './strace-line.ts';
import { nameEvent, told } from './wire.ts';

/** What --io traces beyond the rest. */
export const IO_CALLS =
  'socket,read,readv,write,writev,sendfile,recvmmsg,poll,ppoll,select,pselect6,epoll_wait,epoll_pwait,epoll_pwait2,close,getsockopt';

const WAITS = new Set(
  'poll,ppoll,select,pselect6,epoll_wait,epoll_pwait,epoll_pwait2,accept,accept4,connect'.split(','),
);
const SENDS = new Set('write,writev,sendto,sendmsg,sendmmsg,sendfile'.split(','));
const RECEIVES = new Set('read,readv,recvfrom,recvmsg,recvmmsg'.split(','));
/** Under strace each call takes a while by itself: what is shorter is no waiting. */
const WAITED_NS = 1_000_000;

/** Who called, and when the call began and ended. */
export interface CallTimes extends Omit<Doer, 't_ns'> {
  from_ns: number;
  to_ns: number;
}

interface Socket {
  address: Address;
  type: SocketCall['socket'];
  /** When connecting in the background began. */
  dialling?: number;
}

/** The sockets of a traced tree. They are known by inode, as strace prints it: descriptors are used again. */
export class StraceNet {
  private readonly sockets = new Map<number, Socket>();
  private readonly types = new Map<number, SocketCall['socket']>();
  private readonly waited = new Map<number, number>();
  private readonly emit: (event: RecordedEvent) => void;
  private readonly meter: IoMeter | undefined;

  constructor(emit: (event: RecordedEvent) => void, io: boolean) {
    this.emit = emit;
    this.meter = io ? new IoMeter(emit) : undefined;
  }

  /** connect, accept, bind. */
  connected({ name, args, ret, retPath }: StraceCall, doer: () => Doer): void {
    const address = addressIn(args[1] ?? '');
    const type = name === 'connect' ? 'net.connect' : name === 'bind' ? 'net.bind' : 'net.accept';
    const conn = inodeOf(type === 'net.accept' ? retPath : directoryOf(args[0]));
    if (type !== 'net.bind' && conn !== undefined) {
      const known = this.types.get(conn) ?? (type === 'net.accept' ? 'stream' : undefined);
      this.sockets.set(conn, { address, type: known ?? (address.port === 53 ? 'dgram' : 'stream') });
    }
    const in_progress = ret === -115 && { in_progress: true };
    this.emit({ type, ...doer(), ...address, ret, ...(conn !== undefined && { conn }), ...in_progress });
  }

  /** A call that carried bytes: names asked for and names told are taken out of it. */
  talked({ name, args }: StraceCall, doer: () => Doer): void {
    const conn = inodeOf(directoryOf(args[0]));
    if (conn === undefined) return;
    const socket = this.sockets.get(conn);
    const whole = args.join(',');
    const dns = socket?.address.port === 53 || /sin6?_port=htons\(53\)/.test(whole);
    const hello = !dns && socket !== undefined && SENDS.has(name) && /"\\x16\\x03/.test(whole);
    if (!dns && !hello) return;
    const parts =
      name.endsWith('v') || name.includes('msg')
        ? [...whole.matchAll(/iov_base=("[^"]*")/g)].map(match => match[1]!)
        : [args[1] ?? ''];
    for (const part of parts) {
      const bytes = bytesOfHex(part.replace(/^"|"(?:\.\.\.)?$/g, ''));
      if (hello) {
        const server = serverName(bytes);
        if (bytes[5] === 1) this.meter?.hello(conn);
        if (server !== undefined) this.emit({ ...told(server, socket.address.addr), ...doer() });
        return;
      }
      const event = nameEvent({}, bytes, RECEIVES.has(name));
      if (event !== undefined) this.emit({ ...event, ...doer() } as unknown as RecordedEvent);
    }
  }

  /** Any finished call, for what it says of connections and waiting. */
  measure(call: StraceCall, task: number, times: () => CallTimes): void {
    if (this.meter === undefined) return;
    const { name, args, ret } = call;
    if (name === 'socket') {
      const conn = inodeOf(call.retPath);
      const kind = args[1] ?? '';
      if (conn !== undefined)
        this.types.set(conn, kind.includes('STREAM') ? 'stream' : kind.includes('DGRAM') ? 'dgram' : 'other');
      return;
    }
    const sends = SENDS.has(name);
    const receives = RECEIVES.has(name);
    const waits = WAITS.has(name);
    if (!sends && !receives && !waits && name !== 'close' && name !== 'getsockopt') return;
    const conn = inodeOf(name.startsWith('accept') ? call.retPath : directoryOf(args[0]));
    if (conn === undefined && !waits) return;
    const at = times();
    const spent = at.to_ns - at.from_ns;
    const blocked_ns = spent >= WAITED_NS && (waits || sends || receives) ? spent : 0;
    const waited_ns = (this.waited.get(task) ?? 0) + blocked_ns;
    this.waited.set(task, waited_ns);
    const socket = conn === undefined ? undefined : this.sockets.get(conn);
    if (conn === undefined || socket === undefined) return;
    const { address, type } = socket;
    if (address.family === 'unix' && address.addr === '' && !name.startsWith('accept')) return;
    const tell = (op: SocketCall['op'], more: Partial<SocketCall> = {}): void =>
      this.meter?.take({
        ...{ op, ...at, tid: task, conn, peer: address, socket: type, bytes: 0, waited_ns, blocked_ns },
        ...more,
      });
    if (name === 'connect') {
      if (ret === 0 && (type === 'stream' || address.family === 'unix')) tell('stood');
      if (ret === -115) socket.dialling = at.from_ns;
      if (ret === 0 || ret === -115) tell('connect');
    } else if (name.startsWith('accept')) tell('accept');
    else if (name === 'close') {
      tell('close', { last: true });
      this.sockets.delete(conn);
      this.types.delete(conn);
    } else if (name === 'getsockopt') {
      if (socket.dialling === undefined || args[2] !== 'SO_ERROR') return;
      tell(args[3] === '[0]' ? 'stood' : 'failed', { from_ns: socket.dialling, to_ns: at.from_ns });
      delete socket.dialling;
    } else if (ret >= 0 && !(sends && ret === 0) && !args.some(arg => arg.includes('MSG_PEEK'))) {
      if (socket.dialling !== undefined) tell('stood', { from_ns: socket.dialling, to_ns: at.from_ns });
      delete socket.dialling;
      const bytes = name.endsWith('mmsg') ? messageBytes(args) : ret;
      tell(sends ? 'send' : 'receive', { bytes });
    }
  }

  processEnded(of: { pid: number; start_ns: number }, t_ns: number): void {
    this.meter?.processEnded(of, t_ns);
  }

  end(t_ns: number): void {
    this.meter?.end(t_ns);
  }
}

const messageBytes = (args: string[]): number =>
  [...args.join(',').matchAll(/msg_len=(\d+)/g)].reduce((sum, match) => sum + Number(match[1]), 0);

/** The number in `socket:[N]`. */
function inodeOf(text: string | undefined): number | undefined {
  const match = /^socket:\[(\d+)\]$/.exec(text ?? '');
  return match === null ? undefined : Number(match[1]);
}

function addressIn(text: string): Address {
  const unix = /sun_path=(@?)"([^"]*)"/.exec(text);
  if (unix !== null) {
    const path = textOfHex(unix[2]!);
    return { family: 'unix', addr: `${unix[1]}${path}` };
  }
  const port = Number(/sin6?_port=htons\((\d+)\)/.exec(text)?.[1] ?? 0);
  const four = /inet_addr\("([^"]*)"\)/.exec(text);
  if (four !== null) return { family: 'inet', addr: textOfHex(four[1]!), port };
  const six = /inet_pton\(AF_INET6, "([^"]*)"/.exec(text);
  if (six !== null) {
    const addr = textOfHex(six[1]!);
    return addr.startsWith('::ffff:') && addr.includes('.')
      ? { family: 'inet', addr: addr.slice(7), port }
      : { family: 'inet6', addr, port };
  }
  if (text.includes('AF_UNIX')) return { family: 'unix', addr: '' };
  return addressOf(new Uint8Array(0));
}
