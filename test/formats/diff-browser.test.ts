import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { writeDiffHtml } from '../../src/formats/diff-html.ts';
import { compare } from '../../src/profile/diff.ts';
import { type DiffTree, diffTreeOf } from '../../src/profile/diff-tree.ts';
import { MEASURES } from '../../src/trace/measures.ts';
import { CHROMIUM, installed } from '../support/installed.ts';
import { profileOfRows } from '../support/profiles.ts';
import { sideOf } from '../support/sides.ts';
import { HOSTILE_NAMES } from './random-profile.ts';

const SMALL = diffTreeOf(
  compare(
    sideOf(' agent:codex;prompt:debug 6000 | agent:codex;prompt:docs 900 | agent:pi 300', 'October'),
    sideOf(' agent:codex;prompt:debug 9300 | agent:codex;prompt:docs 1500 | agent:codex;prompt:review 700', 'November'),
  ),
);

describe.skipIf(!installed('chromium'))('the page of a difference (skipped where chromium is not installed)', () => {
  let folder: string;
  let browser: Browser;
  let page: Page;
  let trouble: string[];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'agentpprof-diff-'));
    browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-sync', '--no-first-run'],
      env: { PATH: process.env.PATH ?? '', HOME: folder },
    });
    page = await browser.newPage({ viewport: { width: 1000, height: 800 } });
    page.setDefaultTimeout(100_000);
    page.on('pageerror', error => trouble.push(error.message));
    // What the policy refuses is told here.
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

  async function open(tree: DiffTree): Promise<void> {
    const file = join(folder, 'diff.html');
    const chunks: Buffer[] = [];
    writeDiffHtml(tree, chunk => chunks.push(Buffer.from(chunk)));
    writeFileSync(file, Buffer.concat(chunks));
    await page.goto(`file://${file}`);
  }

  const rows = async () =>
    (await page.locator('tbody tr:visible').allInnerTexts()).map(row => row.replaceAll('\t', ' | '));

  test('says what changed, and lists the largest changes first', async () => {
    await open(SMALL);
    expect(await page.locator('h1').textContent()).toBe(
      'B (November) has 4.3 k more tokens than A (October): 7.2 k to 11.5 k (+59.7 %).',
    );
    expect(await rows()).toEqual([
      '+4.6 k | +66.7 % | 6.9 k | 11.5 k | agent:codex',
      '+3.3 k | +55.0 % | 6.0 k | 9.3 k | agent:codex › prompt:debug',
      '+700 | new | 0 | 700 | agent:codex › prompt:review',
      '+600 | +66.7 % | 900 | 1.5 k | agent:codex › prompt:docs',
      '-300 | gone | 300 | 0 | agent:pi',
    ]);
  });

  test('sorts by any column with the keyboard alone, and says so to those who do not see it', async () => {
    await open(SMALL);
    const head = page.locator('th', { hasText: 'relative' });
    await head.getByRole('button').focus();
    await page.keyboard.press('Enter');
    expect([await head.getAttribute('aria-sort'), (await rows())[0]]).toEqual([
      'descending',
      expect.stringContaining('prompt:review'),
    ]);
    await page.keyboard.press('Enter');
    expect([await head.getAttribute('aria-sort'), (await rows())[0]]).toEqual([
      'ascending',
      expect.stringContaining('agent:pi'),
    ]);
  });

  test('filters by words', async () => {
    await open(SMALL);
    await page.getByLabel('Filter').fill('codex  re');
    expect(await rows()).toEqual([expect.stringContaining('prompt:review')]);
  });

  test('zooms and searches in the picture under its policy', async () => {
    await open(SMALL);
    await page.locator('.f[aria-label^="agent:codex,"]').click();
    expect(await page.locator('#context').textContent()).toBe('all › agent:codex');
    await page.locator('#seek').fill('review');
    expect(await page.locator('#found').textContent()).toContain('1 frame');
    await page.locator('.f[aria-label^="prompt:debug,"]').hover();
    expect(await page.locator('#tip').textContent()).toContain('A October: 6,000 tokens');
  });

  test('can be read without scripts', async () => {
    const still = await browser.newPage({ javaScriptEnabled: false });
    await open(SMALL);
    await still.goto(page.url());
    expect(await still.locator('tbody tr').count()).toBe(5);
    await still.close();
  });

  test.each(['light', 'dark'] as const)('hostile names do nothing and stay in their boxes (%s)', async colorScheme => {
    const side = (name: string, factor: bigint) => ({
      name,
      profile: profileOfRows(
        HOSTILE_NAMES.map((value, i) => ({
          stack: [{ kind: 'a"<b>&', value }],
          values: MEASURES.map(() => BigInt(40 + i) * factor),
        })),
      ),
    });
    await page.emulateMedia({ colorScheme });
    await open(diffTreeOf(compare(side('</h1><script>alert(1)</script>', 3n), side("' onload='alert(1)", 5n))));
    expect(await page.locator('tbody tr').count()).toBe(HOSTILE_NAMES.length);
    const outside = await page.locator('.f').evaluateAll(all =>
      (
        all as unknown as {
          getBoundingClientRect(): { right: number };
          querySelector(s: string): { getBoundingClientRect(): { right: number } } | null;
          textContent: string;
        }[]
      )
        .filter(
          box =>
            (box.querySelector('text')?.getBoundingClientRect().right ?? 0) > box.getBoundingClientRect().right + 1,
        )
        .map(box => box.textContent),
    );
    expect(outside).toEqual([]);
    const wide = await page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth');
    expect(wide).toBe(true);
  });
});
