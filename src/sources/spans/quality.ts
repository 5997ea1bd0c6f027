import type { Forest } from './forest.ts';
import type { Span } from './span.ts';

/** More spans than this in one session are rather a session id that never changes than a conversation. */
const ABSURD = 5000;

/** Clocks of two machines differ by less. */
const SKEW = 1_000_000;

/** What makes traces doubtful, for the ledger: counts only, one sentence each. */
export function qualityOf(
  spans: readonly Span[],
  forest: Forest,
  perSession: ReadonlyMap<string, number>,
  byPause: number,
  gap: number,
): string[] {
  const count = (wanted: (span: Span) => boolean) => spans.reduce((sum, span) => (wanted(span) ? sum + 1 : sum), 0);
  const early = forest.nodes.filter(
    ({ span, parent }) => parent !== undefined && span.start > 0 && parent.span.start - span.start > SKEW,
  ).length;
  const absurd = [...perSession.values()].filter(size => size > ABSURD);
  const found: [number, string][] = [
    [count(span => span.id === ''), 'spans have no id: sent twice, they count twice'],
    [byPause, `spans or trees have no trace id: their sessions end with a pause of ${gap / 60_000_000} minutes`],
    [count(span => span.start === 0), 'spans have no time'],
    [count(span => span.end > 0 && span.end < span.start), 'spans end before they begin'],
    [early, 'spans begin before the span they are in'],
    [forest.orphans, 'spans are in a span that is not in the file'],
    [forest.cycles, 'rings of spans that are in themselves were cut'],
    [forest.excessive, 'spans count more than the spans in them, which alone are counted'],
    [absurd.length, `sessions of more than ${ABSURD} spans: their id may not be that of a conversation`],
  ];
  const notes = found.filter(([many]) => many > 0).map(([many, text]) => `${many} ${text}`);
  const timed = spans.filter(span => span.start > 0);
  if (timed.length > 1 && timed.every(span => span.end <= span.start)) {
    notes.push('no span has a duration: there is no time to show');
  }
  return notes;
}
