import { SPAN_KINDS, type Span, type SpanKind, type Timeline } from '../profile/timelines.ts';
import type { ByteReader, ByteWriter } from './bytes.ts';

/** The sessions of a page that carry what ran when, and how many others there are. */
export interface KeptTimelines {
  readonly kept: readonly Timeline[];
  /** Sessions left out because the page would grow too large. */
  readonly left: number;
}

interface Head {
  readonly left: number;
  /** Every name, model and status once. */
  readonly words: readonly string[];
  readonly timelines: readonly { sessions: readonly string[]; agent: string; project: string; length: number }[];
}

const MILLISECOND = 1000;

/**
 * Timelines as columns: what lies beside each other is alike, so it compresses well. Times are kept to the millisecond;
 * where the records are is left out.
 */
export function writeTimelines(out: ByteWriter, { kept, left }: KeptTimelines): void {
  const words: string[] = [''];
  const index = new Map<string, number>([['', 0]]);
  const code = (word: string): number => {
    let at = index.get(word);
    if (at === undefined) index.set(word, (at = words.push(word) - 1));
    return at;
  };
  const spans = kept.flatMap(timeline => timeline.spans);
  const names = spans.map(span => code(span.name));
  const models = spans.map(span => code(span.model));
  const statuses = spans.map(span => code(span.status));
  const timelines = kept.map(({ sessions, agent, project, spans: own }) => ({
    sessions,
    agent,
    project,
    length: own.length,
  }));
  const head: Head = { left, words, timelines };
  out.text(JSON.stringify(head));
  for (const span of spans) out.varint(SPAN_KINDS.indexOf(span.kind) * 2 + (span.waits ? 1 : 0));
  for (const { spans: own } of kept)
    own.forEach((span, at) => {
      out.varint(span.parent < 0 ? 0 : at - span.parent);
    });
  for (const span of spans) out.varint(span.session);
  for (const column of [names, models, statuses]) for (const each of column) out.varint(each);
  for (const { spans: own } of kept) {
    let before = 0;
    for (const span of own) {
      const start = Math.floor(span.start / MILLISECOND);
      out.signed(start - before);
      before = start;
    }
  }
  for (const span of spans)
    out.varint(Math.max(Math.floor(span.end / MILLISECOND) - Math.floor(span.start / MILLISECOND), 0));
  for (const span of spans) out.varint(span.tokens);
}

export function readTimelines(from: ByteReader): KeptTimelines {
  const { left, words, timelines } = JSON.parse(from.text()) as Head;
  const count = timelines.reduce((sum, { length }) => sum + length, 0);
  const column = () => Array.from({ length: count }, () => from.varint());
  const kinds = column();
  const parents = column();
  const sessions = column();
  const [names, models, statuses] = [column(), column(), column()];
  const starts: number[] = [];
  for (const { length } of timelines) {
    let before = 0;
    for (let at = 0; at < length; at++) starts.push((before += from.signed()));
  }
  const lengths = column();
  const tokens = column();
  let first = 0;
  const kept = timelines.map(({ length, ...facts }): Timeline => {
    const base = first;
    first += length;
    const spans = Array.from({ length }, (_, at): Span => {
      const i = base + at;
      const start = (starts[i] as number) * MILLISECOND;
      return {
        kind: SPAN_KINDS[(kinds[i] as number) >> 1] as SpanKind,
        waits: (kinds[i] as number) % 2 === 1,
        parent: parents[i] === 0 ? -1 : at - (parents[i] as number),
        session: sessions[i] as number,
        name: words[names[i] as number] as string,
        model: words[models[i] as number] as string,
        status: words[statuses[i] as number] as string,
        start,
        end: start + (lengths[i] as number) * MILLISECOND,
        tokens: tokens[i] as number,
        file: -1,
        offset: 0,
        bytes: 0,
      };
    });
    return { ...facts, spans };
  });
  return { kept, left };
}
