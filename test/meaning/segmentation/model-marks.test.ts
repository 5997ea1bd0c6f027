import { afterEach, describe, expect, test } from 'vitest';
import { openModels } from '../../../src/llm/client.ts';
import {
  type Named,
  passTask,
  splitRecursively,
  splitTask,
  treeOf,
} from '../../../src/meaning/segmentation/model-marks.ts';
import { redactText } from '../../../src/privacy/redact.ts';
import { type Asked, chatReply, type ScriptedServer, scriptedServer } from '../../llm/server.ts';

let server: ScriptedServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** A client of a server that replies with each of the contents in turn, the last one again and again. */
async function client(...contents: unknown[]) {
  server = await scriptedServer((_, number) => chatReply(contents[Math.min(number, contents.length) - 1]));
  return openModels({ url: server.url, env: {}, cacheDirectory: undefined, redact: redactText, retryDelayMs: 1 });
}

const stretch = (first: number, last: number, object = 'login') => ({ first, last, verb: 'edit', object });
const drawn = (named: readonly Named[]): string =>
  named.map(({ begin, end, inside }) => `${begin}-${end}${inside.length ? `(${drawn(inside)})` : ''}`).join(' ');
const GOOD = { segments: [stretch(1, 4), stretch(5, 8), stretch(2, 3)] };

describe('one pass over a session of eight steps', () => {
  test('stretches nest by where they lie', async () => {
    const [outcome] = await (await client(GOOD)).ask(passTask(8), ['packet']);
    expect(outcome && 'answer' in outcome ? drawn(treeOf(outcome.answer.segments)) : outcome).toBe('0-4(1-3) 4-8');
  });

  test.each([
    [
      'overlapping marks',
      { segments: [stretch(1, 5), stretch(4, 8)] },
      'steps 4 to 8 overlap 1 to 5 without lying inside',
    ],
    ['unknown steps', { segments: [stretch(1, 9)] }, 'steps 1 to 9: there are only steps 1 to 8'],
    [
      'marks too deep',
      { segments: [stretch(1, 8), stretch(1, 7), stretch(1, 6), stretch(1, 5)] },
      'steps 1 to 5 are nested more than 3 deep',
    ],
    ['a gap', { segments: [stretch(1, 3), stretch(5, 8)] }, 'step 4 is in no segment'],
    ['nothing', { segments: [] }, 'there is no segment'],
    ['a verb of its own', { segments: [{ ...stretch(1, 8), verb: 'ponder' }] }, 'segments.0.verb'],
    ['a reply that was cut', '{"segments":[{"first":1,"last":8,"verb":"ed', 'the reply is no JSON'],
    ['an empty reply', '', 'the reply is empty'],
  ])('%s are told to the model, which mends them once', async (_, wrong, reason) => {
    const [outcome] = await (await client(wrong, GOOD)).ask(passTask(8), ['packet']);
    expect(outcome).toHaveProperty('answer');
    const asked = server?.asked('/v1/chat/completions') as Asked[];
    expect(asked).toHaveLength(2);
    expect(asked[1]?.body.messages.at(-1).content).toContain(reason);
  });

  test('what is wrong twice is no answer', async () => {
    const [outcome] = await (await client({ segments: [] })).ask(passTask(8), ['packet']);
    expect(outcome).toEqual({ failed: 'there is no segment' });
    expect(server?.asked('/v1/chat/completions')).toHaveLength(2);
  });
});

describe('stop or split', () => {
  const part = (first: number, object = 'login') => ({ first, verb: 'test', object });
  const asker = async (...replies: unknown[]) => {
    const models = await client(...replies);
    return async (begin: number, end: number) => {
      const [outcome] = await models.ask(splitTask(end - begin), [`steps ${begin} to ${end}`]);
      return outcome && 'answer' in outcome ? outcome.answer : undefined;
    };
  };

  test('parts are split until the model stops; short ones are not asked about', async () => {
    const ask = await asker(
      { decision: 'split', parts: [part(1), part(4)] },
      { decision: 'split', parts: [part(1, 'a'), part(3, 'b')] },
      { decision: 'stop', parts: [part(1)] },
    );
    expect(drawn((await splitRecursively(ask, 0, 8)) ?? [])).toBe('0-3 3-8(3-5 5-8)');
  });

  test('a part of which no answer can be used stays whole', async () => {
    const ask = await asker({ decision: 'split', parts: [part(1), part(5)] }, { decision: 'split', parts: [] });
    expect(drawn((await splitRecursively(ask, 0, 8)) ?? [])).toBe('0-4 4-8');
  });

  test('a model that would split for ever is stopped', async () => {
    const ask = async (begin: number, end: number) => ({
      decision: 'split' as const,
      parts: [part(1), part(Math.floor((end - begin) / 2) + 1)],
    });
    const depth = (named: readonly Named[]): number =>
      1 + Math.max(0, ...named.map(({ inside }) => (inside.length ? depth(inside) : 0)));
    expect(depth((await splitRecursively(ask, 0, 4096)) ?? [])).toBe(4);
  });
});
