import { render } from 'preact';
import { decodePage } from '../formats/cells-code.ts';
import { Explorer } from './explorer.tsx';
import { modelOf } from './model.ts';
import { languageOf, sayIn } from './words.ts';

/** The bytes of the element that holds the cells: base64 of a raw deflate stream. */
async function content(): Promise<Uint8Array> {
  const text = atob((document.getElementById('cells')?.textContent ?? '').trim());
  const packed = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) packed[i] = text.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function start(): Promise<void> {
  const place = document.getElementById('app') as HTMLElement;
  const language = languageOf(navigator.languages);
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';
  try {
    const { facts, cells } = decodePage(await content());
    const model = modelOf(cells);
    place.replaceChildren();
    render(<Explorer model={model} facts={facts} language={language} />, place);
    performance.mark('agentpprof-drawn');
  } catch (error) {
    const sentence = document.createElement('p');
    sentence.textContent = sayIn(language)('broken', { why: error instanceof Error ? error.message : String(error) });
    place.append(sentence);
  }
}

void start();
