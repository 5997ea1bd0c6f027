import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PricesError, parsePrices, readPrices } from '../../src/money/overrides.ts';
import { loadPriceTable } from '../../src/money/price.ts';
import { ratesAt } from '../../src/money/rates.ts';
import { PRICES_VERSION } from '../../src/money/version.ts';

const SAMPLE = `
# our contract
claude-sonnet-4-5: { input: 2, output: 10, cache_read: 0.2, cache_write: 2.5, cache_write_1h: 4 }
"local/*": { input: 0, output: 0 }
qwen3-coder:30b:
  input: 0
  output: 0
big-?:
  input: 1
  output: 4
  tiers:
    - { above: 100000, input: 2 }
    - { above: 200000, output: 8, cache_read: 0.5 }
"big-*": { input: 9, output: 9 }
`;

async function rates(model: string, context = 0) {
  const tariff = (await parsePrices(SAMPLE, 'prices.yaml')).find(model);
  return tariff && ratesAt(tariff, 0, context);
}

describe('a prices file decides', () => {
  test('an exact id, with the price of every kind', async () => {
    expect(await rates('claude-sonnet-4-5')).toEqual({
      input: 2000,
      cacheRead: 200,
      cacheWrite: 2500,
      cacheWrite1h: 4000,
      output: 10_000,
      reasoning: 10_000,
    });
  });

  const found: [model: string, context: number, input: number | undefined, output?: number, cacheRead?: number][] = [
    ['anthropic/claude-sonnet-4-5', 0, 2000, 10_000, 200],
    ['us.anthropic.claude-sonnet-4-5-v1:0', 0, 2000, 10_000, 200],
    ['Claude-Sonnet-4-5[1m]', 0, 2000, 10_000, 200],
    ['claude-sonnet-4-50', 0, undefined],
    ['local/anything at all', 0, 0, 0, 0],
    ['ollama/qwen3-coder:30b', 0, 0, 0, 0],
    ['big-a', 100_000, 1000, 4000, 1000],
    ['big-a', 100_001, 2000, 4000, 2000],
    ['big-a', 200_001, 2000, 8000, 500],
    ['big-ab', 0, 9000, 9000, 9000],
    ['a-big-a', 0, undefined],
    ['bigXa', 0, undefined],
  ];
  test.each(found)('%s with %i tokens of input', async (model, context, input, output, cacheRead) => {
    const at = await rates(model, context);
    expect([at?.input, at?.output, at?.cacheRead]).toEqual([input, output, cacheRead]);
  });

  test('over the bundled list, and the version of the table tells', async () => {
    const overrides = await parsePrices(SAMPLE, 'prices.yaml');
    const table = await loadPriceTable(overrides);
    expect(table.tariff('claude-sonnet-4-5')?.provider).toBe('prices file');
    expect(table.tariff('claude-opus-4-5')?.provider).toBe('anthropic');
    expect(table.version).toBe(`${PRICES_VERSION}+prices-${overrides.hash}`);
  });

  test('and the hash follows the prices, not the layout or the language of the file', async () => {
    const hash = async (text: string) => (await parsePrices(text, 'p')).hash;
    const yaml = await hash('m:\n  output: 2 # dollars\n  input: 1\n');
    expect(await hash('\uFEFF{"m":\n\t{"input": 1, "output": 2}\n}')).toBe(yaml);
    expect(await hash('m: { input: 1, output: 3 }')).not.toBe(yaml);
  });
});

describe('a bad prices file is refused with its place and the way out', () => {
  const cases: [what: string, text: string, line: number, says: RegExp][] = [
    ['an empty file', '', 1, /holds no prices; write one entry/],
    ['a list', '- a\n- b\n', 1, /holds no prices/],
    ['a missing price', 'm:\n  input: 1\n', 1, /m\.output: is missing; give US dollars per million tokens/],
    ['a price in words', 'm:\n  input: 1\n  output: cheap\n', 3, /m\.output: is not a number/],
    ['a negative price', 'ok: { input: 1, output: 1 }\nm:\n  input: -1\n  output: 2\n', 3, /m\.input: is negative/],
    [
      'a misspelled kind',
      'm:\n  input: 1\n  output: 2\n  cached_read: 1\n',
      4,
      /m\.cached_read: unknown key; known are input/,
    ],
    [
      'a price that is a plain number',
      'ok: { input: 1, output: 1 }\nm: 3\n',
      2,
      /m: is not a set of prices; write "my-model/,
    ],
    [
      'a tier without its bound',
      'm:\n  input: 1\n  output: 2\n  tiers:\n    - input: 3\n',
      5,
      /m\.tiers\.0\.above: is not a number of tokens/,
    ],
    [
      'tiers out of order',
      'm:\n  input: 1\n  output: 2\n  tiers:\n    - { above: 5 }\n    - { above: 5 }\n',
      4,
      /m\.tiers: must be in rising order/,
    ],
    [
      'the same model twice',
      'm: { input: 1, output: 1 }\nm: { input: 2, output: 2 }\n',
      2,
      /unique; correct the syntax/,
    ],
    ['broken syntax', 'm: { input: 1\nn: 2\n', 2, /correct the syntax of this line/],
    ['an alias to nothing', 'm: *gone\n', 1, /m: Unresolved alias.*; write the prices out/],
    [
      'prices per token instead of per million',
      'm: { input: 1e7, output: 1 }\n',
      1,
      /m\.input: is more than a dollar a token/,
    ],
  ];
  test.each(cases)('%s', async (_, text, line, says) => {
    const error = await parsePrices(text, 'dir/prices.yaml').then(
      () => undefined,
      thrown => thrown,
    );
    expect(error).toBeInstanceOf(PricesError);
    expect(error.message).toMatch(says);
    expect(error.message).toMatch(new RegExp(`^dir/prices\\.yaml:${line}: `));
    expect(error.line).toBe(line);
  });

  test('a file that is not there, and a directory', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'prices-'));
    await expect(readPrices(join(dir, 'none.yaml'))).rejects.toThrow(/none\.yaml: no such file; --prices wants/);
    await expect(readPrices(dir)).rejects.toThrow(/is a directory; --prices wants/);
    writeFileSync(join(dir, 'ok.json'), '{"m":{"input":1,"output":2}}');
    expect((await readPrices(join(dir, 'ok.json'))).find('m')?.provider).toBe('prices file');
  });
});
