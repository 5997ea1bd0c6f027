import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { writeSvg } from '../../src/formats/svg.ts';
import { fillOf, kindClass } from '../../src/formats/svg-style.ts';
import type { Profile } from '../../src/profile/profile.ts';
import { MEASURES } from '../../src/trace/measures.ts';
import { textOf } from '../support/collect.ts';
import { CHROMIUM, installed } from '../support/installed.ts';
import { profileOf, profileOfRows } from '../support/profiles.ts';
import { HOSTILE_NAMES, randomProfile } from './random-profile.ts';

/** The page's side of the tests; the project has no DOM types. */
declare const document: {
  documentElement: unknown;
  querySelectorAll(selector: string): ArrayLike<{
    getBoundingClientRect(): { left: number; right: number; top: number; bottom: number; width: number };
    textContent: string;
    querySelector(selector: string): { getBoundingClientRect(): { left: number; right: number } } | null;
  }>;
};
declare const DOMParser: new () => {
  parseFromString(text: string, type: string): { querySelector(selector: string): { textContent: string } | null };
};

const PROFILE = profileOf(
  [
    'agent:codex;prompt:debug;tool:Bash 600',
    'agent:codex;prompt:debug;tool:Read 100',
    'agent:codex;prompt:review 100',
    'agent:pi;prompt:debug;tool:Bash 200',
  ].join('\n'),
);

describe.skipIf(!installed('chromium'))('a flame graph in a browser (skipped where chromium is not installed)', () => {
  let folder: string;
  let browser: Browser;
  let page: Page;
  let trouble: string[];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'agentpprof-svg-'));
    browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-sync', '--no-first-run'],
      env: { PATH: process.env.PATH ?? '', HOME: folder },
    });
    // One page for all tests, since each opens its own file in it.
    page = await browser.newPage({ viewport: { width: 1032, height: 500 } });
    page.setDefaultTimeout(100_000);
    page.on('pageerror', error => trouble.push(error.message));
    page.on('console', message => trouble.push(message.text()));
    page.on('dialog', dialog => trouble.push(dialog.message()));
    page.on('request', request => {
      if (!/^(file|data):/.test(request.url())) trouble.push(request.url());
    });
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(() => {
    trouble = [];
  });
  afterEach(() => expect(trouble).toEqual([]));

  async function open(profile: Profile, subtitle = 'everything'): Promise<void> {
    const file = join(folder, 'picture.svg');
    writeFileSync(file, textOf(writeSvg, profile, { subtitle }));
    await page.goto(`file://${file}`);
  }

  const box = (name: string) => page.locator(`.f[aria-label^="${name},"]`).first();
  /** The boxes that can be seen, with place and width in pixels. */
  const shown = async () =>
    (await page.locator('.f:visible').all()).reduce<Promise<string[]>>(async (before, element) => {
      const [label, x, width] = await Promise.all(['aria-label', 'x', 'width'].map(name => element.getAttribute(name)));
      const pixels = [x, width].map(percent => Math.round(Number.parseFloat(percent!) * 10));
      return [...(await before), `${label!.split(',')[0]} ${pixels.join('+')}`];
    }, Promise.resolve([]));

  test('starts as the still picture, as wide as the window', async () => {
    await open(PROFILE);
    expect(await shown()).toEqual([
      'all 0+1000',
      'agent:codex 0+800',
      'prompt:debug 0+700',
      'tool:Bash 0+600',
      'tool:Read 600+100',
      'prompt:review 700+100',
      'agent:pi 800+200',
      'prompt:debug 800+200',
      'tool:Bash 800+200',
    ]);
    expect(await page.locator('#context').textContent()).toBe('tokens view · everything');
  });

  test('a click zooms to a frame, the path leads back step by step, and Escape all the way', async () => {
    await open(PROFILE);
    await box('prompt:debug').click();
    expect(await shown()).toEqual([
      'all 0+1000',
      'agent:codex 0+1000',
      'prompt:debug 0+1000',
      'tool:Bash 0+857',
      'tool:Read 857+143',
    ]);
    expect(await page.locator('#context').textContent()).toBe('all › agent:codex › prompt:debug');
    await page.locator('#context tspan', { hasText: 'agent:codex' }).click();
    expect(await shown()).toEqual([
      'all 0+1000',
      'agent:codex 0+1000',
      'prompt:debug 0+875',
      'tool:Bash 0+750',
      'tool:Read 750+125',
      'prompt:review 875+125',
    ]);
    await page.keyboard.press('Escape');
    expect(await shown()).toHaveLength(9);
    expect(await page.locator('#context').textContent()).toBe('tokens view · everything');
  });

  test('the reset link shows only while zoomed, and leads back', async () => {
    await open(PROFILE);
    expect(await page.locator('#reset').isVisible()).toBe(false);
    await box('agent:pi').click();
    await page.locator('#reset').click();
    expect(await shown()).toHaveLength(9);
    expect(await page.locator('#reset').isVisible()).toBe(false);
  });

  test('the keyboard walks the boxes and zooms', async () => {
    await open(PROFILE);
    await page.keyboard.press('Tab');
    for (const key of ['ArrowDown', 'ArrowRight', 'ArrowDown', 'ArrowLeft', 'ArrowLeft', 'ArrowUp', 'ArrowDown'])
      await page.keyboard.press(key);
    expect(await page.locator('.f:focus').getAttribute('aria-label')).toMatch(/^prompt:debug, 700 · 70.0 %/);
    await page.keyboard.press('Enter');
    expect(await shown()).toHaveLength(5);
  });

  test.each([
    ['debug', '90.0 % in 2 frames', 2],
    ['DEBUG', '90.0 % in 2 frames', 2],
    ['bash|read', '90.0 % in 3 frames', 3],
    ['^agent:codex|debug', '100 % in 3 frames', 3],
    ['review', '10.0 % in 1 frame', 1],
    ['(', 'no match', 0],
    ['nowhere', 'no match', 0],
    [' ', '', 0],
  ])('a search for %j says "%s": nested matches count once', async (wanted, said, hits) => {
    await open(PROFILE);
    await page.keyboard.press('/');
    await page.keyboard.type(wanted);
    expect(await page.locator('#found').textContent()).toBe(said);
    expect(await page.locator('.hit').count()).toBe(hits);
    await page.keyboard.press('Escape');
    expect(await page.locator('.hit').count()).toBe(0);
    expect(await page.locator('#seek').evaluate(input => (input as unknown as { value: string }).value)).toBe('');
  });

  test('the pointer shows exact numbers', async () => {
    await open(PROFILE);
    await box('tool:Read').hover();
    expect(await page.locator('#tip tspan').allTextContents()).toEqual([
      'tool:Read',
      '100 · 10.0 %',
      '100 tokens',
      '14.3 % of prompt:debug',
    ]);
  });

  test('the pointer’s box stays in the window even at its corner, with the longest name', async () => {
    const rows = [
      { stack: [{ kind: 'a', value: 'first' }], values: MEASURES.map(() => 60n) },
      { stack: [{ kind: 'tool', value: '长'.repeat(2000) }], values: MEASURES.map(() => 40n) },
    ];
    await open(profileOfRows(rows));
    await page.mouse.move(1010, 115);
    const tip = (await page.locator('#tip rect').boundingBox())!;
    expect(tip.x).toBeGreaterThanOrEqual(0);
    expect(tip.x + tip.width).toBeLessThanOrEqual(1032);
    expect(tip.height).toBeLessThan(160);
  });

  test('labels stay inside their boxes, still and alive, whatever the script', async () => {
    const rows = HOSTILE_NAMES.flatMap((value, i) => [
      {
        stack: [
          { kind: 'tool', value },
          { kind: 'file', value },
        ],
        values: MEASURES.map(() => BigInt(20 + ((i * 37) % 90))),
      },
    ]);
    const svg = textOf(writeSvg, profileOfRows(rows), { width: 1032 });
    for (const still of [true, false]) {
      const file = join(folder, 'picture.svg');
      writeFileSync(file, still ? svg.replace(/<script>[\s\S]*<\/script>/, '') : svg);
      await page.goto(`file://${file}`);
      const over = await page.evaluate(() =>
        Array.from(document.querySelectorAll('.f')).flatMap(element => {
          const text = element.querySelector('text');
          if (text === null) return [];
          const outer = element.querySelector('rect')!.getBoundingClientRect();
          const inner = text.getBoundingClientRect();
          return inner.left < outer.left - 1 || inner.right > outer.right + 1 ? [element.textContent] : [];
        }),
      );
      expect(over).toEqual([]);
    }
  });

  test('hostile names run nothing and call nobody, also after a zoom and a search', async () => {
    const rows = HOSTILE_NAMES.map(value => ({
      stack: [
        { kind: 'tool', value },
        { kind: value, value: 'x' },
      ],
      values: MEASURES.map(() => 10n),
    }));
    await open(profileOfRows(rows), '</text><script>alert(1)</script>');
    for (let i = 0; i < 5; i++) {
      await page
        .locator('.f:visible')
        .nth(1 + 4 * i)
        .click({ position: { x: 3, y: 5 } });
      await page.keyboard.press('Escape');
    }
    await page.locator('#seek').fill('script');
    expect(await page.locator('script').count()).toBe(1);
    expect(await page.locator('#found').textContent()).toMatch(/ % in \d+ frames?$/);
  });

  test('a picture as an image draws its boxes in their colours, and its script does not run', async () => {
    const svg = textOf(writeSvg, PROFILE);
    const file = join(folder, 'page.html');
    writeFileSync(file, `<img src="data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}">`);
    await page.goto(`file://${file}`);
    // Near the right end of the root, of agent:codex and of agent:pi, where no label stands; and where nothing is drawn.
    const places = [
      [940, 99],
      [750, 121],
      [940, 121],
      [750, 165],
    ];
    const pixels = await page.evaluate(
      `(async places => {
        const image = document.querySelector('img');
        await image.decode();
        const ink = Object.assign(document.createElement('canvas'), { width: 960, height: 214 }).getContext('2d', { willReadFrequently: true });
        ink.drawImage(image, 0, 0);
        return places.map(([x, y]) => '#' + [...ink.getImageData(x, y, 1, 1).data].slice(0, 3).map(c => c.toString(16).padStart(2, '0')).join(''));
      })(${JSON.stringify(places)})`,
    );
    const fills = [kindClass('all', ''), kindClass('agent', 'codex'), kindClass('agent', 'pi')].map(name =>
      fillOf(name, 'light'),
    );
    expect(pixels).toEqual([...fills, '#ffffff']);
  });

  test.each([
    ['profile', false],
    ['difference', true],
  ])('the browser’s own XML parser accepts the picture of any %s', async (_, signed) => {
    const pictures = fc
      .sample(randomProfile(signed), { numRuns: 60, seed: 7 })
      .map(profile => textOf(writeSvg, profile));
    const errors = await page.evaluate(
      texts =>
        texts.flatMap(text => {
          const broken = new DOMParser().parseFromString(text, 'image/svg+xml').querySelector('parsererror');
          return broken === null ? [] : [broken.textContent];
        }),
      pictures,
    );
    expect(errors).toEqual([]);
  });

  test('3,000 levels open, zoom to the deepest box that is drawn, and come back', async () => {
    const path = Array.from({ length: 3000 }, (_, i) => `a:${i}`).join(';');
    await open(profileOf(`${path} 5\na:other 5`));
    await box('a:95').click();
    expect(await page.locator('#context').textContent()).toContain('a:95');
    await page.keyboard.press('Escape');
    expect(await page.locator('.f:visible').count()).toBe(98);
  });
});
