import { expect, test } from 'vitest';
import { canonicalName } from '../../../src/meaning/segmentation/names.ts';
import { renamingOf } from '../../../src/meaning/segmentation/near-names.ts';

test.each([
  ['Edit  LoginForm.test', 'edit login form'],
  ['diagnose_auth-failure', 'diagnose auth failure'],
  ['edit the parser of main', 'edit parser'],
  ['fix 3fa9c1d07b issue 42', 'fix issue'],
  ['修复 登录 页面', '修复 登录 页面'],
  ['test test test', 'test'],
  ['!!', ''],
])('the canonical form of %j is %j', (name, canonical) => {
  expect(canonicalName(name)).toBe(canonical);
  expect(canonicalName(canonical)).toBe(canonical);
});

test.each([
  ['plural and singular', { 'edit test': 3, 'edit tests': 1 }, { 'edit tests': 'edit test' }],
  ['words in another order', { 'edit login form': 3, 'edit form login': 1 }, { 'edit form login': 'edit login form' }],
  ['a slip in a long word', { 'deploy service': 3, 'deploy servce': 1 }, { 'deploy servce': 'deploy service' }],
  ['another verb', { 'edit login': 3, 'test login': 1 }, {}],
  ['a short word with another letter', { 'edit cat': 3, 'edit car': 1 }, {}],
  ['a series', { 'edit version1': 3, 'edit version2': 1 }, {}],
])('near names: %s', (_, uses, renaming) => {
  expect(Object.fromEntries(renamingOf(new Map(Object.entries(uses))))).toEqual(renaming);
});

test('a person overrules: a name of its own, or another one', () => {
  const uses = new Map([
    ['edit test', 3],
    ['edit tests', 1],
    ['edit tset', 1],
  ]);
  const overrules = new Map([
    ['edit tests', 'edit tests'],
    ['edit tset', 'edit test'],
  ]);
  expect([...renamingOf(uses, overrules)]).toEqual([['edit tset', 'edit test']]);
});
