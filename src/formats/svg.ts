import type { Profile } from '../profile/profile.ts';
import { type Tree, treeOf } from '../profile/tree.ts';
import { emptySentence } from './empty.ts';
import { displayName, displayText } from './names.ts';
import { type Sink, TextChunks } from './sink.ts';
import { cutToWidth, textWidth } from './svg-labels.ts';
import { type Box, type Layout, layOut, type Omitted } from './svg-layout.ts';
import { SCRIPT } from './svg-script.ts';
import { changeClass, kindClass, kindSwatch, styleSheet } from './svg-style.ts';
import { exactly, nounOf, phrase, share, words } from './units.ts';
import { escapeXml, escapeXmlLines } from './xml.ts';

export interface SvgOptions {
  /** The measure that is the width; the profile's own when absent. */
  readonly measure?: string | undefined;
  /** What was selected, in words; stands under the total. */
  readonly subtitle?: string | undefined;
  /** Pixels of the still picture, 1200 when absent, at least 320; opened in a browser it takes the window's. */
  readonly width?: number | undefined;
  /** Levels drawn below the root, 96 when absent; deeper ones are counted in a note. */
  readonly maxDepth?: number | undefined;
  /** Order of neighbours: the widest first (`value`, when absent), or by `name` to compare two pictures. */
  readonly order?: 'value' | 'name' | undefined;
}

/** Pixels. Boxes narrower than `thinnest` of the still picture are left out; below `borderless` a border would hide the fill. */
const SIZE = { margin: 16, row: 22, text: 12, top: 88, thinnest: 0.3, borderless: 3, note: 18, labelInset: 5 } as const;
const SHORTEST_LABEL = 22;
const BETWEEN = 8;

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
  const width = Math.max(Math.round(options.width ?? 1200), 320);
  const out = new TextChunks(sink);
  if (tree.weight[0] === 0n) {
    writeEmpty(tree, width, options, out);
  } else {
    const layout = layOut(tree, {
      minWidth: SIZE.thinnest / (width - 2 * SIZE.margin),
      maxDepth: Math.max(options.maxDepth ?? 96, 1),
    });
    writePicture(tree, layout, width, options, out);
  }
  out.flush();
}

function writePicture(tree: Tree, layout: Layout, width: number, options: SvgOptions, out: TextChunks): void {
  const inner = width - 2 * SIZE.margin;
  const flame = layout.levels * SIZE.row;
  const notes = notesOf(tree, layout);
  const height = SIZE.top + flame + 14 + notes.length * SIZE.note + 6;
  const classes = layout.boxes.map(box => colourOf(tree, box));
  const legend = legendOf(tree, layout);

  open(tree, width, height, options, new Set([...classes, ...legend.map(entry => entry.colour)]), out);
  writeLegend(legend, inner, out);
  out.add(`<svg id="flame" x="${SIZE.margin}" y="${SIZE.top}" width="${inner}" height="${flame}">\n`);
  layout.boxes.forEach((box, i) => {
    writeBox(tree, layout, box, classes[i]!, inner, out);
  });
  out.add('</svg>\n<g class="quiet">\n');
  notes.forEach((note, i) => {
    const y = SIZE.top + flame + 14 + (i + 0.7) * SIZE.note;
    out.add(`<text x="${SIZE.margin}" y="${decimal(y, 1)}">${escapeXml(cutToWidth(note, inner, SIZE.text))}</text>\n`);
  });
  out.add(`</g>\n<script><![CDATA[${SCRIPT}]]></script>\n</svg>\n`);
}

function writeEmpty(tree: Tree, width: number, options: SvgOptions, out: TextChunks): void {
  open(tree, width, 140, options, new Set(), out);
  const sentence = cutToWidth(emptySentence(tree), width - 2 * SIZE.margin, 14);
  out.add(`<text x="${SIZE.margin}" y="100" style="font-size:14px">${escapeXml(sentence)}</text>\n</svg>\n`);
}

/** Root element, style, ground, total and subtitle. */
function open(
  tree: Tree,
  width: number,
  height: number,
  options: SvgOptions,
  classes: ReadonlySet<string>,
  out: TextChunks,
): void {
  const inner = width - 2 * SIZE.margin;
  const total = phrase(tree.total[0]!, tree.measure, tree.signed);
  const context = [`${tree.profile.view} view`, ...(options.subtitle === undefined ? [] : [options.subtitle])];
  const subtitle = displayText(context.join(' · '));
  out.add(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">\n` +
      `<title>${escapeXml(`${total} · ${subtitle}`)}</title>\n<style>${styleSheet(classes)}</style>\n` +
      `<rect class="bg" width="100%" height="100%"/>\n` +
      `<text class="total" x="${SIZE.margin}" y="32">${escapeXml(cutToWidth(displayText(total), inner, 20))}</text>\n` +
      `<text class="quiet" id="context" x="${SIZE.margin}" y="52">` +
      `${escapeXml(cutToWidth(subtitle, inner, SIZE.text))}</text>\n`,
  );
}

function writeBox(tree: Tree, layout: Layout, box: Box, colour: string, inner: number, out: TextChunks): void {
  const pixels = box.width * inner;
  const name = nameOf(tree, box);
  const thin = pixels < SIZE.borderless ? ' thin' : '';
  out.add(
    `<svg class="f" data-p="${box.parent}" x="${decimal(box.x * 100, 6)}%" y="${box.depth * SIZE.row}" ` +
      `width="${decimal(box.width * 100, 6)}%" height="${SIZE.row}">` +
      `<title>${escapeXmlLines(tooltip(tree, layout, box, name))}</title>` +
      `<rect class="${colour}${thin}" width="100%" height="100%" rx="2"/>${label(name, saidOf(tree, box), pixels)}</svg>\n`,
  );
}

/**
 * What is written into a box: `kind:value` with its number where both fit, else the name, else as much of the value
 * as fits, since the colour stands for the kind. The script does the same with the measured width of the text.
 */
function label(name: string, said: string, pixels: number): string {
  const room = pixels - 2 * SIZE.labelInset;
  if (pixels < SHORTEST_LABEL) return '';
  const colon = name.indexOf(':') + 1;
  const nameWidth = textWidth(name, SIZE.text);
  let inside: string;
  if (nameWidth <= room) {
    const kind = colon === 0 ? '' : `<tspan class="kind">${escapeXml(name.slice(0, colon))}</tspan>`;
    const numbers = nameWidth + BETWEEN + textWidth(said, SIZE.text) <= room;
    inside = kind + escapeXml(name.slice(colon));
    if (numbers) inside += `<tspan class="said" dx="${BETWEEN}">${escapeXml(said)}</tspan>`;
  } else {
    inside = escapeXml(cutToWidth(name.slice(colon), room, SIZE.text));
    if (inside === '') return '';
  }
  return `<text x="${SIZE.labelInset}" y="15">${inside}</text>`;
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

/** Name; value and share; exact value; share of the frame above. The script relies on the first two lines. */
function tooltip(tree: Tree, layout: Layout, box: Box, name: string): string[] {
  const { unit } = tree.measure;
  const total = tree.total[box.node]!;
  const self = tree.self[box.node]!;
  const noun = nounOf(tree.measure, total);
  const lines = [name, saidOf(tree, box), `${exactly(total, unit, tree.signed)}${noun === '' ? '' : ` ${noun}`}`];
  if (self !== 0n && self !== total) lines.push(`${exactly(self, unit, tree.signed)} of it in no frame below`);
  if (tree.signed) lines.push(`${exactly(tree.weight[box.node]!, unit)} changed in all`);
  if (box.depth > 1) {
    const above = layout.boxes[box.parent]!;
    lines.push(`${share(tree.weight[box.node]!, tree.weight[above.node]!)} of ${nameOf(tree, above)}`);
  }
  return lines.map(displayText);
}

function colourOf(tree: Tree, box: Box): string {
  if (tree.signed) return changeClass(tree.total[box.node]!, tree.weight[box.node]!);
  if (box.node === 0) return kindClass('all', '');
  const { kind, value } = tree.profile.frames[tree.profile.nodes.frame[box.node]!]!;
  return kindClass(kind, value);
}

interface LegendEntry {
  readonly colour: string;
  readonly text: string;
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

function writeLegend(entries: readonly LegendEntry[], inner: number, out: TextChunks): void {
  let x: number = SIZE.margin;
  out.add('<g class="quiet">\n');
  for (const entry of entries) {
    const text = cutToWidth(entry.text, 160, SIZE.text);
    const end = x + 16 + textWidth(text, SIZE.text);
    if (end > inner + SIZE.margin) break;
    out.add(`<rect class="${entry.colour}" x="${decimal(x, 1)}" y="65" width="11" height="11" rx="2"/>`);
    out.add(`<text x="${decimal(x + 16, 1)}" y="75">${escapeXml(text)}</text>\n`);
    x = end + 14;
  }
  out.add('</g>\n');
}

function notesOf(tree: Tree, layout: Layout): string[] {
  const measure = nounOf(tree.measure, 0n) || tree.measure.name;
  const notes = [
    tree.signed
      ? `Width: the change in ${measure}. Each box is a part of the box above it.`
      : `Width: ${measure}. Each box is a part of the box above it.`,
  ];
  const omitted = (what: Omitted, reason: string) => {
    if (what.frames === 0) return;
    const frames = what.frames === 1 ? '1 frame' : `${words(BigInt(what.frames), 'count')} frames`;
    notes.push(`Not drawn: ${frames} ${reason} (${share(what.weight, tree.weight[0]!)} of the width).`);
  };
  omitted(layout.narrow, `narrower than ${SIZE.thinnest} px`);
  omitted(layout.deep, `deeper than ${layout.levels - 1} levels`);
  return notes;
}

/** A number with at most `places` decimals and no trailing zeros. */
function decimal(value: number, places: number): string {
  return String(Number(value.toFixed(places)));
}
