import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { auto } from '../../../src/meaning/segmentation/backends/auto.ts';
import { nodesOf } from '../../../src/meaning/segmentation/nodes.ts';
import { taskColumn } from '../../../src/meaning/segmentation/paths.ts';
import { segmentsOf } from '../../../src/meaning/segmentation/segments.ts';
import { rowsBySession, sequencesOf } from '../../../src/meaning/segmentation/steps.ts';
import { VIEWS } from '../../../src/profile/views.ts';
import { MEASURES } from '../../../src/trace/measures.ts';
import { Trace } from '../../../src/trace/trace.ts';
import { drawn, foldBy, foldView, total } from '../../support/folding.ts';
import { operationsOf } from '../../support/operations.ts';

const HISTORY = `
  session main
    prompt 0  "fix the login" #p1
    call   1-2 opus in=10 out=5 #m1
    tool   2-3 Edit #t1
    effect write src/login.ts
    call   3-4 opus in=20 #m2
    tool   4-6 Bash command=pytest status=error #t2
    prompt 10 "write the release notes" #p2
    call   11-12 opus in=30 #m3
    tool   12-20 Task #t3
    effect write CHANGES.md
  session sub parent=main spawn=t3 sub=Explore
    call   13-14 opus in=7 #m4
    tool   14-15 Read #t4
    effect read docs/guide.md
`;

function marked(cut: (steps: number) => Uint8Array): Trace {
  const trace = new Trace(operationsOf(HISTORY));
  const rows = Array.from({ length: trace.ops.length }, (_, row) => row);
  const ordered = rowsBySession(trace, rows);
  const sessions = sequencesOf(trace, rows, new Set()).map(({ session, steps }) => {
    const nodes = nodesOf(trace.ops, session, ordered.get(session) as number[]);
    const cuts = cut(steps.length);
    const probability = Float64Array.from(cuts, (each, at) => (each === 1 && at % 2 === 0 ? 0.9 : 0.5));
    return [nodes, segmentsOf(steps, nodes, { cuts, probability }, object => object)] as const;
  });
  trace.override('task', { column: taskColumn(sessions, new Map()), through: 'tool' });
  return trace;
}

describe('segments as task frames', () => {
  test('names stand above what was done, a subagent stands under the segment that started it', () => {
    const trace = marked(steps => Uint8Array.from({ length: steps }, (_, at) => (at === 3 ? 1 : 0)));
    expect(drawn(foldBy(trace, ['task', 'tool'])).slice(0, 4)).toEqual([
      'task:coordinate changes 2',
      'task:coordinate changes;tool:Task 1',
      'task:coordinate changes;tool:Task;subagent:Explore;task:inspect guide 1',
      'task:coordinate changes;tool:Task;subagent:Explore;task:inspect guide;tool:Read 1',
    ]);
  });

  test('whatever is marked, every measure of every view adds up to what it was without marks', () => {
    const plain = new Trace(operationsOf(HISTORY));
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 1 }), { minLength: 12, maxLength: 12 }), bits => {
        const trace = marked(steps => Uint8Array.from(bits.slice(0, steps)));
        for (const { name } of VIEWS)
          for (const measure of MEASURES)
            expect(total(foldView(trace, name), measure.name)).toBe(total(foldView(plain, name), measure.name));
      }),
      { numRuns: 30 },
    );
  });

  test('the same marks stand under every measure', () => {
    const trace = marked(steps =>
      auto(sequencesOf(new Trace(operationsOf(HISTORY)), range(14), new Set())[0]!.steps).cuts.slice(0, steps),
    );
    const names = (measure: string) =>
      new Set(drawn(foldBy(trace, ['task'], measure)).map(line => line.slice(0, line.lastIndexOf(' '))));
    expect([...names('tokens')].filter(name => !names('operations').has(name))).toEqual([]);
  });
});

const range = (n: number) => Array.from({ length: n }, (_, at) => at);
