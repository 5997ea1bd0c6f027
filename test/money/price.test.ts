import { readFileSync } from 'node:fs';
import { calcPrice } from '@pydantic/genai-prices';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { COST_KINDS, costOf, priceCalls } from '../../src/money/apply.ts';
import { loadPriceTable } from '../../src/money/price.ts';
import { type PriceTable, perToken, ratesAt } from '../../src/money/rates.ts';
import { PRICES_VERSION } from '../../src/money/version.ts';
import { type Call, operationsOf } from './rows.ts';

let table: PriceTable;
beforeAll(async () => {
  table = await loadPriceTable();
});

/** Nano-dollars by kind: input, cache read, cache write, output, reasoning. */
function price(call: Call): number[] {
  const { cost } = priceCalls(operationsOf(call), table);
  return COST_KINDS.map(kind => cost[kind].get(0));
}

describe('a call costs what its provider lists, by kind', () => {
  // Computed by hand from the public lists: 1 $/M = 1,000 nano-dollars a token.
  const cases: [what: string, call: Call, nano: number[]][] = [
    [
      'Claude Sonnet 4.5: 3 in, 0.30 read, 3.75 five-minute write, 15 out',
      { model: 'claude-sonnet-4-5', input: 1000, read: 20_000, write5m: 4000, output: 500 },
      [3_000_000, 6_000_000, 15_000_000, 7_500_000, 0],
    ],
    [
      'a 1-hour write costs twice the input price',
      { model: 'claude-sonnet-4-5', write1h: 60_120 },
      [0, 0, 360_720_000, 0, 0],
    ],
    [
      'both lives of cache writes in one call, each at its own price',
      { model: 'claude-sonnet-4-5', write5m: 1000, write1h: 1000 },
      [0, 0, 3_750_000 + 6_000_000, 0, 0],
    ],
    [
      'above 200k of input every token of the call costs the long-context price',
      { model: 'claude-sonnet-4-5', input: 10_000, read: 180_000, write5m: 15_000, output: 1000 },
      [60_000_000, 108_000_000, 112_500_000, 22_500_000, 0],
    ],
    [
      'exactly 200k is still the base price, and output does not count as context',
      { model: 'claude-sonnet-4-5', input: 20_000, read: 180_000, output: 64_000 },
      [60_000_000, 54_000_000, 0, 960_000_000, 0],
    ],
    [
      '1-hour writes count as context and cost twice the long-context input price',
      { model: 'claude-sonnet-4-5', write1h: 200_001 },
      [0, 0, 2_400_012_000, 0, 0],
    ],
    [
      'Sonnet 4 had a long-context price too',
      { model: 'claude-sonnet-4-20250514', input: 200_001, output: 1000 },
      [1_200_006_000, 0, 0, 22_500_000, 0],
    ],
    [
      'GPT-5.1 Codex: 1.25 in, 0.125 read, 10 out, reasoning as output',
      { model: 'gpt-5.1-codex', input: 8000, read: 16_000, output: 300, reasoning: 200 },
      [10_000_000, 2_000_000, 0, 3_000_000, 2_000_000],
    ],
    [
      'Gemini 2.5 Pro up to 200k: 1.25 in, 0.125 read, 10 out',
      { model: 'gemini-2.5-pro', input: 200_000, output: 1000, reasoning: 500 },
      [250_000_000, 0, 0, 10_000_000, 5_000_000],
    ],
    [
      'Gemini 2.5 Pro above 200k: 2.50 in, 0.25 read, 15 out',
      { model: 'gemini-2.5-pro', input: 100_000, read: 100_001, output: 1000 },
      [250_000_000, 25_000_250, 0, 15_000_000, 0],
    ],
    [
      'a kind the list does not price costs what it is part of: cached input of Kimi K2 is input',
      { model: 'kimi-k2', input: 1000, read: 1000, output: 1000 },
      [570_000, 570_000, 0, 2_300_000, 0],
    ],
    [
      'a fraction of a nano-dollar rounds once a kind',
      { model: 'deepseek-v4-flash', at: '2026-08-01T12:00:00Z', read: 3, output: 1 },
      [0, 8, 0, 280, 0],
    ],
    ['a free variant costs nothing', { model: 'qwen/qwen3-coder:free', input: 9000, output: 900 }, [0, 0, 0, 0, 0]],
  ];
  test.each(cases)('%s', (_, call, nano) => {
    expect(price(call)).toEqual(nano);
  });
});

describe('the price is the one of the day of the call', () => {
  const opus = { model: 'claude-opus-4-6', input: 300_000 };
  const deepseek = { model: 'deepseek-chat', input: 1000 };
  const cases: [what: string, call: Call, nano: number][] = [
    ['before a price cut', { model: 'o3', at: '2025-06-09T23:59:59Z', input: 1000 }, 10_000_000],
    [
      'from the first second of the day it changed',
      { model: 'o3', at: '2025-06-10T00:00:00Z', input: 1000 },
      2_000_000,
    ],
    ['a long-context surcharge that was dropped later', { ...opus, at: '2026-03-01T00:00:00Z' }, 3_000_000_000],
    ['the same call after it was dropped', { ...opus, at: '2026-04-01T00:00:00Z' }, 1_500_000_000],
    ['by the hour of the day, in UTC: peak', { ...deepseek, at: '2025-10-01T16:29:59Z' }, 270_000],
    ['by the hour of the day, in UTC: off-peak', { ...deepseek, at: '2025-10-01T16:30:00Z' }, 135_000],
    ['an unknown time gets the price known today', { ...opus, at: '' }, 1_500_000_000],
    [
      'an unknown time does not get a price only announced',
      { model: 'gemini-3.6-flash', at: '', input: 1000 },
      750_000,
    ],
  ];
  test.each(cases)('%s', (_, call, nano) => {
    expect(price(call)[0]).toBe(nano);
  });
});

describe('Anthropic cache writes keep their ratio to the input price', () => {
  test.each([
    'claude-opus-4-5',
    'claude-opus-4-1-20250805',
    'claude-haiku-4-5-20251001',
    'claude-sonnet-4-6',
    'claude-opus-5',
    'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
    'global.anthropic.claude-opus-4-5-v1:0',
    'openrouter/anthropic/claude-sonnet-4.6',
  ])('%s: 1.25 for five minutes, 2 for an hour', model => {
    const tariff = table.tariff(model);
    if (!tariff) throw new Error('unpriced');
    const rates = ratesAt(tariff, 0, 1000);
    expect(rates.cacheWrite).toBeCloseTo(rates.input * 1.25, 9);
    expect(rates.cacheWrite1h).toBeCloseTo(rates.input * 2, 9);
  });
});

describe('our arithmetic is the library’s', () => {
  const models = [
    'claude-sonnet-4-5',
    'claude-opus-4-5',
    'gpt-5.1-codex',
    'gpt-5.6-sol',
    'gemini-2.5-pro',
    'kimi-k2',
    'o3',
    'MiniMax-M2',
  ];
  test('for any token counts and any day, up to the rounding of five kinds', () => {
    const count = fc.integer({ min: 0, max: 400_000 });
    fc.assert(
      fc.property(
        fc.constantFrom(...models),
        fc.integer({ min: Date.UTC(2025, 0, 1), max: Date.UTC(2026, 11, 1) }),
        fc.tuple(count, count, count, count, count, count),
        (model, time, [input, read, write5m, write1h, output, reasoning]) => {
          const at = new Date(time);
          const ours = priceCalls(
            operationsOf({ model, at: at.toISOString(), input, read, write5m, write1h, output, reasoning }),
            table,
          );
          const theirs = calcPrice(
            {
              input_tokens: input + read + write5m + write1h,
              cache_read_tokens: read,
              cache_write_tokens: write5m + write1h,
              cache_write_1h_tokens: write1h,
              output_tokens: output + reasoning,
            },
            model,
            { timestamp: at },
          );
          expect(Math.abs(costOf(ours.cost, 0) - (theirs?.total_price ?? -1) * 1e9)).toBeLessThanOrEqual(3);
        },
      ),
    );
  });

  test('the version names the library that is installed', () => {
    const manifest = JSON.parse(
      readFileSync(new URL('../../node_modules/@pydantic/genai-prices/package.json', import.meta.url), 'utf8'),
    );
    expect(PRICES_VERSION).toMatch(new RegExp(`^genai-prices-${manifest.version.replaceAll('.', '\\.')}\\.r\\d+$`));
    expect(table.version).toBe(PRICES_VERSION);
  });
});

test('decimal prices carry no binary dust into the rates', () => {
  expect([0.07, 0.1, 0.29, 3.75, 0.0028].map(perToken)).toEqual([70, 100, 290, 3750, 2.8]);
});
