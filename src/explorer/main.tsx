import { render } from 'preact';
import { decodePage } from '../formats/cells-code.ts';
import { Explorer } from './explorer.tsx';
import { bytesOf, type FirstView, outlineOf } from './first-view.ts';
import { modelOf } from './model.ts';
import { languageOf, sayIn } from './words.ts';

const language = languageOf(navigator.languages);
const place = document.getElementById('app') as HTMLElement;

/** The bytes of the element that holds the cells: base64 of a raw deflate stream. */
async function content(): Promise<Uint8Array> {
  const packed = bytesOf((document.getElementById('cells')?.textContent ?? '').trim());
  const stream = new Blob([packed as BlobPart]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** What stands before the program in the file: enough for a first picture while the rest is still being parsed. */
function firstPicture(): FirstView | undefined {
  const text = document.getElementById('first')?.textContent;
  if (!text) return undefined;
  const first = JSON.parse(text) as FirstView;
  const facts = { ...first.facts, previews: [] };
  place.replaceChildren();
  render(<Explorer outline={first.outline} facts={facts} language={language} first={first} model={undefined} />, place);
  performance.mark('agentpprof-drawn');
  return first;
}

/** The rest of the file is there, and what was drawn has been shown: reading the cells makes nobody wait. */
function afterPicture(): Promise<void> {
  const parsed = new Promise<void>(resolve => {
    if (document.readyState !== 'loading') resolve();
    else document.addEventListener('DOMContentLoaded', () => resolve(), { once: true });
  });
  const shown = new Promise<void>(resolve => {
    requestAnimationFrame(() => setTimeout(resolve));
    // A tab in the background is never shown.
    setTimeout(resolve, 500);
  });
  return Promise.all([parsed, shown]).then(() => undefined);
}

async function start(): Promise<void> {
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';
  try {
    const first = firstPicture();
    await afterPicture();
    const { facts, cells } = decodePage(await content());
    const model = modelOf(cells);
    const outline = first?.outline ?? outlineOf(model);
    if (!first) place.replaceChildren();
    render(<Explorer outline={outline} facts={facts} language={language} first={first} model={model} />, place);
    performance.mark('agentpprof-ready');
    place.dataset.ready = '';
  } catch (error) {
    const sentence = document.createElement('p');
    sentence.textContent = sayIn(language)('broken', { why: error instanceof Error ? error.message : String(error) });
    place.append(sentence);
    place.dataset.broken = '';
  }
}

void start();
