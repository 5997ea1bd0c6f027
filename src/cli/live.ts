import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { priceCalls } from '../money/apply.ts';
import type { PriceTable } from '../money/rates.ts';
import { recordingsDirectory } from '../recorder/place.ts';
import { archiveDirectory } from '../sources/archived.ts';
import { READERS } from '../sources/registry.ts';
import { type Live, LiveHistory, type LiveOptions } from '../store/live.ts';
import { cacheDirectory } from '../store/place.ts';
import { UsageError } from '../trace/usage-error.ts';
import { homesToSearch } from './homes.ts';

/** Flags of commands that go on looking. */
export interface LiveFlags {
  home: string[];
  sessionDir: string[];
  recordings?: string;
  prices?: string;
  cache?: boolean;
}

/** The sessions under way of what the flags name. */
export function liveHistory(
  { home, sessionDir, cache }: LiveFlags,
  more: Pick<LiveOptions, 'window'> & Partial<LiveOptions>,
): LiveHistory {
  for (const dir of home) {
    if (!statSync(dir, { throwIfNoEntry: false })?.isDirectory())
      throw new UsageError(`--home: there is no directory ${dir}.`);
  }
  return new LiveHistory({
    directory: cache === false ? undefined : cacheDirectory(process.env, homedir()),
    readers: READERS,
    plan: {
      homes: homesToSearch(home),
      sessionFiles: [],
      sessionDirs: sessionDir,
      agents: [],
      archive: archiveDirectory(process.env, homedir()),
    },
    ...more,
  });
}

export function recordingsOf({ recordings }: LiveFlags): string {
  return resolve(recordings ?? recordingsDirectory(process.env, homedir()));
}

/** Prices what is live; the price list is loaded once. */
export function pricer(prices: string | undefined): (live: Live) => Promise<void> {
  let table: Promise<PriceTable> | undefined;
  return async ({ trace }) => {
    table ??= (async () => {
      const { loadPriceTable } = await import('../money/price.ts');
      const { readPrices } = await import('../money/overrides.ts');
      return loadPriceTable(prices === undefined ? undefined : await readPrices(prices));
    })();
    trace.cost ??= priceCalls(trace.ops, await table).cost;
  };
}
