import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentpprof, scratch } from '../cli/program.ts';
import { installed } from '../support/installed.ts';
import { ExplorerBrowser, exact } from './browser.ts';
import { SAMPLE } from './opened.ts';

/** What a person who looks through a run of the tests looks at. */
const PICTURES = resolve(import.meta.dirname, '../../out/screenshots');

describe.skipIf(!installed('chromium'))('pictures of the sample (skipped where chromium is not installed)', () => {
  const browser = new ExplorerBrowser();
  const place = scratch('pictures');
  const file = join(place.path, 'sample.html');
  let page: Page;
  beforeAll(async () => {
    mkdirSync(PICTURES, { recursive: true });
    expect(agentpprof(['--home', SAMPLE, '-o', file]).code).toBe(0);
    await browser.start();
  });
  afterAll(async () => {
    await browser.stop();
    place.remove();
  });

  test.each([
    ['flame', '#theme=light', 1300],
    ['flame-dark', '#theme=dark', 1300],
    ['flame-zoomed', '#theme=light&z=agent:claude-code&z=prompt:debug', 1300],
    ['flame-narrow', '#theme=light', 420],
    ['table', '#theme=light&tab=table&m=time', 1300],
    ['sandwich-dark', '#theme=dark&tab=sandwich&m=operations&stack=agent,prompt,tool,command&focus=tool:Bash', 1300],
    ['sessions', '#theme=light&tab=sessions', 1300],
    ['search', '#theme=light&q=test', 1300],
  ])(
    '%s: the total stands there, nothing is wider than the window, nothing went wrong',
    async (name, fragment, width) => {
      browser.trouble = [];
      page = await browser.goto(`file://${file}${fragment}`, { width });
      await page.screenshot({ path: join(PICTURES, `${name}.png`) });
      const chosen = await page.locator('[aria-pressed=true]').getAttribute('data-exact');
      expect(await exact(page, '#total')).toBe(chosen);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      expect(browser.trouble).toEqual([]);
    },
  );

  test('a session over time, in both colours', async () => {
    for (const theme of ['light', 'dark']) {
      page = await browser.goto(`file://${file}#theme=${theme}&tab=sessions`, { width: 1300 });
      await page.locator('[data-waterfall]').first().click();
      await page.locator('#waterfall li').nth(5).waitFor();
      await page.screenshot({ path: join(PICTURES, `session-${theme}.png`) });
    }
  });
});
