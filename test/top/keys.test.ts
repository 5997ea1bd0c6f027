import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FIRST_VIEW, keysIn, markedIn, pressed, type View, visible } from '../../src/top/state.ts';
import { session, stateOf } from './states.ts';

const STATE = stateOf([
  session('a', { project: 'web', last: 3, nanoDollars: 1, context: 5, failures: 0, tokensPerMinute: 7 }),
  session('b', { project: 'api', last: 2, nanoDollars: 9, context: 1, failures: 4, tokensPerMinute: 8 }),
  session('c', {
    project: 'web',
    last: 1,
    nanoDollars: 5,
    context: 9,
    failures: 1,
    tokensPerMinute: 9,
    agent: 'codex',
  }),
]);

/** What a person sees after these keys: sessions in order, the mark, and what else is on. */
function after(chunk: string): string {
  let view: View = FIRST_VIEW;
  for (const key of keysIn(chunk)) {
    const next = pressed(view, key, STATE);
    if (next === 'quit') return 'quit';
    view = next;
  }
  const marked = markedIn(STATE, view);
  const ids = visible(STATE, view).map(({ id }) => (id === marked ? `>${id}` : id));
  return [...ids, ...(view.details ? ['details'] : []), ...(view.typing ? [`typing ${view.filter}`] : [])].join(' ');
}

const [UP, DOWN, ESC, ENTER] = ['\u001b[A', '\u001b[B', '\u001b', '\r'];

describe('keys', () => {
  test.each([
    ['', '>a b c'],
    ['q', 'quit'],
    ['\u0003', 'quit'],
    ['s', '>c b a'],
    ['ss', '>b c a'],
    ['sss', '>c a b'],
    ['ssss', '>b c a'],
    ['sssss', '>a b c'],
    ['j', 'a >b c'],
    [`${DOWN}${DOWN}${DOWN}${DOWN}`, 'a b >c'],
    [`${DOWN}${DOWN}${UP}`, 'a >b c'],
    [UP, '>a b c'],
    ['js', 'c >b a'],
    [`j${ENTER}`, 'a >b c details'],
    [`j${ENTER}${ENTER}`, 'a >b c'],
    [`${ENTER}${ESC}`, '>a b c details'.replace(' details', '')],
    ['/', '>a b c typing '],
    ['/WEB', '>a c typing WEB'],
    ['/web\u007f\u007f\u007fapi', '>b typing api'],
    [`/web${ENTER}`, '>a c'],
    [`/codex${ENTER}j`, '>c'],
    [`/web${ENTER}q`, 'quit'],
    ['/q', ' typing q'.trimStart()],
    [`/web${ESC}`, '>a b c'],
    [`/web${ENTER}${ESC}`, '>a b c'],
    ['/web\u0003', 'quit'],
    [`/${UP}${DOWN}`, '>a b c typing '],
    ['\u001b[200~\u001b[1;5Cx', '>a b c'],
  ])('%j gives %s', (chunk, expected) => expect(after(chunk)).toBe(expected));

  test('any bytes are keys or nothing, and what is typed is text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), chunk => {
        let view: View = { ...FIRST_VIEW, typing: true };
        for (const key of keysIn(chunk)) {
          const next = pressed(view, key, STATE);
          if (next === 'quit') return;
          view = next;
          expect(view.filter).not.toMatch(/[\p{Cc}\p{Cf}]/u);
          expect([...view.filter].length).toBeLessThanOrEqual(60);
        }
      }),
    );
  });
});
