import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { modelOf } from '../../src/explorer/model.ts';
import { sumsOf } from '../../src/explorer/under.ts';
import { decodePage, type PageContent } from '../../src/formats/cells-code.ts';
import { agentpprof, scratch } from '../cli/program.ts';
import { assertNoCanary } from '../privacy/canaries.ts';
import { plantCanaries } from '../privacy/plant.ts';

const SAMPLE = resolve(import.meta.dirname, '../../sample/home');
const place = scratch('explorer');
afterAll(() => place.remove());

function packed(file: string): Buffer {
  const base64 = /id="cells">([^<]*)</.exec(readFileSync(file, 'utf8'))![1]!;
  return inflateRawSync(Buffer.from(base64, 'base64'));
}

function written(args: readonly string[], name: string): { file: string; page: PageContent } {
  const file = join(place.path, name);
  expect(agentpprof([...args, '-o', file]).code).toBe(0);
  return { file, page: decodePage(packed(file)) };
}

describe('a page that the program writes', () => {
  test('holds cells whose sums are the totals of the JSON output, in every measure', () => {
    const { page } = written(['--home', SAMPLE], 'sample.html');
    const json = join(place.path, 'sample.json');
    agentpprof(['--home', SAMPLE, '-o', json]);
    const { totals } = JSON.parse(readFileSync(json, 'utf8'));
    const sums = sumsOf(modelOf(page.cells), () => true);
    expect(Object.fromEntries(page.cells.measures.map((measure, at) => [measure.name, Number(sums[at])]))).toEqual(
      totals,
    );
  });

  test('is the same bytes again, and asks for nothing outside itself', () => {
    const { file } = written(['--home', SAMPLE], 'first.html');
    const again = written(['--home', SAMPLE], 'again.html').file;
    const html = readFileSync(file, 'utf8');
    expect(readFileSync(again, 'utf8') === html).toBe(true);
    const head = html.slice(0, html.indexOf('<style>'));
    const markup = html.replace(/<script>[\s\S]*<\/script>/, '').slice(0, html.indexOf('id="cells"'));
    expect(/(?:\ssrc|\shref)=|url\(|@import/.exec(markup)).toBeNull();
    expect(head.replace(/&#39;|&apos;/g, "'")).toMatch(/content="default-src 'none'; script-src 'sha256-/);
  });

  test('leaks nothing, also not inside its compressed cells', () => {
    const home = join(place.path, 'home');
    mkdirSync(home);
    plantCanaries(home);
    for (const more of [[], ['--include-previews']]) {
      const { file } = written(['--home', home, ...more], `canaries-${more.length}.html`);
      assertNoCanary(readFileSync(file), file);
      if (more.length === 0) assertNoCanary(packed(file), 'the cells');
    }
  });

  test('carries recorded text only where it was asked for', () => {
    expect(written(['--home', SAMPLE], 'plain.html').page.facts.previews).toEqual([]);
    const { previews } = written(['--home', SAMPLE, '--include-previews'], 'previews.html').page.facts;
    expect(previews.some(preview => preview.includes('"'))).toBe(true);
  });
});
