// @ts-check
// The pictures of the explorer in README.md and docs/: the built program's page of the sample history, as a headless Chromium
// shows it. Writes docs/explorer*.png. Run after npm run build; AGENTPPROF_CHROMIUM names another browser.
import './house/node-version.mjs';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { ROOT } from './house/paths.mjs';

const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

/**
 * @typedef {{ name: string, scheme: 'light' | 'dark', fragment: string, height: number, press?: string }} Picture
 * `press`: what is clicked before the picture is taken.
 * @type {Picture[]}
 */
const PICTURES = [
  { name: 'explorer', scheme: 'light', fragment: '', height: 740 },
  { name: 'explorer-dark', scheme: 'dark', fragment: '', height: 740 },
  {
    name: 'explorer-session',
    scheme: 'light',
    fragment: '#tab=sessions&z=agent:claude-code',
    height: 740,
    press: '[data-waterfall]',
  },
];

async function main() {
  const folder = mkdtempSync(path.join(tmpdir(), 'agentpprof-pictures-'));
  const page = path.join(folder, 'page.html');
  const env = { ...process.env, HOME: folder, TZ: 'UTC', AGENTPPROF_ID_KEY: '00'.repeat(32) };
  const program = path.join(ROOT, 'dist/agentpprof.js');
  const made = spawnSync(
    process.execPath,
    [program, '--home', path.join(ROOT, 'sample/home'), '--no-cache', '-q', '-o', page],
    { env, stdio: 'inherit' },
  );
  if (made.status !== 0) throw new Error('the page could not be made: run npm run build first');
  const browser = await chromium.launch({
    executablePath: process.env.AGENTPPROF_CHROMIUM ?? '/usr/bin/chromium',
    args: ARGS,
    env: { PATH: process.env.PATH ?? '', HOME: folder, TZ: 'UTC' },
  });
  try {
    for (const { name, scheme, fragment, height, press } of PICTURES) {
      const context = await browser.newContext({
        viewport: { width: 1300, height },
        colorScheme: scheme,
        locale: 'en-US',
        timezoneId: 'UTC',
        reducedMotion: 'reduce',
      });
      const tab = await context.newPage();
      await tab.goto(pathToFileURL(page).href + fragment);
      await tab.locator('#app[data-ready]').waitFor();
      if (press) await tab.locator(press).first().click();
      const file = path.join(ROOT, 'docs', `${name}.png`);
      await tab.screenshot({ path: file });
      console.log(path.relative(ROOT, file));
      await context.close();
    }
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
