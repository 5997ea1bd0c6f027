import { beforeAll, describe, expect, test } from 'vitest';
import { candidates, shownModel } from '../../src/money/modelids.ts';
import { loadPriceTable } from '../../src/money/price.ts';
import { type PriceTable, ratesAt } from '../../src/money/rates.ts';

let table: PriceTable;
beforeAll(async () => {
  table = await loadPriceTable();
});

function sold(model: string, provider?: string): string {
  const tariff = table.tariff(model, provider);
  if (!tariff) return 'unpriced';
  const rates = ratesAt(tariff, 0, 0);
  return `${tariff.provider} ${rates.input / 1000}/${rates.output / 1000}`;
}

describe('every spelling of a model finds its price', () => {
  const cases: [model: string, sold: string][] = [
    ['claude-sonnet-4-5', 'anthropic 3/15'],
    ['claude-sonnet-4-5-20250929', 'anthropic 3/15'],
    ['claude-sonnet-4-5[1m]', 'anthropic 3/15'],
    ['Claude-Sonnet-4-5', 'anthropic 3/15'],
    [' claude-sonnet-4-5 ', 'anthropic 3/15'],
    ['claude-sonnet-4.5', 'anthropic 3/15'],
    ['claude-4.5-sonnet', 'anthropic 3/15'],
    ['claude-4.5-sonnet-thinking', 'anthropic 3/15'],
    ['claude-3-5-sonnet-latest', 'anthropic 3/15'],
    ['claude-3-5-haiku-20241022', 'anthropic 0.8/4'],
    ['anthropic/claude-sonnet-4-5', 'anthropic 3/15'],
    ['anthropic/claude-opus-4.5', 'anthropic 5/25'],
    ['anthropic:claude-opus-4-5', 'anthropic 5/25'],
    ['openrouter/anthropic/claude-sonnet-4-6', 'openrouter 3/15'],
    ['openrouter/openai/gpt-5.1-codex', 'openrouter 1.25/10'],
    ['openrouter/qwen/qwen3-coder-plus', 'openrouter 0.65/3.25'],
    ['qwen3-coder-plus', 'openrouter 0.65/3.25'],
    ['claude-sonnet-4-5@20250929', 'anthropic 3/15'],
    ['vertex_ai/claude-sonnet-4-5@20250929', 'google 3/15'],
    ['projects/p1/locations/us-east5/publishers/anthropic/models/claude-opus-4-5@20251101', 'anthropic 5/25'],
    ['claude-fable-5@20260601', 'anthropic 10/50'],
    // Bedrock's regional endpoints cost a tenth more than its global ones since the 4.5 models.
    ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'aws 3.3/16.5'],
    ['eu.anthropic.claude-sonnet-4-5-20250929-v1:0[1m]', 'aws 3.3/16.5'],
    ['global.anthropic.claude-sonnet-4-5-20250929-v1:0', 'aws 3/15'],
    ['anthropic.claude-3-5-sonnet-20241022-v2:0', 'aws 3/15'],
    ['bedrock/us.anthropic.claude-opus-4-6-v1', 'aws 5.5/27.5'],
    ['amazon-bedrock/us.anthropic.claude-haiku-4-5-20251001-v1:0', 'aws 1.1/5.5'],
    [
      'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-sonnet-4-5-20250929-v1:0',
      'aws 3.3/16.5',
    ],
    ['arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-3-5-sonnet-20241022-v2:0', 'aws 3/15'],
    ['openai/gpt-5', 'openai 1.25/10'],
    ['openai:gpt-5', 'openai 1.25/10'],
    ['azure/gpt-5', 'azure 1.25/10'],
    ['gpt-5-codex', 'openai 1.25/10'],
    ['gpt-5.1-codex', 'openai 1.25/10'],
    ['gpt-5.1-codex-mini', 'openai 0.25/2'],
    ['gpt-5.1-codex-high', 'openai 1.25/10'],
    ['gpt-5-mini-2025-08-07', 'openai 0.25/2'],
    ['gpt-4o-2024-08-06', 'openai 2.5/10'],
    ['google/gemini-2.5-pro', 'google 1.25/10'],
    ['models/gemini-2.5-pro', 'google 1.25/10'],
    ['gemini/gemini-2.5-pro-preview-05-06', 'google 1.25/10'],
    ['google-antigravity/gemini-2.5-pro', 'google 1.25/10'],
    ['deepseek/deepseek-chat:free', 'openrouter 0/0'],
    ['x-ai/grok-code-fast-1', 'x-ai 0.2/1.5'],
    ['moonshotai/kimi-k2', 'moonshotai 0.57/2.3'],
  ];
  test.each(cases)('%s is %s', (model, expected) => {
    expect(sold(model)).toBe(expected);
  });
});

describe('what the history says about the seller decides the price', () => {
  const cases: [model: string, provider: string, sold: string][] = [
    ['claude-sonnet-4-5-20250929', 'aws.bedrock', 'aws 3.3/16.5'],
    ['claude-sonnet-4-5', 'anthropic', 'anthropic 3/15'],
    ['claude-sonnet-4-5', 'a-gateway-nobody-knows', 'anthropic 3/15'],
    ['gpt-5.1', 'openai', 'openai 1.25/10'],
    ['qwen3-coder-plus', 'openrouter', 'openrouter 0.65/3.25'],
    ['qwen3-coder-plus', 'ollama', 'unpriced'],
  ];
  test.each(cases)('%s from %s is %s', (model, provider, expected) => {
    expect(sold(model, provider)).toBe(expected);
  });
});

describe('nothing is guessed for a model no list knows', () => {
  test.each([
    '',
    ' ',
    'unknown',
    'fake-large',
    'claude',
    'haiku',
    'claude-sonnet-9-9',
    'gpt-51',
    '__proto__',
    'constructor',
    '<synthetic>',
    'codex-auto-review',
    'ollama/qwen3-coder:30b',
    'lmstudio/deepseek-chat',
    'llama3:latest',
    'deepseek-r1:8b',
    'gpt-oss:20b',
    'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2c3d4e5f6',
    'azure/my-deployment',
    '///',
    'a/b/c/d/e/f',
  ])('"%s" is unpriced', model => {
    expect(table.tariff(model)).toBeUndefined();
  });
});

test('a local model gives no spelling to look for, whatever cloud model it is named after', () => {
  expect(candidates('ollama/deepseek-chat')).toEqual([]);
  expect(candidates('openrouter/ollama/deepseek-chat')).toEqual([]);
});

test('a shown name keeps no account number and no project', () => {
  expect(shownModel('arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-x')).toBe(
    'us.anthropic.claude-x',
  );
  expect(shownModel('projects/my-company/locations/eu/publishers/anthropic/models/claude-x')).toBe('claude-x');
  expect(shownModel('openrouter/anthropic/claude-x')).toBe('openrouter/anthropic/claude-x');
  expect(shownModel('')).toBe('unknown');
});
