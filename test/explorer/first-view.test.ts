import fc from 'fast-check';
import { expect, test } from 'vitest';
import { firstViewOf, flameOf } from '../../src/explorer/first-view.ts';
import { type Flame, pathTo } from '../../src/explorer/flame.ts';
import { modelOf } from '../../src/explorer/model.ts';
import { filterMask, NO_FILTER, project } from '../../src/explorer/project.ts';
import type { PageContent } from '../../src/formats/cells-code.ts';
import { MEASURES } from '../../src/trace/measures.ts';

const TOKENS = MEASURES.findIndex(measure => measure.name === 'tokens');
const NAMES = ['', ...Array.from({ length: 8 }, (_, at) => `${at} ${'long '.repeat(at)}`.trim())];
const STACK = ['agent', 'prompt', 'tool'];

/** Cells of three frames each, and their tokens. */
const pages: fc.Arbitrary<PageContent> = fc
  .array(fc.tuple(fc.nat(8), fc.nat(8), fc.nat(8), fc.oneof(fc.nat(9), fc.nat(9_000_000))), { maxLength: 60 })
  .map(cells => ({
    facts: { version: '1', view: 'own', measure: 'tokens', stack: STACK, subtitle: '', comments: [], previews: [] },
    cells: {
      length: cells.length,
      measures: MEASURES,
      dimensions: STACK.map((name, at) => ({
        name,
        values: NAMES,
        codes: Uint32Array.from(cells, cell => cell[at] as number),
      })),
      chains: [[]],
      chain: new Uint32Array(cells.length),
      slots: [{ token: '', domain: false, measures: [TOKENS], values: Float64Array.from(cells, cell => cell[3]) }],
      evidence: {
        length: 0,
        cell: new Uint32Array(0),
        file: new Uint32Array(0),
        offset: new Float64Array(0),
        bytes: new Float64Array(0),
        start: new Float64Array(0),
        row: new Uint32Array(0),
      },
    },
  }));

/** Every box: its names from the root, where it starts, how wide it is, and what is in no box below. */
function boxesOf(flame: Flame): Map<string, string> {
  const boxes = new Map<string, string>();
  for (let node = 0; node < flame.length; node++) {
    const path = pathTo(flame, node).map(frame => flame.frames[frame]?.value);
    boxes.set(
      `${flame.depth[node]} ${flame.start[node]} ${flame.exactTotal(node)} ${flame.exactSelf(node)}`,
      path.join('/'),
    );
  }
  return boxes;
}

test('the boxes of a first view are boxes of the flame, and every box that a screen can show is among them', () => {
  fc.assert(
    fc.property(pages, page => {
      const model = modelOf(page.cells);
      const flame = project(model, STACK, 'tokens', filterMask(model, NO_FILTER));
      const first = firstViewOf(page);
      const boxes = flameOf(JSON.parse(JSON.stringify(first.boxes)));
      const all = boxesOf(flame);
      const kept = boxesOf(boxes);
      for (const [box, path] of kept) {
        const whole = all.get(box);
        expect(whole).toBeDefined();
        // A name may be left out where nobody could read it, and is never another one.
        path.split('/').forEach((name, at) => {
          if (name !== '') expect(name).toBe(whole?.split('/')[at]);
        });
      }
      for (let node = 0; node < flame.length; node++) {
        if ((flame.total[node] as number) * 1600 < 2 * (flame.total[0] as number)) continue;
        const box = `${flame.depth[node]} ${flame.start[node]} ${flame.exactTotal(node)} ${flame.exactSelf(node)}`;
        if ((flame.total[0] as number) > 0) expect(kept.has(box)).toBe(true);
      }
      expect(boxes.levels.length).toBe(flame.levels.length);
      expect(first.sums[TOKENS]).toBe(flame.exactTotal(0).toString());
    }),
  );
});
