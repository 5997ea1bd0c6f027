import type { TouchKind } from '../../trace/touches.ts';
import type { Obj } from '../shapes.ts';
import { nothingSeen, type Seen } from './seen.ts';

/** What a row made the model do, or what stood last in a chain. */
export type Last = 'nothing' | 'prompt' | 'result' | 'event' | 'answer';

/**
 * One conversation inside a file: the main one, or that of a subagent. Times in microseconds, rows are rows of the
 * operations.
 */
export interface Chain {
  /** Index of the session. */
  session: number;
  /** The prompt or event that opened the turn; NO_ROW before the first. */
  turn: number;
  /** An event that will have opened a turn if the model answers next; NO_ROW if there is none. */
  opener: number;
  /** When the model was last given something to answer; 0 once it answers. */
  trigger: number;
  /** The latest time seen. */
  seen: number;
  last: Last;
  /** A subagent's first row of text is its task. */
  tasked: boolean;
}

/** One answer of the model, while its rows may still come. */
export interface OpenCall {
  row: number;
  /** Tokens of the row with the largest output so far. */
  output: number;
  /** Characters of text and tool input: what an output count must at least pay for. */
  characters: number;
  /** A row told why the answer stopped: its usage is final. */
  final: boolean;
}

/** A tool call without result yet. What it touches counts once the result shows that it ran. */
export interface OpenTool {
  row: number;
  touches: { kind: TouchKind; value: string }[];
}

/** A message typed while the model was busy. */
export interface Queued {
  text: string;
  time: number;
  offset: number;
  bytes: number;
}

/** What a file's reading must remember between records: plain data, so that reading can go on in a grown file. */
export interface FileState {
  /** Id of the main session of the rows. */
  main: string;
  /** Time of the first thing queued in the file, until its first row of conversation; then 0. */
  head: number;
  /** By session id. */
  chains: Map<string, Chain>;
  /** Which chain a row of an inline sidechain belongs to, by uuid. */
  sides: Map<string, string>;
  lastSide: string;
  /** By message id. A repeat that comes after this forgot it makes a row of its own, told by its key when all is linked. */
  calls: Recent<OpenCall>;
  tools: Map<string, OpenTool>;
  /** Results whose tool calls are written behind them, by the id of the call; only the latest. */
  early: Map<string, EarlyResult>;
  /** Tool calls that went to the background, by id: their failure is told by a notification. */
  background: Recent<number>;
  /** When a request was sent, by its id; only the latest. */
  requests: Recent<number>;
  queue: Queued[];
  /** Messages delivered inside a turn, told so far by one of two records; the other may come. */
  delivered: { text: string; row: number; by: 'queue' | 'attachment' }[];
  /** Running totals, by session and model: the row of each. */
  counters: Map<string, number>;
  /** Rows of running totals after which nothing has been said yet. */
  freshCounters: number[];
  seen: Seen;
  /** Notes made once a file. */
  noted: Set<string>;
  /** Of a saved stream only. */
  stream?: StreamState;
}

/** A block of a result, what stands beside it in its row, and when it came. */
export interface EarlyResult {
  readonly block: Obj;
  readonly result: unknown;
  readonly record: Obj;
  readonly time: number;
}

/** What a saved stream told at its beginning, and answers under way. */
export interface StreamState {
  cwd: string;
  version: string;
  model: string;
  /** By who speaks ('' or the call that spawned it): the answer that began last. */
  answers: Map<string, { id: string; model: string; usage: Record<string, unknown> }>;
  /** Sums of results that do not tell usage by model. */
  spent: Record<string, number> | undefined;
}

export function freshState(): FileState {
  return {
    main: '',
    head: 0,
    chains: new Map(),
    sides: new Map(),
    lastSide: '',
    calls: nothingRecent(),
    tools: new Map(),
    early: new Map(),
    background: nothingRecent(),
    requests: nothingRecent(),
    queue: [],
    delivered: [],
    counters: new Map(),
    freshCounters: [],
    seen: nothingSeen(),
    noted: new Set(),
  };
}

/** The latest entries of a kind, in two generations: when the young one is full it becomes the old one. */
export interface Recent<V> {
  young: Map<string, V>;
  old: Map<string, V>;
}

export function nothingRecent<V>(): Recent<V> {
  return { young: new Map(), old: new Map() };
}

/** Entries of a generation: at least so many of the latest are known. */
const GENERATION = 64;

export function remember<V>(recent: Recent<V>, key: string, value: V): void {
  if (recent.young.size >= GENERATION) {
    recent.old = recent.young;
    recent.young = new Map();
  }
  recent.young.set(key, value);
}

export function recall<V>(recent: Recent<V>, key: string): V | undefined {
  return recent.young.get(key) ?? recent.old.get(key);
}
