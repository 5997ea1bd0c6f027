import { displayText } from './names.ts';
import type { TextChunks } from './sink.ts';
import { cutToWidth, textWidth } from './svg-labels.ts';
import type { Box, Layout } from './svg-layout.ts';
import { SCRIPT } from './svg-script.ts';
import { styleSheet } from './svg-style.ts';
import { escapeXml, escapeXmlLines } from './xml.ts';

/** What a picture of boxes says, whatever they stand for: this file knows where things lie, not what they mean. */
export interface Picture {
  /** Pixels of the still picture. */
  readonly width: number;
  /** Part of a page: without a title of its own, which a browser would show wherever the pointer rests. */
  readonly embedded?: boolean | undefined;
  /** The number it is all about, large. */
  readonly total: string;
  /** Quiet lines below it; the first gives way to the path when somebody zooms in. */
  readonly lines: readonly [string, ...string[]];
  readonly legend: readonly LegendEntry[];
  readonly layout: Layout;
  readonly boxOf: (box: Box) => BoxText;
  readonly notes: readonly string[];
}

type Heading = Pick<Picture, 'width' | 'embedded' | 'total' | 'lines'>;

export interface BoxText {
  /** Class of its colour. */
  readonly colour: string;
  readonly name: string;
  /** What follows the name where there is room, and the second line of the tooltip. */
  readonly said: string;
  /** Further lines of the tooltip. */
  readonly more: readonly string[];
}

export interface LegendEntry {
  readonly colour: string;
  readonly text: string;
}

/** Pixels. Boxes narrower than `thinnest` of the still picture are left out; below `borderless` a border would hide the fill. */
export const SIZE = {
  margin: 16,
  row: 22,
  text: 12,
  line: 20,
  legend: 36,
  thinnest: 0.3,
  borderless: 3,
  note: 18,
  labelInset: 5,
  /** A README column is some 840 wide: text drawn for this width is still read there. */
  width: 960,
  narrowest: 320,
} as const;
const FIRST_LINE = 52;
const SHORTEST_LABEL = 22;
const BETWEEN = 8;

/** The width that was asked for, as far as it makes sense. */
export function pictureWidth(asked: number | undefined): number {
  return Math.max(Math.round(asked ?? SIZE.width), SIZE.narrowest);
}

/** Writes a picture whose layout holds at least the root. */
export function writePicture(picture: Picture, out: TextChunks): void {
  const inner = picture.width - 2 * SIZE.margin;
  const { layout, notes, legend } = picture;
  const top = FIRST_LINE + (picture.lines.length - 1) * SIZE.line + SIZE.legend;
  const flame = layout.levels * SIZE.row;
  const height = top + flame + 14 + notes.length * SIZE.note + 6;
  const texts = layout.boxes.map(picture.boxOf);
  const used = new Set([...texts.map(box => box.colour), ...legend.map(entry => entry.colour)]);

  open(picture, height, used, out);
  writeLegend(legend, inner, top - 23, out);
  out.add(`<svg id="flame" x="${SIZE.margin}" y="${top}" width="${inner}" height="${flame}">\n`);
  layout.boxes.forEach((box, i) => {
    writeBox(box, texts[i]!, inner, out);
  });
  out.add('</svg>\n<g class="quiet">\n');
  notes.forEach((note, i) => {
    const y = top + flame + 14 + (i + 0.7) * SIZE.note;
    out.add(`<text x="${SIZE.margin}" y="${decimal(y, 1)}">${escapeXml(cutToWidth(note, inner, SIZE.text))}</text>\n`);
  });
  out.add(`</g>\n<script><![CDATA[${SCRIPT}]]></script>\n</svg>\n`);
}

/** Writes a picture that has a heading and, instead of boxes, a few words, in as many lines as they need. */
export function writeSentence(picture: Heading, sentence: string, out: TextChunks): void {
  const below = FIRST_LINE + (picture.lines.length - 1) * SIZE.line;
  const lines = wrapped(sentence, picture.width - 2 * SIZE.margin, WORDS_SIZE);
  open(picture, below + 88 + (lines.length - 1) * WORDS_LINE, new Set(), out);
  lines.forEach((line, at) => {
    const y = below + 48 + at * WORDS_LINE;
    out.add(`<text x="${SIZE.margin}" y="${y}" style="font-size:${WORDS_SIZE}px">${escapeXml(line)}</text>\n`);
  });
  out.add('</svg>\n');
}

const WORDS_SIZE = 14;
const WORDS_LINE = 20;

function wrapped(sentence: string, width: number, size: number): string[] {
  const lines: string[] = [];
  for (const word of sentence.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && textWidth(`${last} ${word}`, size) <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(cutToWidth(word, width, size));
  }
  return lines;
}

/** Root element, style, ground, total and the lines below it. */
function open(
  { width, embedded, total, lines }: Heading,
  height: number,
  classes: ReadonlySet<string>,
  out: TextChunks,
): void {
  const inner = width - 2 * SIZE.margin;
  const shown = lines.map(displayText);
  out.add(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">\n` +
      `${embedded ? '' : `<title>${escapeXml([total, ...shown].join(' · '))}</title>\n`}<style>${styleSheet(classes)}</style>\n` +
      `<rect class="bg" width="100%" height="100%"/>\n` +
      `<text class="total" x="${SIZE.margin}" y="32">${escapeXml(cutToWidth(displayText(total), inner, 20))}</text>\n`,
  );
  shown.forEach((line, at) => {
    out.add(
      `<text class="quiet"${at === 0 ? ' id="context"' : ''} x="${SIZE.margin}" y="${FIRST_LINE + at * SIZE.line}">` +
        `${escapeXml(cutToWidth(line, inner, SIZE.text))}</text>\n`,
    );
  });
}

function writeBox(box: Box, text: BoxText, inner: number, out: TextChunks): void {
  const pixels = box.width * inner;
  const thin = pixels < SIZE.borderless ? ' thin' : '';
  const lines = [text.name, text.said, ...text.more].map(displayText);
  out.add(
    `<svg class="f" data-p="${box.parent}" x="${decimal(box.x * 100, 6)}%" y="${box.depth * SIZE.row}" ` +
      `width="${decimal(box.width * 100, 6)}%" height="${SIZE.row}">` +
      `<title>${escapeXmlLines(lines)}</title>` +
      `<rect class="${text.colour}${thin}" width="100%" height="100%" rx="2"/>${label(text.name, text.said, pixels)}</svg>\n`,
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

function writeLegend(entries: readonly LegendEntry[], inner: number, y: number, out: TextChunks): void {
  let x: number = SIZE.margin;
  out.add('<g class="quiet">\n');
  for (const entry of entries) {
    const text = cutToWidth(entry.text, 160, SIZE.text);
    const end = x + 16 + textWidth(text, SIZE.text);
    if (end > inner + SIZE.margin) break;
    out.add(`<rect class="${entry.colour}" x="${decimal(x, 1)}" y="${y}" width="11" height="11" rx="2"/>`);
    out.add(`<text x="${decimal(x + 16, 1)}" y="${y + 10}">${escapeXml(text)}</text>\n`);
    x = end + 14;
  }
  out.add('</g>\n');
}

/** A number with at most `places` decimals and no trailing zeros. */
function decimal(value: number, places: number): string {
  return String(Number(value.toFixed(places)));
}
