import type { Frame } from '../profile/profile.ts';
import type { Filter } from './project.ts';

/** What a person sees, all of which stands in the fragment of the address, so that a view can be linked. */
export interface State {
  readonly measure: string;
  readonly stack: readonly string[];
  readonly filter: Filter;
  readonly tab: Tab;
  /** Path of the frame that fills the width, and whose details are shown. */
  readonly zoom: readonly Frame[];
  readonly search: string;
  /** Root below, as flame graphs were first drawn. */
  readonly upward: boolean;
  readonly period: Period;
  /** The frame whose callers and callees are shown. */
  readonly focus: Frame | undefined;
  /** The session that is shown over time; '' for none. */
  readonly session: string;
  readonly theme: 'auto' | 'light' | 'dark';
}

/** Whether everything is folded as the page started, so that the numbers of the first view hold. */
export function foldsAlike(a: State, b: State): boolean {
  return a.measure === b.measure && a.stack.join() === b.stack.join() && isWhole(a.filter) && isWhole(b.filter);
}

export function isWhole({ from, to, only }: Filter): boolean {
  return from === '' && to === '' && Object.keys(only).length === 0;
}

export const TABS = ['flame', 'table', 'sandwich', 'sessions'] as const;
export type Tab = (typeof TABS)[number];
export type Period = 'day' | 'week';

/** Dimensions that can be filtered by their values. */
export const FILTERED = ['agent', 'project', 'model', 'status'] as const;

/** The state as a fragment without `#`; what is as at the start is left out. */
export function fragmentOf(state: State, start: State): string {
  const parts = new URLSearchParams();
  if (state.measure !== start.measure) parts.set('m', state.measure);
  if (state.stack.join() !== start.stack.join()) parts.set('stack', state.stack.join(','));
  if (state.filter.from !== '') parts.set('from', state.filter.from);
  if (state.filter.to !== '') parts.set('to', state.filter.to);
  for (const [name, values] of Object.entries(state.filter.only))
    for (const value of values) parts.append(`only.${name}`, value);
  if (state.tab !== 'flame') parts.set('tab', state.tab);
  for (const frame of state.zoom) parts.append('z', nameOf(frame));
  if (state.search !== '') parts.set('q', state.search);
  if (state.upward) parts.set('up', '1');
  if (state.period !== 'day') parts.set('by', state.period);
  if (state.focus) parts.set('focus', nameOf(state.focus));
  if (state.session !== '') parts.set('s', state.session);
  if (state.theme !== 'auto') parts.set('theme', state.theme);
  return parts.toString();
}

/** Reads a fragment; what it does not say, or says wrongly, is as at the start. */
export function stateOf(
  fragment: string,
  start: State,
  known: { measures: readonly string[]; kinds: readonly string[] },
): State {
  const parts = new URLSearchParams(fragment.replace(/^#/, ''));
  const measure = parts.get('m') ?? '';
  const stack = (parts.get('stack') ?? '')
    .split(',')
    .filter((name, at, all) => known.kinds.includes(name) && all.indexOf(name) === at);
  const only: Record<string, string[]> = {};
  for (const name of FILTERED) if (parts.has(`only.${name}`)) only[name] = parts.getAll(`only.${name}`);
  const tab = parts.get('tab') ?? '';
  const theme = parts.get('theme');
  return {
    measure: known.measures.includes(measure) ? measure : start.measure,
    stack: stack.length > 0 ? stack : start.stack,
    filter: { from: dayIn(parts.get('from')), to: dayIn(parts.get('to')), only },
    tab: TABS.find(name => name === tab) ?? 'flame',
    zoom: parts.getAll('z').flatMap(name => frameOf(name) ?? []),
    search: parts.get('q') ?? '',
    upward: parts.get('up') === '1',
    period: parts.get('by') === 'week' ? 'week' : 'day',
    focus: frameOf(parts.get('focus') ?? ''),
    session: parts.get('s') ?? '',
    theme: theme === 'light' || theme === 'dark' ? theme : 'auto',
  };
}

function dayIn(text: string | null): string {
  return text !== null && /^\d{4}-\d\d-\d\d$/.test(text) ? text : '';
}

function nameOf(frame: Frame): string {
  return `${frame.kind}:${frame.value}`;
}

function frameOf(name: string): Frame | undefined {
  const colon = name.indexOf(':');
  return colon <= 0 ? undefined : { kind: name.slice(0, colon), value: name.slice(colon + 1) };
}
