import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/**
 * Whether a program that some tests check against is there. On a developer's machine its tests may be skipped, and
 * their name says why; in CI a missing one is an error, or the tests would pass for years without running.
 */
export function installed(program: 'go' | 'chromium'): boolean {
  const there = program === 'go' ? spawnSync('go', ['version']).status === 0 : existsSync(CHROMIUM);
  if (!there && process.env.CI === 'true') throw new Error(`${program} is not installed, and CI needs it`);
  return there;
}

/** Debian's browser; AGENTPPROF_CHROMIUM names another. */
export const CHROMIUM = process.env.AGENTPPROF_CHROMIUM ?? '/usr/bin/chromium';
