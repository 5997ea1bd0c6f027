import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { costOf, priceCalls, reportOf, summarise } from '../../src/money/apply.ts';
import { parsePrices } from '../../src/money/overrides.ts';
import { loadPriceTable } from '../../src/money/price.ts';
import type { PriceTable } from '../../src/money/rates.ts';
import { type Call, Flag, Kind, operationsOf } from './rows.ts';

let table: PriceTable;
beforeAll(async () => {
  table = await loadPriceTable();
});

const HAIKU = 'claude-haiku-4-5-20251001';

describe('each call is priced once or named as unpriced', () => {
  const report = () =>
    priceCalls(
      operationsOf(
        { model: HAIKU, input: 1000 },
        { model: HAIKU, input: 1000, flags: Flag.copy },
        { model: 'fake-large', input: 700, output: 5 },
        { model: 'fake-large', input: 300 },
        { model: 'fake-large', input: 300, flags: Flag.copy },
        { model: 'fake-small' },
        { input: 40 },
        { model: HAIKU, flags: Flag.unknownUsage },
        { model: HAIKU, input: 10, kind: Kind.tool },
      ),
      table,
    );

  test('the total holds priced calls only', () => {
    expect(report().summary.nanoDollars).toBe(1_000_000n);
    expect(report().summary.pricedCalls).toBe(1);
  });

  test('calls without a price are counted by model, with their tokens and the reason', () => {
    expect(report().summary.unpricedCalls).toBe(5);
    expect(report().summary.unpriced).toEqual([
      { model: 'fake-large', reason: 'unknown model', calls: 2, tokens: 1005 },
      { model: 'unknown', reason: 'unknown model', calls: 1, tokens: 40 },
      { model: HAIKU, reason: 'unknown usage', calls: 1, tokens: 0 },
      { model: 'fake-small', reason: 'unknown model', calls: 1, tokens: 0 },
    ]);
  });

  test('the list entry behind each price is named', () => {
    expect(report().priced).toEqual([{ model: HAIKU, provider: 'anthropic', entry: 'claude-haiku-4-5' }]);
  });

  test('a selection has its own summary', () => {
    const ops = operationsOf(
      { model: HAIKU, input: 1000 },
      { model: 'fake-large', input: 7 },
      { model: HAIKU, input: 500 },
    );
    const { cost } = priceCalls(ops, table);
    expect(summarise(ops, cost, row => row === 2)).toEqual({
      nanoDollars: 500_000n,
      pricedCalls: 1,
      unpricedCalls: 0,
      unpriced: [],
    });
  });
});

describe('a cost the history gives itself', () => {
  const cases: [what: string, call: Call, nano: number][] = [
    ['wins over the table', { model: HAIKU, input: 1000, given: 77 }, 77],
    ['prices a model nobody knows', { model: 'fake-large', input: 1000, given: 5 }, 5],
    ['counts on operations that are no calls', { kind: Kind.tool, given: 9 }, 9],
    ['of 0 leaves the call to the table', { model: HAIKU, input: 1000, given: 0 }, 1_000_000],
    ['of a copy counts nothing', { model: HAIKU, given: 9, flags: Flag.copy }, 0],
  ];
  test.each(cases)('%s', (_, call, nano) => {
    const { cost, summary } = priceCalls(operationsOf(call), table);
    expect(costOf(cost, 0)).toBe(nano);
    expect(summary.nanoDollars).toBe(BigInt(nano));
    expect(summary.unpricedCalls).toBe(0);
  });
});

test('a model priced 0 on purpose is priced, not unpriced', async () => {
  const free = await loadPriceTable(await parsePrices('"fake-*": { input: 0, output: 0 }', 'p.yaml'));
  const { summary } = priceCalls(operationsOf({ model: 'fake-large', input: 1_000_000 }), free);
  expect(summary).toEqual({ nanoDollars: 0n, pricedCalls: 1, unpricedCalls: 0, unpriced: [] });
});

test('the same model from two sellers has two prices', () => {
  const model = 'claude-sonnet-4-5-20250929';
  const ops = operationsOf(
    { model, provider: 'aws.bedrock', input: 1000 },
    { model, provider: 'anthropic', input: 1000 },
    { model, input: 1000 },
  );
  const { cost } = priceCalls(ops, table);
  expect([0, 1, 2].map(row => cost.input.get(row))).toEqual([3_300_000, 3_000_000, 3_000_000]);
});

test('a model is looked up once, however many calls it made', () => {
  let lookups = 0;
  const counting: PriceTable = {
    version: 'test',
    tariff: (model, provider) => {
      lookups++;
      return table.tariff(model, provider);
    },
  };
  const calls = Array.from(
    { length: 1000 },
    (_, at): Call => ({ model: at % 2 === 0 ? HAIKU : 'fake-large', input: at }),
  );
  priceCalls(operationsOf(...calls), counting);
  expect(lookups).toBe(2);
});

test('the total is exact where 64-bit floats are not', () => {
  const given = 2 ** 52 - 1;
  const { summary } = priceCalls(operationsOf({ given }, { given }, { given }, { given: 2 }), table);
  expect(summary.nanoDollars).toBe(BigInt(given) * 3n + 2n);
});

test('splitting the tokens of a call among calls of the same tier changes its cost by rounding alone', () => {
  const count = fc.nat(20_000);
  fc.assert(
    fc.property(
      fc.constantFrom(HAIKU, 'gpt-5.1-codex', 'kimi-k2'),
      fc.array(fc.tuple(count, count, count), { minLength: 1, maxLength: 8 }),
      (model, parts) => {
        const calls = parts.map(([input, read, output]): Call => ({ model, input, read, output }));
        const sum = (key: 'input' | 'read' | 'output') => calls.reduce((total, call) => total + (call[key] ?? 0), 0);
        const whole = priceCalls(
          operationsOf({ model, input: sum('input'), read: sum('read'), output: sum('output') }),
          table,
        );
        const split = priceCalls(operationsOf(...calls), table);
        const difference = Number(split.summary.nanoDollars - whole.summary.nanoDollars);
        expect(Math.abs(difference)).toBeLessThanOrEqual(1.5 * (parts.length + 1));
      },
    ),
  );
});

test('property: costs that were put together are reported as they were when they were made', () => {
  const call = fc.record({
    model: fc.constantFrom(HAIKU, 'gpt-5.1-codex', 'fake-large', ''),
    input: fc.nat(9000),
    output: fc.nat(9000),
    given: fc.constantFrom(0, 0, 7),
    flags: fc.constantFrom(0, 0, Flag.copy, Flag.unknownUsage),
    kind: fc.constantFrom(Kind.call, Kind.call, Kind.tool),
    provider: fc.constantFrom('', 'openai', 'anthropic'),
  });
  fc.assert(
    fc.property(fc.array(call, { maxLength: 12 }), calls => {
      const ops = operationsOf(...calls);
      const made = priceCalls(ops, table);
      const { summary, priced } = reportOf(ops, made.cost, table);
      expect(summary).toEqual(made.summary);
      expect(priced).toEqual(made.priced);
      const sum = calls.reduce((all, _, row) => all + BigInt(costOf(made.cost, row)), 0n);
      expect(summary.nanoDollars).toBe(sum);
    }),
  );
});
