import { Flag } from '../../trace/flags.ts';
import { type Kind, NO_ROW } from '../../trace/kinds.ts';
import type { Operations } from '../../trace/operations.ts';
import type { FileLedger } from '../ledger.ts';
import type { PatchedFile } from '../patch.ts';
import type { Usage } from './usage.ts';

/** What is remembered between records. Plain data: it survives structuredClone, rows in it are rows of the run. */
export interface State {
  /** Own thread id; '' before the first record. */
  thread: string;
  /** A session_meta row told the thread id. */
  named: boolean;
  /** The thread was started by another one: what opens its turns is a task, not a prompt. */
  subagent: boolean;
  /** Stands for the thread in identities, where a document's session id changes with each copy of it. */
  identity: string;
  /** Records without envelope: no times, no events, no usage. */
  bare: boolean;
  enveloped: boolean;
  version: string;
  branch: string;
  cwd: string;
  /** The latest time seen, for records that have none. */
  clock: number;
  turn: Turn;
  model: Model;
  /** Time of the row that caused the next model answer: prompt, tool result, start of a turn. 0 if unknown. */
  trigger: number;
  call: OpenCall | undefined;
  counter: Counter;
  tools: Map<string, OpenTool>;
  /** Tool rows of commands that still run, by what later calls name them: an exec session, a script cell. */
  processes: Map<string, number>;
  /** Call id of the script that runs now: nested tools report under ids of their own. */
  script: string;
  prompts: Prompts;
  /** How often each unnumbered thing occurred, to give it an identity. */
  counts: Map<string, number>;
  inheritance: Inheritance;
  /** The compaction row that a ContextCompaction item or a context_compacted event will repeat. */
  compaction: number;
  /** The next message between agents starts a turn. */
  triggersTurn: boolean;
}

interface Turn {
  id: string;
  /** The prompt or event that opened it. */
  row: number;
  /** token_usage_record rows were seen in it, so its token_count rows say nothing new. */
  recorded: boolean;
}

interface Model {
  name: string;
  /** From thread_settings_applied: used only where no turn_context ever told. */
  setting: string;
  /** turn_context of the running turn was seen. */
  known: boolean;
  /** Calls of the running turn made before its turn_context. */
  waiting: number[];
}

export interface OpenCall {
  row: number;
  filled: boolean;
  filledAt: number;
  /** Tools asked for when the usage row came. */
  toolsAtFill: number;
  tools: number;
  /** Time of the last tool result; 0 while none came. */
  answeredAt: number;
  /** Shown to the person; a compaction's answer is not. */
  shown: boolean;
  /** Tool rows that were written in one go after they had run (0.39). */
  batch: number[];
}

interface Counter {
  last: Usage | undefined;
  /** How often the total restarted. */
  epoch: number;
}

export interface OpenTool {
  row: number;
  name: string;
  /** A row that tells its end was seen. */
  ended: boolean;
  answered: boolean;
  background: boolean;
  /** The running command this call talks to. */
  process: string;
  /** What its patch says it will touch; certain once it is applied. */
  patch: PatchedFile[];
}

interface Prompts {
  /** User messages of the model's input, not yet known to be prompts. */
  waiting: WaitingPrompt[];
  /** Prompt events seen; where a file has any, only they make prompts. */
  events: number;
  lastText: string;
  /** In which forms (event, item) the last prompt was seen. */
  lastForms: number;
}

export interface WaitingPrompt {
  text: string;
  /** Not marked as something else than a person's words. */
  typed: boolean;
  /** An event said that it is a prompt. */
  sure: boolean;
  at: number;
  offset: number;
  bytes: number;
}

/** History of another thread at the head of the file; see inheritance.ts. */
interface Inheritance {
  replaying: boolean;
  /** Thread the copied rows came from. */
  origin: string;
  /** When the thread was made, by its header. */
  born: number;
  /** Time of the first record. */
  first: number;
  /** Time of the last row that was taken for a copy, counters not counted. */
  latest: number;
  /** Ids of copied turns were told apart from own ones, so times need not be asked. */
  dated: boolean;
  /** Answers were among the rows, so they are a history and not the thread's own beginning. */
  worked: boolean;
  /** Copied rows kept the times of their originals. */
  older: boolean;
  /** First ordinal that is the thread's own, where the header tells. */
  startOrdinal: number | undefined;
}

/** One open file and the record at hand. */
export interface Reading {
  readonly out: Operations;
  readonly ledger: FileLedger;
  readonly file: number;
  readonly state: State;
  /** Index of the session, -1 before the thread is known. */
  session: number;
  at: number;
  offset: number;
  bytes: number;
}

export function freshState(): State {
  return {
    thread: '',
    named: false,
    subagent: false,
    identity: '',
    bare: false,
    enveloped: false,
    version: '',
    branch: '',
    cwd: '',
    clock: 0,
    turn: { id: '', row: NO_ROW, recorded: false },
    model: { name: '', setting: '', known: false, waiting: [] },
    trigger: 0,
    call: undefined,
    counter: { last: undefined, epoch: 0 },
    tools: new Map(),
    processes: new Map(),
    script: '',
    prompts: { waiting: [], events: 0, lastText: '', lastForms: 0 },
    counts: new Map(),
    inheritance: {
      replaying: false,
      origin: '',
      born: 0,
      first: 0,
      latest: 0,
      dated: false,
      worked: false,
      older: false,
      startOrdinal: undefined,
    },
    compaction: NO_ROW,
    triggersTurn: false,
  };
}

/** Adds a row for the record at hand (or for an earlier one), with the fields that every row of a session has. */
export function addRow(
  reading: Reading,
  kind: Kind,
  parent: number,
  from: { at: number; offset: number; bytes: number } = reading,
): number {
  const { out, state } = reading;
  const row = out.add(kind, reading.session, parent, from.at, reading.file, from.offset, from.bytes);
  if (state.version !== '') out.field.agent_version.set(row, state.version);
  if (state.branch !== '') out.field.branch.set(row, state.branch);
  if (state.cwd !== '') out.field.cwd.set(row, state.cwd);
  if (state.inheritance.replaying) out.flag(row, Flag.replayed);
  return row;
}

/** Sets the end of a row; replayed rows have false times and last nothing. */
export function setEnd(reading: Reading, row: number, at: number): void {
  const { out } = reading;
  if (!out.has(row, Flag.replayed) && at > out.start.get(row)) out.end.set(row, at);
}

/** The thread whose identity a row made now carries: a copied row keeps that of its origin. */
export function originOf(state: State): string {
  return state.inheritance.replaying ? state.inheritance.origin : state.identity || state.thread;
}

/** A number for the next thing without an id; a copied history counts the same way as the original did. */
export function occurrence(state: State, name: string): number {
  const key = `${originOf(state)}|${name}`;
  const seen = state.counts.get(key) ?? 0;
  state.counts.set(key, seen + 1);
  return seen;
}

/** The open answer is over. One whose usage never came is known by its place among those. */
export function closeCall(reading: Reading): void {
  const { state } = reading;
  if (state.call && !state.call.filled) {
    identifyUnfilled(reading, state.call);
    occurrence(state, 'call');
  }
  state.call = undefined;
}

export function identifyUnfilled(reading: Reading, call: OpenCall): void {
  const origin = originOf(reading.state);
  reading.out.setKey(call.row, `${origin}|c|${reading.state.counts.get(`${origin}|call`) ?? 0}`);
}
