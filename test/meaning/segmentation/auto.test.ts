import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { auto } from '../../../src/meaning/segmentation/backends/auto.ts';
import { decode } from '../../../src/meaning/segmentation/decode.ts';
import { EVIDENCE_KINDS, evidenceOf, inWords } from '../../../src/meaning/segmentation/evidence.ts';
import { sequencesOf } from '../../../src/meaning/segmentation/steps.ts';
import { Trace } from '../../../src/trace/trace.ts';
import { operationsOf } from '../../support/operations.ts';
import { tracedOperations } from './traced.ts';

const stepsOf = (operations: readonly Readonly<Record<string, unknown>>[]) => {
  const trace = tracedOperations(operations.map(fields => ({ session: 's', tool: 'Bash', ...fields })));
  return sequencesOf(trace, allOf(trace), new Set())[0]?.steps ?? [];
};
const allOf = (trace: Trace) => Array.from({ length: trace.ops.length }, (_, row) => row);
const levelAt = (operations: readonly Readonly<Record<string, unknown>>[], kind: string) =>
  inWords(evidenceOf(stepsOf(operations)).at(-1) as Uint8Array).find(each => each.kind === kind)?.level;

describe('evidence before a step', () => {
  test.each([
    ['objects', [{ path: 'a.ts' }, { path: 'a.ts' }], 'shared'],
    ['objects', [{ path: 'a.ts' }, { path: 'b.ts' }], 'new'],
    ['objects', [{ path: 'a.ts' }, { path: 'b.ts' }, { path: 'a.ts' }], 'recent'],
    ['objects', [{ command: 'ls' }, { path: 'b.ts' }], 'new after none'],
    ['action', [{ command: 'git log' }, { command: 'git log -3' }], 'same'],
    ['action', [{ command: 'git log' }, { command: 'git diff' }], 'same program'],
    ['action', [{ command: 'cat a' }, { command: 'pytest' }], 'other kind'],
    ['failure', [{ command: 'pytest', status: 'error' }, { command: 'cat a' }], 'step before failed'],
    ['said', [{ command: 'ls' }, { command: 'ls', text: 'Great, that works. Now the server.' }], 'moving on'],
    ['said', [{ command: 'ls' }, { command: 'ls', text: '失败了，再试一次' }], 'mending'],
    ['said', [{ command: 'ls' }, { command: 'ls', text: '现在开始部署' }], 'moving on'],
    ['verified', [{ command: 'pytest' }, { command: 'cat a' }], 'after a good run'],
    ['creation', [{ command: 'ls' }, { tool: 'Write', path: 'new.ts' }], 'new file'],
    ['directory', [{ path: 'src/a.ts' }, { path: 'docs/b.md' }], 'other'],
    ['plan', [{ command: 'ls' }, { tool: 'TodoWrite' }], 'plan touched'],
  ])('%s of %j is %j', (kind, operations, level) => {
    expect(levelAt(operations, kind)).toBe(level);
  });

  test('a field that is the same all along is no object', () => {
    expect(
      levelAt(
        [
          { goal: 'x', path: 'a.ts' },
          { goal: 'x', path: 'b.ts' },
        ],
        'objects',
      ),
    ).toBe('new');
    expect(levelAt([{ target: 'x' }, { target: 'y' }, { target: 'y' }], 'objects')).toBe('shared');
  });

  test('a pair of actions that alternates is a routine, one that stands alone is none', () => {
    const walk = ['turn', 'walk', 'turn', 'walk', 'turn', 'walk', 'grab'].map(action => ({ tool: '', action }));
    const habits = evidenceOf(stepsOf(walk)).map(levels => levels[EVIDENCE_KINDS.indexOf('habit')]);
    expect(habits.slice(1)).toEqual([4, 4, 4, 4, 4, 1]);
  });
});

describe('sessions of agents', () => {
  const sequences = (history: string) => {
    const trace = new Trace(operationsOf(history));
    return sequencesOf(trace, allOf(trace), new Set());
  };

  test('a prompt opens new work, one that only says to go on does not, and a call stays with its tools', () => {
    const [sequence] = sequences(`
      session main
        prompt 0  "fix the login" #p1
        call   1-2 opus in=1 #m1
        tool   2-3 Edit #t1
        tool   2-3 Edit #t2
        prompt 10 "continue" #p2
        call   11-12 opus in=1 #m2
        tool   12-13 Edit #t3
        prompt 20 "now write the release notes" #p3
        call   21-22 opus in=1 #m3
        tool   22-23 Write #t4
    `);
    expect(sequence?.steps.map(step => step.rows)).toEqual([[0], [1, 2, 3], [4], [5, 6], [7], [8, 9]]);
    expect([...auto(sequence?.steps ?? []).cuts]).toEqual([0, 0, 0, 0, 1, 0]);
  });

  test('a subagent is a sequence of its own beside the work it runs in parallel with', () => {
    const found = sequences(`
      session main
        prompt 0  "look at both" #p1
        call   1-2 opus in=1 #m1
        tool   2-9 Task #t1
      session sub parent=main spawn=t1 sub=Explore
        call   3-4 opus in=1 #m2
        tool   4-5 Read #t2
    `);
    expect(found.map(({ steps }) => steps.map(({ rows }) => rows))).toEqual([[[0], [1, 2]], [[3, 4]]]);
  });
});

describe('what auto does with the ends of what there is', () => {
  test('a session of one operation is one segment', () => {
    expect([...auto(stepsOf([{ command: 'ls' }])).cuts]).toEqual([0]);
  });

  test('no step, no cut', () => {
    expect(auto([]).cuts).toHaveLength(0);
  });

  test('operations without any text and object are cut nowhere or where actions change', () => {
    const same = stepsOf(Array.from({ length: 30 }, () => ({ tool: '', action: 'walk' })));
    expect(auto(same).probability.every(p => p < 0.5)).toBe(true);
  });

  test('20,000 operations are cut, and nothing is looked at twice in a way that grows', () => {
    const many = stepsOf(
      Array.from({ length: 20_000 }, (_, at) => ({
        command: at % 3 === 0 ? `cat src/file${Math.floor(at / 40)}.ts` : 'npm test',
        text: at % 17 === 0 ? `Great. Now part ${at}` : '',
      })),
    );
    const cuts = auto(many).cuts.reduce((sum, cut) => sum + cut, 0);
    expect(many).toHaveLength(20_000);
    expect(cuts).toBeGreaterThan(100);
    expect(cuts).toBeLessThan(10_000);
  });

  test('what comes later in another session changes nothing here', () => {
    const first = [{ path: 'a.ts' }, { path: 'a.ts' }, { command: 'pytest' }, { path: 'docs/b.md' }].map(fields => ({
      session: 'one',
      tool: 'Bash',
      ...fields,
    }));
    const second = first.map(fields => ({ ...fields, session: 'two', path: 'z.ts' }));
    const cutsOf = (operations: readonly Readonly<Record<string, unknown>>[]) => {
      const trace = tracedOperations(operations);
      return [...auto(sequencesOf(trace, allOf(trace), new Set())[0]?.steps ?? []).cuts];
    };
    expect(cutsOf([...first, ...second])).toEqual(cutsOf(first));
  });
});

describe('deciding how many cuts', () => {
  test('sure gaps are cut and hopeless ones are not', () => {
    const { cuts } = decode(Float64Array.of(0, 0.02, 0.97, 0.03, 0.02, 0.95, 0.01));
    expect([...cuts]).toEqual([0, 0, 1, 0, 0, 1, 0]);
  });

  test('where nothing may be a boundary nothing is cut', () => {
    expect([...decode(new Float64Array(6)).cuts]).toEqual([0, 0, 0, 0, 0, 0]);
  });

  test('a gap is never cut while a likelier one is not', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 40 }), values => {
        const { cuts } = decode(Float64Array.from(values));
        const gaps = values.map((value, at) => ({ value, cut: cuts[at] === 1 })).slice(1);
        const least = Math.min(2, ...gaps.filter(({ cut }) => cut).map(({ value }) => value));
        expect(gaps.filter(({ cut, value }) => !cut && value > least)).toEqual([]);
      }),
    );
  });
});
