import { weekOf } from '../trace/calendar.ts';
import type { Model } from './model.ts';
import { slotsOf } from './project.ts';
import type { Period } from './state.ts';

/** Positions of the first and last period of a choice, in any order. */
export interface Span {
  readonly first: number;
  readonly last: number;
}

export interface TimeBar {
  /** `2026-11-03` or `2026-W45`. */
  readonly name: string;
  readonly firstDay: string;
  readonly lastDay: string;
  readonly total: number;
  /** One a series. */
  readonly values: readonly number[];
}

/** The measure over time, as bars. */
export interface Timebars {
  readonly periods: readonly TimeBar[];
  readonly series: readonly string[];
  readonly most: number;
}

const SERIES = 5;
const DAY = 86_400_000;

/**
 * The measure over time without gaps, stacked by the widest values of the outermost frame that has more than one;
 * the last series, named '', is all others. Costs are in nano-dollars.
 */
export function periodsOf(
  model: Model,
  stack: readonly string[],
  measure: string,
  period: Period,
  mask: Uint8Array,
): Timebars {
  const days = model.dimensions.get('day');
  if (!days) return { periods: [], series: [], most: 0 };
  const by =
    stack
      .map(name => model.dimensions.get(name))
      .find(dimension => dimension && dimension.name !== 'day' && dimension.values.length > 2) ?? days;
  const totals = new Map<number, number>();
  const sums = new Map<string, Map<number, number>>();
  for (const slot of slotsOf(model, measure)) {
    for (let cell = 0; cell < mask.length; cell++) {
      const value = slot.values[cell] as number;
      if (value === 0 || mask[cell] === 0) continue;
      const day = days.values[days.codes[cell] as number] as string;
      if (day === '') continue;
      const code = by === days ? 0 : (by.codes[cell] as number);
      totals.set(code, (totals.get(code) ?? 0) + value);
      let of = sums.get(day);
      if (!of) sums.set(day, (of = new Map()));
      of.set(code, (of.get(code) ?? 0) + value);
    }
  }
  const widest = [...totals]
    .filter(([code]) => code !== 0)
    .sort((a, b) => b[1] - a[1] || a[0] - b[0])
    .slice(0, SERIES)
    .map(([code]) => code);
  const others = by === days || totals.size > widest.length;
  const bars: { name: string; firstDay: string; lastDay: string; total: number; values: number[] }[] = [];
  for (const day of daysBetween([...sums.keys()].sort())) {
    const name = period === 'day' ? day : weekOf(localDate(day));
    let bar = bars.at(-1);
    if (bar?.name !== name)
      bars.push(
        (bar = {
          name,
          firstDay: day,
          lastDay: day,
          total: 0,
          values: new Array(widest.length + (others ? 1 : 0)).fill(0),
        }),
      );
    bar.lastDay = day;
    for (const [code, value] of sums.get(day) ?? []) {
      const at = widest.indexOf(code);
      const series = at < 0 ? bar.values.length - 1 : at;
      bar.values[series] = (bar.values[series] as number) + value;
      bar.total += value;
    }
  }
  const series = [
    ...widest.map(code => (by.values[code] as string).replaceAll('\u001f', ' › ')),
    ...(others ? [''] : []),
  ];
  return { periods: bars, series, most: Math.max(0, ...bars.map(bar => bar.total)) };
}

function localDate(day: string): Date {
  return new Date(Number(day.slice(0, 4)), Number(day.slice(5, 7)) - 1, Number(day.slice(8, 10)));
}

/** Every day from the first to the last. */
function daysBetween(days: readonly string[]): string[] {
  const first = days[0];
  const last = days.at(-1);
  if (first === undefined || last === undefined) return [];
  const all: string[] = [];
  for (let at = Date.parse(first); at <= Date.parse(last) && all.length < 4000; at += DAY)
    all.push(new Date(at).toISOString().slice(0, 10));
  return all;
}
