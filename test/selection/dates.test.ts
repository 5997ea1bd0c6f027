import { describe, expect, test } from 'vitest';
import { parseTime } from '../../src/selection/dates.ts';
import { dayOf, weekOf } from '../../src/trace/calendar.ts';

const now = new Date(2026, 10, 29, 12, 0, 0);
const local = (year: number, month: number, day: number, hour = 0) =>
  new Date(year, month - 1, day, hour).getTime() * 1000;

describe('points in time', () => {
  test.each([
    ['12h', local(2026, 11, 29)],
    ['30d', now.getTime() * 1000 - 30 * 86400e6],
    ['2w', now.getTime() * 1000 - 14 * 86400e6],
    ['6m', local(2026, 5, 29, 12)],
    ['today', local(2026, 11, 29)],
    ['yesterday', local(2026, 11, 28)],
    ['2026-11-03', local(2026, 11, 3)],
    ['2026-11-03T14:00', local(2026, 11, 3, 14)],
    ['2026-11-03 14:00', local(2026, 11, 3, 14)],
    ['2026-11-03T14:00:00Z', Date.UTC(2026, 10, 3, 14) * 1000],
  ])('%s', (text, expected) => expect(parseTime(text, '--since', now, false)).toBe(expected));

  test('a date as an end includes its whole day, also where the clocks change', () => {
    expect(parseTime('2026-11-03', '--until', now, true)).toBe(local(2026, 11, 4) - 1);
    expect(parseTime('2026-10-25', '--until', now, true)).toBe(local(2026, 10, 26) - 1);
  });

  test.each(['', 'soon', '2026-13-01', '2026-02-30', '30x', '-3d'])(
    '%j is refused with the flag and the ways to write it',
    text => {
      expect(() => parseTime(text, '--since', now, false)).toThrow(/^--since: cannot read .*30d/);
    },
  );
});

describe('days and weeks', () => {
  test('a day key is the local date, wherever the zone lies', () => {
    const zone = process.env.TZ;
    try {
      for (const tz of ['America/Denver', 'Asia/Shanghai', 'Pacific/Kiritimati', 'UTC']) {
        process.env.TZ = tz;
        expect(dayOf(new Date(2025, 9, 3, 0, 5))).toBe('2025-10-03');
        expect(dayOf(new Date(2025, 9, 3, 23, 55))).toBe('2025-10-03');
      }
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
  });

  test.each([
    [2026, 1, 1, '2026-W01'],
    [2027, 1, 1, '2026-W53'],
    [2024, 12, 30, '2025-W01'],
    [2026, 11, 29, '2026-W48'],
    [2026, 11, 30, '2026-W49'],
  ])('%i-%i-%i is in %s', (year, month, day, week) => expect(weekOf(new Date(year, month - 1, day))).toBe(week));
});
