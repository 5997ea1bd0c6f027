import { cellsOf, cutToCells, padToCells } from '../formats/cells.ts';
import { brief, clock, dollars } from './amounts.ts';
import { detailLines } from './details.ts';
import type { Line, Size } from './line.ts';
import { processLines } from './processes.ts';
import type { TopSession } from './sessions.ts';
import { markedIn, type TopState, type View, visible } from './state.ts';

/** A column of the sessions: cells at 80 cells of width, and the most it grows to where there is more. */
interface Column {
  readonly title: string;
  readonly cells: number;
  readonly most?: number;
  readonly right?: boolean;
  readonly of: (session: TopSession, now: number) => string;
}

const COLUMNS: readonly Column[] = [
  { title: 'PROJECT', cells: 10, most: 24, of: ({ project }) => project || '-' },
  { title: 'AGENT', cells: 11, most: 12, of: ({ agent }) => agent },
  { title: 'MODEL', cells: 11, most: 26, of: ({ model }) => model || '-' },
  { title: 'TOK/MIN', cells: 7, right: true, of: ({ tokensPerMinute }) => brief(tokensPerMinute) },
  { title: 'COST', cells: 6, most: 7, right: true, of: ({ nanoDollars }) => dollars(nanoDollars) },
  { title: 'CALLS', cells: 5, right: true, of: ({ calls }) => brief(calls) },
  { title: 'FAIL', cells: 4, right: true, of: ({ failures }) => brief(failures) },
  { title: 'CTX', cells: 5, right: true, of: ({ context }) => brief(context) },
  { title: 'NOW', cells: 12, most: 60, of: nowOf },
];

/** The whole screen: at most `height` lines of at most `width` cells. Every name in it is harmless already. */
export function layout(state: TopState, view: View, { width, height }: Size): Line[] {
  const sessions = visible(state, view);
  const marked = markedIn(state, view);
  const chosen = view.details ? sessions.find(({ id }) => id === marked) : undefined;
  const foot: Line = { text: footer(view), style: 'quiet' };
  const room = Math.max(0, height - 2);
  const body = chosen ? detailLines(chosen, state.now) : lists(state, sessions, marked, width, room);
  const lines = [summary(state, sessions), ...body.slice(0, room)];
  while (lines.length < height - 1) lines.push({ text: '', style: '' });
  return [...lines.slice(0, height - 1), foot].map(line => ({ ...line, text: cutToCells(line.text, width).trimEnd() }));
}

/** Everything once, for a pipe: no line is left out, none is a key's. */
export function listing(state: TopState, view: View, width: number): string {
  const sessions = visible(state, view);
  const lines = [summary(state, sessions), ...lists(state, sessions, undefined, width, Number.POSITIVE_INFINITY)];
  return `${lines.map(({ text }) => cutToCells(text, width).trimEnd()).join('\n')}\n`;
}

function summary({ now }: TopState, sessions: readonly TopSession[]): Line {
  const sum = (of: (session: TopSession) => number) => sessions.reduce((all, each) => all + of(each), 0);
  const busy = sessions.filter(({ doing }) => doing === 'tool' || doing === 'model').length;
  const date = new Date(now / 1000);
  const two = (value: number) => String(value).padStart(2, '0');
  const parts = [
    `agentsight top  ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`,
    `${sessions.length} session${sessions.length === 1 ? '' : 's'}, ${busy} at work`,
    `${brief(sum(each => each.tokensPerMinute))} tokens/min`,
    dollars(sum(each => each.nanoDollars)),
    `${brief(sum(each => each.failures))} failed`,
  ];
  return { text: parts.join('  '), style: 'head' };
}

function lists(
  state: TopState,
  sessions: readonly TopSession[],
  marked: string | undefined,
  width: number,
  room: number,
): Line[] {
  const below = processLines(state, width);
  // Each half has what it needs as long as the other does not need its own.
  const half = Math.max(3, Math.floor((room - 1) / 2));
  const mostBelow = below.length === 0 ? 0 : Math.min(below.length, Math.max(half, room - 2 - sessions.length - 1));
  const forSessions = room - (mostBelow === 0 ? 0 : mostBelow + 1);
  const table = sessionLines(state, sessions, marked, width);
  return [
    ...windowOf(table, forSessions),
    ...(mostBelow === 0 ? [] : [{ text: '', style: '' } as const, ...below.slice(0, mostBelow)]),
  ];
}

function sessionLines(
  { now, sessions: all }: TopState,
  sessions: readonly TopSession[],
  marked: string | undefined,
  width: number,
): Line[] {
  if (sessions.length === 0) {
    const text = all.length === 0 ? 'no session was written to of late' : 'no session matches the filter';
    return [{ text, style: 'quiet' }];
  }
  const cells = widths(width - 1);
  const row = (texts: readonly string[]) =>
    texts
      .map((text, at) => {
        const room = cells[at] as number;
        const cut = cutToCells(text, room);
        return COLUMNS[at]?.right ? ' '.repeat(Math.max(0, room - cellsOf(cut))) + cut : padToCells(cut, room);
      })
      .join(' ');
  return [
    { text: ` ${row(COLUMNS.map(({ title }) => title))}`, style: 'head' },
    ...sessions.map((session): Line => {
      const isMarked = session.id === marked;
      const text = `${isMarked ? '>' : ' '}${row(COLUMNS.map(column => column.of(session, now)))}`;
      return { text, style: isMarked ? 'marked' : session.doing === 'idle' ? 'quiet' : '' };
    }),
  ];
}

/** The cells of each column: what is over goes to the columns that grow, the last one most. */
function widths(width: number): number[] {
  const cells = COLUMNS.map(column => column.cells);
  let over = width - cells.reduce((sum, each) => sum + each, COLUMNS.length - 1);
  for (let grown = true; over > 0 && grown; ) {
    grown = false;
    for (const [at, { most = 0 }] of COLUMNS.entries()) {
      if (over > 0 && (cells[at] as number) < most) {
        (cells[at] as number)++;
        over--;
        grown = true;
      }
    }
  }
  return cells;
}

/** The head and as many rows as there is room for, so that the marked one is among them. */
function windowOf(table: readonly Line[], room: number): Line[] {
  if (table.length <= room) return [...table];
  const [head, ...rows] = table;
  const most = Math.max(1, room - 1);
  const at = Math.max(
    0,
    rows.findIndex(({ style }) => style === 'marked'),
  );
  const first = Math.max(0, Math.min(rows.length - most, at - most + 1));
  return [head as Line, ...rows.slice(first, first + most)];
}

function nowOf({ doing, running, since }: TopSession, now: number): string {
  const time = clock(now - since);
  const newest = running.at(-1);
  if (doing === 'tool' && newest !== undefined) {
    const others = running.length > 1 ? ` +${running.length - 1}` : '';
    return `${newest.tool} ${time}${others}${newest.command === '' ? '' : `  ${newest.command}`}`;
  }
  return `${{ tool: 'tool', model: 'thinks', person: 'waits', idle: 'idle' }[doing]} ${time}`;
}

function footer({ sort, filter, typing, details }: View): string {
  if (typing) return `filter: ${filter}_   enter keeps it, escape drops it`;
  const kept = filter === '' ? '/ filter' : `/ filter: ${filter}`;
  return `q quit  s sort: ${sort}  ${kept}  up/down  enter ${details ? 'back' : 'details'}`;
}
