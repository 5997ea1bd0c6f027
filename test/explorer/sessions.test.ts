import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ChromeTrace } from '../../src/exports/chrome-trace.ts';
import { agentpprof } from '../cli/program.ts';
import { tracedOf } from '../support/histories.ts';
import { installed } from '../support/installed.ts';
import { ExplorerBrowser, exact } from './browser.ts';
import { opened, SAMPLE } from './opened.ts';

/** Two turns with a long pause between, two tools at once, a subagent. */
const HISTORY = tracedOf(`
  session s1 agent=claude-code project=shop
    prompt 0 "fix it" #p1
    call   0-30 opus in=1000 out=300 #c1
    tool   30-60 Bash status=error #t1
    tool   40-70 Read #t2
    tool   70-200 Task spawned=s2 #t3
    prompt 9000 "go on" #p2
    call   9000-9100 opus in=10 #c5
  session s2 agent=claude-code project=shop parent=s1 sub=Explore
    call   80-100 haiku in=50 out=7 #c2
    tool   100-120 Grep #t4`);

describe.skipIf(!installed('chromium'))('sessions in a browser (skipped where chromium is not installed)', () => {
  const browser = new ExplorerBrowser();
  let page: Page;
  beforeAll(() => browser.start());
  afterAll(() => browser.stop());
  beforeEach(() => {
    browser.trouble = [];
  });
  afterEach(() => expect(browser.trouble).toEqual([]));
  const names = async () => (await page.locator('#waterfall li .name .link').allTextContents()).join(', ');
  /** Left and right end of a row's bar as shares of the width for time. */
  const bar = async (at: number): Promise<[number, number]> => {
    const row = page.locator('#waterfall li').nth(at).locator('.time');
    const [all, of] = [(await row.boundingBox())!, (await row.locator('b').boundingBox())!];
    return [(of.x - all.x) / all.width, (of.x + of.width - all.x) / all.width];
  };

  test('a session opens over time: what ran in what order, at once, and how long nothing did', async () => {
    page = await browser.open(browser.page(HISTORY), '#tab=sessions');
    await page.locator('[data-waterfall=s1]').click();
    expect(await names()).toBe('none, call, Bash, Read, Task, Explore, call, Grep, none, call');
    expect(await page.locator('#waterfall-facts').textContent()).toBe(
      '2 turns · 3 model calls · 4 tool calls · 1 subagent · 5 min active within 2 h 32 min · at most 2 at once',
    );
    const [, bashEnd] = await bar(2);
    const [readStart] = await bar(3);
    expect(readStart).toBeLessThan(bashEnd);
    const [secondTurn] = await bar(8);
    expect(secondTurn).toBeGreaterThan(0.6);
    expect(secondTurn).toBeLessThan(0.72);
    await page.waitForURL(/[#&]s=s1/);
  });

  test('a row zooms the time to itself, a turn folds, and the way leads back to the list', async () => {
    page = await browser.open(browser.page(HISTORY), '#tab=sessions&s=s2');
    await page.locator('#waterfall li .name .link', { hasText: 'Explore' }).click();
    const [left, right] = await bar(5);
    expect([left, right].map(share => Math.round(share * 100))).toEqual([0, 100]);
    await page.locator('#waterfall-whole').click();
    expect((await bar(5))[0]).toBeGreaterThan(0.2);
    await page.locator('#waterfall .fold').first().click();
    expect(await names()).toBe('none, none, call');
    await page.locator('#waterfall-back').click();
    expect(await page.locator('#sessions tbody tr').count()).toBe(2);
  });

  test('the Chrome trace of a session holds every span, with its time', async () => {
    page = await browser.open(browser.page(HISTORY), '#tab=sessions&s=s1');
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator('#chrome-trace').click()]);
    expect(download.suggestedFilename()).toBe('agentpprof-s1.trace.json');
    const { traceEvents } = JSON.parse(readFileSync(await download.path(), 'utf8')) as ChromeTrace;
    const spans = traceEvents.filter(event => event.ph === 'X');
    expect(spans.length).toBe(10);
    expect(spans.find(event => event.name === 'Bash')?.dur).toBe(30e6);
  });

  test('a session that the page does not carry is a sentence that says where it is to be had', async () => {
    page = await browser.open(browser.page(HISTORY, { timelines: false }), '#tab=sessions');
    expect(await page.locator('[data-waterfall]').count()).toBe(0);
    page = await browser.open(browser.page(HISTORY, { timelines: false }), '#tab=sessions&s=s1');
    expect(await page.locator('.empty').textContent()).toContain('agentpprof open shows any');
  });

  test('a served page shows all operations under a frame, a part at a time, and any session over time', async () => {
    const server = await opened(SAMPLE);
    try {
      page = await browser.goto(`${server.url}#tab=sessions&z=agent:claude-code`);
      await page.locator('#sessions tbody button').first().click();
      const total = Number(await exact(page, '#served'));
      const session = await page.locator('[data-waterfall]').first().getAttribute('data-waterfall');
      const explained = JSON.parse(
        agentpprof(['explain', 'agent:claude-code', '--home', SAMPLE, '--session-id', session!, '--json', '-q']).out,
      ) as { operations: number };
      expect(total).toBe(explained.operations);
      expect(total).toBeGreaterThan(20);
      expect(await page.locator('.evidence li').count()).toBe(20);
      await page.locator('#more-operations').click();
      await page.locator('.evidence li').nth(20).waitFor();
      expect(await page.locator('.evidence li').count()).toBe(Math.min(total, 40));
      await page.locator('[data-waterfall]').first().click();
      await page.locator('#waterfall li.turn').first().waitFor();
    } finally {
      await server.close();
    }
  });
});
