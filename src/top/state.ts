import type { TopSession } from './sessions.ts';

/** A process of a recording under way, with what the system says of it now. */
export interface TopProcess {
  readonly pid: number;
  readonly command: string;
  /** Microseconds since the epoch. */
  readonly began: number;
  /** Share of one processor since the last look; undefined at the first. */
  readonly cpu: number | undefined;
  readonly rssBytes: number;
  readonly hosts: readonly string[];
}

export interface TopRecording {
  readonly id: string;
  readonly command: string;
  readonly began: number;
  readonly engine: string;
  readonly started: number;
  readonly failed: number;
  readonly gaps: number;
  readonly processes: readonly TopProcess[];
}

/** All that is known at one moment. */
export interface TopState {
  /** Microseconds since the epoch. */
  readonly now: number;
  readonly sessions: readonly TopSession[];
  readonly recordings: readonly TopRecording[];
}

export const SORTS = ['activity', 'tokens', 'cost', 'context', 'failures'] as const;
export type Sort = (typeof SORTS)[number];

/** What the person chose. */
export interface View {
  readonly sort: Sort;
  readonly filter: string;
  /** The filter is being typed. */
  readonly typing: boolean;
  /** Id of the session under the mark. */
  readonly selected: string | undefined;
  readonly details: boolean;
}

export const FIRST_VIEW: View = { sort: 'activity', filter: '', typing: false, selected: undefined, details: false };

/** The sessions that match the filter, in the order that was chosen. */
export function visible({ sessions }: TopState, { sort, filter }: View): TopSession[] {
  const wanted = filter.toLowerCase();
  const by: Record<Sort, (session: TopSession) => number> = {
    activity: session => session.last,
    tokens: session => session.tokensPerMinute,
    cost: session => session.nanoDollars,
    context: session => session.context,
    failures: session => session.failures,
  };
  return sessions
    .filter(({ agent, project, model, id, running }) =>
      [agent, project, model, id, ...running.map(({ tool }) => tool)].some(text => text.toLowerCase().includes(wanted)),
    )
    .sort((a, b) => by[sort](b) - by[sort](a) || b.last - a.last || (a.id < b.id ? -1 : 1));
}

/** The keys of a chunk that a terminal sent: `up`, `down`, `enter`, `escape`, `backspace`, `ctrl-c`, `ctrl-z`, or a character. */
export function keysIn(chunk: string): string[] {
  const keys: string[] = [];
  // An escape sequence is one key, known or not: its letters are no commands.
  for (const [key] of chunk.matchAll(/\u001b(?:\[[0-9;?]*[ -/]*[@-~]|O[A-Za-z])|[\s\S]/gu)) {
    const named = NAMED.get(key);
    if (named !== undefined) keys.push(named);
    else if (!/[\p{Cc}\p{Cf}]/u.test(key)) keys.push(key);
  }
  return keys;
}

const NAMED: ReadonlyMap<string, string> = new Map([
  ['\u001b[A', 'up'],
  ['\u001bOA', 'up'],
  ['\u001b[B', 'down'],
  ['\u001bOB', 'down'],
  ['\r', 'enter'],
  ['\n', 'enter'],
  ['\u001b', 'escape'],
  ['\u007f', 'backspace'],
  ['\b', 'backspace'],
  ['\u0003', 'ctrl-c'],
  ['\u001a', 'ctrl-z'],
]);

const LONGEST_FILTER = 60;

/** What a key makes of the view; `quit` ends the program. */
export function pressed(view: View, key: string, state: TopState): View | 'quit' {
  if (key === 'ctrl-c') return 'quit';
  if (view.typing) return typed(view, key);
  switch (key) {
    case 'q':
      return 'quit';
    case 's':
      return { ...view, sort: SORTS[(SORTS.indexOf(view.sort) + 1) % SORTS.length] as Sort };
    case '/':
      return { ...view, typing: true, details: false };
    case 'escape':
      return view.details ? { ...view, details: false } : { ...view, filter: '' };
    case 'enter':
      return { ...view, details: !view.details, selected: markedIn(state, view) };
    case 'up':
    case 'k':
      return moved(view, state, -1);
    case 'down':
    case 'j':
      return moved(view, state, 1);
    default:
      return view;
  }
}

/** The session under the mark: the chosen one while it is there, else the first. */
export function markedIn(state: TopState, view: View): string | undefined {
  const ids = visible(state, view).map(({ id }) => id);
  return view.selected !== undefined && ids.includes(view.selected) ? view.selected : ids[0];
}

function typed(view: View, key: string): View {
  if (key === 'enter') return { ...view, typing: false };
  if (key === 'escape') return { ...view, typing: false, filter: '' };
  if (key === 'backspace') return { ...view, filter: [...view.filter].slice(0, -1).join('') };
  // Names of keys are longer than a character.
  if ([...key].length !== 1 || view.filter.length >= LONGEST_FILTER) return view;
  return { ...view, filter: view.filter + key };
}

function moved(view: View, state: TopState, by: number): View {
  const ids = visible(state, view).map(({ id }) => id);
  const at = ids.indexOf(markedIn(state, view) ?? '');
  return { ...view, selected: ids[Math.max(0, Math.min(ids.length - 1, at + by))] };
}
