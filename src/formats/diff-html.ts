import { createHash } from 'node:crypto';
import { type DiffTree, largestChanges } from '../profile/diff-tree.ts';
import { PAGE_SCRIPT, PAGE_STYLE } from './diff-page.ts';
import { writeDiffSvg } from './diff-svg.ts';
import { headSentence, notesOf, nothingToShow, relative, said, totalLine } from './diff-words.ts';
import { displayName } from './names.ts';
import { type Sink, TextChunks } from './sink.ts';
import { SCRIPT } from './svg-script.ts';
import { escapeXml } from './xml.ts';

/** Rows of the table; the largest changes come first, so what is left out is less than any of them. */
const MOST_ROWS = 200;
const SEPARATOR = ' › ';
/** Characters of a path in its cell; all of it stands in the tooltip. */
const LONGEST_PATH = 400;

/**
 * Writes the comparison as one page that opens without a network: what changed as a sentence, the picture of
 * `writeDiffSvg`, the largest changes as a table that sorts by any column and is filtered by words, and the notes.
 * The policy allows exactly these scripts and styles and no connection. All of it can be read without scripts.
 */
export function writeDiffHtml(tree: DiffTree, sink: Sink): void {
  const svg = pictureOf(tree);
  const svgStyle = /<style>([\s\S]*?)<\/style>/.exec(svg)?.[1] ?? '';
  const policy = [
    "default-src 'none'",
    `script-src ${[PAGE_SCRIPT, SCRIPT].map(hashOf).join(' ')}`,
    `style-src ${[PAGE_STYLE, svgStyle].map(hashOf).join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const title = `${totalLine(tree)} · ${tree.comparison.a.name} and ${tree.comparison.b.name}`;
  const nothing = nothingToShow(tree);
  const out = new TextChunks(sink);
  out.add(
    `<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n` +
      `<meta http-equiv="Content-Security-Policy" content="${escapeXml(policy)}">\n` +
      `<meta name="viewport" content="width=device-width,initial-scale=1">\n` +
      `<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">\n` +
      `<title>${escapeXml(title)}</title>\n<style>${PAGE_STYLE}</style>\n</head>\n<body>\n<main>\n` +
      `<h1>${escapeXml(nothing ?? headSentence(tree))}</h1>\n`,
  );
  if (nothing === undefined) {
    out.add(`<div class="picture">\n${svg}</div>\n`);
    writeTable(tree, out);
  }
  const notes = notesOf(tree);
  if (notes.length > 0) {
    out.add('<section class="notes"><h2>How to read it</h2><ul>\n');
    for (const note of notes) out.add(`<li>${escapeXml(note)}</li>\n`);
    out.add('</ul></section>\n');
  }
  out.add(`</main>\n<script>${PAGE_SCRIPT}</script>\n</body>\n</html>\n`);
  out.flush();
}

function pictureOf(tree: DiffTree): string {
  const chunks: string[] = [];
  writeDiffSvg(tree, chunk => chunks.push(String(chunk)), { embedded: true });
  return chunks.join('');
}

const COLUMNS: readonly { readonly title: string; readonly explain: string }[] = [
  { title: 'change', explain: 'B minus A' },
  { title: 'relative', explain: 'of what A had' },
  { title: 'A', explain: '' },
  { title: 'B', explain: '' },
  { title: 'low', explain: 'lower end of the interval' },
  { title: 'high', explain: 'upper end of the interval' },
];

function writeTable(tree: DiffTree, out: TextChunks): void {
  const { comparison } = tree;
  const all = largestChanges(tree);
  if (all.length === 0) return;
  const rows = all.slice(0, MOST_ROWS);
  const columns = comparison.intervals === undefined ? COLUMNS.slice(0, 4) : COLUMNS;
  const count = rows.length < all.length ? `${rows.length} of ${all.length.toLocaleString('en-US')}` : `${rows.length}`;
  out.add(
    `<section><div class="bar"><h2 id="largest">Largest changes <span class="soft">${count}</span></h2>\n` +
      `<label class="filter">Filter <input id="filter" type="search" autocomplete="off"></label></div>\n` +
      `<div class="scroll"><table aria-labelledby="largest"><thead><tr>`,
  );
  for (const { title, explain } of columns)
    out.add(`<th scope="col" class="number"${explain === '' ? '' : ` title="${explain}"`}>${title}</th>`);
  out.add('<th scope="col">frame</th></tr></thead>\n<tbody>\n');
  for (const n of rows) {
    const change = tree.change(n);
    const name = pathOf(tree, n);
    const cell = (sort: bigint | number | undefined, text: string) =>
      `<td class="number" data-v="${sort ?? ''}">${escapeXml(text)}</td>`;
    const way = change.noise ? 'noise' : change.change > 0n ? 'more' : 'less';
    const part = change.a === 0n ? Number.MAX_SAFE_INTEGER : Number(change.change) / Number(change.a);
    const end = (value: bigint | undefined) => cell(value, value === undefined ? '' : said(comparison, value, true));
    const shown = name.length > LONGEST_PATH ? `…${name.slice(-LONGEST_PATH)}` : name;
    out.add(
      `<tr class="${way}">${cell(change.change, said(comparison, change.change, true))}${cell(part, relative(change))}` +
        `${cell(change.a, said(comparison, change.a))}${cell(change.b, said(comparison, change.b))}` +
        `${comparison.intervals === undefined ? '' : end(change.low) + end(change.high)}` +
        `<td class="path"><bdi title="${escapeXml(name)}">${escapeXml(shown)}</bdi></td></tr>\n`,
    );
  }
  out.add('</tbody></table></div></section>\n');
}

function pathOf({ comparison }: DiffTree, node: number): string {
  const names: string[] = [];
  for (let n = node; n !== 0; n = comparison.nodes.parent[n] as number) {
    const frame = comparison.frames[comparison.nodes.frame[n] as number];
    if (frame !== undefined) names.unshift(displayName(frame));
  }
  return names.join(SEPARATOR);
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;
}
