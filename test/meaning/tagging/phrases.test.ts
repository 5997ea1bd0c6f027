import fc from 'fast-check';
import { expect, test } from 'vitest';
import { APART, onlyContinues, PHRASES } from '../../../src/meaning/tagging/phrases.ts';

const { GO_ON, GO_AHEAD, PRAISE, BESIDE, PICKED } = PHRASES;
const ALL = [...GO_ON, ...GO_AHEAD, ...PRAISE, ...BESIDE];

/** The twin: one alternation of all phrases, the longest first. */
const alternatives = (phrases: readonly string[]): string =>
  [...phrases]
    .sort((a, b) => b.length - a.length)
    .map(phrase => (/^[a-z]/.test(phrase) ? `\\b${phrase.replace("'", "['’]?").replaceAll(' ', '\\s+')}\\b` : phrase))
    .join('|');
const STEP = new RegExp(`(?:${APART})*(?:(${alternatives(ALL)}|${PICKED})|$)`, 'y');
const GOES_ON = new RegExp(`^(?:${alternatives([...GO_ON, ...GO_AHEAD])}|${PICKED})$`);
const PRAISES = new RegExp(`^(?:${alternatives(PRAISE)})$`);

function twin(prompt: string): string {
  const text = prompt.toLowerCase();
  let found = /^\s*(?:👍|👌|✅)/u.test(text) ? 'continue' : '';
  for (STEP.lastIndex = 0; ; ) {
    const at = STEP.lastIndex;
    const step = STEP.exec(text);
    if (!step) return '';
    if (step[1] === undefined || STEP.lastIndex === at) return found;
    if (GOES_ON.test(step[1])) found = 'continue';
    else if (PRAISES.test(step[1]) && found === '') found = 'approve';
  }
}

const phrase = fc.constantFrom(...ALL, '2', 'option b', '方案一', 'plan 12', 'Option 3');
const noise = fc.constantFrom('cat', 'goo', 'n', '那个', '_', '7x', 'S', "'", '👍');
const between = fc.constantFrom(' ', ', ', '. ', '', '，', '!\n', '  ', '’');
const typed = (text: string) =>
  fc.constantFrom(text, text.toUpperCase(), text.replaceAll(' ', ' \t'), text.replace("'", '’'), text.replace("'", ''));

test('property: reads as one alternation of all phrases would, the longest first', () => {
  const part = fc
    .tuple(fc.oneof({ weight: 8, arbitrary: phrase.chain(typed) }, noise), between)
    .map(each => each.join(''));
  fc.assert(
    fc.property(fc.array(part, { maxLength: 7 }), parts => {
      const text = parts.join('');
      expect(onlyContinues(text)).toBe(text.length > 400 ? '' : twin(text));
    }),
    { numRuns: 3000, examples: [[['_', 'Option 3 ']], [['_', '2']]] },
  );
});
