import type { Reported } from '../usage.ts';

/** What a span is, whatever convention named it. A `step` (a chain, an HTTP request) only holds others together. */
export type Role = 'model' | 'agent' | 'tool' | 'step';

/** A row's own facts. */
export interface Told {
  readonly status: string;
  readonly error: string;
  readonly fields: readonly (readonly [
    'command' | 'unsafe' | 'skill' | 'branch' | 'agent_version' | 'domain',
    string,
  ])[];
  readonly flags: number;
}

/** An effect, or an event in the words of its agent. */
export interface Happened extends Told {
  readonly name: string;
  readonly time: number;
  readonly file: string;
  readonly effect: string;
  readonly domain: string;
  readonly process: string;
}

/** What our own export tells of a span beyond the conventions, so that a history that went out comes back whole. */
export interface Own extends Told {
  readonly isSession: boolean;
  /** What opened the turn that the span is: `prompt`, `other`, or an event's name; '' for what is no turn. */
  readonly turn: string;
  /** Of the cache writes those for an hour. */
  readonly hourWrites: number;
  readonly happened: readonly Happened[];
}

/** One span of a trace in the words of this project. Times in microseconds, '' and 0 for what is not told. */
export interface Span {
  readonly trace: string;
  readonly id: string;
  readonly parent: string;
  readonly role: Role;
  /** Of a tool or an agent its own name, of others the name of the span. */
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /** The conversation it says it belongs to. */
  readonly session: string;
  readonly user: string;
  /** Who measured: the program that sent the span. */
  readonly service: string;
  readonly version: string;
  readonly cwd: string;
  /** Whose habits of counting it follows: service, instrumentation and provider. */
  readonly exporter: string;
  readonly model: string;
  readonly used: Reported | undefined;
  readonly failed: boolean;
  /** A class, or what the span says about its failure; only classes leave. */
  readonly error: string;
  /** What a person asked, if the last message given to the model is a person's. */
  readonly asked: string;
  readonly said: string;
  /** Of a tool: arguments and result. */
  readonly args: unknown;
  readonly result: string;
  /** What it tells besides if our own export wrote it. */
  readonly own?: Own | undefined;
  /** The record it came in. */
  readonly offset: number;
  readonly bytes: number;
}

export const NO_SPAN: Span = {
  trace: '',
  id: '',
  parent: '',
  role: 'step',
  name: '',
  start: 0,
  end: 0,
  session: '',
  user: '',
  service: '',
  version: '',
  cwd: '',
  exporter: '',
  model: '',
  used: undefined,
  failed: false,
  error: '',
  asked: '',
  said: '',
  args: undefined,
  result: '',
  offset: 0,
  bytes: 0,
};
