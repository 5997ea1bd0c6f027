import type { Frame } from '../profile/profile.ts';
import type { Timeline } from '../profile/timelines.ts';
import type { State } from './state.ts';

/** An operation as the server behind a page tells it (page-questions.ts). */
export interface ServedOperation {
  readonly session: string;
  readonly start: number;
  readonly what: readonly string[];
  readonly file: number;
  readonly offset: number;
  readonly bytes: number;
  readonly preview?: string;
}

export interface ServedOperations {
  readonly total: number;
  readonly operations: readonly ServedOperation[];
}

/** The query of the operations that stand under a path of what a state shows. */
export function operationsQuery(state: State, path: readonly Frame[], session: string, offset: number): string {
  const query = new URLSearchParams({ stack: state.stack.join(','), session, offset: String(offset) });
  for (const { kind, value } of path) query.append('z', `${kind}:${value}`);
  if (state.filter.from !== '') query.set('from', state.filter.from);
  if (state.filter.to !== '') query.set('to', state.filter.to);
  for (const [name, values] of Object.entries(state.filter.only))
    for (const value of values) query.append(`only.${name}`, value);
  return query.toString();
}

/** What the server says of a question, or why it says nothing. */
async function ask<T>(place: string, question: string): Promise<T> {
  const response = await fetch(`${place.replace(/\/?$/, '/')}${question}`);
  if (!response.ok) throw new Error((await response.text()).trim());
  return (await response.json()) as T;
}

/** `place` is the path of the page's address, which carries the token. */
export function askOperations(place: string, query: string): Promise<ServedOperations> {
  return ask(place, `operations?${query}`);
}

export function askTimeline(place: string, session: string): Promise<Timeline> {
  return ask(place, `timeline?${new URLSearchParams({ session })}`);
}
