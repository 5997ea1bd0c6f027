import { describe, expect, test } from 'vitest';
import { clusterTexts } from '../../../src/meaning/tagging/cluster.ts';
import { distinctiveWords, tellingWords } from '../../../src/meaning/tagging/distinct.ts';
import { seededRandom } from '../../../src/meaning/text/hash.ts';

const TOPICS = {
  login: ['login', 'password', 'session', 'token', 'cookie'],
  chart: ['chart', 'legend', 'axis', 'tooltip', 'series'],
  deploy: ['deploy', 'docker', 'kubernetes', 'rollout', 'cluster'],
  invoice: ['invoice', 'payment', 'refund', 'currency', 'billing'],
  查询: ['数据库', '查询', '索引', '迁移', '事务'],
  视频: ['视频', '播放', '字幕', '缓冲', '清晰度'],
};

/** Texts of four words of one topic each, and which. */
function history(each: number, seed: number) {
  const random = seededRandom(seed);
  return Object.entries(TOPICS).flatMap(([topic, words]) =>
    Array.from({ length: each }, (_, at) => ({
      topic,
      prompts: 1,
      text: `${Array.from({ length: 4 }, () => words[Math.floor(random() * words.length)]).join(' ')} ${at}`,
    })),
  );
}

/** Topics by the tags their texts got. */
function purity(texts: ReturnType<typeof history>, tags: ReadonlyMap<string, string>): number {
  const counts = new Map<string, Map<string, number>>();
  for (const { text, topic } of texts) {
    const own = counts.get(tags.get(text) ?? '') ?? new Map<string, number>();
    counts.set(tags.get(text) ?? '', own.set(topic, (own.get(topic) ?? 0) + 1));
  }
  return [...counts.values()].reduce((sum, own) => sum + Math.max(...own.values()), 0) / texts.length;
}

const asItIs = (text: string): string => text;

describe('clusters of prompts', () => {
  const texts = history(12, 1);
  test('are of one topic each, in any script, and called after its words', () => {
    const { k, tags, clusters } = clusterTexts(texts, asItIs);
    expect(k).toBeGreaterThanOrEqual(5);
    expect(k).toBeLessThanOrEqual(25);
    expect(purity(texts, tags)).toBeGreaterThan(0.95);
    const known = new Set(Object.values(TOPICS).flatMap(words => words.flatMap(word => [...tellingWords(word)])));
    for (const { words } of clusters) expect(known).toContain(words[0]);
    expect(new Set(clusters.map(({ tag }) => tag)).size).toBe(clusters.length);
  });

  test('are the same whatever the order of the texts', () => {
    const there = clusterTexts(texts, asItIs);
    const back = clusterTexts([...texts].reverse(), asItIs);
    expect(back.clusters).toEqual(there.clusters);
    for (const { text } of texts) expect(back.tags.get(text)).toBe(there.tags.get(text));
  });

  test('keep their names when the history grows', () => {
    const first = clusterTexts(texts, asItIs);
    const grown = clusterTexts([...texts, ...history(4, 2)], asItIs, first.clusters);
    const names = new Set(first.clusters.map(({ tag }) => tag));
    const kept = texts.filter(({ text }) => grown.tags.get(text) === first.tags.get(text)).length;
    expect(kept / texts.length).toBeGreaterThan(0.9);
    expect(grown.clusters.filter(({ tag }) => names.has(tag)).length).toBeGreaterThanOrEqual(5);
  });

  test('are called after words that may be said', () => {
    const { tags, clusters } = clusterTexts(texts, text => text.replaceAll(/login/gi, ' '));
    expect(tags.size).toBeGreaterThan(0);
    expect(JSON.stringify([[...tags.values()], clusters.map(({ words }) => words)])).not.toMatch(/login/i);
  });

  test('nothing, one text, texts without words', () => {
    expect(clusterTexts([], asItIs).k).toBe(0);
    expect(
      clusterTexts(
        [
          { text: '👍', prompts: 3 },
          { text: 'ok', prompts: 1 },
        ],
        asItIs,
      ).tags.size,
    ).toBe(0);
    expect([...clusterTexts([{ text: 'login page', prompts: 1 }], asItIs).tags.values()]).toEqual(['login-page']);
  });
});

test('the most distinctive words are frequent in their group and rare elsewhere', () => {
  const grouped = ['login bug', 'login page', 'chart bug', 'chart axis'].map((text, at) => ({
    words: tellingWords(text),
    group: at < 2 ? 0 : 1,
    weight: 1,
  }));
  expect(distinctiveWords(grouped, 2, 1)).toEqual([['login'], ['chart']]);
});
