import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  AnnotationFault,
  annotationOf,
  leavesOf,
  type Segment,
  segmentsIn,
} from '../../../src/meaning/segmentation/marks.ts';

const SESSION = { key: 's', ids: ['s.a', 's.b', 's.c', 's.d', 's.e'] };
const OTHER = { key: 'o', ids: ['o.a'] };
const whole = { tag: 'whole', parent: null, next: null };

/** `name[begin,end) { children }`, as text. */
const drawn = (segments: readonly Segment[]): string =>
  segments
    .map(({ tag, begin, end, children }) => `${tag}[${begin},${end})${children.length ? `{${drawn(children)}}` : ''}`)
    .join(' ');

describe('an annotation that is right', () => {
  test.each([
    ['one mark over all', { 's.a': whole }, 'whole[0,5)'],
    [
      'marks that lie apart',
      { 's.a': { tag: 'x', parent: null, next: 's.c' }, 's.c': { tag: 'y', parent: null, next: null } },
      'x[0,2) y[2,5)',
    ],
    [
      'a mark in another, some of which is its own',
      { 's.a': whole, 's.b': { tag: 'in', parent: 's.a', next: 's.d' } },
      'whole[0,5){in[1,3)}',
    ],
    [
      'two marks at one node, the outer first',
      { 's.a': [whole, { tag: 'in', parent: 's.a', next: 's.b' }] },
      'whole[0,5){in[0,1)}',
    ],
  ])('%s', (_, annotation, text) => {
    expect(drawn(segmentsIn(annotation, [SESSION]).get('s') ?? [])).toBe(text);
  });
});

describe('an annotation that is wrong names the smallest fault', () => {
  const faultOf = (annotation: unknown, sessions = [SESSION]) => {
    try {
      segmentsIn(annotation, sessions);
    } catch (error) {
      if (error instanceof AnnotationFault) return error.message;
    }
    return 'no fault';
  };

  test.each([
    ['no object', [], 'the annotation is no object of start nodes and marks'],
    ['no mark', {}, 'node s.a of session s is in no mark'],
    ['an unknown node', { 's.z': whole, 's.a': whole }, 'there is no node "s.z" in the trace'],
    ['an unknown end', { 's.a': { ...whole, next: 's.z' } }, 'node s.a: next is "s.z", which is no node of the trace'],
    [
      'an end before the start',
      { 's.a': whole, 's.c': { tag: 'x', parent: 's.a', next: 's.b' } },
      'node s.c: next is not behind it',
    ],
    ['no tag', { 's.a': { tag: ' ', parent: null, next: null } }, 'node s.a: the tag is missing'],
    ['a tag with a line break', { 's.a': { ...whole, tag: 'a\nb' } }, 'node s.a: the tag has control characters'],
    ['no mark at all at a node', { 's.a': whole, 's.b': [] }, 'node s.b: an empty list marks nothing'],
    [
      'marks that cross',
      { 's.a': { tag: 'x', parent: null, next: 's.c' }, 's.b': { tag: 'y', parent: 's.a', next: null } },
      'the mark at s.b crosses the end of the one at s.a',
    ],
    [
      'a parent that is not around it',
      { 's.a': whole, 's.b': { tag: 'x', parent: 's.c', next: 's.d' } },
      'the mark at s.b lies in the one at s.a, not in s.c',
    ],
    [
      'a gap',
      { 's.a': { tag: 'x', parent: null, next: 's.b' }, 's.d': { tag: 'y', parent: null, next: null } },
      'node s.b of session s is in no mark',
    ],
    [
      'an end that is missing',
      { 's.a': { tag: 'x', parent: null, next: 's.d' } },
      'node s.d of session s is in no mark',
    ],
  ])('%s', (_, annotation, message) => {
    expect(faultOf(annotation)).toBe(message);
  });

  test('another session is another world', () => {
    expect(faultOf({ 's.a': { ...whole, next: 'o.a' }, 'o.a': whole }, [SESSION, OTHER])).toBe(
      'node s.a: next lies in another session',
    );
  });

  test('nesting has an end', () => {
    const deep = Array.from({ length: 9 }, (_, at) => ({ tag: `t${at}`, parent: at === 0 ? null : 's.a', next: null }));
    expect(faultOf({ 's.a': deep })).toBe('the mark at s.a is nested more than 8 deep');
  });
});

/** Trees over 0 to n: every stretch is whole or parted into stretches. */
const tree = (begin: number, end: number, depth: number): fc.Arbitrary<Segment> =>
  fc
    .record({ tag: fc.constantFrom('edit a', 'test b', 'read c'), cuts: fc.subarray(range(begin + 1, end)) })
    .chain(({ tag, cuts }) => {
      const make = (children: readonly Segment[]): Segment => ({
        start: `s.${begin}`,
        begin,
        end,
        tag,
        sure: undefined,
        children,
      });
      if (depth === 0 || cuts.length === 0) return fc.constant(make([]));
      const edges = [begin, ...cuts, end];
      return fc
        .tuple(...edges.slice(1).map((to, at) => tree(edges[at] as number, to, depth - 1)))
        .map(children => make(children));
    });
const range = (from: number, to: number) => Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at);

test('segments written as marks and read again are the same, and their leaves cover every node once', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 9 }).chain(n => tree(0, n, 3).map(segment => ({ n, segment }))),
      ({ n, segment }) => {
        const ids = range(0, n).map(at => `s.${at}`);
        const again = segmentsIn(annotationOf([segment], ids), [{ key: 's', ids }]).get('s') ?? [];
        expect(drawn(again)).toBe(drawn([segment]));
        expect(leavesOf(again).flatMap(({ begin, end }) => range(begin, end))).toEqual(range(0, n));
      },
    ),
  );
});
