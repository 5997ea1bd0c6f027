import { calendarFields } from './calendar.ts';
import { type Codes, codesBelow } from './cells.ts';
import { Dictionary, type NumberColumn, StringColumn } from './columns.ts';
import { ROW_FIELDS } from './fields.ts';
import { keyText } from './keys.ts';
import { Kind, NO_ROW } from './kinds.ts';
import { type Links, link, withAppended } from './link.ts';
import type { Operations } from './operations.ts';
import { repeats } from './repeat.ts';
import { rowsOf } from './rows-of-kind.ts';
import { measureTime, type Times } from './time.ts';

/** Raised when the same operations get other links or times, so that stored ones are made again. */
export const LINKS_VERSION = 1;

/**
 * How a row reaches the value of a field: its own cell, the cell of its tool call, call, prompt or turn, or its
 * session. So the tool of an effect, the model of a tool call and the tag of everything under a prompt are stored once.
 */
export type Through = 'row' | 'tool' | 'call' | 'prompt' | 'turn' | 'session';

export interface Field {
  readonly column: StringColumn;
  readonly through: Through;
}

/** Nano-dollars of each call by token kind. */
export interface CostColumns {
  readonly input: NumberColumn;
  readonly cacheRead: NumberColumn;
  readonly cacheWrite: NumberColumn;
  readonly output: NumberColumn;
  readonly reasoning: NumberColumn;
}

const THROUGH: Partial<Record<string, Through>> = {
  model: 'call',
  file: 'row',
  effect: 'row',
  domain: 'row',
  process: 'row',
  event: 'row',
};

const SESSION_FIELDS = ['agent', 'project', 'session', 'parent_session', 'subagent', 'entrypoint', 'host'] as const;
const CALENDAR_FIELDS = ['day', 'week', 'month'] as const;

/** Fields filled by later rooms; they exist for every trace, empty until someone fills them. */
const LATER_FIELDS = ['prompt', 'call', 'turn', 'task', 'cluster', 'evidence', 'wait'] as const;

/**
 * Operations, linked. What a run knows; views and selections read it and never change it. Rooms that add meaning
 * (tags, marks, clusters, labels) register fields.
 */
export class Trace {
  readonly ops: Operations;
  readonly times: Times;
  cost: CostColumns | undefined;
  /** Time of operations whose time was spread over rows of their own, by each of these rows: what a condition on time means. */
  readonly spread = new Map<number, number>();
  private linked: Links;
  private readonly fields = new Map<string, Field[]>();

  /** Links the operations, which changes them (copies are marked); `linked` are links and times made before. */
  constructor(ops: Operations, linked?: { readonly links: Links; readonly times: Times }) {
    this.ops = ops;
    this.linked = linked?.links ?? link(ops);
    this.times = linked?.times ?? measureTime(ops, this.linked);
  }

  get links(): Links {
    return this.linked;
  }

  /** Links effect rows that were appended to `ops` after all else was linked: each has what its tool call has. */
  linkAppended(): void {
    this.linked = withAppended(this.ops, this.linked);
    // Columns made for fewer rows.
    for (const name of CALENDAR_FIELDS) this.fields.delete(name);
  }

  /** The columns that give a field its value, the first non-absent one wins; undefined for an unknown name. */
  field(name: string): readonly Field[] | undefined {
    let found = this.fields.get(name);
    if (!found) {
      const built = this.build(name);
      const free = this.ops.free.get(name);
      if (!built && !free) return LATER_FIELDS.includes(name as never) ? [] : undefined;
      found = [...(free ? [{ column: free, through: 'row' as const }] : []), ...(built ? [built] : [])];
      this.fields.set(name, found);
    }
    return found;
  }

  /** Adds a column to a field; what is registered later is asked later. */
  register(name: string, field: Field): void {
    const before = this.field(name) ?? [];
    this.fields.set(name, [...before, field]);
  }

  /** Puts a column before all others of a field: what a person derived wins over what was recorded. */
  override(name: string, field: Field): void {
    this.fields.set(name, [field, ...(this.field(name) ?? [])]);
  }

  /** Every field name a person may write, sorted. */
  names(): string[] {
    const names = new Set<string>([
      ...ROW_FIELDS,
      ...SESSION_FIELDS,
      ...CALENDAR_FIELDS,
      ...LATER_FIELDS,
      'prompt_id',
      'repeat',
      ...this.ops.free.keys(),
      ...this.fields.keys(),
    ]);
    for (const session of this.ops.sessions.all) for (const label of session.labels?.keys() ?? []) names.add(label);
    return [...names].sort();
  }

  /** The value of a field for a row; '' where absent. For cold paths: loops use `cells`. */
  value(name: string, row: number): string {
    for (const field of this.field(name) ?? []) {
      const at = this.reach(field.through, row);
      const value = at === NO_ROW ? '' : field.column.get(at);
      if (value !== '') return value;
    }
    return '';
  }

  /** The index array of a way to reach a value; undefined where the row itself is the index. */
  via(through: Through): Codes | undefined {
    switch (through) {
      case 'row':
        return undefined;
      case 'session':
        // Sessions are numbered by words of 32 bits at most.
        return this.ops.session.cells as Codes;
      default:
        return this.links[through];
    }
  }

  reach(through: Through, row: number): number {
    if (through === 'row') return row;
    if (through === 'session') return this.ops.session.get(row);
    return this.links[through][row] as number;
  }

  private build(name: string): Field | undefined {
    if ((ROW_FIELDS as readonly string[]).includes(name)) {
      return { column: this.ops.field[name as (typeof ROW_FIELDS)[number]], through: THROUGH[name] ?? 'tool' };
    }
    if ((SESSION_FIELDS as readonly string[]).includes(name))
      return { column: this.sessionColumn(name), through: 'session' };
    if ((CALENDAR_FIELDS as readonly string[]).includes(name)) {
      const calendar = calendarFields(this.ops);
      for (const each of CALENDAR_FIELDS) this.fields.set(each, [{ column: calendar[each], through: 'row' }]);
      return { column: calendar[name as (typeof CALENDAR_FIELDS)[number]], through: 'row' };
    }
    if (name === 'repeat') return { column: repeats(this.ops, this.links), through: 'tool' };
    if (name === 'prompt_id') return { column: this.promptIds(), through: 'prompt' };
    return this.labelColumn(name);
  }

  private sessionColumn(name: (typeof SESSION_FIELDS)[number] | string): StringColumn {
    const column = new StringColumn();
    this.ops.sessions.all.forEach((session, at) => {
      const value =
        name === 'session'
          ? session.id
          : name === 'parent_session'
            ? session.parent
            : name === 'subagent'
              ? session.parent !== undefined
                ? session.subagent || 'subagent'
                : ''
              : (session[name as 'agent' | 'project' | 'entrypoint' | 'host'] ?? '');
      column.set(at, value ?? '');
    });
    return column;
  }

  private promptIds(): StringColumn {
    const { ops } = this;
    const prompts = rowsOf(ops, Kind.prompt);
    const { high, low } = ops.key.of(prompts);
    const dictionary = new Dictionary();
    const codes = codesBelow(prompts.length + 1, (prompts.at(-1) ?? -1) + 1);
    prompts.forEach((row, i) => {
      const [h, l] = [high[i] as number, low[i] as number];
      codes[row] = dictionary.code((h | l) !== 0 ? keyText(h, l) : `${ops.file.get(row)}:${ops.offset.get(row)}`);
    });
    return StringColumn.of(codes, dictionary);
  }

  private labelColumn(name: string): Field | undefined {
    if (!this.ops.sessions.all.some(session => session.labels?.has(name))) return undefined;
    const column = new StringColumn();
    this.ops.sessions.all.forEach((session, at) => {
      const root = this.ops.sessions.all[this.links.root[at] as number];
      column.set(at, session.labels?.get(name) ?? root?.labels?.get(name) ?? '');
    });
    return { column, through: 'session' };
  }
}
