import { Flag } from '../../trace/flags.ts';
import { countUnknown } from '../ledger.ts';
import type { Scribe } from '../scribe.ts';
import { classOf, countOf, listOf, type Obj, objectOf, textOf } from '../shapes.ts';
import type { Strand } from '../strand.ts';
import { type Reported, setUsage, sumOf, totalOf, USAGE_RULES, type UsageRule } from '../usage.ts';
import { askedOf, outcomeOf } from './tools.ts';

/** What is known of a session beside its messages. */
export interface SessionFacts {
  readonly id: string;
  readonly parent: string;
  readonly directory: string;
  readonly version: string;
}

/** A part of a message, and where it stands; undefined for the place of its message. */
export interface Part {
  readonly value: Obj;
  readonly offset?: number;
  readonly bytes?: number;
}

const SILENT: ReadonlySet<string> = new Set([
  'text',
  'reasoning',
  'file',
  'tool',
  'step-start',
  'step-finish',
  'snapshot',
  'patch',
  'agent',
  'compaction',
  'subtask',
  'retry',
]);

const ERRORS: Readonly<Record<string, string>> = {
  MessageAbortedError: 'interrupted',
  ProviderAuthError: 'authentication',
  MessageOutputLengthError: 'max-tokens',
  ContextOverflowError: 'context-overflow',
};

/** In 1.2 `output` has the reasoning in it. Only a total can show that. */
const REASONING_INSIDE: UsageRule = { inputIncludesCache: false, outputIncludesReasoning: true };

/**
 * Makes rows of messages, whichever storage they come from. A fork copies messages under new ids, with the times and
 * counts of the originals: these are the keys, and by them copies in several storages are one as well.
 */
export class Chronicle {
  private readonly scribe: Scribe;
  private readonly strands = new Map<string, Strand>();

  constructor(scribe: Scribe) {
    this.scribe = scribe;
  }

  session({ id, parent, directory, version }: SessionFacts): Strand {
    const { scribe, strands } = this;
    let strand = strands.get(id);
    if (strand === undefined) {
      strand = scribe.begin(id);
      strands.set(id, strand);
    }
    scribe.isSubagent(strand, parent, '');
    scribe.inDirectory(strand, directory);
    if (version !== '') strand.version = version;
    return strand;
  }

  message(strand: Strand, info: Obj, parts: readonly Part[]): void {
    for (const { value } of parts) {
      const type = textOf(value.type);
      if (!SILENT.has(type)) countUnknown(this.scribe.ledger, `part ${type.slice(0, 60)}`);
    }
    if (info.role === 'user') this.said(strand, info, parts);
    else if (info.role === 'assistant') this.answer(strand, info, parts);
    else countUnknown(this.scribe.ledger, `role ${textOf(info.role).slice(0, 60)}`);
  }

  private isSubagent(strand: Strand): boolean {
    return this.scribe.out.sessions.all[strand.session]?.parent !== undefined;
  }

  /** A user message: what a person wrote, what a parent told its subagent, or what the client says in that role. */
  private said(strand: Strand, info: Obj, parts: readonly Part[]): void {
    const { scribe } = this;
    const created = millis(objectOf(info.time).created);
    if (parts.some(({ value }) => value.type === 'compaction')) {
      scribe.event(strand, 'compaction', created, `${created} compaction`);
      strand.trigger = created;
      return;
    }
    const texts = parts.filter(({ value }) => value.type === 'text');
    const typed = texts.filter(({ value }) => value.synthetic !== true && value.ignored !== true);
    const subtasks = parts.filter(({ value }) => value.type === 'subtask');
    if (texts.length > 0 && typed.length === 0 && subtasks.length === 0) {
      scribe.wakes(strand, 'continuation', created, `${created} continuation`);
      return;
    }
    const words =
      typed.map(({ value }) => textOf(value.text)).join('\n') ||
      subtasks.map(({ value }) => textOf(value.prompt) || textOf(value.description)).join('\n');
    const text = unquoted(words);
    const key = `${created} ${text}`;
    if (!this.isSubagent(strand)) scribe.prompt(strand, key, text, created);
    else if (!strand.tasked) scribe.task(strand, `${strand.id} ${key}`, text, created);
    else scribe.wakes(strand, 'message', created, `${strand.id} ${key}`);
  }

  private answer(strand: Strand, info: Obj, parts: readonly Part[]): void {
    const { scribe } = this;
    const time = objectOf(info.time);
    const created = millis(time.created);
    const completed = millis(time.completed);
    const used = reportedOf(objectOf(info.tokens));
    const error = errorOf(info.error);
    const tools = parts.filter(({ value }) => value.type === 'tool');
    const said = parts.filter(({ value }) => value.type === 'text' && value.synthetic !== true);
    const path = objectOf(info.path);
    scribe.inDirectory(strand, textOf(path.cwd) || textOf(info.path));
    const model = textOf(info.modelID) || textOf(objectOf(info.model).modelID);
    const key = [
      created,
      completed,
      used.input,
      used.output,
      used.cacheRead,
      used.cacheWrite,
      model,
      strand.cwd,
    ].join();
    const nothing = sumOf(used, REASONING_INSIDE) === 0;
    if (error !== '' && nothing && tools.length === 0 && said.length === 0) {
      // The service refused, or a person stopped it before a word: nothing says that it cost anything.
      scribe.event(strand, error === 'interrupted' ? 'interruption' : 'api-error', completed || created, key, error);
      return;
    }
    strand.trigger = created;
    const row = scribe.call(strand, key, model, answeredAt(tools, completed, created));
    const { field, texts } = scribe.out;
    if (info.summary === true) scribe.out.flag(row, Flag.compaction);
    if (error !== '') {
      field.status.set(row, error === 'interrupted' ? 'interrupted' : 'error');
      field.error.set(row, error);
    }
    for (const { value } of said) texts.put('call', row, textOf(value.text));
    this.spend(row, used, parts);
    for (const { value } of parts) {
      if (value.type === 'retry')
        scribe.event(strand, 'retry', millis(objectOf(value.time).created), '', errorOf(value.error));
    }
    const { offset, bytes } = scribe;
    for (const tool of tools) this.tool(strand, row, tool, created);
    scribe.offset = offset;
    scribe.bytes = bytes;
  }

  /** A message's counts; those of its steps are the same again, and must sum to them. */
  private spend(row: number, used: Reported, parts: readonly Part[]): void {
    const { scribe } = this;
    const rule = ruleOf(used);
    if (sumOf(used, rule) === 0) {
      setUsage(scribe.out, row, used, rule);
      return;
    }
    scribe.usage(row, used, rule);
    let steps = 0;
    for (const { value } of parts) {
      if (value.type === 'step-finish') steps += sumOf(reportedOf(objectOf(value.tokens)), rule);
    }
    if (steps > 0 && steps !== sumOf(used, rule)) scribe.note('steps of a message do not sum to its counts');
  }

  private tool(strand: Strand, call: number, { value, offset, bytes }: Part, created: number): void {
    const { scribe } = this;
    if (offset !== undefined) scribe.offset = offset;
    if (bytes !== undefined) scribe.bytes = bytes;
    const state = objectOf(value.state);
    const time = objectOf(state.time);
    const start = millis(time.start) || created;
    const id = textOf(value.callID) || textOf(value.id);
    const open = scribe.tool(strand, call, askedOf(value, `${id} ${start}`), start);
    const metadata = objectOf(state.metadata);
    const child = textOf(metadata.sessionId) || textOf(metadata.sessionID);
    if (value.tool === 'task' && child !== '') scribe.out.spawnedId.set(open.row, child);
    const outcome = outcomeOf(value);
    if (outcome !== undefined) {
      scribe.result(open, outcome, millis(time.end), textOf(state.output) || textOf(state.error));
    }
  }
}

/** Milliseconds since the epoch as microseconds; 0 for anything else. */
function millis(value: unknown): number {
  const count = countOf(value);
  return count <= Number.MAX_SAFE_INTEGER / 1000 ? count * 1000 : 0;
}

/** A message is completed when its tools have run; the answer ended when the first of them began. */
function answeredAt(tools: readonly Part[], completed: number, created: number): number {
  const starts = tools
    .map(({ value }) => millis(objectOf(objectOf(value.state).time).start))
    .filter(at => at >= created && at > 0);
  return starts.length > 0 ? Math.min(...starts) : completed || created;
}

function reportedOf(tokens: Obj): Reported {
  const cache = objectOf(tokens.cache);
  return {
    input: countOf(tokens.input),
    cacheRead: countOf(cache.read),
    cacheWrite: countOf(cache.write),
    output: countOf(tokens.output),
    reasoning: countOf(tokens.reasoning),
    extra: 0,
    total: totalOf(tokens.total),
  };
}

function ruleOf(used: Reported): UsageRule {
  const inside =
    used.total !== undefined && used.reasoning <= used.output && used.total === sumOf(used, REASONING_INSIDE);
  return inside ? REASONING_INSIDE : USAGE_RULES.opencode;
}

function errorOf(error: unknown): string {
  const { name, data } = objectOf(error);
  if (name === undefined) return '';
  const status = countOf(objectOf(data).statusCode);
  return ERRORS[textOf(name)] ?? (status > 0 ? `http-${status}` : classOf(name) === '' ? '' : 'api-error');
}

/** A prompt with spaces that was given on the command line is stored in quotation marks that nobody typed. */
function unquoted(text: string): string {
  return /^"(?:[^"\\]|\\[\s\S])*"$/.test(text) && text.includes(' ') ? text.slice(1, -1).replaceAll('\\"', '"') : text;
}

/** The facts of a session as an export or the JSON storage writes them. */
export function factsOf(info: Obj, id = textOf(info.id)): SessionFacts {
  return { id, parent: textOf(info.parentID), directory: textOf(info.directory), version: textOf(info.version) };
}

export function partsOf(value: unknown): Part[] {
  return listOf(value).map(each => ({ value: objectOf(each) }));
}
