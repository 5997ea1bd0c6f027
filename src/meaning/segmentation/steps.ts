import type { StringColumn } from '../../trace/columns.ts';
import { Flag } from '../../trace/flags.ts';
import { KIND_NAMES, Kind, NO_ROW } from '../../trace/kinds.ts';
import type { Trace } from '../../trace/trace.ts';
import { toolCategory } from '../tagging/calls.ts';
import type { Category } from '../tagging/categories.ts';
import { turnOf } from '../tagging/turn.ts';
import { objectsIn, programOf } from './objects.ts';

/**
 * What one step of a session did, as segmenters see it. A step is a call with the tool calls it asked for, or a row
 * that stands alone: nothing ever cuts between a call and its own tools.
 */
export interface Step {
  /** Rows of the step, in order. */
  readonly rows: readonly number[];
  /** The action by its coarse name: the action given, the program of a shell line, else the tool. */
  readonly action: string;
  /** The action with what tells it from others of its name: subcommand, kind of file. */
  readonly detail: string;
  readonly category: Category | 'prompt' | 'event';
  /** Things it touched: paths, hosts, values of free fields. */
  readonly objects: readonly string[];
  /** Text of the person or the agent before the action; '' where there is none. */
  readonly said: string;
  /** The command as written, '' if none. */
  readonly command: string;
  readonly failed: boolean;
  /** Opens a turn: a person's prompt, or an event that works like one. */
  readonly opensTurn: boolean;
  /** A turn that only says to go on ("continue", "yes"). */
  readonly continues: boolean;
  /** Working directory, '' if unknown. */
  readonly cwd: string;
}

/** The steps of one session (a subagent is a session of its own), in time. */
export interface Sequence {
  /** Index of the session. */
  readonly session: number;
  readonly steps: readonly Step[];
}

/** Free fields that tell a row from others and nothing of what it did. */
const IDENTITIES = /^(?:id|uuid|index|idx|seq|step|ts|time|timestamp|.*_(?:id|ns|ms|at))$/i;

/**
 * The sequences of a trace. `hidden` fields are never looked at (the gold of an evaluation). `rows` narrows to the
 * rows given; copies of other sessions' rows are left out, effects belong to their tool call.
 */
export function sequencesOf(trace: Trace, rows: Iterable<number>, hidden: ReadonlySet<string>): Sequence[] {
  const reader = new StepReader(trace, hidden);
  return [...rowsBySession(trace, rows)].map(([session, own]) => ({
    session,
    steps: reader.steps(grouped(trace, own)),
  }));
}

/** Rows that are nodes, by the index of their session, in time. */
export function rowsBySession(trace: Trace, rows: Iterable<number>): Map<number, number[]> {
  const { ops } = trace;
  const bySession = new Map<number, number[]>();
  for (const row of rows) {
    if (ops.has(row, Flag.copy)) continue;
    if (!ops.has(row, Flag.given) && !NODES.has(ops.kind.get(row))) continue;
    const session = ops.session.get(row);
    const own = bySession.get(session);
    if (own) own.push(row);
    else bySession.set(session, [row]);
  }
  const sessions = [...bySession].sort(([a], [b]) => a - b);
  return new Map(sessions.map(([session, own]) => [session, inTime(trace, own)]));
}

const NODES: ReadonlySet<number> = new Set([Kind.prompt, Kind.call, Kind.tool, Kind.event]);

/** By start, where it is known; rows without one stay behind the row before them. */
function inTime(trace: Trace, rows: readonly number[]): number[] {
  let last = 0;
  let sorted = true;
  const starts = rows.map(row => {
    const start = trace.ops.start.get(row) || last;
    if (start < last) sorted = false;
    last = Math.max(last, start);
    return start;
  });
  if (sorted) return [...rows];
  return rows
    .map((row, at) => ({ row, at, start: starts[at] as number }))
    .sort((a, b) => a.start - b.start || a.at - b.at)
    .map(({ row }) => row);
}

function grouped(trace: Trace, rows: readonly number[]): number[][] {
  const { links, ops } = trace;
  const groups: number[][] = [];
  let open = NO_ROW;
  for (const row of rows) {
    const call = links.call[row] as number;
    const joins = ops.kind.get(row) === Kind.tool && call !== row && call === open;
    if (joins) (groups.at(-1) as number[]).push(row);
    else groups.push([row]);
    if (ops.kind.get(row) === Kind.call || !joins) open = call;
  }
  return groups;
}

class StepReader {
  private readonly trace: Trace;
  private readonly free: readonly StringColumn[];
  private readonly names: readonly string[];
  /** Indexes of the free fields that say something in the session at hand. */
  private telling: readonly number[] = [];
  private readonly action: StringColumn | undefined;
  private readonly effects: ReadonlyMap<number, readonly number[]>;
  private readonly programs = new Map<string, string>();

  constructor(trace: Trace, hidden: ReadonlySet<string>) {
    this.trace = trace;
    const shown = [...trace.ops.free].filter(
      ([name]) => !hidden.has(name) && name !== 'action' && !IDENTITIES.test(name),
    );
    this.names = shown.map(([name]) => name);
    this.free = shown.map(([, column]) => column);
    this.effects = effectsOf(trace);
    this.action = hidden.has('action') ? undefined : trace.ops.free.get('action');
  }

  /** The steps of one session. */
  steps(groups: readonly (readonly number[])[]): Step[] {
    const rows = groups.flat();
    this.telling = this.free.flatMap((column, at) => (isTelling(column, rows) ? [at] : []));
    return groups.map((each, at) => this.step(each, at === 0));
  }

  private step(rows: readonly number[], isFirst: boolean): Step {
    const { ops } = this.trace;
    const { field, texts } = ops;
    const first = rows[0] as number;
    const kind = ops.kind.get(first);
    const main = rows.find(row => ops.kind.get(row) === Kind.tool) ?? first;
    const tool = field.tool.get(main);
    const given = this.action?.get(main) ?? '';
    const command = texts.get('command', main) || field.command.get(main);
    // Readers know their agents' shells; of an operation file only the line is known.
    const program = ops.has(main, Flag.given) ? this.program(command) : field.command.get(main);
    const action = given || (program === '' ? tool : (program.split(' ')[0] as string)) || field.event.get(main);
    const said = rows.map(row => texts.get(kind === Kind.prompt ? 'prompt' : 'call', row)).filter(text => text !== '');
    const objects = new Set<string>();
    for (const row of rows) this.objects(row, objects);
    return {
      rows,
      action: action || (KIND_NAMES[kind] as string),
      detail: given || program || tool || action || (KIND_NAMES[kind] as string),
      category: this.category(main, kind, tool, program),
      objects: [...objects],
      said: said.join('\n'),
      command,
      failed: rows.some(row => field.status.get(row) === 'error'),
      ...this.turn(first, kind, said[0] ?? '', isFirst),
      cwd: field.cwd.get(first),
    };
  }

  /** Events that open a turn (a notification, a summary) go on with what was open, but for a command a person typed. */
  private turn(row: number, kind: number, said: string, isFirst: boolean): Pick<Step, 'opensTurn' | 'continues'> {
    const { ops } = this.trace;
    if (kind === Kind.prompt) {
      const turn = turnOf(said, isFirst);
      return { opensTurn: true, continues: turn !== '' && turn !== 'first' };
    }
    const opensTurn = kind === Kind.event && ops.has(row, Flag.opensTurn);
    return { opensTurn, continues: opensTurn && ops.field.event.get(row) !== 'command' };
  }

  private category(row: number, kind: number, tool: string, program: string): Step['category'] {
    if (kind === Kind.prompt) return 'prompt';
    if (kind === Kind.event) return 'event';
    if (tool === '' && program === '') return kind === Kind.call ? 'analysis' : 'other';
    return toolCategory(tool, program, this.trace.ops.field.mcp_server.get(row));
  }

  private program(command: string): string {
    if (command === '') return '';
    let program = this.programs.get(command);
    if (program === undefined) this.programs.set(command, (program = programOf(command)));
    return program;
  }

  /** What the effects of a tool call say it touched; where there are none, the paths in its command. */
  private objects(row: number, into: Set<string>): void {
    const { ops } = this.trace;
    // The host of a call is that of its model: nothing the work is about.
    if (ops.kind.get(row) === Kind.call && !ops.has(row, Flag.given)) return;
    const { field } = ops;
    const before = into.size;
    for (const at of [row, ...(this.effects.get(row) ?? [])]) {
      const file = field.file.get(at);
      // Outside the project only a kind of place is known: many things share it.
      if (file !== '' && !file.startsWith('external/')) into.add(file);
      if (field.domain.codeAt(at) !== 0) into.add(field.domain.get(at));
    }
    const command = ops.texts.get('command', row) || field.command.get(row);
    if (command !== '' && into.size === before) for (const object of objectsIn(command)) into.add(object);
    for (const at of this.telling) {
      const value = (this.free[at] as StringColumn).get(row);
      if (value !== '' && value.length <= LONGEST_VALUE) into.add(`${this.names[at]}=${value}`);
    }
  }
}

/** A longer value is a text, and no name of a thing. */
const LONGEST_VALUE = 200;

/** A field that is the same all along (the task, the model) names no object that work turns to. */
function isTelling(column: StringColumn, rows: readonly number[]): boolean {
  const first = column.codeAt(rows[0] as number);
  return rows.some(row => column.codeAt(row) !== first);
}

/** Effect rows by the tool call they belong to. */
function effectsOf({ ops, links }: Trace): Map<number, number[]> {
  const effects = new Map<number, number[]>();
  for (let row = 0; row < ops.length; row++) {
    if (ops.kind.get(row) !== Kind.effect || ops.has(row, Flag.given)) continue;
    const tool = links.tool[row] as number;
    const own = effects.get(tool);
    if (own) own.push(row);
    else effects.set(tool, [row]);
  }
  return effects;
}
