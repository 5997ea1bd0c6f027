import { KeyColumn, NumberColumn, StringColumn } from './columns.ts';
import { ROW_FIELDS, type RowField } from './fields.ts';
import { hashKey, type Key } from './keys.ts';
import { Kind, NO_ROW } from './kinds.ts';
import { TOKEN_COLUMNS, type TokenColumn } from './measures.ts';
import { Sessions } from './sessions.ts';
import { Texts } from './texts.ts';
import { Touches } from './touches.ts';

/**
 * The operations of everything that was read, as columns. Readers are the only writers of rows; later stages
 * (link, time, effects, money, tags) fill columns and append effect rows. Row numbers never change.
 *
 * Units: `start` and `end` are integer microseconds since the epoch, UTC (0 = unknown); `offset` and `bytes` are
 * the byte range of the record in file number `file` that gives the operation its evidence.
 */
export class Operations {
  length = 0;
  readonly kind = new NumberColumn();
  /** Index into `sessions.all`. */
  readonly session = new NumberColumn();
  /** Row of the parent plus one; 0 where there is none. Read it with `parentOf`. */
  readonly parent = new NumberColumn();
  readonly start = new NumberColumn();
  readonly end = new NumberColumn();
  readonly file = new NumberColumn();
  readonly offset = new NumberColumn();
  readonly bytes = new NumberColumn();
  /** Identity for the global dedupe: rows of one kind and agent with equal keys are one operation (see link.ts). */
  readonly key = new KeyColumn();
  /** Hash of a tool call's arguments, for `repeat`. */
  readonly argsKey = new KeyColumn();
  /** For tool calls that spawn a subagent: its id as the result tells it, and its prompt. */
  readonly spawnedId = new StringColumn();
  readonly spawnedPrompt = new KeyColumn();
  /** Kind of subagent that a spawning tool call asks for, where it says one. */
  readonly spawnedType = new StringColumn();
  readonly flags = new NumberColumn();
  readonly field: Readonly<Record<RowField, StringColumn>>;
  /** Free fields of operation files, by name. */
  readonly free = new Map<string, StringColumn>();
  readonly tokens: Readonly<Record<TokenColumn, NumberColumn>>;
  /** Measures given outright by an operation file (time in ns, cost in nano-dollars, files, network, errors, operations). */
  readonly given = new Map<string, NumberColumn>();
  readonly sessions = new Sessions();
  readonly texts: Texts;
  readonly touches = new Touches();
  private readonly scratch: Key = { high: 0, low: 0 };

  constructor(texts: Texts = new Texts()) {
    this.texts = texts;
    this.field = Object.fromEntries(ROW_FIELDS.map(name => [name, new StringColumn()])) as Record<RowField, StringColumn>;
    this.tokens = Object.fromEntries(TOKEN_COLUMNS.map(name => [name, new NumberColumn()])) as Record<
      TokenColumn,
      NumberColumn
    >;
  }

  /** Appends a row. `parent` is a row or NO_ROW; times in microseconds; the byte range is the evidence. */
  add(kind: Kind, session: number, parent: number, start: number, file: number, offset: number, bytes: number): number {
    const row = this.length++;
    this.kind.set(row, kind);
    this.session.set(row, session);
    if (parent !== NO_ROW) this.parent.set(row, parent + 1);
    this.start.set(row, start);
    this.end.set(row, start);
    this.file.set(row, file);
    this.offset.set(row, offset);
    this.bytes.set(row, bytes);
    return row;
  }

  parentOf(row: number): number {
    const parent = this.parent.get(row);
    return parent === 0 ? NO_ROW : parent - 1;
  }

  setParent(row: number, parent: number): void {
    this.parent.set(row, parent === NO_ROW ? 0 : parent + 1);
  }

  setKey(row: number, id: string): void {
    const key = hashKey(id, this.scratch);
    this.key.set(row, key.high, key.low);
  }

  setArgs(row: number, args: string): void {
    const key = hashKey(args, this.scratch);
    this.argsKey.set(row, key.high, key.low);
  }

  setSpawnPrompt(row: number, prompt: string): void {
    const key = hashKey(prompt, this.scratch);
    this.spawnedPrompt.set(row, key.high, key.low);
  }

  flag(row: number, flag: number): void {
    this.flags.set(row, this.flags.get(row) | flag);
  }

  has(row: number, flag: number): boolean {
    return (this.flags.get(row) & flag) !== 0;
  }

  freeField(name: string): StringColumn {
    let column = this.free.get(name);
    if (!column) this.free.set(name, (column = new StringColumn()));
    return column;
  }

  givenMeasure(name: string): NumberColumn {
    let column = this.given.get(name);
    if (!column) this.given.set(name, (column = new NumberColumn()));
    return column;
  }

  isCall(row: number): boolean {
    return this.kind.get(row) === Kind.call;
  }
}
