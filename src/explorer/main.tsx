import { render } from 'preact';
import { decodePage } from '../formats/cells-code.ts';
import { Explorer, type ExplorerProps } from './explorer.tsx';
import { bytesOf, type FirstView, outlineOf } from './first-view.ts';
import { modelOf } from './model.ts';
import { languageOf, sayIn } from './words.ts';

const language = languageOf(navigator.languages);
const place = document.getElementById('app') as HTMLElement;

function show(props: Omit<ExplorerProps, 'language'>): void {
  render(<Explorer {...props} language={language} />, place);
}

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
  show({ outline: first.outline, facts, first, model: undefined, timelines: () => ({ kept: [], left: 0 }) });
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
    // The second frame comes when the first has been made.
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve)));
    // A tab in the background is never shown.
    setTimeout(resolve, 1000);
  });
  return Promise.all([parsed, shown]).then(() => undefined);
}

async function start(): Promise<void> {
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';
  try {
    const first = firstPicture();
    await afterPicture();
    const page = decodePage(await content());
    const { facts, cells } = page;
    const model = modelOf(cells);
    const outline = first?.outline ?? outlineOf(model);
    if (!first) place.replaceChildren();
    show({ outline, facts, first, model, timelines: () => page.timelines });
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
