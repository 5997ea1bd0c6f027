// A page of 100,000 frames and 3,000 levels, for bench/explorer.mjs.

import { firstViewOf } from '../src/explorer/first-view.ts';
import type { PageProgram } from '../src/formats/html.ts';
import { writeHtml } from '../src/formats/html.ts';
import type { Cells } from '../src/profile/cells.ts';
import { LIST } from '../src/profile/columns.ts';
import type { Profile } from '../src/profile/profile.ts';
import { MEASURES } from '../src/trace/measures.ts';

const FRAMES = 100_000;
const LEVELS = 3_000;
const WIDE = [20, 40, 12] as const;

/** A wide part (20 x 40 x 12 boxes with as many leaves as are missing) beside one stack of 3,000 levels. */
export function loadedPage(program: PageProgram): string {
  const leaves = FRAMES - LEVELS;
  const names = (kind: string, count: number) => [
    '',
    ...Array.from({ length: count }, (_, at) => `${kind} ${String(at).padStart(5, '0')}`),
  ];
  const deep = Array.from({ length: LEVELS }, (_, at) => `step ${String(at).padStart(4, '0')}`).join(LIST);
  const length = leaves + 1;
  const codes = (of: (at: number) => number) => Uint32Array.from({ length }, (_, at) => (at === leaves ? 0 : of(at)));
  const [a, b, c] = WIDE;
  const dimensions = [
    { name: 'agent', values: names('agent', a), codes: codes(at => 1 + Math.floor((at * a) / leaves)) },
    { name: 'prompt', values: names('prompt', b), codes: codes(at => 1 + (Math.floor((at * a * b) / leaves) % b)) },
    { name: 'tool', values: names('tool', c), codes: codes(at => 1 + (Math.floor((at * a * b * c) / leaves) % c)) },
    { name: 'file', values: names('src/file', leaves), codes: codes(at => 1 + at) },
    { name: 'task', values: ['', deep], codes: Uint32Array.from({ length }, (_, at) => (at === leaves ? 1 : 0)) },
  ];
  const values = Float64Array.from({ length }, (_, at) =>
    at === leaves ? leaves * 30 : 1 + ((Math.imul(at, 0x9e3779b1) >>> 0) % 200),
  );
  const measure = MEASURES.findIndex(each => each.name === 'tokens');
  const none = new Uint32Array(0);
  const evidence = {
    length: 0,
    cell: none,
    file: none,
    offset: new Float64Array(0),
    bytes: new Float64Array(0),
    start: new Float64Array(0),
    row: none,
  };
  const cells: Cells = {
    length,
    measures: MEASURES,
    dimensions,
    chains: [[]],
    chain: new Uint32Array(length),
    slots: [{ token: '', domain: false, measures: [measure], values }],
    evidence,
  };
  const facts = {
    version: '0',
    view: 'tokens',
    measure: 'tokens',
    stack: ['agent', 'prompt', 'tool', 'file', 'task'],
    subtitle: `${FRAMES} frames`,
    comments: [],
    previews: [],
  };
  const profile: Profile = {
    view: 'tokens',
    measure: 'tokens',
    measures: MEASURES,
    frames: [],
    nodes: { parent: new Uint32Array(1), frame: new Uint32Array(1) },
    samples: {
      length: 1,
      node: new Uint32Array(1),
      labels: new Uint32Array(1),
      values: MEASURES.map((_, at) =>
        BigInt64Array.of(at === measure ? BigInt(values.reduce((sum, value) => sum + value, 0)) : 0n),
      ),
    },
    labelSets: [[]],
    comments: [],
    timeNanos: 0n,
    durationNanos: 0n,
  };
  const parts: string[] = [];
  writeHtml(profile, chunk => parts.push(String(chunk)), {
    page: { cells, facts, program, first: firstViewOf({ facts, cells }) },
  });
  return parts.join('');
}
