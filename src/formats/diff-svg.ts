import { larger } from '../profile/diff.ts';
import type { Change, DiffTree } from '../profile/diff-tree.ts';
import {
  inFull,
  intervalWords,
  named,
  notesOf,
  nothingToShow,
  relative,
  said,
  sideLine,
  totalLine,
} from './diff-words.ts';
import { displayName, displayText } from './names.ts';
import { type Sink, TextChunks } from './sink.ts';
import { notDrawn } from './svg.ts';
import { type Box, layOut } from './svg-layout.ts';
import { type BoxText, type LegendEntry, pictureWidth, SIZE, writePicture, writeSentence } from './svg-picture.ts';
import { NOISE, NOISE_AFTER, NOISE_BEFORE, ONLY_AFTER, ONLY_BEFORE, relativeClass } from './svg-style.ts';

export interface DiffSvgOptions {
  /** Pixels of the still picture, 960 when absent, at least 320; opened in a browser it takes the window's. */
  readonly width?: number | undefined;
  /** Levels drawn below the root, 96 when absent; deeper ones are counted in a note. */
  readonly maxDepth?: number | undefined;
  /** It will stand inside a page, which has a title of its own. */
  readonly embedded?: boolean | undefined;
}

/**
 * Writes a differential flame graph in the look of `writeSvg`. The width of a box is the larger of its two sides, so
 * that what vanished is there beside what appeared; the colour tells which way it went and how far. Both sides stand
 * in the heading with their totals, the legend is always there, and what may be chance is grey.
 */
export function writeDiffSvg(tree: DiffTree, sink: Sink, options: DiffSvgOptions = {}): void {
  const heading = {
    width: pictureWidth(options.width),
    embedded: options.embedded,
    total: totalLine(tree),
    lines: [`${tree.comparison.view} view · change from A to B`, `${sideLine(tree, 'a')} · ${sideLine(tree, 'b')}`] as [
      string,
      string,
    ],
  };
  const out = new TextChunks(sink);
  const nothing = nothingToShow(tree);
  if (nothing !== undefined) {
    writeSentence(heading, nothing, out);
  } else {
    const layout = layOut(tree.width, {
      minWidth: SIZE.thinnest / (heading.width - 2 * SIZE.margin),
      maxDepth: Math.max(options.maxDepth ?? 96, 1),
    });
    const measure = named(tree.comparison.measure);
    const notes = [
      `Width: ${measure}, the larger of A and B. Colour: how much of it the change is. Each box is a part of the box above it.`,
      ...notesOf(tree).flatMap(note => lines(note)),
      ...notDrawn(tree.width, layout),
    ];
    writePicture({ ...heading, layout, legend: legendOf(tree), notes, boxOf: box => boxText(tree, box) }, out);
  }
  out.flush();
}

function boxText(tree: DiffTree, box: Box): BoxText {
  const change = tree.change(box.node);
  return {
    colour: colourOf(change),
    name: nameOf(tree, box.node),
    said: [said(tree.comparison, change.change, true), relative(change)].join(' · '),
    more: tooltip(tree, change),
  };
}

function nameOf({ comparison }: DiffTree, node: number): string {
  if (node === 0) return 'all';
  const frame = comparison.frames[comparison.nodes.frame[node] as number];
  return frame === undefined ? '' : displayName(frame);
}

function tooltip({ comparison }: DiffTree, change: Change): string[] {
  const { a, b, intervals } = comparison;
  const interval = intervalWords(comparison, change);
  return [
    `A ${a.name}: ${inFull(comparison, change.a)}`,
    `B ${b.name}: ${inFull(comparison, change.b)}`,
    `change: ${inFull(comparison, change.change, true)}`,
    ...(interval === '' ? [] : [`${intervals?.level} % interval: ${interval}`]),
    ...(change.noise ? ['within noise'] : []),
  ].map(displayText);
}

function colourOf(change: Change): string {
  if (change.noise) return { appeared: NOISE_AFTER, vanished: NOISE_BEFORE, stayed: NOISE }[change.fate];
  if (change.fate === 'appeared') return ONLY_AFTER;
  if (change.fate === 'vanished') return ONLY_BEFORE;
  return relativeClass(change.change, larger(change.a, change.b));
}

function legendOf({ comparison }: DiffTree): LegendEntry[] {
  return [
    { colour: 'more-2', text: 'grew' },
    { colour: 'less-2', text: 'shrank' },
    { colour: ONLY_AFTER, text: `only in ${displayText(comparison.b.name)}` },
    { colour: ONLY_BEFORE, text: `only in ${displayText(comparison.a.name)}` },
    { colour: NOISE, text: 'within noise' },
  ];
}

/** A note as sentences, one a line: a picture does not wrap. */
function lines(note: string): string[] {
  return note.split(/(?<=\.) (?=[A-Z])/);
}
