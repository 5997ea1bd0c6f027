import { describe, expect, test } from 'vitest';
import { CONTESTANTS } from '../../src/evaluation/contestants.ts';
import { controlsFor } from '../../src/evaluation/controls.ts';
import { type Contestant, evaluateSegments, goldSessions } from '../../src/evaluation/segments.ts';
import { sequencesOf } from '../../src/meaning/segmentation/steps.ts';
import { tracedOperations } from '../meaning/segmentation/traced.ts';

/** Operations as `action:gold`, sessions by line; `-` is no gold. */
function sessionsOf(text: string) {
  const operations = text
    .trim()
    .split('\n')
    .flatMap((line, session) =>
      line
        .trim()
        .split(/\s+/)
        .map(word => {
          const [action = '', gold = '-'] = word.split(':');
          return { session: `s${session}`, action, ...(gold === '-' ? {} : { stage: gold }) };
        }),
    );
  const trace = tracedOperations(operations);
  const rows = Array.from({ length: trace.ops.length }, (_, row) => row);
  return goldSessions(trace, sequencesOf(trace, rows, new Set(['stage'])), 'stage', undefined);
}

const named = (name: string) => CONTESTANTS.find(({ backend }) => backend === name) as Contestant;
const TRIAL = { folds: 3, draws: 20 };

describe('an evaluation of segmenters', () => {
  test('operations without gold do not count, and a cut at one of them parts its neighbours', async () => {
    const sessions = sessionsOf('a:1 b:- c:2 d:2\nx:- y:-');
    const cutAtB: Contestant = { backend: 'b', labelFree: true, cut: () => [Uint8Array.of(0, 1, 0, 0)] };
    const report = await evaluateSegments(sessions, [cutAtB], TRIAL);
    expect(report).toMatchObject({ operations: 3, sessions: 1, goldGroups: 2 });
    expect(report.results[0]).toMatchObject({ groups: 2, boundary: { p: 1, r: 1, f1: 1 }, b3: { f1: 1 } });
  });

  test('a segmenter that needs labels never sees those of the sessions it cuts', async () => {
    const sessions = sessionsOf(Array.from({ length: 7 }, (_, at) => `a:${at} b:${at} c:x`).join('\n'));
    const seen: [held: number[], taught: number[]][] = [];
    const spy: Contestant = {
      backend: 'spy',
      labelFree: false,
      cut: (held, training) => {
        seen.push([held.map(({ session }) => session), training.map(({ sequence }) => sequence.session)]);
        return held.map(({ steps }) => new Uint8Array(steps.length));
      },
    };
    await evaluateSegments(sessions, [spy], TRIAL);
    expect(seen).toHaveLength(3);
    for (const [held, taught] of seen) expect(held.filter(session => taught.includes(session))).toEqual([]);
    expect(seen.flatMap(([held]) => held).sort()).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  test('steps never have the gold in them', () => {
    const sessions = sessionsOf('a:secret-one b:secret-two');
    expect(JSON.stringify(sessions.map(({ sequence }) => sequence))).not.toContain('secret');
  });

  test('the controls cut always, never, at each other action, evenly, and as often as a segmenter at random', async () => {
    const sessions = sessionsOf('a:1 a:1 b:2 b:2 a:3 a:3 a:3 a:3');
    const { results } = await evaluateSegments(sessions, controlsFor([named('native'), named('auto')]), {
      ...TRIAL,
      folds: 1,
    });
    const groups = Object.fromEntries(results.map(result => [result.backend, result.groups]));
    expect(groups).toMatchObject({
      'always-boundary': 8,
      'never-boundary': 1,
      'action-change': 3,
      'uniform-2': 4,
      'uniform-3': 3,
      'random-like-native': 1,
    });
    const [auto] = named('auto').cut(
      sessions.map(({ sequence }) => sequence),
      [],
    ) as Uint8Array[];
    expect(groups['random-like-auto']).toBe(1 + (auto as Uint8Array).reduce((sum, cut) => sum + cut, 0));
  });

  test('what is learned from sessions of one habit finds it in another session', async () => {
    const line = 'open:1 read:1 read:1 write:2 write:2 open:3 read:3 write:4 write:4 write:4 open:5 read:5 write:6';
    const sessions = sessionsOf(Array.from({ length: 12 }, () => line).join('\n'));
    const { results } = await evaluateSegments(sessions, [named('learned')], TRIAL);
    expect(results[0]?.boundary.f1).toBe(1);
  });
});
