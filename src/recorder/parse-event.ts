import type { RecordedEvent, RecordingHeader } from './events.ts';

/** What a field must hold; behind a question mark it may also be absent. */
type Kind = 'number' | 'string' | 'boolean' | 'strings' | 'date' | '?number' | '?string' | '?boolean' | '?strings';
type Fields = Readonly<Record<string, Kind>>;

const TIMED: Fields = { seq: 'number', t_ns: 'number' };
const DOER: Fields = { ...TIMED, pid: 'number', start_ns: 'number', exec_id: 'number' };
const ADDRESS: Fields = { family: 'string', addr: 'string', port: '?number' };
const PATH: Fields = { ...DOER, path: 'string', path_state: 'string', file_kind: '?string' };
const MOVED: Fields = { ...DOER, from: 'string', to: 'string', path_state: 'string' };
const CONTACT: Fields = { ...DOER, ...ADDRESS, ret: 'number', in_progress: '?boolean', conn: '?number' };

/** The fields that readers rely on, by type of event: see events.ts for what they mean. */
const FIELDS: Readonly<Record<RecordedEvent['type'], Fields>> = {
  'proc.seen': { ...DOER, parent_pid: 'number', exe: '?string', argv: '?strings', cwd: '?string' },
  'proc.alive': DOER,
  'proc.fork': { ...DOER, child_pid: 'number', child_start_ns: 'number' },
  'proc.exec': { ...DOER, exe: 'string', argv: 'strings', cwd: 'string', argv_truncated: '?boolean' },
  'proc.exit': { ...DOER, code: 'number', signal: 'number', cpu_ns: '?number', max_rss_kb: '?number' },
  sample: { ...DOER, cpu_ns: 'number', rss_kb: 'number', peak_rss_kb: 'number' },
  'file.open': { ...PATH, access: 'string', creat: '?boolean', trunc: 'boolean', ret: 'number' },
  'file.delete': PATH,
  'file.mkdir': PATH,
  'file.truncate': PATH,
  'file.rename': MOVED,
  'file.link': { ...MOVED, symbolic: 'boolean' },
  'net.connect': CONTACT,
  'net.accept': CONTACT,
  'net.bind': CONTACT,
  'net.name': { ...DOER, name: 'string', addr: 'strings', source: 'string', confidence: 'string' },
  'net.exchange': {
    ...{ ...DOER, ...ADDRESS, conn: 'number', n: 'number', sent: 'number', received: 'number' },
    ...{ from_ns: 'number', asked_ns: 'number', first_ns: '?number', last_ns: '?number', blocked_ns: '?number' },
  },
  'net.io': {
    ...{ ...DOER, ...ADDRESS, conn: 'number', role: 'string', socket: 'string', ended: 'string' },
    ...{ opened_ns: '?number', connect_ns: '?number', sent: 'number', received: 'number', sends: 'number' },
    ...{ receives: 'number', exchanges: 'number', blocked_ns: 'number', shared_ns: 'number' },
  },
  'tls.data': {
    ...{ ...DOER, dir: 'string', conn: 'number', message: 'number', first_ns: 'number', len: 'number' },
    ...{ captured: 'number', whole: 'boolean', start: 'string', host: '?string', redacted: 'number' },
  },
  'tls.probe': { ...TIMED, path: 'string', library: 'string', how: 'string', functions: 'strings' },
  gap: {
    ...{ ...TIMED, reason: 'string', count: 'number', from_ns: '?number', to_ns: '?number' },
    ...{ pid: '?number', start_ns: '?number', what: '?string' },
  },
  end: { events: 'number', lost: 'number' },
};

const HEADER: Fields = { id: 'string', kernel: 'string', t0_wall_ms: 'date', t0_mono_ns: 'number', gaps: 'strings' };
const ROOT: Fields = { pid: 'number', start_ns: 'number', argv: 'strings', cwd: 'string' };

/**
 * A line of a recording; undefined for what is none, or lacks what its type must have. Types that this version does not know are
 * none either. So nothing behind this ever meets a field of another kind than it is declared to be.
 */
export function eventOf(line: string): RecordedEvent | RecordingHeader | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isObject(value) || typeof value.type !== 'string') return undefined;
  const fine = value.type === 'recording' ? isHeader(value) : isEvent(value, value.type);
  return fine ? (value as unknown as RecordedEvent | RecordingHeader) : undefined;
}

function isEvent(value: Readonly<Record<string, unknown>>, type: string): boolean {
  return Object.hasOwn(FIELDS, type) && has(value, FIELDS[type as RecordedEvent['type']]);
}

function isHeader(value: Readonly<Record<string, unknown>>): boolean {
  const { engine, root, caps, filters } = value;
  if (!isObject(engine) || !isObject(root) || !isObject(caps) || !isObject(filters)) return false;
  return has(value, HEADER) && has(engine, { name: 'string', fell_back: '?strings' }) && has(root, ROOT);
}

function has(value: Readonly<Record<string, unknown>>, fields: Fields): boolean {
  for (const name in fields) {
    const kind = fields[name] as Kind;
    const held = value[name];
    if (held === undefined && kind.startsWith('?')) continue;
    if (!holds(held, kind.startsWith('?') ? kind.slice(1) : kind)) return false;
  }
  return true;
}

/** Numbers are exact ones: what `1e999` is read as, or a time in the year 300,000, would throw where it is written again. */
function holds(held: unknown, kind: string): boolean {
  if (kind === 'strings') return Array.isArray(held) && held.every(each => typeof each === 'string');
  if (kind === 'date') return typeof held === 'number' && held >= 0 && held < YEAR_10000;
  if (kind === 'number') return typeof held === 'number' && Math.abs(held) <= Number.MAX_SAFE_INTEGER;
  return typeof held === kind;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const YEAR_10000 = Date.UTC(10000, 0);
