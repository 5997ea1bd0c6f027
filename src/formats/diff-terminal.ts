import { type Change, type DiffTree, type FrameChange, frameChanges, largestChanges } from '../profile/diff-tree.ts';
import type { Frame } from '../profile/profile.ts';
import { cellsOf, cutToCells, padToCells } from './cells.ts';
import {
  happened,
  headSentence,
  intervalWords,
  notesOf,
  nothingToShow,
  relative,
  said,
  sideLine,
  totalLine,
} from './diff-words.ts';
import { displayText } from './names.ts';
import { ANSI, barOf, flowed, type Ink, PLAIN, pathRows, type TerminalOptions } from './terminal.ts';

export type DiffTerminalOptions = Pick<TerminalOptions, 'color' | 'width' | 'paths'>;

const VALUES_OF_A_KIND = 4;
const BAR_CELLS = 8;
const SHORTEST_PATH = 24;
/** Changes that may be chance are only worth a look where there are few others. */
const MOST_UNSURE = 5;

/**
 * The comparison on one screen: what changed in all, as a sentence; the places that changed most, each with its size
 * on both sides and its interval; the frames of each kind that did; what to know to read it. Lines are at most `width`
 * cells and end with a newline.
 */
export function diffSummary(tree: DiffTree, options: DiffTerminalOptions = {}): string {
  const width = Math.max(options.width ?? 80, 40);
  const ink = options.color ? ANSI : PLAIN;
  const lines = [
    ink.bold(cutToCells(displayText(totalLine(tree)), width)),
    ...[...flowed([sideLine(tree, 'a'), sideLine(tree, 'b')], ' · ', width)].map(ink.quiet),
  ];
  const nothing = nothingToShow(tree);
  if (nothing !== undefined) {
    lines.push('', ...wrapped(nothing, width));
  } else {
    lines.push('', ...wrapped(headSentence(tree), width));
    lines.push(...changeLines(tree, Math.max(options.paths ?? 10, 1), width, ink));
    lines.push(...kindLines(tree, width, ink));
  }
  const notes = notesOf(tree);
  if (notes.length > 0) lines.push('', ...notes.flatMap(note => [...wrapped(note, width)]).map(ink.quiet));
  return `${lines.join('\n')}\n`;
}

function* changeLines(tree: DiffTree, most: number, width: number, ink: Ink): Generator<string> {
  const found = largestChanges(tree);
  const sure = found.filter(n => !tree.change(n).noise);
  const unsure = found.slice(sure.length, sure.length + Math.max(0, MOST_UNSURE - sure.length));
  if (sure.length > 0) {
    const some = sure.length > most ? ` (${most} of ${sure.length})` : '';
    yield* listed(tree, sure.slice(0, most), `Largest changes${some}`, width, ink);
  }
  if (unsure.length > 0) {
    const title = sure.length === 0 ? 'No change is beyond noise; the largest of them' : 'Largest within noise';
    yield* listed(tree, unsure, title, width, ink);
  }
}

function* listed(tree: DiffTree, shown: readonly number[], title: string, width: number, ink: Ink): Generator<string> {
  const { comparison } = tree;
  const changes = shown.map(n => tree.change(n));
  const all = changes.map(change => [
    said(comparison, change.change, true),
    happened(change),
    `${said(comparison, change.a)} → ${said(comparison, change.b)}`,
  ]);
  const cells = [0, 1, 2].map(at => Math.max(...all.map(row => cellsOf(row[at] as string))));
  // A narrow terminal keeps the size of a change and its path; both sides, and what happened, give way to them.
  const left = (columns: number, bar: number) =>
    width - cells.slice(0, columns).reduce((sum, each) => sum + each + 2, 0) - (bar === 0 ? 0 : bar + 2);
  const bar = left(3, BAR_CELLS) >= SHORTEST_PATH ? BAR_CELLS : 0;
  const columns = [3, 2, 1].find(count => left(count, bar) >= SHORTEST_PATH) ?? 1;
  const rows = pathRows(
    shown.map(n => stackOf(tree, n)),
    Math.max(left(columns, bar), 1),
  );
  yield '';
  yield ink.bold(cutToCells(title, width)) +
    ink.quiet(cutToCells(rows.legend === '' ? '' : `  ${rows.legend}`, Math.max(width - cellsOf(title), 0)));
  const widest = magnitude(changes[0] as Change);
  for (const [i, change] of changes.entries()) {
    const lead = cells.slice(0, columns).map((each, at) => `${right(all[i]?.[at] as string, each)}  `);
    const drawn = bar === 0 ? '' : `${ink.bar(barOf(magnitude(change), widest, bar), change.change < 0n)}  `;
    yield `${lead.join('')}${drawn}${rows.paths[i] as string}`.trimEnd();
    const interval = intervalWords(comparison, change);
    if (interval !== '')
      yield ink.quiet(
        cutToCells(`${' '.repeat(cells[0] as number)}  ${comparison.intervals?.level} %: ${interval}`, width),
      );
  }
}

/** The frames that changed most, by kind, wherever they stand; those within noise are left out. */
function* kindLines(tree: DiffTree, width: number, ink: Ink): Generator<string> {
  const kinds = new Map<string, FrameChange[]>();
  for (const each of frameChanges(tree)) {
    if (each.noise || each.change === 0n) continue;
    const known = kinds.get(each.frame.kind);
    if (known === undefined) kinds.set(each.frame.kind, [each]);
    else known.push(each);
  }
  if (kinds.size === 0) return;
  yield '';
  yield ink.bold('By kind');
  const kindCells = Math.min(Math.max(...[...kinds.keys()].map(kind => cellsOf(displayText(kind)))), 16);
  for (const kind of kindsByDepth(tree)) {
    const list = kinds
      .get(kind)
      ?.sort((x, y) => (magnitude(x) === magnitude(y) ? 0 : magnitude(x) > magnitude(y) ? -1 : 1));
    if (list === undefined) continue;
    const entries = list
      .slice(0, VALUES_OF_A_KIND)
      .map(
        each =>
          `${cutToCells(displayText(each.frame.value), 28)} ${said(tree.comparison, each.change, true)} (${relative(each)})`,
      );
    if (list.length > entries.length) entries.push(`+${list.length - entries.length} more`);
    const lead = `  ${padToCells(displayText(kind), kindCells)}  `;
    let first = true;
    for (const line of flowed(entries, '  ', width - cellsOf(lead))) {
      yield first ? ink.quiet(lead) + line : ' '.repeat(cellsOf(lead)) + line;
      first = false;
    }
  }
}

/** Kinds, those nearest to the root first. */
function kindsByDepth({ comparison, width }: DiffTree): string[] {
  const depths = new Map<string, number>();
  for (let n = 1; n < comparison.nodes.parent.length; n++) {
    const kind = comparison.frames[comparison.nodes.frame[n] as number]?.kind ?? '';
    const depth = width.depth[n] as number;
    if ((depths.get(kind) ?? Number.POSITIVE_INFINITY) > depth) depths.set(kind, depth);
  }
  return [...depths].sort((x, y) => x[1] - y[1]).map(([kind]) => kind);
}

function stackOf({ comparison }: DiffTree, node: number): Frame[] {
  const stack: Frame[] = [];
  for (let n = node; n !== 0; n = comparison.nodes.parent[n] as number)
    stack.unshift(comparison.frames[comparison.nodes.frame[n] as number] as Frame);
  return stack;
}

/** Words in lines of at most `width` cells. */
function* wrapped(text: string, width: number): Generator<string> {
  yield* flowed(text.split(' '), ' ', width);
}

function right(text: string, cells: number): string {
  return ' '.repeat(Math.max(cells - cellsOf(text), 0)) + text;
}

function magnitude({ change }: Pick<Change, 'change'>): bigint {
  return change < 0n ? -change : change;
}
