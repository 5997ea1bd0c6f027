import type { Profile } from '../profile/profile.ts';
import { type Tree, treeOf } from '../profile/tree.ts';
import { emptySentence } from './empty.ts';
import { displayName, displayText } from './names.ts';
import { type Sink, TextChunks } from './sink.ts';
import { type Box, type Layout, layOut, type Omitted } from './svg-layout.ts';
import { type LegendEntry, pictureWidth, SIZE, writePicture, writeSentence } from './svg-picture.ts';
import { changeClass, kindClass, kindSwatch } from './svg-style.ts';
import { exactly, nounOf, phrase, share, words } from './units.ts';

export interface SvgOptions {
  /** The measure that is the width; the profile's own when absent. */
  readonly measure?: string | undefined;
  /** What was selected, in words; stands under the total. */
  readonly subtitle?: string | undefined;
  /** Pixels of the still picture, 960 when absent, at least 320; opened in a browser it takes the window's. */
  readonly width?: number | undefined;
  /** Levels drawn below the root, 96 when absent; deeper ones are counted in a note. */
  readonly maxDepth?: number | undefined;
  /** Order of neighbours: the widest first (`value`, when absent), or by `name` to compare two pictures. */
  readonly order?: 'value' | 'name' | undefined;
}

/**
 * Writes a flame graph, root on top, as one SVG file without references to anything outside. As a still picture
 * it shows the total in words, the view and selection, a legend of kinds, boxes with name, value and share, and
 * notes on what is not drawn. Opened in a browser its script adds zoom (click, Enter), a way back (path, Escape),
 * search (`/`) with the share that matches, arrow keys, and exact numbers under the pointer.
 *
 * The width of a box is its part of the measure; in a difference it is the size of all changes in it, and the
 * colour says which way they went. All text is data: names are escaped and never become markup or script.
 */
export function writeSvg(profile: Profile, sink: Sink, options: SvgOptions = {}): void {
  const tree = treeOf(profile, { measure: options.measure, order: options.order });
  const context = [`${profile.view} view`, ...(options.subtitle === undefined ? [] : [options.subtitle])];
  const heading = {
    width: pictureWidth(options.width),
    total: phrase(tree.total[0]!, tree.measure, tree.signed),
    lines: [context.join(' · ')] as [string],
  };
  const out = new TextChunks(sink);
  if (tree.weight[0] === 0n) {
    writeSentence(heading, emptySentence(tree), out);
  } else {
    const layout = layOut(tree, {
      minWidth: SIZE.thinnest / (heading.width - 2 * SIZE.margin),
      maxDepth: Math.max(options.maxDepth ?? 96, 1),
    });
    const boxOf = (box: Box) => ({
      colour: colourOf(tree, box),
      name: nameOf(tree, box),
      said: saidOf(tree, box),
      more: tooltip(tree, layout, box),
    });
    writePicture({ ...heading, layout, boxOf, legend: legendOf(tree, layout), notes: notesOf(tree, layout) }, out);
  }
  out.flush();
}

function nameOf(tree: Tree, box: Box): string {
  if (box.node === 0) return 'all';
  return displayName(tree.profile.frames[tree.profile.nodes.frame[box.node]!]!);
}

/** `3.2 M · 26.1 %`: the second line of a tooltip, and the end of a label. */
function saidOf(tree: Tree, box: Box): string {
  const value = words(tree.total[box.node]!, tree.measure.unit, tree.signed);
  return `${value} · ${share(tree.weight[box.node]!, tree.weight[0]!)}`;
}

/** Exact value; share of the frame above. */
function tooltip(tree: Tree, layout: Layout, box: Box): string[] {
  const { unit } = tree.measure;
  const total = tree.total[box.node]!;
  const self = tree.self[box.node]!;
  const noun = nounOf(tree.measure, total);
  const lines = [`${exactly(total, unit, tree.signed)}${noun === '' ? '' : ` ${noun}`}`];
  if (self !== 0n && self !== total) lines.push(`${exactly(self, unit, tree.signed)} of it in no frame below`);
  if (tree.signed) lines.push(`${exactly(tree.weight[box.node]!, unit)} changed in all`);
  if (box.depth > 1) {
    const above = layout.boxes[box.parent]!;
    lines.push(`${share(tree.weight[box.node]!, tree.weight[above.node]!)} of ${nameOf(tree, above)}`);
  }
  return lines;
}

function colourOf(tree: Tree, box: Box): string {
  if (tree.signed) return changeClass(tree.total[box.node]!, tree.weight[box.node]!);
  if (box.node === 0) return kindClass('all', '');
  const { kind, value } = tree.profile.frames[tree.profile.nodes.frame[box.node]!]!;
  return kindClass(kind, value);
}

/** The kinds that are drawn, those nearest to the root first; in a difference, the two directions. */
function legendOf(tree: Tree, layout: Layout): LegendEntry[] {
  if (tree.signed) {
    return [
      { colour: 'more-2', text: 'more than before' },
      { colour: 'less-2', text: 'less than before' },
      { colour: 'even-0', text: 'changes that cancel' },
    ];
  }
  const depths = new Map<string, number>();
  for (const box of layout.boxes) {
    if (box.node === 0) continue;
    const { kind } = tree.profile.frames[tree.profile.nodes.frame[box.node]!]!;
    if ((depths.get(kind) ?? Number.POSITIVE_INFINITY) > box.depth) depths.set(kind, box.depth);
  }
  return [...depths]
    .sort((a, b) => a[1] - b[1])
    .map(([kind]) => ({ colour: kindSwatch(kind), text: displayText(kind) }));
}

function notesOf(tree: Tree, layout: Layout): string[] {
  const measure = nounOf(tree.measure, 0n) || tree.measure.name;
  const notes = [
    tree.signed
      ? `Width: the change in ${measure}. Each box is a part of the box above it.`
      : `Width: ${measure}. Each box is a part of the box above it.`,
  ];
  return [...notes, ...notDrawn(tree, layout)];
}

/** Notes on the frames that a layout left out. */
export function notDrawn(tree: Tree, layout: Layout): string[] {
  const omitted = (what: Omitted, reason: string): string[] => {
    if (what.frames === 0) return [];
    const frames = what.frames === 1 ? '1 frame' : `${words(BigInt(what.frames), 'count')} frames`;
    return [`Not drawn: ${frames} ${reason} (${share(what.weight, tree.weight[0]!)} of the width).`];
  };
  return [
    ...omitted(layout.narrow, `narrower than ${SIZE.thinnest} px`),
    ...omitted(layout.deep, `deeper than ${layout.levels - 1} levels`),
  ];
}
