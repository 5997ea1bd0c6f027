import { describe, expect, test } from 'vitest';
import { escapeXml } from '../../src/formats/xml.ts';
import { HOSTILE_NAMES } from './random-profile.ts';
import { parseXml, textIn } from './xml.ts';

describe('the strict reader that the SVG tests stand on', () => {
  test.each([
    '<a>',
    '<a></b>',
    '<a b=c/>',
    '<a b="1" b="2"/>',
    '<a b="<"/>',
    '<a>&</a>',
    '<a>&nbsp;</a>',
    '<a>&am</a>',
    '<a>]]></a>',
    '<a>\u0001</a>',
    '<a>\uffff</a>',
    '<a/><b/>',
    'text<a/>',
    '<a>< b></a>',
  ])('refuses %j', text => {
    expect(() => parseXml(text)).toThrow();
  });

  test('reads elements, attributes, entities and CDATA', () => {
    expect(parseXml(`<a b='1'><c d="&lt;&#38;"/>x&amp;<![CDATA[<&]]></a>`)).toEqual({
      name: 'a',
      attributes: { b: '1' },
      children: [{ name: 'c', attributes: { d: '<&' }, children: [] }, 'x&', '<&'],
    });
  });
});

describe('escaping', () => {
  test.each(HOSTILE_NAMES.map(name => [name]))('makes %j inert in text and in quotes of both kinds', name => {
    const escaped = escapeXml(name);
    const element = parseXml(`<a b="${escaped}" c='${escaped}'>${escaped}</a>`);
    expect(Object.keys(element.attributes)).toEqual(['b', 'c']);
    expect([element.attributes.c, textIn(element)]).toEqual([element.attributes.b, element.attributes.b]);
  });
});
