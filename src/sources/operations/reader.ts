import { WHOLE } from '../../ingest/keep.ts';
import { StringColumn } from '../../trace/columns.ts';
import { ROW_FIELDS } from '../../trace/fields.ts';
import { Flag } from '../../trace/flags.ts';
import { KIND_NAMES, Kind, NO_ROW } from '../../trace/kinds.ts';
import { MEASURES, TOKEN_COLUMNS } from '../../trace/measures.ts';
import type { Operations } from '../../trace/operations.ts';
import type { Session } from '../../trace/sessions.ts';
import { countUnknown, type FileLedger } from '../ledger.ts';
import type { Reader, RecordSink, SourceFile } from '../reader.ts';
import { whereabouts } from './whereabouts.ts';

/**
 * Operation files: one operation a line, made by anybody's program.
 *
 *     {"value":1,"fields":{"project":"web","task":"login","op":"read"}}
 *     {"measures":{"tokens":1200,"time":5000000},"fields":{...}}
 *
 * `value` counts for the measure `operations`. Reserved names (in `fields` or beside it): id, parent, session,
 * start_ns, duration_ns, kind, action, tool, command, path, text, result, status. A list value gives several frames
 * of that kind. Every other name is free and becomes a known frame.
 */
export const operations: Reader = {
  ...whereabouts,
  keep: WHOLE,
  sniff: head =>
    head.records.some(
      record => isObject(record) && isObject(record.fields) && ('value' in record || 'measures' in record),
    ),
  open: (file, out, ledger) => new OperationFile(file, out, ledger),
};

const LIST = '\u001f';
const SESSION_FIELDS = ['agent', 'project', 'entrypoint', 'host', 'subagent', 'parent_session'] as const;
const OF_SESSION = ['session', ...SESSION_FIELDS] as const;
/** What stands beside the fields, and is none wherever it stands. */
const NO_FIELDS: ReadonlySet<string> = new Set(['fields', 'value', 'measures']);
/** Fields that `addRow` and `sessionOf` read. */
const READ_BEFORE: ReadonlySet<string> = new Set(['id', 'parent', 'start_ns', 'duration_ns', 'kind', ...OF_SESSION]);
const MEASURE_NAMES: ReadonlySet<string> = new Set(MEASURES.map(measure => measure.name));
const TOKEN_NAMES: ReadonlySet<string> = new Set(TOKEN_COLUMNS);

/** Where the values of a field go. */
type Place = StringColumn | 'text' | 'result' | 'nowhere';

class OperationFile implements RecordSink {
  private readonly file: SourceFile;
  private readonly out: Operations;
  private readonly ledger: FileLedger;
  private readonly ids = new Map<string, number>();
  /** Rows whose parent id was not there yet. */
  private readonly waiting = new Map<string, number[]>();
  /** Sessions by all that tells them apart, and places by the names of fields: most operations repeat both. */
  private readonly sessions = new Map<string, number>();
  private readonly places = new Map<string, Place>();

  constructor(file: SourceFile, out: Operations, ledger: FileLedger) {
    this.file = file;
    this.out = out;
    this.ledger = ledger;
  }

  record(value: unknown, offset: number, bytes: number): void {
    if (!isObject(value) || (value.fields !== undefined && !isObject(value.fields))) {
      countUnknown(this.ledger, 'not an operation');
      return;
    }
    const fields = fieldsOf(value);
    const row = this.addRow(fields, offset, bytes);
    this.measures(row, value);
    this.fields(row, fields);
  }

  /** Ids are not kept: a file that has grown is read again. */
  end(): undefined {}

  private addRow(fields: Record<string, unknown>, offset: number, bytes: number): number {
    const { out } = this;
    const start = nanosToMicros(fields.start_ns);
    const kindName = text(fields.kind);
    const known = KIND_NAMES.indexOf(kindName as never);
    const kind = (known < 0 ? Kind.tool : known) as Kind;
    if (kindName !== '' && known < 0) countUnknown(this.ledger, `kind ${kindName}`);
    const parentId = text(fields.parent);
    const parent = parentId === '' ? NO_ROW : (this.ids.get(parentId) ?? NO_ROW);
    const row = out.add(kind, this.sessionOf(fields), parent, start, this.file.index, offset, bytes);
    out.flag(row, Flag.given);
    if (parentId !== '' && parent === NO_ROW) this.waiting.set(parentId, [...(this.waiting.get(parentId) ?? []), row]);
    const id = text(fields.id);
    if (id !== '') {
      this.ids.set(id, row);
      for (const child of this.waiting.get(id) ?? []) out.setParent(child, row);
      this.waiting.delete(id);
    }
    const duration = integer(fields.duration_ns);
    if (duration > 0 && start > 0) out.end.set(row, start + Math.floor(duration / 1000));
    else if (duration > 0) out.givenMeasure('time').set(row, duration);
    return row;
  }

  /** Operations with the same session, agent, project and so on share a session. */
  private sessionOf(fields: Record<string, unknown>): number {
    let known = '';
    for (let i = 0; i < OF_SESSION.length; i++) {
      const part = text(fields[OF_SESSION[i] as string]);
      if (part !== '') known += `${i}:${part.length}:${part}`;
    }
    let at = this.sessions.get(known);
    if (at === undefined) this.sessions.set(known, (at = this.newSession(fields)));
    return at;
  }

  private newSession(fields: Record<string, unknown>): number {
    const parts = SESSION_FIELDS.map(name => text(fields[name]));
    const agent = parts[0] || 'operations';
    const id = text(fields.session) || `file:${this.file.path}`;
    const name = parts.slice(1).every(part => part === '') ? id : [id, ...parts.slice(1)].join(LIST);
    const at = this.out.sessions.of(agent, name, this.file.index);
    const session = this.out.sessions.all[at] as Session;
    if (parts[1]) session.project ??= parts[1];
    if (parts[2]) session.entrypoint ??= parts[2];
    if (parts[3]) session.host ??= parts[3];
    if (parts[4]) session.subagent ??= parts[4];
    if (parts[5]) session.parent ??= parts[5];
    return at;
  }

  private measures(row: number, value: Record<string, unknown>): void {
    const { out } = this;
    if (!isObject(value.measures)) {
      out.givenMeasure('operations').set(row, value.value === undefined ? 1 : this.amount('value', value.value));
      return;
    }
    for (const [name, raw] of Object.entries(value.measures)) {
      const amount = this.amount(`measure ${name}`, raw);
      if (name === 'cache_write_tokens') out.tokens.cache_write_5m_tokens.set(row, amount);
      else if (TOKEN_NAMES.has(name)) out.tokens[name as (typeof TOKEN_COLUMNS)[number]].set(row, amount);
      else if (name === 'cost') out.givenMeasure('cost').set(row, amount * 1000);
      else if (MEASURE_NAMES.has(name)) out.givenMeasure(name).set(row, amount);
      else countUnknown(this.ledger, `measure ${name}`);
    }
    if (!('operations' in value.measures))
      out.givenMeasure('operations').set(row, value.value === undefined ? 1 : this.amount('value', value.value));
  }

  /** What is no non-negative integer is told in the ledger: it counts 0, or is rounded. */
  private amount(name: string, value: unknown): number {
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    if (typeof number !== 'number' || !Number.isFinite(number) || number < 0)
      countUnknown(this.ledger, `${name}: not a number from 0 on, counted 0`);
    else if (!Number.isInteger(number)) countUnknown(this.ledger, `${name}: a fraction, rounded`);
    else if (number > Number.MAX_SAFE_INTEGER) countUnknown(this.ledger, `${name}: beyond 2^53 - 1, cut`);
    return integer(value);
  }

  private fields(row: number, fields: Record<string, unknown>): void {
    const { texts, kind } = this.out;
    for (const name in fields) {
      const raw = fields[name];
      const value = typeof raw === 'string' ? raw : Array.isArray(raw) ? listed(raw) : text(raw);
      if (value === '') continue;
      const place = this.places.get(name) ?? this.placeOf(name);
      if (place instanceof StringColumn) place.set(row, value);
      else if (place === 'text') texts.put(kind.get(row) === Kind.prompt ? 'prompt' : 'call', row, value);
      else if (place === 'result') texts.put('result', row, value);
    }
  }

  /** A free field is one once it has a value. */
  private placeOf(name: string): Place {
    const place = this.placeNamed(name);
    this.places.set(name, place);
    return place;
  }

  private placeNamed(name: string): Place {
    if (NO_FIELDS.has(name) || READ_BEFORE.has(name)) return 'nowhere';
    if (name === 'text' || name === 'result') return name;
    if (name === 'path') return this.out.field.file;
    if ((ROW_FIELDS as readonly string[]).includes(name)) return this.out.field[name as (typeof ROW_FIELDS)[number]];
    return this.out.freeField(name);
  }
}

/** All fields of an operation, and maybe NO_FIELDS: another object is made only where they stand in two. */
function fieldsOf(value: Record<string, unknown>): Record<string, unknown> {
  const fields = value.fields as Record<string, unknown> | undefined;
  if (fields === undefined) return value;
  for (const name in value) if (!NO_FIELDS.has(name)) return { ...value, ...fields };
  return fields;
}

function listed(values: readonly unknown[]): string {
  return values
    .map(text)
    .filter(part => part !== '')
    .join(LIST);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function text(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** Non-negative integers; numbers beyond 2^53 may come as text. Anything else counts 0. */
function integer(value: unknown): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && number > 0 && Number.isFinite(number)
    ? Math.min(Math.round(number), Number.MAX_SAFE_INTEGER)
    : 0;
}

function nanosToMicros(value: unknown): number {
  if (typeof value === 'string' && /^\d+$/.test(value)) return Number(BigInt(value) / 1000n);
  return Math.floor(integer(value) / 1000);
}
