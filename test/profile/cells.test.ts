import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Flame, pathTo } from '../../src/explorer/flame.ts';
import { modelOf } from '../../src/explorer/model.ts';
import { filterMask, NO_FILTER, project } from '../../src/explorer/project.ts';
import { decodePage, encodePage } from '../../src/formats/cells-code.ts';
import { microDollars } from '../../src/money/round.ts';
import { cellsOf } from '../../src/profile/aggregate.ts';
import type { Cells } from '../../src/profile/cells.ts';
import { fold } from '../../src/profile/fold.ts';
import type { Profile } from '../../src/profile/profile.ts';
import { stackColumns } from '../../src/profile/stack-spec.ts';
import { VIEWS } from '../../src/profile/views.ts';
import { MEASURES } from '../../src/trace/measures.ts';
import type { Trace } from '../../src/trace/trace.ts';
import { allRows, drawn } from '../support/folding.ts';
import { histories, tracedOf } from '../support/histories.ts';

const plain = (_: string, value: string) => value;
const cellsIn = (trace: Trace, rows = allRows(trace), evidence = 20): Cells =>
  cellsOf(trace, rows, { shown: plain, evidence, frames: [] });
const FACTS = {
  version: '1',
  view: 'tokens',
  measure: 'tokens',
  stack: ['agent'],
  subtitle: 'all',
  comments: [],
  previews: [],
};

function folded(trace: Trace, stack: readonly string[], measure: string, rows = allRows(trace)): Profile {
  const rest = { labels: [], evidence: 0, comments: [], roundCost: microDollars, shown: plain };
  return fold(trace, rows, { view: 'test', measure, ...stackColumns(trace, stack, '--stack'), ...rest });
}

/** A flame as folded text, to be compared with the text of a profile. */
function text(flame: Flame): string[] {
  const lines: string[] = [];
  for (let node = 0; node < flame.length; node++) {
    const value = flame.exactSelf(node);
    const path = pathTo(flame, node).map(frame => `${flame.frames[frame]!.kind}:${flame.frames[frame]!.value}`);
    if (value !== 0n) lines.push(`${path.join(';')} ${value}`);
  }
  return lines.sort();
}

const FRAMES = [
  'agent',
  'prompt',
  'call',
  'tool',
  'model',
  'token',
  'domain',
  'file',
  'effect',
  'status',
  'project',
  'session',
  'subagent',
  'day',
  'phase',
  'repeat',
];
const known = (trace: Trace, stack: readonly string[]) =>
  stack.filter(name => name === 'token' || trace.names().includes(name));

describe('cells of a history', () => {
  test('any stack that a page folds from them is what the history itself folds to, in every measure', () => {
    fc.assert(
      fc.property(
        histories,
        fc.subarray(FRAMES, { minLength: 1 }),
        fc.constantFrom(...MEASURES),
        (history, frames, { name }) => {
          const trace = tracedOf(history);
          const stack = known(trace, frames);
          if (stack.length === 0) return;
          const model = modelOf(cellsIn(trace));
          const flame = project(model, stack, name, filterMask(model, NO_FILTER));
          expect(text(flame)).toEqual(drawn(folded(trace, stack, name)));
        },
      ),
      { numRuns: 300 },
    );
  });

  test.each(VIEWS.map(view => [view.name, view] as const))(
    'the %s view of the page is that of the program',
    (_, view) => {
      fc.assert(
        fc.property(histories, history => {
          const trace = tracedOf(history);
          const model = modelOf(cellsIn(trace));
          const flame = project(model, view.stack, view.measure, filterMask(model, NO_FILTER));
          expect(text(flame)).toEqual(drawn(folded(trace, view.stack, view.measure)));
        }),
        { numRuns: 40 },
      );
    },
  );

  test('a filter of the page keeps what a selection of rows keeps', () => {
    fc.assert(
      fc.property(
        histories,
        fc.constantFrom('agent', 'model', 'status', 'project'),
        fc.constantFrom('tokens', 'operations', 'time'),
        (history, by, measure) => {
          const trace = tracedOf(history);
          const rows = allRows(trace);
          const model = modelOf(cellsIn(trace, rows));
          for (const value of model.dimensions.get(by)?.values ?? []) {
            const mask = filterMask(model, { ...NO_FILTER, only: { [by]: [value] } });
            const kept = rows.filter(row => trace.value(by, row) === value);
            expect(text(project(model, ['agent', 'tool'], measure, mask))).toEqual(
              drawn(folded(trace, ['agent', 'tool'], measure, kept)),
            );
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  test('bytes and back are the same cells', () => {
    fc.assert(
      fc.property(histories, history => {
        const cells = cellsIn(tracedOf(history));
        const back = decodePage(encodePage({ facts: FACTS, cells }));
        expect(back.facts).toEqual(FACTS);
        const { row: _, ...evidence } = cells.evidence;
        const { row: __, ...evidenceBack } = back.cells.evidence;
        expect({ ...back.cells, evidence: evidenceBack }).toEqual({ ...cells, evidence });
      }),
      { numRuns: 100 },
    );
  });

  test('the same operations in another order give the same cells', () => {
    fc.assert(
      fc.property(histories, history => {
        const trace = tracedOf(history);
        const rows = allRows(trace);
        expect(cellsIn(trace, rows.slice().reverse(), 0)).toEqual(cellsIn(trace, rows, 0));
      }),
      { numRuns: 60 },
    );
  });

  test('every frame has evidence, at most what was asked for while it is rare', () => {
    fc.assert(
      fc.property(histories, fc.integer({ min: 1, max: 3 }), (history, most) => {
        const cells = cellsIn(tracedOf(history), undefined, most);
        for (const dimension of cells.dimensions) {
          const covered = new Set(Array.from(cells.evidence.cell, cell => dimension.codes[cell]!));
          for (const code of dimension.codes) if (code !== 0) expect(covered).toContain(code);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('values that are shown alike are one', () => {
    const trace = tracedOf('session s agent=codex\n tool 1-2 Bash\n tool 3-4 Read');
    const cells = cellsOf(trace, allRows(trace), {
      shown: (kind, value) => (kind === 'tool' ? 'x' : value),
      evidence: 0,
      frames: [],
    });
    expect(cells.dimensions.find(each => each.name === 'tool')!.values).toEqual(['', 'x']);
    expect(cells.length).toBe(1);
  });

  test('private and endless fields are not offered unless a stack names them', () => {
    const trace = tracedOf('session s agent=codex\n prompt 1 "p" #a\n tool 1-2 Bash cwd=/home/x');
    const names = (frames: string[]) =>
      cellsOf(trace, allRows(trace), { shown: plain, evidence: 0, frames }).dimensions.map(each => each.name);
    expect(names([])).not.toContain('cwd');
    expect(names([])).not.toContain('prompt_id');
    expect(names(['cwd'])).toContain('cwd');
  });
});
