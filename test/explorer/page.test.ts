import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { MEASURES } from '../../src/trace/measures.ts';
import { HOSTILE_NAMES } from '../formats/random-profile.ts';
import { tracedOf } from '../support/histories.ts';
import { installed } from '../support/installed.ts';
import { ExplorerBrowser, exact, foldedBy, jsonOf, saved } from './browser.ts';

/** Two agents, two projects, a subagent, failures, files, three days. */
const HISTORY = tracedOf(`
  session s1 agent=claude-code project=shop
    prompt 0 "fix it" #p1
    call   0-30 opus in=1000 cr=20000 out=300 #c1
    tool   30-60 Bash status=error #t1
    tool   60-70 Read #t2
    effect read src/a.ts
    tool   70-200 Task spawned=s2 #t3
  session s2 agent=claude-code project=shop parent=s1 sub=Explore
    call   80-100 haiku in=50 out=7 #c2
    tool   100-120 Grep #t4
  session s3 agent=codex project=blog
    prompt 90000 "write" #p2
    call   90000-90060 gpt in=400 out=80 rea=20 #c3
    tool   90060-90090 Bash #t5
    tool   180100-180160 Bash #t6
    effect write src/b.ts`);

describe.skipIf(!installed('chromium'))('the explorer in a browser (skipped where chromium is not installed)', () => {
  const browser = new ExplorerBrowser();
  let page: Page;
  beforeAll(() => browser.start());
  afterAll(() => browser.stop());
  beforeEach(() => {
    browser.trouble = [];
  });
  afterEach(() => expect(browser.trouble).toEqual([]));

  const total = () => exact(page, '#total');
  const chips = () =>
    page
      .locator('.chip')
      .evaluateAll(all => all.map(each => (each as unknown as { dataset: { frame: string } }).dataset.frame));
  /** Clicks a box of the flame graph: level and place as a share of the width. */
  const click = async (level: number, at: number) => {
    const box = (await page.locator('#flame .scroller canvas').boundingBox())!;
    await page.mouse.click(box.x + at * box.width, box.y + level * 24 + 10);
  };
  const path = () => page.locator('#path li button').allTextContents();
  const rows = async () => {
    const all = await page.locator('#ranks tbody tr').all();
    return Promise.all(
      all.map(async row => {
        const [kind, name] = await Promise.all([
          row.locator('td.kind').textContent(),
          row.locator('td.frame').textContent(),
        ]);
        const numbers = await Promise.all(
          (await row.locator('td.number').all()).map(cell => cell.getAttribute('data-exact')),
        );
        return `${kind}:${name} ${numbers.join(' ')}`;
      }),
    );
  };

  test('every measure has the total of the JSON output, before and after it is chosen', async () => {
    page = await browser.open(browser.page(HISTORY));
    const { totals } = jsonOf(foldedBy(HISTORY, ['agent', 'tool'], 'operations'));
    for (const { name } of MEASURES) {
      expect([name, await exact(page, `[data-measure=${name}]`)]).toEqual([name, String(totals[name])]);
      await page.locator(`[data-measure=${name}]`).click();
      expect([name, await total()]).toEqual([name, String(totals[name])]);
    }
  });

  test('the total in words and in full stands as text', async () => {
    page = await browser.open(browser.page(HISTORY), '#m=tokens');
    expect(await page.locator('h1').textContent()).toBe('21.9 k tokens');
    expect(await page.locator('.said p').textContent()).toBe('21,857 tokens · everything');
  });

  test('the first picture needs no cells: where they are broken, total and flame graph stand there all the same', async () => {
    const html = browser.page(HISTORY).replace(/id="cells">[^<]*</, 'id="cells">AAAA<');
    page = await browser.open(html);
    expect(await page.locator('#app > p').last().textContent()).toContain('cannot read its own content');
    expect(await total()).toBe('11');
    await page.locator('#flame .scroller canvas').focus();
    await page.keyboard.press('ArrowDown');
    expect(await page.locator('#flame .spoken').textContent()).toMatch(/^agent:claude-code, 7 operations, 63\.6 %/);
  });

  test('a click zooms, the path says where, Escape and the path lead back', async () => {
    page = await browser.open(browser.page(HISTORY));
    await click(1, 0.1);
    expect(await path()).toEqual(['all', 'agent:claude-code']);
    await click(2, 0.05);
    expect(await path()).toHaveLength(3);
    await page.waitForURL(/z=agent%3Aclaude-code&z=/);
    await page.keyboard.press('Escape');
    expect(await path()).toEqual(['all', 'agent:claude-code']);
    await page.locator('#path button').first().click();
    expect(await path()).toEqual(['all']);
    expect(await page.locator('#details').count()).toBe(0);
  });

  test('the keyboard walks and zooms, and says where it is', async () => {
    page = await browser.open(browser.page(HISTORY));
    await page.locator('#flame .scroller canvas').focus();
    for (const key of ['ArrowDown', 'ArrowRight']) await page.keyboard.press(key);
    expect(await page.locator('#flame .spoken').textContent()).toMatch(
      /^agent:codex, 4 operations, 36\.4 %, level 1, /,
    );
    await page.keyboard.press('Enter');
    expect(await path()).toEqual(['all', 'agent:codex']);
  });

  test('details of a frame are those of a profile of its rows', async () => {
    page = await browser.open(browser.page(HISTORY), '#z=agent:codex');
    const rowsOfCodex = Uint32Array.from({ length: HISTORY.ops.length }, (_, row) => row).filter(
      row => HISTORY.value('agent', row) === 'codex',
    );
    const { totals } = jsonOf(foldedBy(HISTORY, ['agent'], 'tokens', rowsOfCodex));
    expect(await page.locator('#details tr.on').textContent()).toContain(`operations${totals.operations}`);
    expect(await page.locator('#details tr', { hasText: 'tokens' }).last().textContent()).toContain(
      String(totals.tokens),
    );
  });

  test('dragging a chip reorders the stack, and the total stays', async () => {
    page = await browser.open(browser.page(HISTORY), '#m=tokens&stack=agent,model,token');
    const before = await total();
    const from = (await page.locator('[data-frame=token] .name').boundingBox())!;
    const to = (await page.locator('[data-frame=agent] .name').boundingBox())!;
    await page.mouse.move(from.x + 20, from.y + 10);
    await page.mouse.down();
    await page.mouse.move(to.x + 60, to.y + 10, { steps: 4 });
    await page.mouse.move(to.x + 4, to.y + 10, { steps: 3 });
    await page.mouse.up();
    expect(await chips()).toEqual(['token', 'agent', 'model']);
    expect(await total()).toBe(before);
    await click(1, 0.02);
    expect(await path()).toEqual(['all', 'token:cache_read']);
  });

  test('the keyboard moves and drops a chip, a list adds one', async () => {
    page = await browser.open(browser.page(HISTORY));
    await page.locator('[data-frame=agent] .name').focus();
    await page.keyboard.press('Alt+ArrowRight');
    expect(await chips()).toEqual(['tool', 'agent']);
    await page.locator('[data-frame=tool] .name').focus();
    await page.keyboard.press('Delete');
    expect(await chips()).toEqual(['agent']);
    await page.locator('#add-frame').selectOption('project');
    expect(await chips()).toEqual(['agent', 'project']);
    expect(await total()).toBe('11');
  });

  test('any projection folds to what the program folds', async () => {
    for (const [stack, measure] of [
      ['project,tool,status', 'errors'],
      ['model,token', 'cost'],
      ['day,agent', 'time'],
      ['tool,file,effect', 'files'],
    ] as const) {
      page = await browser.open(browser.page(HISTORY), `#m=${measure}&stack=${stack}&tab=table`);
      const { frames, samples, measures } = jsonOf(foldedBy(HISTORY, stack.split(','), measure));
      const at = measures.findIndex(each => each.name === measure);
      const wanted = new Map<string, number>();
      for (const { stack: path, values } of samples)
        for (const frame of new Set(path))
          wanted.set(
            `${frames[frame]!.kind}:${frames[frame]!.value}`,
            (wanted.get(`${frames[frame]!.kind}:${frames[frame]!.value}`) ?? 0) + values[at]!,
          );
      const shown = (await rows()).map(row => row.replace(/ \d+$/, '')).sort();
      expect(shown).toEqual(
        [...wanted]
          .filter(([, value]) => value !== 0)
          .map(([name, value]) => `${name} ${value}`)
          .sort(),
      );
    }
  });

  test('the table sorts and filters', async () => {
    page = await browser.open(browser.page(HISTORY), '#tab=table');
    expect((await rows()).slice(0, 4)).toEqual([
      'agent:claude-code 7 2',
      'agent:codex 4 2',
      'tool:Bash 3 3',
      'tool:Task 3 1',
    ]);
    await page.locator('#ranks th.self button').click();
    const selfs = (await rows()).map(row => Number(row.split(' ').at(-1)));
    expect(selfs).toEqual([...selfs].sort((a, b) => b - a));
    await page.locator('#filter-table').fill('bash');
    expect(await rows()).toEqual(['tool:Bash 3 3']);
  });

  test('the sandwich shows what led to a frame and what it led to', async () => {
    page = await browser.open(browser.page(HISTORY), '#tab=table');
    await page.locator('#ranks td.frame button', { hasText: 'Bash' }).click();
    await page.locator('#focus-total').waitFor();
    expect(await exact(page, '#focus-total')).toBe('3');
    await page.locator('#callers .scroller canvas').focus();
    await page.keyboard.press('ArrowUp');
    expect(await page.locator('#callers .spoken').textContent()).toMatch(/^agent:codex, 2 operations, 66\.7 %/);
    await page.keyboard.press('ArrowRight');
    expect(await page.locator('#callers .spoken').textContent()).toMatch(/^agent:claude-code, 1 operation, 33\.3 %/);
  });

  test.each([
    ['bash', '27.3 % in 2 boxes'],
    ['^agent:codex|bash', '45.5 % in 3 boxes'],
    ['nowhere', 'no match'],
    ['(', 'not a regular expression'],
  ])('a search for %j says "%s"', async (wanted, said) => {
    page = await browser.open(browser.page(HISTORY));
    await page.keyboard.press('/');
    await page.keyboard.type(wanted);
    expect(await page.locator('#found').textContent()).toBe(said);
  });

  test('filters by value and by date keep what a selection keeps, and can be cleared', async () => {
    page = await browser.open(browser.page(HISTORY));
    await page.locator('[data-filter=agent] summary').click();
    await page.locator('[data-filter=agent] label', { hasText: 'codex' }).click();
    expect(await total()).toBe('4');
    await page.keyboard.press('Escape');
    await page.locator('#clear-filters').click();
    expect(await total()).toBe('11');
    await page.locator('#to').fill('2026-11-02');
    await page.keyboard.press('Tab');
    expect(Number(await total())).toBeLessThan(11);
    await page.waitForURL(/to=2026-11-02/);
  });

  test('a drag over the timeline chooses days', async () => {
    page = await browser.open(browser.page(HISTORY));
    const bars = (await page.locator('.timeline svg').boundingBox())!;
    await page.mouse.move(bars.x + bars.width * 0.4, bars.y + 20);
    await page.mouse.down();
    await page.mouse.move(bars.x + bars.width * 0.95, bars.y + 20, { steps: 3 });
    await page.mouse.up();
    expect(await total()).toBe('4');
  });

  test('sessions lead down to operations with their places, and to their text only where it was asked for', async () => {
    page = await browser.open(browser.page(HISTORY), '#tab=sessions&z=agent:codex');
    expect(await page.locator('#sessions tbody tr').count()).toBe(1);
    await page.locator('#sessions button').first().click();
    expect(await page.locator('.evidence li code').first().textContent()).toMatch(/^#0 @\d+ \+50$/);
    expect(await page.locator('.evidence q').count()).toBe(0);
    page = await browser.open(
      browser.page(HISTORY, { previews: Array(40).fill('<b>said</b>') }),
      '#tab=sessions&z=agent:codex',
    );
    await page.locator('#sessions button').first().click();
    expect(await page.locator('.evidence q').first().textContent()).toBe('<b>said</b>');
  });

  test('a link opens the same view again', async () => {
    page = await browser.open(browser.page(HISTORY));
    await page.locator('[data-measure=tokens]').click();
    await page.locator('#add-frame').selectOption('model');
    await click(1, 0.1);
    await page.waitForURL(/z=/);
    const fragment = new URL(page.url()).hash;
    const before = [await total(), await chips(), await path()];
    page = await browser.open(browser.page(HISTORY), fragment);
    expect([await total(), await chips(), await path()]).toEqual(before);
  });

  test('exports are the current view: folded text adds up, the SVG says the total, the PNG is one, the CSV is safe', async () => {
    page = await browser.open(browser.page(HISTORY), '#z=agent:codex');
    const folded = (await saved(page, 'folded')).toString().trim().split('\n');
    expect(folded.every(line => line.startsWith('agent:codex'))).toBe(true);
    expect(folded.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)).toBe(4);
    expect((await saved(page, 'svg')).toString()).toContain('<title>4 operations');
    expect((await saved(page, 'png')).subarray(1, 4).toString()).toBe('PNG');
    expect((await saved(page, 'csv')).toString()).toContain('"tool","Bash",2,2\r\n');
  });

  test('the help lists the keys; keys choose measure and tab', async () => {
    page = await browser.open(browser.page(HISTORY));
    await page.keyboard.press('?');
    expect(await page.locator('dialog dt').allTextContents()).toContain('/');
    await page.keyboard.press('Escape');
    expect(await page.locator('dialog').count()).toBe(0);
    await page.keyboard.press('2');
    expect(await page.locator('#tab-table').getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('m');
    expect(await page.locator('[data-measure=files]').getAttribute('aria-pressed')).toBe('true');
  });

  test('a Chinese browser gets Chinese', async () => {
    page = await browser.open(browser.page(HISTORY), '', { locale: 'zh-CN' });
    expect(await page.locator('#tab-flame').textContent()).toBe('火焰图');
    expect(await page.locator('#total').textContent()).toBe('11 操作');
  });

  test.each([
    ['an empty profile', '', '', 'Nothing was selected, so there is nothing to show.'],
    [
      'a measure that is all zero',
      'session s agent=codex\n tool 1-2 Bash',
      '#m=network',
      'has no network: every value is zero',
    ],
    [
      'filters that keep nothing',
      'session s agent=codex\n tool 1-2 Bash',
      '#only.agent=nobody',
      'The filters keep nothing.',
    ],
  ])('%s is a sentence, not a blank', async (_, history, fragment, sentence) => {
    page = await browser.open(browser.page(tracedOf(history)), fragment);
    expect(await page.locator('#empty').textContent()).toContain(sentence);
  });

  test('one operation fills the width', async () => {
    page = await browser.open(browser.page(tracedOf('session s agent=codex\n tool 1-2 Bash')));
    await click(2, 0.9);
    expect(await path()).toEqual(['all', 'agent:codex', 'tool:Bash']);
  });

  test('hostile names run nothing, call nobody, and stay inside the page', async () => {
    const trace = tracedOf(
      HOSTILE_NAMES.map((_, at) => `session s${at} agent=codex\n tool ${at + 1}-${at + 2} Bash`).join('\n'),
    );
    let at = 0;
    for (let row = 0; row < trace.ops.length; row++)
      if (trace.ops.field.tool.get(row) !== '') trace.ops.field.tool.set(row, HOSTILE_NAMES[at++]!);
    const html = browser.page(trace, { subtitle: '</p><script>alert(1)</script><img src=x onerror=alert(2)>' });
    for (const tab of ['flame', 'table', 'sandwich', 'sessions']) {
      page = await browser.open(html, `#tab=${tab}&q=script`);
      expect(await page.locator('script').count()).toBe(3);
      expect(await page.locator('img').count()).toBe(0);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    }
    page = await browser.open(html, `#z=agent:codex&z=${encodeURIComponent(`tool:${HOSTILE_NAMES[0]}`)}`);
    expect(await page.locator('#details h2').textContent()).toBe(HOSTILE_NAMES[0]);
  });

  test('the policy of the page refuses scripts and connections that are not its own', async () => {
    page = await browser.open(browser.page(HISTORY));
    const refused = await page.evaluate(`(async () => {
      const script = document.createElement('script');
      script.textContent = 'window.ran = true';
      document.body.append(script);
      const reached = await fetch('data:text/plain,x').then(() => true, () => false);
      return [window.ran === true, reached];
    })()`);
    expect(refused).toEqual([false, false]);
    expect(browser.trouble.length).toBeGreaterThan(0);
    browser.trouble = [];
  });

  test('3,000 levels open, scroll by the overview, and zoom to the deepest', async () => {
    const trace = tracedOf(`session s agent=codex\n tool 1-2 Bash\n tool 3-4 Read`);
    trace.ops.freeField('deep').set(0, Array.from({ length: 3000 }, (_, at) => `f${at}`).join('\u001f'));
    page = await browser.open(browser.page(trace, { stack: ['agent', 'deep', 'tool'] }));
    const strip = page.locator('#flame .minimap');
    await strip.waitFor();
    const box = (await strip.boundingBox())!;
    await page.mouse.click(box.x + 20, box.y + box.height - 2);
    const canvas = (await page.locator('#flame .scroller canvas').boundingBox())!;
    await page.mouse.click(canvas.x + 30, canvas.y + canvas.height - 30);
    expect((await path()).at(-1)).toMatch(/^(tool:Bash|deep:f29\d\d)$/);
  });
});
