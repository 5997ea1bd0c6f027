import { type Keep, WHOLE } from '../../ingest/keep.ts';
import type { Operations } from '../../trace/operations.ts';
import { microsOf } from '../instants.ts';
import { countUnknown, type FileLedger } from '../ledger.ts';
import type { Head, Reader, RecordSink, SourceFile } from '../reader.ts';
import { Scribe } from '../scribe.ts';
import { blocksOf, countOf, isObject, listOf, type Obj, objectOf, plainText, textOf } from '../shapes.ts';
import type { Strand } from '../strand.ts';
import { type Reported, USAGE_RULES } from '../usage.ts';
import { whereabouts } from './whereabouts.ts';

const AGENT = whereabouts.agent;
const ID = 200;

const KEEP: Keep = {
  keys: {
    v: 0,
    id: ID,
    created: 0,
    messages: {
      keys: {
        messageId: 0,
        role: 60,
        content: { keys: { type: 60, text: WHOLE }, text: WHOLE },
        usage: {
          keys: {
            model: ID,
            inputTokens: 0,
            cacheCreationInputTokens: 0,
            cacheReadInputTokens: 0,
            outputTokens: 0,
            totalInputTokens: 0,
          },
        },
      },
    },
    usageLedger: { keys: { events: { keys: { timestamp: 60, toMessageId: 0 } } } },
  },
};

/** Threads of Amp that a machine keeps: see README.md beside this file. */
export const amp: Reader = {
  ...whereabouts,
  keep: KEEP,
  sniff,
  isDocument: path => path.endsWith('.json'),
  open: (file, out, ledger) => new ThreadSink(file, out, ledger),
};

function sniff({ records, document }: Head): boolean {
  const value = document ?? (records.length === 1 ? records[0] : undefined);
  return isObject(value) && /^T-/.test(textOf(value.id)) && Array.isArray(value.messages);
}

class ThreadSink implements RecordSink {
  private readonly scribe: Scribe;

  constructor(file: SourceFile, out: Operations, ledger: FileLedger) {
    this.scribe = new Scribe(AGENT, file, out, ledger);
  }

  record(value: unknown, offset: number, bytes: number): void {
    const { scribe } = this;
    if (!isObject(value)) {
      scribe.ledger.badLines++;
      return;
    }
    scribe.offset = offset;
    scribe.bytes = bytes;
    const strand = scribe.begin(textOf(value.id) || scribe.path);
    const times = timesOf(value);
    let started = countOf(value.created) * 1000;
    for (const [n, message] of listOf(value.messages).map(objectOf).entries()) {
      const id = typeof message.messageId === 'number' ? message.messageId : n;
      const key = `${strand.id} ${id}`;
      for (const { type } of blocksOf(message.content)) {
        if (type !== 'text') countUnknown(scribe.ledger, `block ${textOf(type).slice(0, 60)}`);
      }
      if (message.role === 'assistant') this.answer(strand, key, message, times.get(id) ?? 0);
      else if (message.role !== 'user') countUnknown(scribe.ledger, `role ${textOf(message.role).slice(0, 60)}`);
      else if (plainText(message.content) !== '') {
        scribe.prompt(strand, key, plainText(message.content), started);
        started = 0;
      }
    }
  }

  private answer(strand: Strand, key: string, message: Obj, time: number): void {
    const { scribe } = this;
    const usage = objectOf(message.usage);
    const call = scribe.call(strand, key, textOf(usage.model), time);
    scribe.out.texts.put('call', call, plainText(message.content));
    if (isObject(message.usage)) scribe.usage(call, reportedOf(usage), USAGE_RULES.amp);
  }

  /** A document has no later part. */
  end(): undefined {}
}

/** When answers were charged, by message. The ledger's token counts are a part of those of the messages: not read. */
function timesOf(thread: Obj): Map<number, number> {
  const times = new Map<number, number>();
  for (const event of listOf(objectOf(thread.usageLedger).events).map(objectOf)) {
    if (typeof event.toMessageId === 'number') times.set(event.toMessageId, microsOf(event.timestamp));
  }
  return times;
}

function reportedOf(usage: Obj): Reported {
  const output = countOf(usage.outputTokens);
  const input = countOf(usage.totalInputTokens);
  return {
    input: countOf(usage.inputTokens),
    cacheRead: countOf(usage.cacheReadInputTokens),
    cacheWrite: countOf(usage.cacheCreationInputTokens),
    output,
    reasoning: 0,
    extra: 0,
    total: input > 0 ? input + output : undefined,
  };
}
