/** Width of text on a terminal, in cells: East-Asian wide characters and emoji take two, combining marks none. */

const PLAIN_ASCII = /^[\x20-\x7e]*$/;
const ZERO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}\u1160-\u11ff]$/u;
const EMOJI = /^\p{Emoji_Presentation}/u;
const VARIATION_EMOJI = '\ufe0f';

/**
 * Ranges of East_Asian_Width W and F (Unicode Standard Annex 11), as first and last code point. Emoji come from
 * their own property; whole blocks are listed where all that is assigned in them is wide.
 */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97c],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6b],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18cff],
  [0x1aff0, 0x1b2ff],
  [0x1d300, 0x1d376],
  [0x1f200, 0x1f265],
  [0x20000, 0x3fffd],
];

/** A cluster of more marks than any script needs is cut there: hundreds of them are drawn over other lines. */
const LONGEST_CLUSTER = 32;

/** Made when the first text needs it: making one takes a browser tens of milliseconds. */
let segmenter: Intl.Segmenter | undefined;

/** What a reader sees as one character, in order; never parts of one. */
export function* graphemes(text: string): Generator<string> {
  if (PLAIN_ASCII.test(text)) {
    yield* text;
    return;
  }
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  for (const { segment } of segmenter.segment(text)) {
    yield segment.length <= LONGEST_CLUSTER ? segment : headOf(segment);
  }
}

/** Cells of one grapheme: 0, 1 or 2. */
export function graphemeCells(grapheme: string): 0 | 1 | 2 {
  const code = grapheme.codePointAt(0);
  if (code === undefined) return 0;
  if (code >= 0x20 && code < 0x7f && grapheme.length === 1) return 1;
  if (isWide(code) || EMOJI.test(grapheme) || grapheme.includes(VARIATION_EMOJI)) return 2;
  for (const point of grapheme) if (!ZERO_WIDTH.test(point)) return 1;
  return 0;
}

/** Cells of a whole text. */
export function cellsOf(text: string): number {
  if (PLAIN_ASCII.test(text)) return text.length;
  let cells = 0;
  for (const grapheme of graphemes(text)) cells += graphemeCells(grapheme);
  return cells;
}

/** The text, or as much of its head as leaves a cell for `…`; at most `cells` wide. */
export function cutToCells(text: string, cells: number): string {
  if (cells <= 0) return '';
  let kept = '';
  let used = 0;
  let head = '';
  for (const grapheme of graphemes(text)) {
    used += graphemeCells(grapheme);
    if (used > cells) return `${head}…`;
    kept += grapheme;
    if (used <= cells - 1) head = kept;
  }
  return kept;
}

/** The text filled with spaces at its end, or cut, to exactly `cells`. */
export function padToCells(text: string, cells: number): string {
  const cut = cutToCells(text, cells);
  return cut + ' '.repeat(Math.max(cells - cellsOf(cut), 0));
}

export function isWide(code: number): boolean {
  if (code < 0x1100) return false;
  for (const [first, last] of WIDE) {
    if (code < first) return false;
    if (code <= last) return true;
  }
  return false;
}

function headOf(cluster: string): string {
  let head = '';
  for (const point of cluster) {
    if (head.length + point.length > LONGEST_CLUSTER) break;
    head += point;
  }
  return head;
}
