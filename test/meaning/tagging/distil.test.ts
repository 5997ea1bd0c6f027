import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { distil, type TaggedText } from '../../../src/meaning/tagging/distil.ts';
import { compileRules } from '../../../src/meaning/tagging/engine.ts';
import { wordsPattern } from '../../../src/meaning/tagging/words.ts';

const text = (tag: string, said: string, prompts = 1): TaggedText => ({
  text: said,
  tag,
  prompts,
  tokens: 10 * prompts,
});
const HISTORY = [
  text('access', 'the login page is slow'),
  text('access', 'login with a token', 2),
  text('access', '登录页面打不开'),
  text('access', '登录失败了'),
  text('charts', 'the legend of the chart'),
  text('charts', 'chart colours on the login page'),
  text('', 'the weather page'),
];
const OPTIONS = { leastPrompts: 2, precision: 0.7, sayable: (text: string) => text };

describe('rules distilled from tagged texts', () => {
  test('are words of many texts of the tag and few others, of any script, the narrow tags first', () => {
    const rules = distil(HISTORY, OPTIONS);
    expect(rules.map(({ tag, words }) => [tag, words])).toEqual([
      ['charts', ['chart']],
      ['access', ['login', '登录']],
    ]);
    const [charts, access] = rules;
    expect(charts).toMatchObject({ prompts: 2, tokens: 20, precision: 1, recall: 1 });
    expect(access).toMatchObject({ prompts: 6, tokens: 60, recall: 1 });
    expect(access?.precision).toBeCloseTo(5 / 6);
  });

  test('words of asking count only where tags say what is asked', () => {
    const asked = [text('explain', 'why so'), text('explain', 'why that'), text('', 'go there'), text('', 'see here')];
    expect(distil(asked, OPTIONS)).toEqual([]);
    expect(distil(asked, { ...OPTIONS, asking: true })[0]?.words).toEqual(['why']);
  });

  test('property: a rule file of them takes exactly what each says it takes', async () => {
    const word = fc.constantFrom('login', 'chart', '登录', '图表', 'deploy', 'why');
    const said = fc.array(word, { minLength: 1, maxLength: 4 }).map(words => words.join(' '));
    const history = fc.array(fc.record({ said, tag: fc.constantFrom('a', 'b', '') }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(history, async rows => {
        const texts = rows.map(row => text(row.tag, row.said));
        for (const { tag, words, prompts } of distil(texts, { ...OPTIONS, leastPrompts: 1, precision: 0.5 })) {
          const origin = { source: 'rules.yaml', number: 1 };
          const engine = await compileRules(
            [{ kind: 'prompt', tag, patterns: [wordsPattern(words)], origin }],
            'prompt',
          );
          expect(texts.filter(each => engine.match(each.text) === 0)).toHaveLength(prompts);
        }
      }),
      { numRuns: 30 },
    );
  });
});
