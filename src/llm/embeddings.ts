import { counted } from '../trace/counted.ts';
import type { Sender } from './send.ts';
import { estimateTokens } from './tokens.ts';
import { ModelError, type Usage } from './types.ts';

/** So many texts, or characters of them, go in one request. */
const AT_ONCE = 64;
const CHARACTERS_AT_ONCE = 60_000;
/** A text that is too long for the model is halved so often before its request fails. */
const MOST_CUTS = 4;

/** Texts in requests of a size that servers take; indexes into `texts`. */
export function embeddingBatches(texts: readonly string[]): number[][] {
  const batches: number[][] = [];
  let characters = Number.POSITIVE_INFINITY;
  texts.forEach((text, at) => {
    if (characters + text.length > CHARACTERS_AT_ONCE || (batches.at(-1) as number[]).length >= AT_ONCE) {
      batches.push([]);
      characters = 0;
    }
    (batches.at(-1) as number[]).push(at);
    characters += text.length;
  });
  return batches;
}

/** One vector a text, all of one length. Throws ModelError. */
export async function requestEmbeddings(
  sender: Sender,
  usage: Usage,
  model: string,
  texts: readonly string[],
  cuts = 0,
): Promise<Float32Array[]> {
  try {
    // An empty input is an error on most servers; a blank says as little.
    const input = texts.map(text => (text.trim() === '' ? ' ' : text));
    const reply = await sender.post('/embeddings', { model, input, encoding_format: 'float' });
    const told = (reply as { usage?: { prompt_tokens?: unknown } } | null)?.usage?.prompt_tokens;
    usage.inputTokens += Number.isInteger(told) ? Number(told) : texts.reduce((sum, t) => sum + estimateTokens(t), 0);
    return vectorsIn(reply, texts.length, sender);
  } catch (error) {
    if (!(error instanceof ModelError) || !tooLong(error)) throw error;
    if (texts.length > 1) {
      const half = Math.ceil(texts.length / 2);
      const first = await requestEmbeddings(sender, usage, model, texts.slice(0, half), cuts);
      return [...first, ...(await requestEmbeddings(sender, usage, model, texts.slice(half), cuts))];
    }
    if (cuts >= MOST_CUTS) throw error;
    const [text = ''] = texts;
    return requestEmbeddings(sender, usage, model, [text.slice(0, Math.ceil(text.length / 2))], cuts + 1);
  }
}

function tooLong({ status, message }: ModelError): boolean {
  return (
    status === 413 ||
    (status >= 400 && /too (?:large|long|many tokens)|maximum context|context (?:length|size)|exceed/i.test(message))
  );
}

function vectorsIn(reply: unknown, count: number, { endpoint }: Sender): Float32Array[] {
  const fail = (what: string) => new ModelError('reply', `${endpoint.flag}: ${endpoint.shown} ${what}`);
  const list = (reply as { data?: unknown } | null)?.data;
  if (!Array.isArray(list) || list.length !== count)
    throw fail(
      `gave ${Array.isArray(list) ? list.length : 'no'} embeddings for ${counted(count, 'text')}; is it a server of embeddings?`,
    );
  const vectors = new Array<Float32Array>(count);
  list.forEach((each: { index?: unknown; embedding?: unknown } | null, at) => {
    const index = Number.isInteger(each?.index) ? Number(each?.index) : at;
    const { embedding } = each ?? {};
    const numbers = Array.isArray(embedding) && embedding.length > 0 && embedding.every(Number.isFinite);
    if (!numbers || index < 0 || index >= count) throw fail('gave an embedding that is no list of numbers');
    vectors[index] = Float32Array.from(embedding as number[]);
  });
  const [first] = vectors;
  for (const vector of vectors) {
    if (vector === undefined) throw fail('left out an embedding');
    if (vector.length !== first?.length)
      throw fail(`gave embeddings of ${first?.length} and ${vector.length} numbers in one reply`);
  }
  return vectors;
}
