import type { Operations } from '../../trace/operations.ts';
import { countUnknown, type FileLedger } from '../ledger.ts';
import type { RecordSink, SourceFile } from '../reader.ts';
import { Scribe } from '../scribe.ts';
import { blocksOf, countOf, isObject, type Obj, objectOf, plainText, textOf } from '../shapes.ts';
import type { OpenTool, Strand } from '../strand.ts';
import { NO_USAGE, type Reported, USAGE_RULES } from '../usage.ts';
import { AGENT } from './agent.ts';
import { stemOf } from './paths.ts';
import { askedOf, isNewFile, outcomeOf, partsOf, textOfParts } from './tools.ts';

const RULE = USAGE_RULES[AGENT];

/** Reads one document: all messages of the session's lead, or of one subagent. Nothing goes on from it. */
export class MessagesSink implements RecordSink {
  private readonly scribe: Scribe;
  private readonly file: SourceFile;
  private readonly tools = new Map<string, OpenTool>();
  private told: Reported = NO_USAGE;

  constructor(file: SourceFile, out: Operations, ledger: FileLedger) {
    this.file = file;
    this.scribe = new Scribe(AGENT, file, out, ledger);
  }

  end(): undefined {
    return undefined;
  }

  record(value: unknown, offset: number, bytes: number): void {
    const { scribe } = this;
    if (!isObject(value)) {
      scribe.ledger.badLines++;
      return;
    }
    scribe.offset = offset;
    scribe.bytes = bytes;
    if (!Array.isArray(value.messages)) {
      countUnknown(scribe.ledger, 'document without messages');
      return;
    }
    const origin = objectOf(value.origin);
    const strand = scribe.begin(textOf(value.sessionId) || stemOf(this.file.path));
    const parent = textOf(origin.parentThreadId);
    const isSubagent = parent !== '' || value.agent === 'subagent' || origin.mode === 'subagent';
    if (isSubagent) scribe.isSubagent(strand, parent, '');
    const status = objectOf(this.file.sibling(`${parent || strand.id}.json`));
    strand.version = textOf(origin.version);
    strand.branch = textOf(objectOf(objectOf(status.metadata).git).branch);
    strand.model = isSubagent ? '' : textOf(status.model);
    scribe.inDirectory(strand, textOf(status.cwd));
    for (const message of value.messages) this.message(strand, objectOf(message), isSubagent);
    if (!isSubagent) this.check(objectOf(objectOf(status.metadata).usage));
  }

  private message(strand: Strand, message: Obj, isSubagent: boolean): void {
    const time = countOf(message.ts) * 1000;
    const id = textOf(message.id);
    const key = id === '' ? '' : `${strand.id}/${id}`;
    if (message.role === 'user') this.user(strand, message, key, time, isSubagent);
    else if (message.role === 'assistant') this.assistant(strand, message, key, time);
    else countUnknown(this.scribe.ledger, `message of ${textOf(message.role).slice(0, 60) || 'nobody'}`);
  }

  private user(strand: Strand, message: Obj, key: string, time: number, isSubagent: boolean): void {
    const { scribe } = this;
    for (const block of blocksOf(message.content)) if (block.type === 'tool_result') this.result(block, time);
    const text = plainText(message.content);
    if (text !== '') {
      if (isSubagent && !strand.tasked) scribe.task(strand, key, text, time);
      else if (isSubagent) scribe.event(strand, 'message', time, key);
      else this.said(strand, text, key, time);
    }
    strand.trigger = time;
  }

  /** What a person types is wrapped: `<user_input mode="act">...</user_input>`. Text in another element is the client's. */
  private said(strand: Strand, text: string, key: string, time: number): void {
    const typed = /<user_input\b[^>]*>([\s\S]*?)<\/user_input>/.exec(text)?.[1];
    if (typed !== undefined || !/^\s*[<[]/.test(text)) this.scribe.prompt(strand, key, (typed ?? text).trim(), time);
    else this.scribe.event(strand, 'message', time, key);
  }

  private assistant(strand: Strand, message: Obj, key: string, time: number): void {
    const { scribe } = this;
    const metadata = objectOf(message.metadata);
    if (metadata.displayOnly === true) {
      if (metadata.displayRole === 'error') scribe.event(strand, 'api-error', time, key, 'api-error');
      return;
    }
    const call = scribe.call(strand, key, textOf(objectOf(message.modelInfo).id), time);
    if (isObject(message.metrics)) this.spend(call, message.metrics);
    scribe.out.texts.put('call', call, plainText(message.content));
    for (const block of blocksOf(message.content)) {
      if (block.type !== 'tool_use') continue;
      const id = textOf(block.id);
      const open = scribe.tool(strand, call, askedOf(block, key === '' ? '' : `${key}#${id}`), time);
      this.tools.set(id, open);
    }
  }

  private spend(call: number, metrics: Obj): void {
    const used = countsOf(metrics);
    this.scribe.usage(call, used, RULE);
    const { told } = this;
    this.told = {
      ...NO_USAGE,
      input: told.input + used.input,
      cacheRead: told.cacheRead + used.cacheRead,
      cacheWrite: told.cacheWrite + used.cacheWrite,
      output: told.output + used.output,
    };
  }

  private result(block: Obj, time: number): void {
    const id = textOf(block.tool_use_id);
    const open = this.tools.get(id);
    if (open === undefined) return;
    this.tools.delete(id);
    const { scribe } = this;
    const parts = partsOf(block.content);
    const touches = isNewFile(parts)
      ? open.touches.map(touch => (touch.kind === 'write' ? { ...touch, kind: 'create' as const } : touch))
      : open.touches;
    const outcome = outcomeOf(scribe.out.field.tool.get(open.row), block, parts);
    scribe.result({ row: open.row, touches }, outcome, time, textOfParts(parts));
  }

  /** The session's status tells the sum of the lead's answers, without its subagents. */
  private check(usage: Obj): void {
    const own = countsOf(usage);
    const { told } = this;
    if (own.input === 0 && own.output === 0) return;
    if (own.input === told.input && own.output === told.output && own.cacheRead === told.cacheRead) return;
    this.scribe.note("the session's own total is not the sum of its answers: the answers were kept");
  }
}

function countsOf(metrics: Obj): Reported {
  return {
    ...NO_USAGE,
    input: countOf(metrics.inputTokens),
    cacheRead: countOf(metrics.cacheReadTokens),
    cacheWrite: countOf(metrics.cacheWriteTokens),
    output: countOf(metrics.outputTokens),
  };
}
