import { describe, expect, it } from 'vitest';
import { driftOf } from '../../src/clusters/drift.ts';
import { hashedEmbedding } from '../../src/clusters/embedding/hashed.ts';
import { localEmbedding } from '../../src/clusters/embedding/local.ts';
import { differenceOf, rateOf } from '../../src/clusters/interval.ts';
import { rowOf } from '../../src/clusters/matrix.ts';
import { openMetrics } from '../../src/clusters/metrics.ts';
import { pairedDifference } from '../../src/clusters/paired.ts';
import { distinctive, LONGEST_LABEL, labelsFrom } from '../../src/clusters/terms.ts';
import { roughCount, roughTime } from '../../src/clusters/text/rounded.ts';
import { jumpsOf, matchClusters, type WatchState } from '../../src/clusters/watch.ts';

describe('intervals', () => {
  it.each([
    // Wilson's interval as published for these counts (Newcombe 1998, table I).
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])('%d of %d', (part, whole, low, high) => {
    const rate = rateOf(part, whole);
    expect(rate.low).toBeCloseTo(low, 4);
    expect(rate.high).toBeCloseTo(high, 4);
  });

  it.each([
    // The difference 56/70 - 48/80 (Newcombe 1998, table II, method 10).
    [48, 80, 56, 70, 0.0524, 0.3339],
    [0, 10, 10, 10, 0.6075, 1],
  ])('%d of %d against %d of %d', (a, m, b, n, low, high) => {
    const change = differenceOf(rateOf(a, m), rateOf(b, n));
    expect(change?.low).toBeCloseTo(low, 4);
    expect(change?.high).toBeCloseTo(high, 4);
  });

  it('nothing known is the whole range, and no difference', () => {
    expect(rateOf(0, 0)).toMatchObject({ rate: undefined, low: 0, high: 1 });
    expect(differenceOf(rateOf(0, 0), rateOf(1, 2))).toBeUndefined();
  });

  it('pairs that all differ by the same leave no doubt', () => {
    expect(
      pairedDifference(
        [
          [1, 3],
          [2, 4],
          [10, 12],
        ],
        1,
      ),
    ).toEqual({ difference: 2, low: 2, high: 2 });
    expect(pairedDifference([], 1)).toBeUndefined();
  });
});

describe('terms and labels', () => {
  const terms = [...Array(10).fill(['Bash', 'pytest']), ...Array(10).fill(['Bash', 'kubectl'])].map(
    each => new Set<string>(each),
  );

  it('what is everywhere tells nothing', () => {
    expect(distinctive(terms, unit => unit < 10)).toEqual(['pytest']);
  });

  it('labels are short, differ from each other, and hold nothing that stacks read as syntax', () => {
    const labels = labelsFrom([['a;b=c', 'd'], ['a;b=c', 'd'], [], ['x'.repeat(40)], ['noise'], ['测试'.repeat(20)]]);
    expect(labels).toEqual(['a b c d', 'a b c d 2', 'cluster 3', 'x'.repeat(20), 'noise 2', '测试'.repeat(10)]);
    expect(labels.every(label => [...label].length <= LONGEST_LABEL)).toBe(true);
  });
});

describe('vectors without a model', () => {
  const cosine = (texts: string[]) => {
    const matrix = hashedEmbedding([...texts, 'something else entirely', 'und noch etwas anderes']);
    const [a, b] = [rowOf(matrix, 0), rowOf(matrix, 1)];
    const dot = (x: Float64Array, y: Float64Array) => x.reduce((sum, cell, d) => sum + cell * (y[d] as number), 0);
    return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
  };

  it.each([
    ['inflected words', ['fix the failing tests', 'fixing a failed test']],
    ['Chinese', ['修复登录页面的错误', '登录页面有错误']],
    ['numbers that differ', ['exit code 137 after 42 s in 3f9a8c7d', 'exit code 1 after 9 s in 77bc01de']],
  ])('%s are near each other', (_, texts) => {
    expect(cosine(texts)).toBeGreaterThan(0.25);
  });

  it('unrelated texts are not', () => {
    expect(Math.abs(cosine(['fix the failing tests', '部署到预发环境']))).toBeLessThan(0.2);
  });

  it('the same texts give the same numbers, and an empty text gives zeros', () => {
    const texts = ['one', '', 'two'];
    expect([...hashedEmbedding(texts).cells]).toEqual([...hashedEmbedding(texts).cells]);
    expect([...rowOf(hashedEmbedding(texts), 1)].every(cell => cell === 0)).toBe(true);
  });
});

describe('a model on this disk', () => {
  it('a package that is not installed, and a folder that is not there, are said with the way out', async () => {
    await expect(
      localEmbedding('/tmp', ['a'], undefined, () => Promise.reject(new Error('not found'))),
    ).rejects.toThrow(/npm install @huggingface\/transformers/);
    await expect(localEmbedding('/nowhere/at/all', ['a'])).rejects.toThrow(/--embed-model-dir: there is no directory/);
  });

  it('is never looked for elsewhere', async () => {
    const env = { allowRemoteModels: true, allowLocalModels: false, localModelPath: '' };
    const pipeline = async (_: string, __: string, options: unknown) => {
      expect(options).toEqual({ local_files_only: true });
      return async (texts: string[]) => ({ tolist: () => texts.map((_text, at) => [at, 1]) });
    };
    const vectors = await localEmbedding('/tmp', ['a', '', 'c'], undefined, async () => ({ env, pipeline }));
    expect(env).toEqual({ allowRemoteModels: false, allowLocalModels: true, localModelPath: '/' });
    expect([vectors.rows, vectors.dims]).toEqual([3, 2]);
  });
});

describe('over time', () => {
  const units = (periods: string[], inside: (at: number) => boolean) => ({
    field: 'week',
    periods,
    starts: periods.map((_, at) => at),
    failed: periods.map(() => false),
    clusters: [{ id: 1, label: 'a', units: periods.flatMap((_, at) => (inside(at) ? [at] : [])) }],
  });
  const weeks = [...Array(40).fill('W1'), ...Array(40).fill('W2')];
  it.each([
    ['new', (at: number) => at >= 40 && at < 60],
    ['vanished', (at: number) => at < 20],
    ['grown', (at: number) => at < 4 || at >= 60],
    ['shrunk', (at: number) => at < 20 || at >= 76],
    ['same', (at: number) => at % 2 === 0],
  ])('%s', (change, inside) => {
    expect(driftOf(units(weeks, inside)).clusters[0]?.periods.map(each => each.change)).toEqual(['', change]);
  });
});

describe('watching', () => {
  const outcomes = (prefix: string, ok: number, failed: number) =>
    Object.fromEntries([...Array(ok + failed).keys()].map(at => [`${prefix}${at}`, at >= ok]));
  const state: WatchState = {
    schema: 'agentpprof.cluster-watch-state/1',
    clusters: [
      { label: 'deploy', units: outcomes('d', 19, 1) },
      { label: 'noise', units: outcomes('n', 5, 0) },
    ],
  };

  it('a cluster keeps its name by the units that both runs have, and a taken name is not given twice', () => {
    const matched = matchClusters(state, [
      { label: 'deploy', units: outcomes('x', 9, 0) },
      { label: 'kubectl', units: { ...outcomes('d', 19, 1), ...outcomes('e', 2, 0) } },
      { label: 'noise', units: outcomes('m', 3, 0) },
    ]);
    expect(matched.map(({ label, before }) => [label, before?.label])).toEqual([
      ['deploy 2', undefined],
      ['deploy', 'deploy'],
      ['noise', 'noise'],
    ]);
  });

  it.each([
    ['two more failures of ten', outcomes('e', 8, 2), 0],
    ['seven of ten', outcomes('e', 3, 7), 1],
    ['nothing new', {}, 0],
  ])('%s: %#', (_, fresh, jumps) => {
    const matched = matchClusters(state, [{ label: 'x', units: { ...outcomes('d', 19, 1), ...fresh } }]);
    expect(jumpsOf(matched).length).toBe(jumps);
  });

  it('metrics are OpenMetrics text, names escaped', () => {
    const text = openMetrics([
      { name: 'a_ratio', help: 'x', unit: 'ratio', values: [{ labels: { cluster: 'q"\\\n' }, value: 0.5 }] },
    ]);
    expect(text).toBe(
      '# TYPE a_ratio gauge\n# UNIT a_ratio ratio\n# HELP a_ratio x\na_ratio{cluster="q\\"\\\\\\n"} 0.5\n# EOF\n',
    );
  });
});

describe('numbers in texts are rough', () => {
  it.each([
    [roughTime(3e6), '2 s'],
    [roughTime(95e6), '2 min'],
    [roughTime(4 * 3600e6), '5 h'],
    [roughCount(140), '100'],
    [roughCount(23_456), '20 k'],
    [roughCount(8_000_000), '10 M'],
  ])('%s', (said, expected) => {
    expect(said).toBe(expected);
  });
});
