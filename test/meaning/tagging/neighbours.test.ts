import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Neighbours, neighbourStep } from '../../../src/meaning/tagging/neighbours.ts';
import type { Rule } from '../../../src/meaning/tagging/rule.ts';
import { TfIdf } from '../../../src/meaning/text/tfidf.ts';
import { dot } from '../../support/sparse-dot.ts';

const LABELLED = [
  { tag: 'access', text: 'reset the password of a user' },
  { tag: 'access', text: 'the login token expired' },
  { tag: 'charts', text: 'draw the legend below the chart' },
  { tag: 'charts', text: '图表的颜色太浅' },
];

describe('the nearest labelled example', () => {
  const neighbours = new Neighbours(LABELLED);
  test.each([
    ['password reset for users', 'access'],
    ['the chart needs a legend', 'charts'],
    ['图表颜色', 'charts'],
  ])('%s: %s', (text, tag) => expect(neighbours.nearest(text)?.tag).toBe(tag));

  test('a text is its own neighbour with all confidence, unless it is left out', () => {
    LABELLED.forEach(({ text, tag }, at) => {
      expect(neighbours.nearest(text)).toMatchObject({ tag, similarity: expect.closeTo(1, 5) });
      expect(neighbours.nearest(text, at)?.similarity ?? 0).toBeLessThan(0.9);
    });
  });

  test('property: the similarity is the product of the two rows, to the last bit', () => {
    const said = fc.constantFrom('reset', 'password', 'legend', 'chart', 'login', 'expired', '图表', 'tokens', 'zxqv');
    fc.assert(
      fc.property(fc.array(said, { maxLength: 8 }), words => {
        const text = words.join(' ');
        const space = new TfIdf();
        const rows = space.fitRows(LABELLED.map(each => each.text));
        const own = space.rows([text]);
        const all = LABELLED.map(({ tag }, at) => ({ tag, similarity: dot(own, 0, rows, at) }));
        const found = neighbours.nearest(text);
        const best = Math.max(...all.filter(({ tag }) => tag === found?.tag).map(({ similarity }) => similarity));
        expect(found?.similarity ?? 0).toBe(found ? best : Math.max(...all.map(({ similarity }) => similarity)));
      }),
    );
  });

  test('what has nothing in common has none', () => {
    expect(neighbours.nearest('')).toBeUndefined();
    expect(neighbours.nearest('👍')).toBeUndefined();
    expect(new Neighbours([]).nearest('anything')).toBeUndefined();
  });

  test('what was pasted does not count where a person says something', () => {
    expect(neighbours.nearest('the chart legend\n> reset the password of a user')?.tag).toBe('charts');
  });
});

describe('the step of the hybrid tagger', () => {
  const rule: Rule = {
    kind: 'prompt',
    tag: 'access',
    patterns: ['never'],
    examples: { match: ['reset the password of a user'], not: [] },
    origin: { source: 'rules.yaml', number: 1 },
  };
  test('compares with the examples of the rules, and stays silent below its confidence', () => {
    expect(neighbourStep([rule], false, 0.6)?.('reset a password')).toEqual({ tag: 'access', by: 'neighbour' });
    expect(neighbourStep([rule], false, 0.6)?.('zxqv')).toEqual({ tag: '', by: '' });
    const both = neighbourStep([rule, { ...rule, tag: 'other' }], false, 0.6);
    expect(both?.('reset a password')).toEqual({ tag: '', by: '' });
    expect(neighbourStep([], false, 0.6)).toBeUndefined();
  });
});
