import { cutToCells } from '../formats/cells.ts';
import { emptySentence } from '../formats/empty.ts';
import { frameName, NO_FRAME } from '../formats/names.ts';
import { words } from '../formats/units.ts';
import { type FrameRow, frameTable } from '../profile/frame-table.ts';
import type { Tree } from '../profile/tree.ts';
import { counted } from '../trace/counted.ts';
import { descending, headLines, limitOf, partOf, plain, type SeenFlags, seen, size, sortOf, widthOf } from './seen.ts';
import { drawTable } from './table.ts';

/** pprof's `top`: each frame by itself (flat) and with all below it (cum). */
export async function top(file: string | undefined, flags: SeenFlags): Promise<void> {
  const limit = limitOf(flags, 'frames');
  const sort = sortOf(flags, ['flat', 'cum', 'name']);
  const tree = await seen(file, flags);
  const rows = sorted(tree, frameTable(tree), sort);
  const shown = rows.slice(0, limit);
  if (flags.json) {
    process.stdout.write(`${JSON.stringify(asJson(tree, rows, shown), null, 2)}\n`);
    return;
  }
  process.stdout.write(drawn(tree, rows, shown, widthOf(process.stdout)));
}

function sorted(tree: Tree, rows: readonly FrameRow[], by: 'flat' | 'cum' | 'name'): FrameRow[] {
  const other = by === 'cum' ? 'flat' : 'cum';
  // Numbers of frames follow their names, so equals keep a stable place.
  if (by === 'name') return rows.toSorted((a, b) => (nameOf(tree, a) < nameOf(tree, b) ? -1 : 1));
  return rows.toSorted(
    (a, b) => descending(size(a[by]), size(b[by])) || descending(size(a[other]), size(b[other])) || a.frame - b.frame,
  );
}

function drawn(tree: Tree, rows: readonly FrameRow[], shown: readonly FrameRow[], width: number): string {
  const total = tree.total[0] as bigint;
  if (tree.weight[0] === 0n) return `${emptySentence(tree)}\n`;
  const lines = [...headLines(tree, sumOf(shown))];
  if (rows.length > shown.length)
    lines.push(`Showing the first ${shown.length} of ${counted(rows.length, 'frame')} (--limit 0 shows all)`);
  let running = 0n;
  const cells = shown.map(row => {
    running += row.flat;
    const said = (value: bigint) => words(value, tree.measure.unit);
    return [
      said(row.flat),
      partOf(row.flat, total),
      partOf(running, total),
      said(row.cum),
      partOf(row.cum, total),
      nameOf(tree, row),
    ];
  });
  const table = drawTable(
    [
      ...['flat', 'flat%', 'sum%', 'cum', 'cum%'].map(title => ({ title, right: true })),
      { title: 'frame', widest: Math.max(width - 46, 20) },
    ],
    cells,
  );
  return [...lines.map(line => cutToCells(line, width)), table].join('\n');
}

function asJson(tree: Tree, rows: readonly FrameRow[], shown: readonly FrameRow[]): Record<string, unknown> {
  return {
    schema: 'agentpprof.top/1',
    view: tree.profile.view,
    measure: tree.measure.name,
    unit: tree.measure.unit,
    total: plain(tree.total[0] as bigint),
    frames: rows.length,
    rows: shown.map(row => ({ ...frameOf(tree, row), flat: plain(row.flat), cum: plain(row.cum) })),
  };
}

function frameOf({ profile }: Tree, { frame }: FrameRow): { kind: string | null; value: string | null } {
  const { kind, value } = profile.frames[frame] ?? { kind: null, value: null };
  return { kind, value };
}

function nameOf({ profile }: Tree, { frame }: FrameRow): string {
  const found = profile.frames[frame];
  return found === undefined ? NO_FRAME : frameName(found);
}

function sumOf(rows: readonly FrameRow[]): bigint {
  return rows.reduce((sum, row) => sum + row.flat, 0n);
}
