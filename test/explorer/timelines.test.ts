import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { factsOf, isWork, scaleOf } from '../../src/explorer/time-scale.ts';
import { ByteReader, ByteWriter } from '../../src/formats/bytes.ts';
import { readTimelines, writeTimelines } from '../../src/formats/timelines-code.ts';
import type { Span } from '../../src/profile/timelines.ts';
import { timelinesOf } from '../../src/profile/timelines.ts';
import { allRows } from '../support/folding.ts';
import { histories, tracedOf } from '../support/histories.ts';

const plain = (_: string, value: string) => value;

/** Spans of work from `from-to` in seconds. */
const work = (...intervals: string[]): Span[] =>
  intervals.map(interval => {
    const [start, end] = interval.split('-').map(second => Number(second) * 1e6) as [number, number];
    return {
      kind: 'tool',
      parent: -1,
      session: 0,
      name: 'Bash',
      model: '',
      status: '',
      waits: false,
      start,
      end,
      tokens: 0,
      file: -1,
      offset: 0,
      bytes: 0,
    };
  });

test('timelines in a page are those of the history to the millisecond, without the places of records', () => {
  fc.assert(
    fc.property(histories, fc.nat(9), (text, left) => {
      const trace = tracedOf(text);
      const kept = [...timelinesOf(trace, allRows(trace), plain)];
      const out = new ByteWriter();
      writeTimelines(out, { kept, left });
      const round = (span: Span) => ({
        ...span,
        start: Math.floor(span.start / 1000) * 1000,
        end: Math.floor(span.end / 1000) * 1000,
        file: -1,
        offset: 0,
        bytes: 0,
      });
      const wanted = kept.map(timeline => ({ ...timeline, spans: timeline.spans.map(round) }));
      expect(readTimelines(new ByteReader(out.finish()))).toEqual({ kept: wanted, left });
    }),
  );
});

describe('the axis of a session', () => {
  test('is even where something runs, and short where nothing does', () => {
    const scale = scaleOf(work('0-100', '100000-100100'), 0, 100_100e6);
    const half = scale.place(100e6);
    expect(half).toBeCloseTo(0.4926, 3);
    expect(scale.place(50e6)).toBeCloseTo(half / 2, 9);
    expect(scale.pauses.map(({ length }) => length / 1e6)).toEqual([99_900]);
    expect(scale.marks.map(({ time }) => time / 1e6)).toEqual([0, 100_000]);
  });

  test('never runs backwards, and begins at 0 and ends at 1', () => {
    const seconds = fc.tuple(fc.nat(5000), fc.nat(300)).map(([from, length]) => `${from}-${from + length}`);
    fc.assert(
      fc.property(fc.array(seconds, { minLength: 1, maxLength: 12 }), fc.array(fc.nat(6000)), (intervals, times) => {
        const spans = work(...intervals);
        const { from, to } = factsOf(spans);
        const scale = scaleOf(spans, from, to);
        const places = times.sort((a, b) => a - b).map(time => scale.place(time * 1e6));
        places.forEach((place, at) => {
          if (at > 0) expect(place).toBeGreaterThanOrEqual(places[at - 1] as number);
        });
        expect(scale.place(from)).toBe(0);
        if (to > from) expect(scale.place(to)).toBeCloseTo(1, 9);
      }),
    );
  });

  test.each([
    [['0-10', '10-20'], 20, 1],
    [['0-10', '5-20'], 20, 2],
    [['0-10', '2-4', '3-5', '30-40'], 20, 3],
  ])('%j is %d seconds of activity, at most %d at once', (intervals, active, most) => {
    const facts = factsOf(work(...intervals));
    expect([facts.active / 1e6, facts.most]).toEqual([active, most]);
  });
});

test('activity of a session is the time that the measure charges it', () => {
  fc.assert(
    fc.property(histories, text => {
      const trace = tracedOf(text);
      const rows = allRows(trace);
      let charged = 0;
      for (const row of rows) charged += trace.times.time.get(row);
      const active = [...timelinesOf(trace, rows, plain)].reduce(
        (sum, { spans }) => sum + factsOf(spans.filter(span => isWork(span) && !span.waits)).active * 1000,
        0,
      );
      expect(active).toBe(charged);
    }),
  );
});
