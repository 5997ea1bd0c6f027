import { UsageError } from '../trace/usage-error.ts';

const UNITS: Readonly<Record<string, number>> = { h: 3600e6, d: 86400e6, w: 7 * 86400e6 };

/**
 * A point in time as people write it, in microseconds since the epoch: `30d`, `12h`, `2w`, `6m` (months) before now;
 * `today`, `yesterday`; a date (local time; as an end it includes that day); a date with time, with or without zone.
 */
export function parseTime(text: string, flag: string, now: Date, end: boolean): number {
  const relative = /^(\d+)([hdwm])$/.exec(text.trim());
  if (relative) {
    const count = Number(relative[1]);
    if (relative[2] === 'm') {
      const date = new Date(now);
      date.setMonth(date.getMonth() - count);
      return date.getTime() * 1000;
    }
    return Math.max(0, now.getTime() * 1000 - count * (UNITS[relative[2] as string] as number));
  }
  const day = dayNamed(text.trim(), now) ?? localDay(text.trim());
  if (day)
    return (
      (end ? new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1).getTime() : day.getTime()) * 1000 -
      (end ? 1 : 0)
    );
  if (/^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/.test(text.trim())) {
    const time = Date.parse(text.trim().replace(' ', 'T'));
    if (!Number.isNaN(time)) return time * 1000;
  }
  throw new UsageError(
    `${flag}: cannot read ${JSON.stringify(text)} as a time. Write 2026-11-03, 2026-11-03T14:00, today, yesterday, or 12h, 30d, 2w, 6m before now.`,
  );
}

function dayNamed(text: string, now: Date): Date | undefined {
  const back = text === 'today' ? 0 : text === 'yesterday' ? 1 : undefined;
  return back === undefined ? undefined : new Date(now.getFullYear(), now.getMonth(), now.getDate() - back);
}

function localDay(text: string): Date | undefined {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (!parts) return undefined;
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  const date = new Date(year, month - 1, day);
  return date.getMonth() === month - 1 && date.getDate() === day ? date : undefined;
}
