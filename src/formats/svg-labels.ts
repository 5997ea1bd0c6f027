import { graphemeCells, graphemes, isWide } from './cells.ts';

/**
 * Widths of text in a proportional sans-serif face, in thousandths of the font size. What a viewer will use is not
 * known, so these are the advances of Helvetica (its published font metrics; Arial and Liberation Sans share them)
 * with a little air for the system faces that are wider.
 */
const AIR = 1.1;

/** Advances of U+0020 to U+007E. */
const ASCII_ADVANCES: readonly number[] = [
  278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556,
  556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833,
  722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556,
  556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334,
  260, 334, 584,
];

/** An em for ideographs; emoji faces draw wider than that. */
const WIDE_ADVANCE = 1000;
const EMOJI_ADVANCE = 1380;
/** Letters of other scripts: between the widest and the narrowest, on the side of the wide ones. */
const OTHER_ADVANCE = 720;
/** Arrows, shapes and the replacement character fill an em in most faces. */
const FIRST_SYMBOL = 0x2190;
const ELLIPSIS_ADVANCE = 1000;

/** Estimated width in pixels of a text in `fontSize` pixels. */
export function textWidth(text: string, fontSize: number): number {
  let advance = 0;
  for (const grapheme of graphemes(text)) advance += advanceOf(grapheme);
  return (advance * AIR * fontSize) / 1000;
}

/** Two or three letters, or one ideograph and a bit: a shorter head before the dots tells nothing. */
const SHORTEST_HEAD = 1300;

/**
 * The text, or its head with `…`, at most `width` pixels wide by the estimate. Cuts between graphemes only. Where
 * next to nothing would be left of it, the empty text.
 */
export function cutToWidth(text: string, width: number, fontSize: number): string {
  const room = (width * 1000) / (AIR * fontSize);
  let used = 0;
  let kept = '';
  let head = '';
  let headUsed = 0;
  for (const grapheme of graphemes(text)) {
    used += advanceOf(grapheme);
    if (used > room) return headUsed < SHORTEST_HEAD ? '' : `${head.trimEnd()}…`;
    kept += grapheme;
    if (used + ELLIPSIS_ADVANCE > room) continue;
    head = kept;
    headUsed = used;
  }
  return kept;
}

function advanceOf(grapheme: string): number {
  const code = grapheme.codePointAt(0)!;
  if (grapheme.length === 1 && code >= 0x20 && code < 0x7f) return ASCII_ADVANCES[code - 0x20]!;
  const cells = graphemeCells(grapheme);
  if (cells === 2) return isWide(code) ? WIDE_ADVANCE : EMOJI_ADVANCE;
  if (cells === 0) return 0;
  return code < FIRST_SYMBOL ? OTHER_ADVANCE : WIDE_ADVANCE;
}
