import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { zoneNow } from '../../src/store/zone.ts';
import { agentpprof, scratch } from '../cli/program.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('the name of the time zone', () => {
  it('is that of ICU, and one that is known is taken where nothing it depends on has changed', () => {
    vi.stubEnv('TZ', 'Asia/Tokyo');
    const asked = zoneNow(undefined);
    expect(asked.name).toBe(Intl.DateTimeFormat().resolvedOptions().timeZone);
    const kept = { ...asked, name: 'as it was kept' };
    expect(zoneNow(kept)).toEqual(asked.key === '' ? asked : kept);
    vi.stubEnv('TZ', 'Europe/Berlin');
    expect(zoneNow(kept).name).not.toBe(kept.name);
  });

  it('is never taken from a run that could not tell what it depends on', () => {
    expect(zoneNow({ key: '', name: 'nowhere' }).name).not.toBe('nowhere');
  });

  it('that a stored history was written in does not stay with it', () => {
    const place = scratch('zone');
    const folder = join(place.path, '.claude/projects/-w');
    mkdirSync(folder, { recursive: true });
    const record = { type: 'user', uuid: 'u', sessionId: 's', timestamp: '2026-01-01T00:00:00.000Z', cwd: '/w' };
    writeFileSync(
      join(folder, 's.jsonl'),
      `${JSON.stringify({ ...record, message: { role: 'user', content: 'hello' } })}\n`,
    );
    const days = (TZ: string) => {
      const env = { TZ, XDG_CACHE_HOME: join(place.path, 'cache') };
      return /days in [^"]*/.exec(agentpprof(['--format', 'json'], { home: place.path, env }).out)?.[0];
    };
    const zones = ['Asia/Tokyo', 'Asia/Tokyo', 'Europe/Berlin', 'Asia/Tokyo'];
    expect(zones.map(days)).toEqual(zones.map(zone => `days in ${zone}`));
    place.remove();
  });
});
