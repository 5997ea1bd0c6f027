import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { displayName } from '../../src/formats/names.ts';
import { type SvgOptions, writeSvg } from '../../src/formats/svg.ts';
import { SCRIPT } from '../../src/formats/svg-script.ts';
import { allColourClasses, fillOf } from '../../src/formats/svg-style.ts';
import { exactly } from '../../src/formats/units.ts';
import type { Profile } from '../../src/profile/profile.ts';
import { treeOf } from '../../src/profile/tree.ts';
import { MEASURES } from '../../src/trace/measures.ts';
import { textOf } from '../support/collect.ts';
import { profileOf, profileOfRows } from '../support/profiles.ts';
import { HOSTILE_NAMES, randomProfile } from './random-profile.ts';
import { elementsOf, parseXml, textIn, type XmlElement } from './xml.ts';

interface Box {
  name: string;
  tooltip: string[];
  label: string;
  x: number;
  y: number;
  width: number;
  parent: number;
}

const picture = (profile: Profile, options?: SvgOptions) => parseXml(textOf(writeSvg, profile, options));
const named = (root: XmlElement, name: string) => [...elementsOf(root)].filter(element => element.name === name);

function boxesOf(root: XmlElement): Box[] {
  return named(root, 'svg')
    .filter(element => element.attributes.class === 'f')
    .map(element => {
      const tooltip = textIn(named(element, 'title')[0]!).split('\n');
      return {
        name: tooltip[0]!,
        tooltip,
        label: named(element, 'text').map(textIn).join(''),
        x: Number.parseFloat(element.attributes.x!),
        y: Number(element.attributes.y),
        width: Number.parseFloat(element.attributes.width!),
        parent: Number(element.attributes['data-p']),
      };
    });
}

/** The picture as text: level, place in percent, name, what stands under the name. */
const drawn = (boxes: Box[]) => boxes.map(b => `${'  '.repeat(b.y / 22)}${b.name} ${b.x}+${b.width} ${b.tooltip[1]}`);

/** All text that a person sees without pointing at anything. */
function visibleText(root: XmlElement): string {
  return named(root, 'text').map(textIn).join('\n');
}

describe('a flame graph', () => {
  test('puts children under their parent, the widest first, and leaves what is the parent’s own free', () => {
    expect(drawn(boxesOf(picture(profileOf('a:x;b:y 30 | a:x;b:z 40 | a:x 10 | a:w 20'))))).toEqual([
      'all 0+100 100 · 100 %',
      '  a:x 0+80 80 · 80.0 %',
      '    b:z 0+40 40 · 40.0 %',
      '    b:y 40+30 30 · 30.0 %',
      '  a:w 80+20 20 · 20.0 %',
    ]);
  });

  test('can order neighbours by name, to be compared with another', () => {
    const names = boxesOf(picture(profileOf('a:x 1 | a:w 9 | a:y 5'), { order: 'name' })).map(b => b.name);
    expect(names).toEqual(['all', 'a:w', 'a:x', 'a:y']);
  });

  test('tells value, share, exact value and share of the frame above', () => {
    const boxes = boxesOf(picture(profileOf('a:x;b:y 1500 | a:x 500 | a:w 2000')));
    expect(boxes.map(b => b.tooltip)).toEqual([
      ['all', '4.0 k · 100 %', '4,000 tokens'],
      ['a:w', '2.0 k · 50.0 %', '2,000 tokens'],
      ['a:x', '2.0 k · 50.0 %', '2,000 tokens', '500 of it in no frame below'],
      ['b:y', '1.5 k · 37.5 %', '1,500 tokens', '75.0 % of a:x'],
    ]);
  });

  test.each([
    ['tokens', 12_412_345n, '12.4 M tokens'],
    ['time', 11_520_000_000_000n, '3 h 12 min of activity'],
    ['cost', 1_230_000n, '$1.23'],
    ['errors', 1n, '1 error'],
  ])('says the total of %s in words', (measure, value, expected) => {
    const root = picture(profileOf(`a:x ${value}`, { measure, view: 'my' }), { subtitle: 'since 1 May' });
    expect(visibleText(root).split('\n').slice(0, 2)).toEqual([expected, 'my view · since 1 May']);
    expect(textIn(named(root, 'title')[0]!)).toBe(`${expected} · my view · since 1 May`);
  });

  test.each([
    [1200, 'prompt:debug-the-login20 · 20.0 %'],
    [900, 'prompt:debug-the-login'],
    [600, 'debug-the-login'],
    [320, 'debu…'],
  ])('labels a box in %d pixels with kind, value, number and share, or with what of it fits', (width, expected) => {
    const profile = profileOf('prompt:debug-the-login 20 | prompt:x 80', {
      measures: [{ name: 'tokens', unit: 'count' }],
    });
    const boxes = boxesOf(picture(profile, { width }));
    expect(boxes.find(b => b.name.startsWith('prompt:debug'))!.label).toBe(expected);
  });

  test('says nothing of an East-Asian name beyond its box, where one character is twice as wide', () => {
    const profile = profileOf('prompt:诊断登录失败的原因并且修复 10 | prompt:x 90');
    const label = boxesOf(picture(profile, { width: 1032 })).find(b => b.name.includes('诊断'))!.label;
    expect(label).toBe('诊断登录失…');
  });

  test('counts frames that are too narrow to see instead of drawing them', () => {
    const many = Array.from({ length: 50 }, (_, i) => `a:x;b:${i} 1`).join('\n');
    const root = picture(profileOf(`${many}\na:w 999950`));
    expect(boxesOf(root).map(b => b.name)).toEqual(['all', 'a:w']);
    expect(visibleText(root)).toContain('Not drawn: 51 frames narrower than 0.3 px (< 0.1 % of the width).');
  });

  test('of 3,000 levels is cut to a height that viewers can draw, and says so', () => {
    const path = Array.from({ length: 3000 }, (_, i) => `a:${i}`).join(';');
    const root = picture(profileOf(`${path} 5`));
    expect(boxesOf(root)).toHaveLength(97);
    expect(Number(root.attributes.height)).toBeLessThan(2500);
    expect(visibleText(root)).toContain('Not drawn: 2.9 k frames deeper than 96 levels (100 % of the width).');
  });

  test('names the kinds it draws in a legend, those nearest to the root first', () => {
    const root = picture(profileOf('agent:a;prompt:p;tool:t 5'));
    expect(visibleText(root).split('\n').slice(2, 5)).toEqual(['agent', 'prompt', 'tool']);
  });

  test.each([
    ['nothing selected', profileOf(''), undefined, 'Nothing was selected, so there is nothing to show.'],
    [
      'no durations',
      profileOf('a:x 5'),
      'time',
      'The selected history has no duration data: every value is zero. It has tokens.',
    ],
    ['all zero', profileOf('a:x 0'), 'errors', 'The selected history has no errors: every value is zero.'],
  ])('of %s says so in a sentence', (_, profile, measure, sentence) => {
    const root = picture(profile, { measure });
    expect(visibleText(root)).toContain(sentence);
    expect(boxesOf(root)).toEqual([]);
  });

  test('of a difference is as wide as its changes, coloured by direction, with a legend', () => {
    const text = textOf(writeSvg, profileOf('a:up 30 | a:down -50 | a:both;b:x 10 | a:both;b:y -10'));
    const root = parseXml(text);
    expect(drawn(boxesOf(root))).toEqual([
      'all 0+100 -20 · 100 %',
      '  a:down 0+50 -50 · 50.0 %',
      '  a:up 50+30 +30 · 30.0 %',
      '  a:both 80+20 0 · 20.0 %',
      '    b:x 80+10 +10 · 10.0 %',
      '    b:y 90+10 -10 · 10.0 %',
    ]);
    const colours = named(root, 'svg')
      .filter(e => e.attributes.class === 'f')
      .map(e => named(e, 'rect')[0]!.attributes.class);
    expect(colours).toEqual(['less-0', 'less-2', 'more-2', 'even-0', 'more-2', 'less-2']);
    expect(visibleText(root)).toContain('more than before\nless than before\nchanges that cancel');
    expect(boxesOf(root)[0]!.tooltip).toEqual(['all', '-20 · 100 %', '-20 tokens', '100 changed in all']);
  });

  test('keeps the bytes it had', async () => {
    const profile = profileOf(
      'agent:codex;prompt:调试;tool:Bash 500 | agent:codex;prompt:调试 70 | agent:codex;prompt:"<&> 90 | agent:pi 40',
    );
    await expect(textOf(writeSvg, profile, { subtitle: 'everything' })).toMatchFileSnapshot(
      '../golden/formats/small.svg',
    );
  });
});

describe('names in a flame graph', () => {
  test('cut at every length leave well-formed XML', () => {
    const value = `<b>&amp; "quotes" 'single' & < > 👩‍👩‍👧‍👦 é 调试 ]]> end`;
    for (let length = 5; length <= 40; length++) {
      const rows = [
        { stack: [{ kind: 'tool', value: value.slice(0, length) }], values: MEASURES.map(() => 10n) },
        { stack: [{ kind: 'tool', value: 'rest' }], values: MEASURES.map(() => 90n) },
      ];
      for (let width = 320; width <= 2400; width += 160) {
        const boxes = boxesOf(picture(profileOfRows(rows), { width }));
        expect(boxes).toHaveLength(3);
      }
    }
  });

  test.each(HOSTILE_NAMES.map(name => [name]))('are data, never markup, attributes or script: %j', name => {
    const rows = [{ stack: [{ kind: name, value: name }], values: MEASURES.map(() => 10n) }];
    const root = picture({ ...profileOfRows(rows), view: name }, { subtitle: name });
    const elements = [...elementsOf(root)];
    expect(new Set(elements.map(e => e.name))).toEqual(
      new Set(['svg', 'title', 'style', 'rect', 'text', 'tspan', 'g', 'script']),
    );
    const attributes = new Set(elements.flatMap(e => Object.keys(e.attributes)));
    expect([...attributes].filter(attribute => attribute.startsWith('on') || attribute.includes('href'))).toEqual([]);
    expect(named(root, 'script').map(textIn)).toEqual([SCRIPT]);
    expect(boxesOf(root)[1]!.name).toBe(displayName({ kind: name, value: name }).replace(/[\ufffe\uffff]/g, '\ufffd'));
  });

  test('cannot turn around the text beside them', () => {
    const svg = textOf(writeSvg, profileOf('a:\u202eevil\u2066 5'));
    expect(svg).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
  });
});

describe('a flame graph file', () => {
  test('refers to nothing outside', () => {
    const svg = textOf(writeSvg, profileOf('a:x 5'));
    const addresses = svg.match(/https?:[^"'\s]*/g) ?? [];
    expect(new Set(addresses)).toEqual(new Set(['http://www.w3.org/2000/svg', 'http://www.w3.org/1999/xhtml']));
    expect(svg).not.toMatch(/@import|url\(|href/);
  });

  test('has text with a contrast of 4.5 on every colour, on light and dark ground', () => {
    for (const [ground, ink] of [
      ['light', '#1f2328'],
      ['dark', '#e8ecf1'],
    ] as const) {
      for (const name of allColourClasses()) {
        expect.soft(contrast(fillOf(name, ground), ink), `${name} on ${ground}`).toBeGreaterThan(4.5);
      }
    }
  });

  test.each([
    ['profile', false],
    ['difference', true],
  ])('of any %s is well-formed, holds every box in its parent and adds up', (_, signed) => {
    fc.assert(
      fc.property(randomProfile(signed), fc.integer({ min: 320, max: 2000 }), (profile, width) => {
        const root = picture(profile, { width });
        const boxes = boxesOf(root);
        const tree = treeOf(profile);
        if (tree.weight[0] === 0n) {
          expect(boxes).toEqual([]);
          return;
        }
        expect([boxes[0]!.x, boxes[0]!.width]).toEqual([0, 100]);
        const { unit } = profile.measures.find(m => m.name === profile.measure)!;
        expect(boxes[0]!.tooltip[2]!.split(' ')[0]).toBe(exactly(tree.total[0]!, unit, tree.signed).split(' ')[0]);
        const slack = 3e-6;
        boxes.forEach((box, i) => {
          if (i === 0) return;
          const above = boxes[box.parent]!;
          expect(box.parent).toBeLessThan(i);
          expect(box.y).toBe(above.y + 22);
          expect(box.x).toBeGreaterThanOrEqual(above.x - slack);
          expect(box.x + box.width).toBeLessThanOrEqual(above.x + above.width + slack);
          const before = boxes.slice(0, i).findLast(other => other.parent === box.parent);
          if (before !== undefined) expect(box.x).toBeGreaterThanOrEqual(before.x + before.width - slack);
        });
      }),
    );
  });
});

/** Contrast ratio of two colours (Web Content Accessibility Guidelines 2, relative luminance). */
function contrast(a: string, b: string): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light! + 0.05) / (dark! + 0.05);
}

function luminance(hex: string): number {
  const [r, g, b] = [1, 3, 5].map(i => {
    const c = Number.parseInt(hex.slice(i, i + 2), 16) / 255;
    return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}
