import { afterEach, describe, expect, test } from 'vitest';
import { openModels } from '../../src/llm/client.ts';
import { ModelError, type ModelOptions } from '../../src/llm/types.ts';
import { scratch } from '../cli/program.ts';
import { refuse, type Scripted, scriptedServer } from './server.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function embedding(script: Scripted) {
  const server = await scriptedServer(script);
  ends.push(() => server.close());
  const directory = scratch('embeddings');
  ends.push(directory.remove);
  const open = (options: Partial<ModelOptions> = {}) =>
    openModels({
      embedUrl: server.url,
      env: {},
      cacheDirectory: directory.path,
      redact: text => text.replaceAll('Max', '[user]'),
      retryDelayMs: 1,
      ...options,
    });
  return { server, open };
}

/** A vector that tells its text: its length and its first character, then zeros. */
const vector = (text: string, dimensions = 3) =>
  Array.from({ length: dimensions }, (_, at) => (at === 0 ? text.length : at === 1 ? text.charCodeAt(0) : 0));
const vectors = (input: string[], dimensions?: number) => ({
  data: input.map((text, index) => ({ index, embedding: vector(text, dimensions) })).reverse(),
});

describe('embeddings', () => {
  test('one vector a text in the order of the texts, asked once each, kept bit by bit', async () => {
    const { server, open } = await embedding(({ body }) => vectors(body.input));
    const texts = ['fix', '修复', 'fix', ''];
    const found = await open().embed(texts);
    expect(found.map(each => [...each])).toEqual([vector('fix'), vector('修复'), vector('fix'), vector(' ')]);
    const again = open();
    expect(await again.embed(texts)).toEqual(found);
    expect(again.usage).toMatchObject({ requests: 0, cached: 3 });
    expect(server.asked('/v1/embeddings')).toHaveLength(1);
    expect(await open().embed(texts, 'other')).toEqual(found);
    expect(server.asked('/v1/embeddings')).toHaveLength(2);
  });

  test('many texts go in several requests, and what is sent is redacted', async () => {
    const { server, open } = await embedding(({ body }) => vectors(body.input));
    const texts = Array.from({ length: 150 }, (_, at) => `Max ${at}`);
    expect(await open().embed(texts)).toHaveLength(150);
    const sent = server.asked('/v1/embeddings').map(({ body }) => body.input as string[]);
    expect(sent.map(input => input.length)).toEqual([64, 64, 22]);
    expect(sent.flat().some(text => text.includes('Max'))).toBe(false);
  });

  test('a model that changed behind its name: kept vectors of another length are asked again', async () => {
    let dimensions = 3;
    const { server, open } = await embedding(({ body }) => vectors(body.input, dimensions));
    await open().embed(['a', 'b']);
    dimensions = 5;
    const found = await open().embed(['a', 'b', 'c']);
    expect(found.map(each => each.length)).toEqual([5, 5, 5]);
    const before = server.asked().length;
    const warm = await open({ embedModel: 'tiny' }).embed(['a', 'b', 'c']);
    expect([warm, server.asked().length]).toEqual([found, before]);
  });

  test('a model that changes in the middle of a run is an error that says so', async () => {
    const { open } = await embedding(({ body }, number) => vectors(body.input, number + 2));
    const texts = Array.from({ length: 100 }, (_, at) => `${at}`);
    await expect(open({ concurrency: 1 }).embed(texts)).rejects.toThrow(/embeddings of 3 and then of 4 numbers/);
  });

  test('texts too long for the model are sent alone and then shorter', async () => {
    const { open } = await embedding(({ body }, _, response) =>
      (body.input as string[]).some(text => text.length > 10)
        ? refuse(response, 500, '{"error":{"message":"input is too large to process"}}')
        : vectors(body.input),
    );
    const found = await open({ retries: 0 }).embed(['short', 'x'.repeat(30)]);
    expect(found.map(each => each[0])).toEqual([5, 8]);
  });

  test.each([
    ['no list', {}],
    ['one too few', { data: [] }],
    ['words', { data: [{ index: 0, embedding: ['x'] }] }],
    ['an index beyond', { data: [{ index: 3, embedding: [1] }] }],
    ['nothing', null],
  ])('%s is no embedding', async (_, reply) => {
    const { open } = await embedding((__, ___, response) => {
      response.end(JSON.stringify(reply));
    });
    await expect(open().embed(['a'])).rejects.toThrow(ModelError);
  });
});
