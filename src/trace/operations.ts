import { type Dictionary, NumberColumn, StringColumn } from './columns.ts';
import { ROW_FIELDS, type RowField } from './fields.ts';
import { KeyColumn } from './key-column.ts';
import { hashKey, type Key } from './keys.ts';
import { Kind, NO_ROW } from './kinds.ts';
import { TOKEN_COLUMNS, type TokenColumn } from './measures.ts';
import { Sessions } from './sessions.ts';
import { Texts } from './texts.ts';
import { Touches } from './touches.ts';

/** Where columns come from: new and empty, or stored. `extra` lists names behind a prefix beyond the fixed ones. */
export interface ColumnSource {
  numbers(name: string): NumberColumn;
  strings(name: string): StringColumn;
  extra(prefix: string): Iterable<string>;
}

const NEW_COLUMNS: ColumnSource = {
  numbers: () => new NumberColumn(),
  strings: () => new StringColumn(),
  extra: () => [],
};

/**
 * The operations of everything that was read, as columns. Readers are the only writers of rows; later stages
 * (link, time, effects, money, tags) fill columns and append effect rows. Row numbers never change.
 *
 * Units: `start` and `end` are integer microseconds since the epoch, UTC (0 = unknown); `offset` and `bytes` are
 * the byte range of the record in file number `file` that gives the operation its evidence.
 */
export class Operations {
  length = 0;
  readonly kind: NumberColumn;
  /** Index into `sessions.all`. */
  readonly session: NumberColumn;
  /** Row of the parent plus one; 0 where there is none. Read it with `parentOf`. */
  readonly parent: NumberColumn;
  readonly start: NumberColumn;
  readonly end: NumberColumn;
  readonly file: NumberColumn;
  readonly offset: NumberColumn;
  readonly bytes: NumberColumn;
  /** Identity for the global dedupe: rows of one kind and agent with equal keys are one operation (see link.ts). */
  readonly key: KeyColumn;
  /** Hash of a tool call's arguments, for `repeat`. */
  readonly argsKey: KeyColumn;
  /** For tool calls that spawn a subagent: its id as the result tells it, and its prompt. */
  readonly spawnedId: StringColumn;
  readonly spawnedPrompt: KeyColumn;
  /** Kind of subagent that a spawning tool call asks for, where it says one. */
  readonly spawnedType: StringColumn;
  readonly flags: NumberColumn;
  readonly field: Readonly<Record<RowField, StringColumn>>;
  /** Free fields of operation files, by name. */
  readonly free = new Map<string, StringColumn>();
  readonly tokens: Readonly<Record<TokenColumn, NumberColumn>>;
  /** Measures given outright by an operation file (time in ns, cost in nano-dollars, files, network, errors, operations). */
  readonly given = new Map<string, NumberColumn>();
  /** Rank of each file by its path: the order that counts where the order of reading must not (a stored history grows). */
  fileRank: Uint32Array = new Uint32Array(0);
  readonly sessions = new Sessions();
  readonly texts: Texts;
  readonly touches: Touches;
  private readonly named: { readonly numbers: Map<string, NumberColumn>; readonly strings: Map<string, StringColumn> } =
    {
      numbers: new Map(),
      strings: new Map(),
    };
  private readonly scratch: Key = { high: 0, low: 0 };

  /** `source` gives columns that are stored elsewhere; without it all are new and empty. */
  constructor(texts: Texts = new Texts(), source: ColumnSource = NEW_COLUMNS, touches: Touches = new Touches()) {
    this.texts = texts;
    this.touches = touches;
    const numbers = (name: string) => this.number(source, name);
    const strings = (name: string) => this.string(source, name);
    const key = (name: string) => new KeyColumn(numbers(`${name}.high`), numbers(`${name}.low`));
    this.kind = numbers('kind');
    this.session = numbers('session');
    this.parent = numbers('parent');
    this.start = numbers('start');
    this.end = numbers('end');
    this.file = numbers('file');
    this.offset = numbers('offset');
    this.bytes = numbers('bytes');
    this.key = key('key');
    this.argsKey = key('args');
    this.spawnedId = strings('spawned_id');
    this.spawnedPrompt = key('spawned_prompt');
    this.spawnedType = strings('spawned_type');
    this.flags = numbers('flags');
    this.field = Object.fromEntries(ROW_FIELDS.map(name => [name, strings(`field.${name}`)])) as Record<
      RowField,
      StringColumn
    >;
    this.tokens = Object.fromEntries(TOKEN_COLUMNS.map(name => [name, numbers(`tokens.${name}`)])) as Record<
      TokenColumn,
      NumberColumn
    >;
    for (const name of source.extra('free.')) this.free.set(name, strings(`free.${name}`));
    for (const name of source.extra('given.')) this.given.set(name, numbers(`given.${name}`));
  }

  /** Every column by its stable name, for storing. */
  columns(): {
    readonly numbers: ReadonlyMap<string, NumberColumn>;
    readonly strings: ReadonlyMap<string, StringColumn>;
  } {
    return this.named;
  }

  private number(source: ColumnSource, name: string): NumberColumn {
    const column = source.numbers(name);
    this.named.numbers.set(name, column);
    return column;
  }

  private string(source: ColumnSource, name: string): StringColumn {
    const column = source.strings(name);
    this.named.strings.set(name, column);
    return column;
  }

  /** Makes room for so many rows, in each column when it is first written: growing costs more than the rows themselves. */
  expect(rows: number): void {
    for (const column of this.named.numbers.values()) column.expect(rows);
    for (const column of this.named.strings.values()) column.expect(rows);
  }

  /** Forgets all rows and sessions; the memory is used again for the next ones. */
  clear(): void {
    for (const column of this.named.numbers.values()) column.clear(this.length);
    for (const column of this.named.strings.values()) column.clear(this.length);
    this.length = 0;
    this.sessions.clear();
    this.texts.clear();
    this.touches.clear();
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

  /** The column of a free field, made if there is none; `dictionary` is for a new one. */
  freeField(name: string, dictionary?: Dictionary): StringColumn {
    let column = this.free.get(name);
    if (!column) {
      column = this.string({ ...NEW_COLUMNS, strings: () => new StringColumn(dictionary) }, `free.${name}`);
      this.free.set(name, column);
    }
    return column;
  }

  givenMeasure(name: string): NumberColumn {
    let column = this.given.get(name);
    if (!column) {
      column = this.number(NEW_COLUMNS, `given.${name}`);
      this.given.set(name, column);
    }
    return column;
  }

  /** Whether any row is of this kind. */
  hasKind(kind: Kind): boolean {
    const { cells } = this.kind;
    // Cells may end before their rows do: what is behind reads as 0.
    return (kind === 0 && cells.length < this.length) || cells.subarray(0, this.length).includes(kind);
  }

  isCall(row: number): boolean {
    return this.kind.get(row) === Kind.call;
  }
}
