import { createHash } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import type { Profile } from '../profile/profile.ts';
import { treeOf } from '../profile/tree.ts';
import { encodePage, type PageContent } from './cells-code.ts';
import { emptySentence } from './empty.ts';
import { displayText } from './names.ts';
import { type Sink, TextChunks } from './sink.ts';
import { exactly, nounOf, phrase } from './units.ts';
import { escapeXml } from './xml.ts';

/** The program of the page, as the build made it. */
export interface PageProgram {
  readonly script: string;
  readonly style: string;
}

/** The page needs what a profile has lost: the cells that it folds by itself. `first` is what its program draws before it reads them. */
export interface HtmlOptions {
  /** What was selected, in words. */
  readonly subtitle?: string | undefined;
  readonly page?: (PageContent & { readonly program: PageProgram; readonly first?: object }) | undefined;
}

/**
 * Writes the explorer as one file that opens without a network: style, program and the cells (deflated, base64).
 * Names stand only inside the cells and become text nodes or canvas text, never markup. The policy allows exactly
 * this script and this style, and no connection at all (of a served page: to its own server). Total and selection also stand as text in the file itself,
 * for readers without scripts, and alone where no page is given: a profile has lost what the explorer needs.
 * Equal input gives equal bytes.
 */
export function writeHtml(profile: Profile, sink: Sink, options: HtmlOptions): void {
  const { page } = options;
  const script = page?.program.script.replaceAll('</script', '<\\/script') ?? '';
  const style = page?.program.style ?? '';
  const tree = treeOf(profile);
  const total = tree.total[0]!;
  const noun = nounOf(tree.measure, total);
  const said = displayText(phrase(total, tree.measure));
  const inFull = `${exactly(total, tree.measure.unit)}${noun === '' ? '' : ` ${noun}`}`;
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${sha256(script)}'`,
    `style-src 'sha256-${sha256(style)}'`,
    'img-src data: blob:',
    ...(page?.facts.served ? ["connect-src 'self'"] : []),
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const subtitle = page?.facts.subtitle ?? options.subtitle;
  const out = new TextChunks(sink);
  out.add(
    `<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n` +
      `<meta http-equiv="Content-Security-Policy" content="${escapeXml(policy)}">\n` +
      `<meta name="viewport" content="width=device-width,initial-scale=1">\n<meta name="color-scheme" content="light dark">\n` +
      `<meta name="referrer" content="no-referrer">\n<title>${escapeXml(`${said} · agentpprof`)}</title>\n` +
      `<style>${style}</style>\n</head>\n<body>\n<div id="app"><main class="still"><h1>${escapeXml(said)}</h1>\n` +
      `<p>${escapeXml([inFull, ...(subtitle === undefined ? [] : [displayText(subtitle)])].join(' · '))}</p>\n` +
      `${tree.weight[0] === 0n ? `<p>${escapeXml(emptySentence(tree))}</p>\n` : ''}` +
      `${page ? '<noscript><p>This page draws with JavaScript, without any network. Allow scripts to explore.</p></noscript>' : ''}</main></div>\n`,
  );
  if (page) {
    if (page.first) out.add(`<script type="application/json" id="first">${inScript(page.first)}</script>\n`);
    out.add(`<script>${script}</script>\n<script type="application/octet-stream" id="cells">`);
    out.add(deflateRawSync(encodePage(page), { level: 9 }).toString('base64'));
    out.add('</script>\n');
  }
  out.add('</body>\n</html>\n');
  out.flush();
}

/** JSON in which no name can end the element or open a comment of it. */
function inScript(value: object): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}

function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('base64');
}
