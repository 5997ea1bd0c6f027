import type { Operations } from '../../trace/operations.ts';
import { countUnknown, type FileLedger } from '../ledger.ts';
import type { RecordSink, SourceFile } from '../reader.ts';
import { readUsageRecord } from './calls.ts';
import { readEvent } from './events.ts';
import { type Fields, fieldsOf, textOf } from './fields.ts';
import { notice, readHeader } from './inheritance.ts';
import { microsOf } from './instants.ts';
import { readItem } from './items.ts';
import { threadFromPath } from './paths.ts';
import { freshState, identifyUnfilled, type Reading, type State } from './state.ts';
import { readCompaction, readTurnContext } from './turns.ts';

/** Rows without operations: bodies of the model's world, and what `event_msg` rows tell better. */
const SILENT: ReadonlySet<string> = new Set(['world_state', 'ghost_snapshot', 'inter_agent_communication']);

/** Reads one rollout, record by record; see README.md for the three ages of the format. */
export class RolloutSink implements RecordSink {
  private readonly reading: Reading;
  private readonly path: string;

  constructor(file: SourceFile, out: Operations, ledger: FileLedger, state?: unknown) {
    const known = state === undefined ? freshState() : (structuredClone(state) as State);
    const session = known.thread === '' ? -1 : out.sessions.of('codex', known.thread, file.index);
    this.path = file.path;
    this.reading = { out, ledger, file: file.index, state: known, session, at: known.clock, offset: 0, bytes: 0 };
  }

  record(value: unknown, offset: number, bytes: number): void {
    const record = fieldsOf(value);
    if (!record) {
      countUnknown(this.reading.ledger, Array.isArray(value) ? 'array' : typeof value);
      return;
    }
    const { reading } = this;
    reading.offset = offset;
    reading.bytes = bytes;
    this.setClock(record);
    const payload = fieldsOf(record.payload);
    const type = textOf(record.type);
    if (payload && type !== '') this.enveloped(type, record, payload);
    else if (fieldsOf(record.session) && Array.isArray(record.items)) this.document(record);
    else this.bare(type, record);
  }

  end(): unknown {
    const { call } = this.reading.state;
    if (call && !call.filled) identifyUnfilled(this.reading, call);
    return this.reading.state;
  }

  private setClock(record: Fields): void {
    const { reading } = this;
    const at = microsOf(record.timestamp);
    if (at > 0) reading.state.clock = at;
    reading.at = reading.state.clock;
    if (reading.state.inheritance.first === 0) reading.state.inheritance.first = at;
  }

  /** Since 0.36: `{timestamp, type, payload}`, with `ordinal` since 0.14x. */
  private enveloped(type: string, record: Fields, payload: Fields): void {
    const { reading } = this;
    reading.state.enveloped = true;
    if (type === 'session_meta') {
      if (reading.state.inheritance.born === 0)
        reading.state.inheritance.born = microsOf(payload.timestamp) || reading.at;
      readHeader(reading, payload);
      this.nameThread();
      return;
    }
    this.nameThread();
    notice(reading, type, record, payload);
    switch (type) {
      case 'response_item':
        readItem(reading, payload);
        return;
      case 'event_msg':
        readEvent(reading, payload);
        return;
      case 'turn_context':
        readTurnContext(reading, payload);
        this.noteDirectory();
        return;
      case 'token_usage_record':
        readUsageRecord(reading, payload);
        return;
      case 'compacted':
        readCompaction(reading);
        return;
      case 'inter_agent_communication_metadata':
        reading.state.triggersTurn = payload.trigger_turn === true;
        return;
      default:
        if (!SILENT.has(type)) countUnknown(reading.ledger, type);
    }
  }

  /** 2025, before 0.36: a header, then items without times; the header's time stands for all. */
  private bare(type: string, record: Fields): void {
    const { reading } = this;
    const { state } = reading;
    if (state.enveloped) {
      countUnknown(reading.ledger, type === '' ? 'record without type' : `${type} without payload`);
      return;
    }
    if (
      type === '' &&
      (record.record_type !== undefined || record.instructions !== undefined || record.git !== undefined)
    ) {
      if (record.record_type !== undefined) return;
      state.bare = true;
      readHeader(reading, record);
      this.nameThread();
      return;
    }
    if (!state.named && state.thread === '' && type === '') {
      countUnknown(reading.ledger, 'record without type');
      return;
    }
    this.nameThread();
    state.bare = true;
    readItem(reading, record);
  }

  /**
   * Early 2025, the TypeScript client: one document. It wrote the grown history into a new file with a new session
   * id at each pause, so the first item with an id, which all of them share, tells whose history it is.
   */
  private document(record: Fields): void {
    const { reading } = this;
    const session = fieldsOf(record.session) ?? {};
    const items = record.items as readonly unknown[];
    const at = microsOf(session.timestamp);
    if (at > 0) reading.at = reading.state.clock = at;
    reading.state.bare = true;
    readHeader(reading, session);
    this.nameThread();
    const anchor = items.map(item => textOf(fieldsOf(item)?.id)).find(id => id !== '');
    if (anchor !== undefined) reading.state.identity = `document ${anchor}`;
    for (const item of items) {
      const fields = fieldsOf(item);
      if (fields) readItem(reading, fields);
    }
  }

  /** A file that named no thread is known by its name. */
  private nameThread(): void {
    const { reading } = this;
    if (reading.session < 0) {
      if (reading.state.thread === '') reading.state.thread = threadFromPath(this.path);
      reading.session = reading.out.sessions.of('codex', reading.state.thread, reading.file);
    }
    this.noteDirectory();
  }

  private noteDirectory(): void {
    const { state, out, session } = this.reading;
    const known = out.sessions.all[session];
    if (known && known.cwd === undefined && state.cwd !== '' && !state.inheritance.replaying) known.cwd = state.cwd;
  }
}
