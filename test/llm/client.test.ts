import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { type Models, openModels } from '../../src/llm/client.ts';
import { ModelError, type ModelOptions, type Task } from '../../src/llm/types.ts';
import { redactText } from '../../src/privacy/redact.ts';
import { scratch } from '../cli/program.ts';
import {
  answerEach,
  chatReply,
  itemsOf,
  refuse,
  type Scripted,
  type ScriptedServer,
  scriptedServer,
} from './server.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function serving(script: Scripted, models?: unknown): Promise<ScriptedServer> {
  const server = await scriptedServer(script, models);
  ends.push(() => server.close());
  return server;
}

function place(): string {
  const { path, remove } = scratch('llm');
  ends.push(remove);
  return path;
}

/** A client without pauses worth waiting for. */
function client(url: string, options: Partial<ModelOptions> = {}): Models {
  return openModels({ url, env: {}, cacheDirectory: undefined, redact: redactText, retryDelayMs: 1, ...options });
}

const TASK: Task<{ tag: string }> = {
  version: '1',
  system: 'Name the kind of work.',
  answer: z.object({ tag: z.enum(['debug', 'docs']) }),
  answerTokens: 5,
  batch: 2,
};
const say = (text: string) => ({ tag: text.includes('bug') ? 'debug' : 'docs' });
const trouble = async (promise: Promise<unknown>) => {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ModelError);
  return error as ModelError;
};

describe('asking', () => {
  test('answers come in the order of the items, equal items are asked once, in batches held to a schema', async () => {
    const server = await serving(asked => answerEach(asked, say));
    const models = client(server.url);
    const items = ['a bug', 'readme', 'a bug', 'bug 2'];
    expect(await models.ask(TASK, items)).toEqual(items.map(text => ({ answer: say(text) })));
    const posts = server.asked('/v1/chat/completions');
    expect(posts.map(itemsOf).map(list => list.length)).toEqual([2, 1]);
    const { model, temperature, response_format: format } = posts[0]?.body ?? {};
    expect([model, temperature, format.type]).toEqual(['tiny', 0, 'json_schema']);
    expect(JSON.stringify(format.json_schema.schema)).toContain('"enum":["debug","docs"]');
    expect(models.usage).toMatchObject({ requests: 2, inputTokens: 20, outputTokens: 10, cached: 0 });
  });

  test.each([
    ['fenced', 'Here it is:\n```json\n{"tag":"docs"}\n```\nDone.'],
    ['after thoughts', '<think>maybe {"tag":"debug"}?</think>\n{"tag":"docs"}'],
    ['between words', 'I say {"tag":"docs"} to that'],
  ])('one item alone is sent as it is; JSON is found %s', async (_, content) => {
    const server = await serving(() => chatReply(content));
    expect(await client(server.url).ask({ ...TASK, batch: 1 }, ['write docs'])).toEqual([{ answer: { tag: 'docs' } }]);
    expect(server.asked('/v1/chat/completions')[0]?.body.messages[1].content).toBe('write docs');
  });

  test('a word outside the vocabulary and a missing answer are asked for once more, then they fail by themselves', async () => {
    const server = await serving((asked, number) => {
      if (number === 1) return chatReply({ answers: [{ id: 1, answer: { tag: 'poetry' } }] });
      expect(asked.body.messages[3].content).toContain('id 2: there is no answer for it');
      return chatReply({
        answers: [
          { id: 1, answer: { tag: 'poetry' } },
          { id: 2, answer: { tag: 'debug' } },
        ],
      });
    });
    const models = client(server.url);
    const [first, second] = await models.ask(TASK, ['one', 'two']);
    expect(first).toEqual({ failed: expect.stringContaining('tag: ') });
    expect(second).toEqual({ answer: { tag: 'debug' } });
    expect(models.usage.repaired).toBe(1);
  });

  test.each([
    ['no JSON', 'I would rather not'],
    ['cut JSON', '{"answers":[{"id":1,"answer":{"tag":"de'],
    ['an empty reply', ''],
    ['JSON of another shape', '{"result":"debug"}'],
    ['a list of nonsense', '{"answers":[null,7,{"id":"x"}]}'],
  ])('%s twice is no answer and no crash', async (_, content) => {
    const server = await serving(() => chatReply(content));
    expect(await client(server.url).ask(TASK, ['one', 'two'])).toEqual([
      { failed: expect.any(String) },
      { failed: expect.any(String) },
    ]);
    expect(server.asked('/v1/chat/completions')).toHaveLength(2);
  });

  test('what a server refuses to be told is left out of the next request', async () => {
    const server = await serving((asked, _, response) => {
      const { response_format: format, temperature, max_tokens: most } = asked.body;
      if (format?.type === 'json_schema')
        return refuse(response, 400, '{"error":{"message":"response_format is not supported"}}');
      if (temperature !== undefined) return refuse(response, 400, '{"error":{"message":"temperature must be 1"}}');
      if (most !== undefined) return refuse(response, 400, 'use max_completion_tokens');
      return answerEach(asked, say);
    });
    expect(await client(server.url).ask(TASK, ['a bug'])).toEqual([{ answer: { tag: 'debug' } }]);
    expect(server.asked('/v1/chat/completions').at(-1)?.body).toMatchObject({
      response_format: { type: 'json_object' },
      max_completion_tokens: expect.any(Number),
    });
  });

  test('llama.cpp is held to the grammar, others never see it', async () => {
    const task = { ...TASK, grammar: (items: number) => `root ::= "x"{${items}}` };
    const llama = await serving(asked => answerEach(asked, say), { data: [{ id: 'm', owned_by: 'llamacpp' }] });
    await client(llama.url).ask(task, ['a bug']);
    const { grammar, response_format: format } = llama.asked('/v1/chat/completions')[0]?.body ?? {};
    expect([grammar, format]).toEqual(['root ::= "x"{1}', undefined]);
    const other = await serving(asked => answerEach(asked, say));
    await client(other.url).ask(task, ['a bug']);
    expect(other.asked('/v1/chat/completions')[0]?.body.grammar).toBeUndefined();
  });

  test('secrets, homes and addresses never leave, wherever they stand', async () => {
    const server = await serving(asked => answerEach(asked, say));
    const secret = `sk-ant-${'a1B2'.repeat(8)}`;
    const task = { ...TASK, system: `Kinds seen by max@example.org: docs.` };
    await client(server.url).ask(task, [`why is ${secret} refused in /home/alice/shop?`]);
    const sent = JSON.stringify(server.asked());
    for (const canary of [secret, 'alice', 'max@example.org']) expect(sent).not.toContain(canary);
    expect(sent).toContain('refused in');
  });
});

describe('trouble', () => {
  test.each([
    ['busy once', 429, {}],
    ['broken once', 500, {}],
    ['overloaded once', 503, { 'retry-after': '0' }],
  ])('a server that is %s is asked again', async (_, status, headers) => {
    const server = await serving((asked, number, response) =>
      number === 1 ? refuse(response, status, 'later', headers) : answerEach(asked, say),
    );
    const models = client(server.url);
    expect(await models.ask(TASK, ['a bug'])).toEqual([{ answer: { tag: 'debug' } }]);
    expect(models.usage.retries).toBe(1);
  });

  test('retry-after holds back all requests, not only the one that was refused', async () => {
    const times: number[] = [];
    const server = await serving((asked, number, response) => {
      times.push(performance.now());
      return number === 1 ? refuse(response, 429, '', { 'retry-after': '0.3' }) : answerEach(asked, say);
    });
    await client(server.url, { concurrency: 1 }).ask(TASK, ['1', '2', '3', '4']);
    expect((times[1] as number) - (times[0] as number)).toBeGreaterThanOrEqual(290);
    expect(times).toHaveLength(3);
  });

  test('a connection that breaks off in the middle of a reply is asked again', async () => {
    const server = await serving((asked, number, response) => {
      if (number > 1) return answerEach(asked, say);
      response.writeHead(200, { 'content-length': '1000' });
      response.write('{"choices":[');
      setTimeout(() => response.destroy(), 10);
    });
    expect(await client(server.url).ask(TASK, ['a bug'])).toEqual([{ answer: { tag: 'debug' } }]);
  });

  test('a slow server is waited for until the time limit, then asked again, then given up by name', async () => {
    const slow = await serving((asked, number) => (number === 1 ? undefined : answerEach(asked, say)));
    const timeoutMs = 200;
    expect(await client(slow.url, { timeoutMs }).ask(TASK, ['a bug'])).toEqual([{ answer: { tag: 'debug' } }]);
    const silent = await serving(() => undefined);
    const error = await trouble(client(silent.url, { timeoutMs: 50 }).ask(TASK, ['a bug']));
    expect([error.trouble, error.message]).toEqual(['timeout', expect.stringContaining('--llm-timeout')]);
    expect(silent.asked('/v1/chat/completions')).toHaveLength(3);
  });

  test.each([
    [401, 'refused', 'AGENTPPROF_LLM_KEY'],
    [404, 'status', 'name of the model'],
    [400, 'status', 'answered 400: what?'],
  ])('%i is not asked again, and the message tells the way out', async (status, kind, hint) => {
    const server = await serving((_, __, response) => refuse(response, status, '{"error":"what?"}'));
    const error = await trouble(client(server.url).ask(TASK, ['a bug']));
    expect([error.trouble, error.message]).toEqual([kind, expect.stringContaining(hint)]);
    expect(server.asked('/v1/chat/completions')).toHaveLength(1);
  });

  test('no server: a message at once that names the flag and the way out', async () => {
    const server = await scriptedServer(() => undefined);
    await server.close();
    const error = await trouble(client(server.url).ask(TASK, ['a bug']));
    expect(error.trouble).toBe('unreachable');
    expect(error.message).toContain(`--llm-url: no server answers at ${server.url} (ECONNREFUSED)`);
  });

  test('a redirect is not followed', async () => {
    const other = await serving(asked => answerEach(asked, say));
    const server = await serving((_, __, response) =>
      refuse(response, 307, '', { location: `${other.url}/v1/chat/completions` }),
    );
    await trouble(client(server.url).ask(TASK, ['a bug']));
    expect(other.asked()).toEqual([]);
  });

  test('a budget ends the run before it is overspent', async () => {
    const server = await serving(asked => answerEach(asked, say));
    const models = client(server.url, { budgetTokens: 70, cacheDirectory: place(), concurrency: 1 });
    const error = await trouble(models.ask(TASK, ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10']));
    expect([error.trouble, error.message]).toEqual([
      'budget',
      expect.stringMatching(/\. Kept are the answers of \d of \d requests/),
    ]);
    expect(models.usage.inputTokens + models.usage.outputTokens).toBeLessThanOrEqual(70);
    expect(models.usage.requests).toBeGreaterThan(0);
  });
});

describe('what is kept', () => {
  test('a second run needs no server, not even for the name of the model', async () => {
    const cacheDirectory = place();
    const server = await scriptedServer(asked => answerEach(asked, say));
    const first = await client(server.url, { cacheDirectory }).ask(TASK, ['a bug', 'readme']);
    await server.close();
    const models = client(server.url, { cacheDirectory });
    expect(await models.ask(TASK, ['a bug', 'readme'])).toEqual(first);
    expect(models.usage).toMatchObject({ requests: 0, cached: 2 });
  });

  test('a server that dies half-way: nothing is lost and the next run goes on', async () => {
    const cacheDirectory = place();
    const items = Array.from({ length: 10 }, (_, at) => `bug ${at}`);
    const dying = await serving((asked, number, response) =>
      number > 2 ? void response.destroy() : answerEach(asked, say),
    );
    const options = { cacheDirectory, model: 'tiny', concurrency: 1, retries: 1 };
    const error = await trouble(client(dying.url, options).ask(TASK, items));
    expect(error.message).toContain('2 of 5 requests');
    const alive = await serving(asked => answerEach(asked, say));
    const models = client(alive.url, options);
    expect(await models.ask(TASK, items)).toEqual(items.map(() => ({ answer: { tag: 'debug' } })));
    expect(models.usage).toMatchObject({ requests: 3, cached: 4 });
  });

  test('another model, version, system text or schema is another answer; no answer is kept as none', async () => {
    const cacheDirectory = place();
    const server = await serving(asked => answerEach(asked, text => (text === 'odd' ? {} : say(text))));
    const asked = async (task: Task<unknown>, model: string) => {
      const models = client(server.url, { cacheDirectory, model });
      await models.ask(task, ['a bug', 'odd']);
      return models.usage.cached;
    };
    expect(await asked(TASK, 'a')).toBe(0);
    expect(await asked(TASK, 'a')).toBe(1);
    expect(await asked(TASK, 'b')).toBe(0);
    expect(await asked({ ...TASK, version: '2' }, 'a')).toBe(0);
    expect(await asked({ ...TASK, system: 'Other.' }, 'a')).toBe(0);
    expect(await asked({ ...TASK, answer: z.object({ tag: z.string() }) }, 'a')).toBe(0);
  });

  test('files are the owner alone, hold no item, and a cut last line costs only itself', async () => {
    const cacheDirectory = place();
    const server = await serving(asked => answerEach(asked, say));
    const options = { cacheDirectory, model: 'tiny' };
    await client(server.url, options).ask(TASK, ['the secret bug', 'readme']);
    const folder = join(cacheDirectory, 'llm');
    const [name = ''] = readdirSync(folder);
    const file = join(folder, name);
    expect([statSync(folder).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600]);
    expect(readFileSync(file, 'utf8')).not.toContain('secret');
    writeFileSync(file, readFileSync(file, 'utf8').slice(0, -5));
    const models = client(server.url, options);
    await models.ask(TASK, ['the secret bug', 'readme']);
    expect(models.usage.cached).toBe(1);
    const again = client(server.url, options);
    await again.ask(TASK, ['the secret bug', 'readme']);
    expect(again.usage).toMatchObject({ cached: 2, requests: 0 });
  });

  test('a directory that cannot be written costs a notice', async () => {
    const file = join(place(), 'file');
    writeFileSync(file, '');
    const server = await serving(asked => answerEach(asked, say));
    const models = client(server.url, { cacheDirectory: file });
    expect(await models.ask(TASK, ['a bug'])).toEqual([{ answer: { tag: 'debug' } }]);
    expect(models.notices).toEqual([expect.stringContaining('cannot be kept')]);
  });

  test('a dry run sends nothing, knows what is kept, and shows what would be sent, redacted', async () => {
    const cacheDirectory = place();
    const server = await serving(asked => answerEach(asked, say));
    const options = {
      cacheDirectory,
      model: 'tiny',
      price: (_: string, input: number, output: number) => input + 10 * output,
    };
    await client(server.url, options).ask(TASK, ['a bug']);
    const before = server.asked().length;
    const found = await client(server.url, options).estimate(TASK, ['a bug', 'mail max@example.org', 'x', 'y']);
    expect(server.asked()).toHaveLength(before);
    expect(found).toMatchObject({ model: 'tiny', items: 4, cached: 1, outputTokens: 15 });
    expect(found.requests).toHaveLength(2);
    expect(found.microUsd).toBe(found.inputTokens + 150);
    expect(JSON.stringify(found.requests)).toContain('[email]');
  });
});
