import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { explorerPage } from '../../scripts/build-explorer.mjs';
import { firstViewOf } from '../../src/explorer/first-view.ts';
import { writeHtml } from '../../src/formats/html.ts';
import { writeJson } from '../../src/formats/json.ts';
import { microDollars } from '../../src/money/round.ts';
import { cellsOf } from '../../src/profile/aggregate.ts';
import { fold } from '../../src/profile/fold.ts';
import type { Profile } from '../../src/profile/profile.ts';
import { stackColumns } from '../../src/profile/stack-spec.ts';
import { timelinesOf } from '../../src/profile/timelines.ts';
import type { Trace } from '../../src/trace/trace.ts';
import { textOf } from '../support/collect.ts';
import { allRows } from '../support/folding.ts';
import { CHROMIUM } from '../support/installed.ts';

const plain = (_: string, value: string) => value;
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

export function foldedBy(trace: Trace, stack: readonly string[], measure: string, rows = allRows(trace)): Profile {
  const rest = { labels: [], evidence: 0, comments: ['a comment'], roundCost: microDollars, shown: plain };
  return fold(trace, rows, { view: 'own', measure, ...stackColumns(trace, stack, '--stack'), ...rest });
}

/** The JSON output of the same profile, as another program reads it. */
export function jsonOf(profile: Profile): {
  totals: Record<string, number>;
  frames: { kind: string; value: string }[];
  samples: { stack: number[]; values: number[] }[];
  measures: { name: string }[];
} {
  return JSON.parse(textOf(writeJson, profile));
}

/** One browser with a home of its own; every page that is opened in it is watched for trouble. */
export class ExplorerBrowser {
  readonly folder = mkdtempSync(join(tmpdir(), 'agentpprof-explorer-'));
  /** Errors, console messages, dialogs and requests of the pages. */
  trouble: string[] = [];
  private browser: Browser | undefined;
  private context: BrowserContext | undefined;
  private program = { script: '', style: '' };

  async start(): Promise<void> {
    this.program = await explorerPage();
    this.browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: ARGS,
      env: { PATH: process.env.PATH ?? '', HOME: this.folder },
    });
  }

  async stop(): Promise<void> {
    await this.browser?.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** The page of a history, as a file. */
  page(
    trace: Trace,
    options: {
      readonly stack?: string[];
      readonly measure?: string;
      readonly subtitle?: string;
      readonly previews?: string[];
      readonly timelines?: boolean;
    } = {},
  ): string {
    const { stack = ['agent', 'tool'], measure = 'operations', subtitle = 'everything', previews = [] } = options;
    const cells = cellsOf(trace, allRows(trace), { shown: plain, evidence: 20, frames: stack });
    const facts = { version: '1', view: 'own', measure, stack, subtitle, comments: ['a comment'], previews };
    const first = firstViewOf({ cells, facts });
    const timelines = {
      kept: options.timelines === false ? [] : [...timelinesOf(trace, allRows(trace), plain)],
      left: 0,
    };
    return textOf(writeHtml, foldedBy(trace, stack, measure), {
      page: { cells, facts, timelines, first, program: this.program },
    });
  }

  async open(
    html: string,
    fragment = '',
    settings: { readonly locale?: string; readonly width?: number; readonly height?: number } = {},
  ): Promise<Page> {
    const file = join(this.folder, 'page.html');
    writeFileSync(file, html);
    return this.goto(`file://${file}${fragment}`, settings);
  }

  async goto(
    url: string,
    settings: { readonly locale?: string; readonly width?: number; readonly height?: number } = {},
  ): Promise<Page> {
    await this.context?.close();
    this.context = await this.browser!.newContext({
      viewport: { width: settings.width ?? 1236, height: settings.height ?? 800 },
      locale: settings.locale ?? 'en-US',
      reducedMotion: 'reduce',
      acceptDownloads: true,
    });
    // A machine with more to do than cores is slow, not wrong.
    this.context.setDefaultTimeout(100_000);
    const page = await this.context.newPage();
    page.on('pageerror', error => this.trouble.push(error.message));
    page.on('console', message => this.trouble.push(message.text()));
    page.on('dialog', dialog => {
      this.trouble.push(dialog.message());
      void dialog.dismiss();
    });
    page.on('request', request => {
      if (!/^(file|data|blob):/.test(request.url()) && !request.url().startsWith(new URL(url).origin))
        this.trouble.push(request.url());
    });
    await page.goto(url);
    await page.locator('#app[data-ready], #app[data-broken]').first().waitFor();
    return page;
  }
}

/** What the click on an export gives. */
export async function saved(page: Page, kind: string): Promise<Buffer> {
  await page.locator('#export summary').click();
  const [download] = await Promise.all([page.waitForEvent('download'), page.locator(`[data-export=${kind}]`).click()]);
  return readFileSync(await download.path());
}

export async function exact(page: Page, selector: string): Promise<string | null> {
  return page.locator(selector).first().getAttribute('data-exact');
}
