import { cellsOf, cutToCells } from '../formats/cells.ts';
import { emptySentence } from '../formats/empty.ts';
import { displayName, frameName } from '../formats/names.ts';
import { words } from '../formats/units.ts';
import { type FrameRow, frameTable, type Neighbours, neighboursOf } from '../profile/frame-table.ts';
import type { Tree } from '../profile/tree.ts';
import { counted } from '../trace/counted.ts';
import { UsageError } from '../trace/usage-error.ts';
import { descending, headLines, limitOf, partOf, plain, type SeenFlags, seen, size, sortOf, widthOf } from './seen.ts';

/** pprof's `peek`: the frames that match, each between its callers above and its callees below. */
export async function peek(wanted: string, file: string | undefined, flags: SeenFlags): Promise<void> {
  const limit = limitOf(flags, 'frames');
  const sort = sortOf(flags, ['cum', 'flat', 'name']);
  const pattern = await patternOf(wanted);
  const tree = await seen(file, flags);
  const matches = tree.profile.frames.map(frame => pattern(frameName(frame)));
  const rows = new Map(frameTable(tree).map(row => [row.frame, row]));
  const found = neighboursOf(tree, frame => matches[frame] === true).filter(each => rows.has(each.frame));
  const by = (each: Neighbours) => rows.get(each.frame) as FrameRow;
  if (sort !== 'name') found.sort((a, b) => descending(size(by(a)[sort]), size(by(b)[sort])) || a.frame - b.frame);
  const shown = found.slice(0, limit);
  if (flags.json) {
    process.stdout.write(`${JSON.stringify(asJson(tree, wanted, found.length, shown, by), null, 2)}\n`);
    return;
  }
  if (tree.weight[0] === 0n) {
    process.stdout.write(`${emptySentence(tree)}\n`);
    return;
  }
  if (found.length === 0)
    throw new UsageError(
      `peek: no frame matches ${JSON.stringify(wanted)}. Frames look like tool:Bash; agentpprof top lists them.`,
    );
  process.stdout.write(drawn(tree, found.length, shown, by, widthOf(process.stdout)));
}

/** Patterns of people are RE2, as everywhere: a search that takes long cannot be written. */
async function patternOf(wanted: string): Promise<(text: string) => boolean> {
  const { compilePatterns } = await import('../selection/patterns.ts');
  const first = await compilePatterns([{ pattern: wanted, flag: 'peek' }]);
  return text => first(text) === 0;
}

function drawn(
  tree: Tree,
  all: number,
  shown: readonly Neighbours[],
  rowOf: (each: Neighbours) => FrameRow,
  width: number,
): string {
  const total = tree.total[0] as bigint;
  const said = (value: bigint) => words(value, tree.measure.unit);
  const blocks = shown.map(each => {
    const { flat, cum } = rowOf(each);
    const neighbour = ([frame, value]: readonly [number, bigint]) => [
      '',
      '',
      '',
      '',
      said(value),
      partOf(value, cum),
      `  ${nameOf(tree, frame)}`,
    ];
    const self =
      flat === 0n || each.callees.length === 0 ? [] : [['', '', '', '', said(flat), partOf(flat, cum), '  (itself)']];
    return [
      ...each.callers.map(neighbour),
      [said(flat), partOf(flat, total), said(cum), partOf(cum, total), '', '', nameOf(tree, each.frame)],
      ...each.callees.map(neighbour),
      ...self,
    ];
  });
  const titles = ['flat', 'flat%', 'cum', 'cum%', 'calls', 'calls%'];
  const widths = titles.map((title, at) =>
    Math.max(title.length, ...blocks.flat().map(row => cellsOf(row[at] as string))),
  );
  const line = (row: readonly string[], name: string) =>
    cutToCells(
      `${widths.map((cells, at) => ' '.repeat(cells - cellsOf(row[at] as string)) + row[at]).join('  ')} │ ${name}`,
      width,
    ).trimEnd();
  const rule = cutToCells(
    `${'─'.repeat(widths.reduce((sum, cells) => sum + cells + 2, 0) - 1)}┼${'─'.repeat(30)}`,
    width,
  );
  const out = [
    ...headLines(
      tree,
      shown.reduce((sum, each) => sum + rowOf(each).flat, 0n),
    ).map(head => cutToCells(head, width)),
  ];
  if (all > shown.length)
    out.push(`Showing the first ${shown.length} of ${counted(all, 'frame')} that match (--limit 0 shows all)`);
  out.push(line(titles, 'callers, frame, callees'), rule);
  for (const block of blocks) out.push(...block.map(row => line(row, row[6] as string)), rule);
  return `${out.join('\n')}\n`;
}

function nameOf({ profile }: Tree, frame: number): string {
  const found = profile.frames[frame];
  return found === undefined ? '(no caller)' : displayName(found);
}

function asJson(
  tree: Tree,
  wanted: string,
  matching: number,
  shown: readonly Neighbours[],
  rowOf: (each: Neighbours) => FrameRow,
): Record<string, unknown> {
  const frame = (id: number) => {
    const { kind, value } = tree.profile.frames[id] ?? { kind: null, value: null };
    return { kind, value };
  };
  const list = (all: Neighbours['callers']) => all.map(([id, value]) => ({ ...frame(id), through: plain(value) }));
  return {
    schema: 'agentpprof.peek/1',
    view: tree.profile.view,
    measure: tree.measure.name,
    unit: tree.measure.unit,
    total: plain(tree.total[0] as bigint),
    pattern: wanted,
    matching,
    frames: shown.map(each => {
      const { flat, cum } = rowOf(each);
      return {
        ...frame(each.frame),
        flat: plain(flat),
        cum: plain(cum),
        callers: list(each.callers),
        callees: list(each.callees),
      };
    }),
  };
}
