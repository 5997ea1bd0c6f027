import { StringColumn } from './columns.ts';
import type { Operations } from './operations.ts';

/** Days, ISO weeks and months of the start times, in the local time zone of this process. */
export interface Calendar {
  readonly day: StringColumn;
  readonly week: StringColumn;
  readonly month: StringColumn;
}

/** Zones change by quarters of an hour at most, so a quarter of an hour never spans two days. */
const QUARTER = 15 * 60 * 1e6;

export function calendarFields(ops: Operations): Calendar {
  const day = new StringColumn();
  const week = new StringColumn();
  const month = new StringColumn();
  const known = new Map<number, [number, number, number]>();
  for (let row = 0; row < ops.length; row++) {
    const start = ops.start.get(row);
    if (start === 0) continue;
    const quarter = Math.floor(start / QUARTER);
    let codes = known.get(quarter);
    if (!codes) {
      const date = new Date(start / 1000);
      codes = [day.code(dayOf(date)), week.code(weekOf(date)), month.code(dayOf(date).slice(0, 7))];
      known.set(quarter, codes);
    }
    day.setCode(row, codes[0]);
    week.setCode(row, codes[1]);
    month.setCode(row, codes[2]);
  }
  return { day, week, month };
}

/** The local date, `2026-11-29`; built from its parts, never by formatting an instant as UTC. */
export function dayOf(date: Date): string {
  const two = (n: number) => String(n).padStart(2, '0');
  return `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** The ISO 8601 week of the local date, `2026-W48`: weeks start on Monday and belong to the year of their Thursday. */
export function weekOf(date: Date): string {
  const thursday = new Date(date.getFullYear(), date.getMonth(), date.getDate() + 3 - ((date.getDay() + 6) % 7));
  const dayOfYear = Math.round(
    (Date.UTC(thursday.getFullYear(), thursday.getMonth(), thursday.getDate()) -
      Date.UTC(thursday.getFullYear(), 0, 1)) /
      86_400_000,
  );
  return `${thursday.getFullYear()}-W${String(Math.floor(dayOfYear / 7) + 1).padStart(2, '0')}`;
}
