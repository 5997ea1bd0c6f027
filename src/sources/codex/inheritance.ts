import { NO_ROW } from '../../trace/kinds.ts';
import { type Fields, fieldsOf, numberOf, textOf } from './fields.ts';
import { uuidMillis } from './instants.ts';
import { closeCall, type Reading, type State } from './state.ts';

/**
 * Forks and many subagents begin with a copy of another thread's rows, usage included, mostly with the times of
 * the fork. Which rows are copies is told by the file, best first:
 *
 * 1. `subagent_history_start_ordinal` or `history_base.end_ordinal_exclusive` in the header: the first own ordinal.
 * 2. A row older than the thread is a copy (some versions keep the times of the original).
 * 3. Ids: a usage record or item of the own thread, or a turn made after the thread (version 7 UUIDs and
 *    `started_at` tell when), is own; and what follows it.
 * 4. Without any of these: what was written within two seconds of the first row is a copy, up to a pause. The last copied
 *    counter is written once more a second later, so a late row alone proves nothing unless it tells something new.
 *
 * What needs the other thread's rows is corrected by settle in forks.ts.
 */
const BURST = 2_000_000;

/**
 * The rows of a copy follow each other within milliseconds: work that comes after such a pause is the thread's own, also
 * inside the burst's two seconds. The copied counter that is written once more is no work.
 */
const PAUSE = 500_000;

/** A session_meta row. The first names the thread; later ones repeat it (resume) or come with copied rows. */
export function readHeader(reading: Reading, payload: Fields): void {
  const { state } = reading;
  const id = textOf(payload.id) || textOf(payload.session_id);
  if (state.named) {
    if (id !== '' && id !== state.thread) foreignHeader(reading, id);
    else if (!state.inheritance.replaying) describe(state, payload);
    return;
  }
  if (id !== '') {
    state.thread = id;
    state.named = true;
    reading.session = reading.out.sessions.of('codex', id, reading.file);
  }
  describe(state, payload);
  const session = reading.out.sessions.all[reading.session];
  if (!session) return;
  const spawn = subagentOf(payload);
  const parent = textOf(payload.parent_thread_id) || textOf(spawn?.parent_thread_id);
  const forkedFrom = textOf(payload.forked_from_id) || textOf(fieldsOf(payload.history_base)?.thread_id);
  state.subagent = spawn !== undefined || parent !== '' || payload.thread_source === 'subagent';
  if (state.subagent) {
    session.subagent = textOf(payload.agent_role) || textOf(spawn?.agent_role) || textOf(spawn?.name);
    if (parent !== '') session.parent = parent;
  }
  if (forkedFrom !== '') session.forkedFrom = forkedFrom;
  const entrypoint = textOf(payload.originator) || textOf(payload.source);
  if (entrypoint !== '') session.entrypoint = entrypoint;
  const origin = forkedFrom || parent;
  if (origin === '' || origin === state.thread) return;
  const start =
    numberOf(payload.subagent_history_start_ordinal) ?? numberOf(fieldsOf(payload.history_base)?.end_ordinal_exclusive);
  Object.assign(state.inheritance, { replaying: true, origin, startOrdinal: start });
}

/** `source.subagent` is a name ("review") or an object with one kind of subagent in it. */
function subagentOf(payload: Fields): Fields | undefined {
  const subagent = fieldsOf(payload.source)?.subagent;
  if (typeof subagent === 'string') return { name: subagent };
  const kinds = fieldsOf(subagent);
  if (!kinds) return undefined;
  return fieldsOf(kinds.thread_spawn) ?? { name: textOf(kinds.other) || Object.keys(kinds)[0] };
}

function describe(state: State, payload: Fields): void {
  state.version = textOf(payload.cli_version) || state.version;
  state.branch = textOf(fieldsOf(payload.git)?.branch) || state.branch;
  state.cwd = textOf(payload.cwd) || state.cwd;
}

/** The header of the thread the rows were copied from; of several (a fork of a fork) the last is the oldest. */
function foreignHeader(reading: Reading, id: string): void {
  const { inheritance, call } = reading.state;
  const atHead = call === undefined && reading.at <= inheritance.first + BURST;
  if (!inheritance.replaying && !atHead) return;
  inheritance.replaying = true;
  inheritance.origin = id;
  const session = reading.out.sessions.all[reading.session];
  if (session && session.forkedFrom === undefined) session.forkedFrom = id;
}

/** Whether the record at hand is the thread's own: told by the file, guessed from the time, or not. */
type Own = 'told' | 'guessed' | undefined;

/** Decides, while the head of a file is replayed, whether the record at hand is the first own one. */
export function notice(reading: Reading, type: string, record: Fields, payload: Fields): void {
  if (!reading.state.inheritance.replaying || type === 'session_meta') return;
  const own = ownership(reading, type, record, payload);
  if (own) endReplay(reading, own);
  else if (payload.type !== 'token_count') reading.state.inheritance.latest = reading.at;
}

function ownership(reading: Reading, type: string, record: Fields, payload: Fields): Own {
  const { inheritance, thread } = reading.state;
  if (inheritance.startOrdinal !== undefined) {
    const ordinal = numberOf(record.ordinal);
    if (ordinal !== undefined) return ordinal >= inheritance.startOrdinal ? 'told' : undefined;
  }
  if (inheritance.born > 0 && reading.at > 0 && reading.at < inheritance.born - 1000) {
    inheritance.older = true;
    return undefined;
  }
  const owner = textOf(payload.thread_id);
  if (owner !== '' && (type === 'token_usage_record' || payload.type === 'item_completed')) {
    return owner === thread ? 'told' : undefined;
  }
  if (type === 'turn_context' || payload.type === 'task_started') {
    const own = turnIsOwn(reading, payload);
    if (own === false) inheritance.dated = true;
    if (own !== undefined) return own ? 'told' : undefined;
    return byTime(reading);
  }
  // Rows that only work makes. A late token_count is judged by whether it tells something new, see noticeNews.
  const work =
    type === 'response_item'
      ? payload.type !== 'message' || payload.role === 'user' || payload.role === 'assistant'
      : type === 'event_msg' && (payload.type === 'user_message' || payload.type === 'agent_message');
  return work ? byTime(reading) : undefined;
}

/** After rows that kept their old times any later one is own; after a burst, one that came well after it. */
function byTime(reading: Reading): Own {
  const { inheritance } = reading.state;
  if (inheritance.dated) return undefined;
  if (inheritance.older) return reading.at >= inheritance.born ? 'told' : undefined;
  const paused = inheritance.latest > 0 && reading.at - inheritance.latest > PAUSE;
  return paused || reading.at > inheritance.first + BURST ? 'guessed' : undefined;
}

/** Whether a turn began after the thread did; undefined where neither its id nor `started_at` tells. */
function turnIsOwn(reading: Reading, payload: Fields): boolean | undefined {
  const { inheritance, thread } = reading.state;
  const turnMillis = uuidMillis(textOf(payload.turn_id));
  const threadMillis = uuidMillis(thread);
  if (turnMillis !== undefined && threadMillis !== undefined) return turnMillis >= threadMillis;
  const started = numberOf(payload.started_at);
  if (started === undefined || inheritance.born === 0) return undefined;
  return (started + 1) * 1_000_000 > inheritance.born;
}

/** A counter that rose long after the burst is the thread's own work even if no row opened a turn. */
export function noticeNews(reading: Reading): void {
  const { inheritance } = reading.state;
  if (!inheritance.replaying || inheritance.startOrdinal !== undefined) return;
  const own = byTime(reading);
  if (own) endReplay(reading, own);
}

/** What was open belongs to the other thread; its counter goes on, because the copy's total does. */
function endReplay(reading: Reading, own: Own): void {
  const { state } = reading;
  const session = reading.out.sessions.all[reading.session];
  if (session && own === 'told') session.forkMarked = true;
  closeCall(reading);
  state.inheritance.replaying = false;
  state.tools.clear();
  state.processes.clear();
  state.script = '';
  state.turn = { id: '', row: NO_ROW, recorded: false };
  state.model = { ...state.model, known: false, waiting: [] };
  state.trigger = 0;
  state.compaction = NO_ROW;
  if (state.inheritance.worked) state.prompts = { ...state.prompts, waiting: [], lastText: '', lastForms: 0 };
}
