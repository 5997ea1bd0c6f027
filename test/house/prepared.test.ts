import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { parse } from 'tldts';
import { expect, test } from 'vitest';
import { PREPARED } from '../../scripts/house/prepared.mjs';
import { builtIn } from '../../src/meaning/tagging/examples.ts';
import { fittedExamples } from '../../src/meaning/tagging/fitted-examples.ts';
import { Neighbours } from '../../src/meaning/tagging/neighbours.ts';

const ROOT = join(import.meta.dirname, '../..');

/** What the build puts in the place of a file. */
async function loaded(file: string): Promise<string> {
  const { load } = PREPARED as { load: (id: string) => Promise<string | { code: string } | null> };
  const found = await load(join(ROOT, file));
  if (found === null) throw new Error(`nothing is prepared in the place of ${file}`);
  return typeof found === 'string' ? found : found.code;
}

/** The values that a module's names have after it was run; its imports are given. */
function run(code: string, names: readonly string[], given: object): Record<string, unknown> {
  const plain = code
    .replace(/^import .*$/gm, '')
    .replace(/^export default /gm, '')
    .replace(/^export /gm, '');
  return runInNewContext(`${plain}\n({ ${names.join(', ')} })`, {
    Buffer,
    process,
    Uint8Array,
    Uint16Array,
    Uint32Array,
    Int32Array,
    Float32Array,
    ...given,
  });
}

const DATA = 'node_modules/tldts/dist/es6/src/data/trie.js';
const LOOKUP = 'node_modules/tldts/dist/es6/src/suffix-trie.js';
const LISTED = ['nodeFlags', 'edgeStart', 'edgeLength', 'edgeChild', 'labelText', 'rulesRoot', 'exceptionsRoot'];

test('the list of public suffixes and its tables are what the library makes of it', async () => {
  const original = (file: string) => readFileSync(join(ROOT, file), 'utf8');
  const list = run(original(DATA), LISTED, {});
  const prepared = run(await loaded(DATA), LISTED, {});
  expect(prepared).toEqual(list);
  const tables = ['edgeOffset', 'edgeHash', 'wildcardEdge'];
  const imports = { fastPathLookup: () => false };
  const lookup = await loaded(LOOKUP);
  expect(run(lookup, tables, { ...list, ...imports })).toEqual(run(original(LOOKUP), tables, { ...list, ...imports }));
  const { suffixLookup } = run(lookup, ['suffixLookup'], { ...prepared, ...imports }) as {
    suffixLookup: (host: string, options: object, out: { publicSuffix?: string }) => void;
  };
  for (const host of ['a.b.example.com', 'x.co.uk', 'www.ck', 'a.b.ck', 'deep.city.kawasaki.jp', 'a.kawasaki.jp']) {
    const out: { publicSuffix?: string } = {};
    suffixLookup(host, { allowIcannDomains: true, allowPrivateDomains: false }, out);
    expect(out.publicSuffix).toBe(parse(host).publicSuffix);
  }
});

test('the examples fitted at the build are those that fitting them gives, and say the same', async () => {
  const { fittedExamples: prepared } = run(
    await loaded('src/meaning/tagging/fitted-examples.ts'),
    ['fittedExamples'],
    {},
  ) as {
    fittedExamples: typeof fittedExamples;
  };
  const [before, now] = [prepared(), fittedExamples()];
  expect(before.texts).toBe(now.texts);
  for (const name of ['features', 'counts', 'rows', 'values'] as const)
    expect(Array.from(before[name]), name).toEqual(Array.from(now[name]));
  const [one, other] = [new Neighbours(builtIn(), before), new Neighbours(builtIn())];
  for (const text of ['why does the login fail', '把这个页面改成蓝色', 'tests for the parser', ''])
    expect(one.nearest(text)).toEqual(other.nearest(text));
});
