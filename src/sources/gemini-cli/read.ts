import { Flag } from '../../trace/flags.ts';
import { NO_ROW } from '../../trace/kinds.ts';
import type { Operations } from '../../trace/operations.ts';
import { microsOf } from '../instants.ts';
import { countUnknown, type FileLedger } from '../ledger.ts';
import type { RecordSink, SourceFile } from '../reader.ts';
import { Scribe } from '../scribe.ts';
import { countOf, isObject, listOf, type Obj, objectOf, textOf } from '../shapes.ts';
import type { Strand } from '../strand.ts';
import { totalOf, USAGE_RULES } from '../usage.ts';
import { AGENT } from './agent.ts';
import { directoryAbove, registeredDirectory } from './directory.ts';
import { parentOfPath, stemOf } from './paths.ts';
import { delegatedIn, directoriesIn, isDelegated, voiceOf, wordsOf } from './said.ts';
import { type FileState, freshState, type OpenAnswer } from './state.ts';
import { askedOf, isDone, isNewFile, outcomeOf, resultText } from './tools.ts';

/** Messages that tell nothing of operations. */
const SILENT: ReadonlySet<string> = new Set(['info', 'warning']);

const NOBODY: ReadonlySet<string> = new Set();

/** Reads one history: a document of messages (until about 0.39), or lines of which the last of an id stands. */
export class ChatSink implements RecordSink {
  private readonly scribe: Scribe;
  private readonly file: SourceFile;
  private readonly state: FileState;
  private delegated: ReadonlySet<string> = NOBODY;
  private isDocument = false;

  constructor(file: SourceFile, out: Operations, ledger: FileLedger, state?: FileState) {
    this.file = file;
    this.scribe = new Scribe(AGENT, file, out, ledger);
    this.state = state ?? freshState();
    if (this.state.strand) this.scribe.resume([this.state.strand]);
  }

  end(): FileState {
    return this.state;
  }

  record(value: unknown, offset: number, bytes: number): void {
    const { scribe } = this;
    if (!isObject(value)) {
      scribe.ledger.badLines++;
      return;
    }
    scribe.offset = offset;
    scribe.bytes = bytes;
    if (isObject(value.$set)) this.patch(value.$set);
    else if ('$rewindTo' in value) this.rewind();
    else if (Array.isArray(value.messages)) this.document(value, value.messages);
    else if (typeof value.sessionId === 'string' && value.type === undefined) this.header(value);
    else this.message(value);
  }

  private document(value: Obj, messages: readonly unknown[]): void {
    this.header(value);
    this.isDocument = true;
    this.delegated = delegatedIn(messages);
    for (const message of messages) {
      if (isObject(message)) this.message(message);
      else countUnknown(this.scribe.ledger, 'message that is no object');
    }
  }

  /** Stands at the head, and again each time the session is resumed. */
  private header(value: Obj): void {
    const { state } = this;
    const strand = this.strand(textOf(value.sessionId));
    const hash = textOf(value.projectHash);
    if (hash !== '') state.hash = hash;
    if (value.kind === 'subagent') {
      state.isSubagent = true;
      this.scribe.isSubagent(strand, parentOfPath(this.file.path), '');
    }
    if (strand.cwd === '') {
      this.inDirectory(registeredDirectory(this.file, hash) || textOf(listOf(value.directories)[0]));
    }
  }

  private strand(id = ''): Strand {
    const { state } = this;
    state.strand ??= this.scribe.begin(id || stemOf(this.file.path));
    return state.strand;
  }

  private inDirectory(cwd: string): void {
    this.scribe.inDirectory(this.strand(), cwd);
  }

  private key(id: string): string {
    return id === '' ? '' : `${this.strand().id}/${id}`;
  }

  /**
   * `$set` patches the session. `messages` in it is the history as the model sees it: after a resume without tokens and
   * with ids of rows that said something else, so it never replaces what rows said. Answers with tokens in it are
   * answers all the same.
   */
  private patch(set: Obj): void {
    if (typeof set.sessionId === 'string') this.header(set);
    if (Array.isArray(set.directories) && this.strand().cwd === '') this.inDirectory(textOf(set.directories[0]));
    for (const entry of listOf(set.messages)) {
      const message = objectOf(entry);
      if (message.type === 'gemini') {
        if (isObject(message.tokens)) this.answer(message, microsOf(message.timestamp));
      } else if (message.type === 'user') this.context(message, wordsOf(message), microsOf(message.timestamp));
    }
  }

  /** What stands from that message on is gone for the model, but was asked and paid for. */
  private rewind(): void {
    this.scribe.event(this.strand(), 'rewind', this.strand().trigger);
  }

  private message(message: Obj): void {
    const time = microsOf(message.timestamp);
    const type = textOf(message.type);
    switch (type) {
      case 'user':
        this.said(message, time);
        return;
      case 'gemini':
      case 'model':
        this.answer(message, time);
        return;
      case 'error':
        this.scribe.event(this.strand(), 'api-error', time, this.key(textOf(message.id)), 'api-error');
        return;
      case '':
        if (isObject(message.tokens)) this.answer(message, time);
        else countUnknown(this.scribe.ledger, 'no type');
        return;
      default:
        if (type === 'info' && /^Request cancelled/.test(wordsOf(message))) {
          this.scribe.event(this.strand(), 'interruption', time, this.key(textOf(message.id)), 'interrupted');
        } else if (!SILENT.has(type)) countUnknown(this.scribe.ledger, type.slice(0, 60));
    }
  }

  /** A user row: words of a person or of the client, or results of tools, which the calls hold too. */
  private said(message: Obj, time: number): void {
    const strand = this.strand();
    const words = wordsOf(message);
    if (words === '') {
      if (time > strand.trigger) strand.trigger = time;
      return;
    }
    if (this.context(message, words, time)) return;
    const { scribe, state } = this;
    const id = textOf(message.id);
    if (this.isRepeated(id)) return;
    if (state.isSubagent) {
      if (strand.tasked) scribe.event(strand, 'message', time, this.key(id));
      else scribe.task(strand, this.key(id), words, time);
      strand.trigger = time;
    } else if (state.heard.size > 1 && isDelegated(words, this.delegated)) {
      scribe.event(strand, 'task', time, this.key(id));
      strand.trigger = time;
    } else scribe.prompt(strand, this.key(id), words, time);
  }

  private isRepeated(id: string): boolean {
    const { heard } = this.state;
    if (id === '' || !heard.has(id)) {
      heard.add(id);
      return false;
    }
    this.scribe.ledger.repeatedRows++;
    return true;
  }

  /** What the client says in the user role; false for a person's words. */
  private context(message: Obj, words: string, time: number): boolean {
    const { scribe, state } = this;
    const voice = voiceOf(words);
    if (voice === 'prompt') return false;
    if (voice === 'context') {
      if (this.strand().cwd === '') this.inDirectory(directoriesIn(words)[0] ?? '');
    } else if (voice === 'snapshot') {
      // The same snapshot stands again in every later list, under new times.
      const name = `snapshot ${words.length} ${words.slice(0, 400)}`;
      if (!state.heard.has(name)) scribe.event(this.strand(), 'compaction', time);
      state.heard.add(name);
    } else {
      scribe.event(this.strand(), voice, time, this.key(textOf(message.id)));
      this.strand().trigger = time;
    }
    return true;
  }

  private answer(message: Obj, time: number): void {
    const { scribe, state } = this;
    const strand = this.strand();
    const id = textOf(message.id) || `${strand.id}:${scribe.offset}:${state.answers.size}`;
    let answer = state.answers.get(id);
    if (answer === undefined) {
      answer = { row: scribe.call(strand, this.key(id), textOf(message.model), time), counts: '' };
      state.answers.set(id, answer);
      scribe.out.texts.put('call', answer.row, wordsOf(message));
    } else scribe.ledger.repeatedRows++;
    this.spend(answer, message);
    this.toolCalls(answer, message, time);
  }

  /** The last counts of an answer stand: they are written again, and come late in some versions. */
  private spend(answer: OpenAnswer, message: Obj): void {
    if (!isObject(message.tokens)) return;
    const { input, output, cached, thoughts, tool, total } = message.tokens;
    const counts = [input, output, cached, thoughts, tool, total].join();
    if (counts === answer.counts) return;
    answer.counts = counts;
    const used = {
      input: countOf(input),
      cacheRead: countOf(cached),
      cacheWrite: 0,
      output: countOf(output),
      reasoning: countOf(thoughts),
      extra: countOf(tool),
      total: totalOf(total),
    };
    this.scribe.usage(answer.row, used, USAGE_RULES[AGENT]);
  }

  /**
   * Calls of one answer end together, at one instant. Until 0.2x an answer without text left no message, and its calls
   * joined the message before: each later instant proves an answer of which nothing else is known.
   */
  private toolCalls(answer: OpenAnswer, message: Obj, time: number): void {
    const { scribe, state } = this;
    const strand = this.strand();
    let call = answer.row;
    let batch = 0;
    let start = time;
    for (const entry of listOf(message.toolCalls)) {
      const tool = objectOf(entry);
      const id = textOf(tool.id) || `${scribe.offset}#${state.tools.size}`;
      const ended = microsOf(tool.timestamp);
      if (this.isDocument && batch > 0 && ended > batch) {
        strand.trigger = start = batch;
        call = scribe.call(strand, this.key(`${id} asked`), textOf(message.model), batch);
        scribe.out.flag(call, Flag.inferred);
        scribe.note('answers without text were not recorded by this version: their tokens are missing');
      }
      if (ended > 0) batch = ended;
      this.toolCall(call, tool, id, start, ended);
    }
  }

  private toolCall(call: number, tool: Obj, id: string, start: number, ended: number): void {
    const { scribe, state } = this;
    const strand = this.strand();
    if (strand.cwd === '') this.inDirectory(directoryAbove(tool.args, state.hash));
    let open = state.tools.get(id);
    if (open === undefined) {
      if (state.tools.has(id)) return;
      open = scribe.tool(strand, call === NO_ROW ? strand.turn : call, askedOf(tool, this.key(id)), start);
      state.tools.set(id, open);
    }
    if (!isDone(tool)) return;
    const touches = isNewFile(tool)
      ? open.touches.map(touch => (touch.kind === 'write' ? { ...touch, kind: 'create' as const } : touch))
      : open.touches;
    scribe.result({ row: open.row, touches }, outcomeOf(tool), ended, resultText(tool));
    const agent = textOf(tool.agentId);
    if (agent !== '') scribe.out.spawnedId.set(open.row, agent);
    state.tools.set(id, undefined);
    if (ended > strand.trigger) strand.trigger = ended;
  }
}
