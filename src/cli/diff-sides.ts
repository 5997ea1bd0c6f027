import { basename, resolve } from 'node:path';
import { microDollars } from '../money/round.ts';
import type { FrameColumn } from '../profile/columns.ts';
import type { SideInput } from '../profile/diff.ts';
import { labelTexts } from '../profile/diff-units.ts';
import { fold } from '../profile/fold.ts';
import { columnOf, stackColumns } from '../profile/stack-spec.ts';
import { parseTime } from '../selection/dates.ts';
import { select } from '../selection/select.ts';
import { Projects } from '../sources/projects.ts';
import type { Trace } from '../trace/trace.ts';
import { UsageError } from '../trace/usage-error.ts';
import { commentsOf } from './comments.ts';
import { type History, narrowedOf, selectionOf } from './history.ts';
import type { HistoryFlags } from './options.ts';
import { profileIn } from './profile-file.ts';
import type { Viewed } from './viewed.ts';

export type SideFlags = Pick<
  HistoryFlags,
  'since' | 'until' | 'where' | 'branch' | 'model' | 'agent' | 'projectRoot' | 'sessionId'
>;

/** Which rows of the history a side holds, and what it is called. */
export interface Picked {
  readonly name: string;
  readonly rows: Uint32Array;
  readonly narrowed: readonly string[];
}

/** Labels by which the samples of a side are told apart; spaces keep them from the names of fields. */
const SESSION = 'session of the side';
const TASK = 'task of the side';

export function isNarrowed(flags: SideFlags): boolean {
  const { since, until, where, branch, model, agent, projectRoot, sessionId } = flags;
  return (
    since !== undefined ||
    until !== undefined ||
    [where, branch, model, agent, projectRoot, sessionId].flat().length > 0
  );
}

/** The rows of the common selection that a side's own flags keep too. */
export async function pick(history: History, side: 'a' | 'b', flags: SideFlags): Promise<Picked> {
  const whole: HistoryFlags = {
    ...flags,
    home: [],
    sessionFile: [],
    sessionDir: [],
    operationFile: [],
    labels: [],
  };
  const matchesSession = (selector: string, id: string) => history.pseudonyms.matches(selector, id);
  const own = await select(history.trace, { ...selectionOf(whole, `${side}-`), matchesSession });
  return {
    name: history.redactor.text(nameOf(flags)) || 'everything',
    rows: both(history.rows, own),
    narrowed: narrowedOf(whole).map(text => history.redactor.text(text)),
  };
}

/** What is in none of the other side's rows. */
export function rest(history: History, other: Picked): Picked {
  const taken = new Set(other.rows);
  return { name: 'all others', rows: history.rows.filter(row => !taken.has(row)), narrowed: [] };
}

/** Rows that are in both, in row order. */
export function both(a: Uint32Array, b: Uint32Array): Uint32Array {
  const there = new Set(b);
  return a.filter(row => there.has(row));
}

/** The two groups of a field that are compared: those that are named, or the only two that there are. */
export function groupsOf(
  { history, shown }: Viewed,
  field: string,
  asked: { readonly a?: string | undefined; readonly b?: string | undefined },
): [Picked, Picked] {
  const { trace } = history;
  if (!trace.field(field))
    throw new UsageError(
      `--by: there is no field ${JSON.stringify(field)}. Known fields: ${trace.names().join(', ')}; --labels joins others.`,
    );
  const groups = new Map<string, number[]>();
  for (const row of history.rows) {
    const value = trace.value(field, row);
    if (value === '') continue;
    const name = shown(field, value);
    const known = groups.get(name);
    if (known === undefined) groups.set(name, [row]);
    else known.push(row);
  }
  const names = [...groups.keys()].sort();
  const listed = `${names.slice(0, 12).join(', ')}${names.length > 12 ? ` and ${names.length - 12} more` : ''}`;
  for (const side of ['a', 'b'] as const) {
    const value = asked[side];
    if (value !== undefined && !groups.has(value))
      throw new UsageError(
        `--${side}: ${JSON.stringify(value)} is no value of ${field} here. ${names.length === 0 ? 'No operation has the field.' : `Values: ${listed}.`}`,
      );
  }
  const named = (name: string): Picked => ({
    name: `${field} ${name}`,
    rows: Uint32Array.from(groups.get(name) ?? []),
    narrowed: [`${field} ${name}`],
  });
  if (asked.a !== undefined && asked.b !== undefined) return [named(asked.a), named(asked.b)];
  const given = asked.a ?? asked.b;
  if (given !== undefined) {
    const others = names.filter(name => name !== given);
    const other: Picked =
      others.length === 1
        ? named(others[0] as string)
        : {
            name: `${field} not ${given}`,
            rows: Uint32Array.from(others.flatMap(name => groups.get(name) ?? [])).sort(),
            narrowed: [`${field} not ${given}`],
          };
    return asked.a === undefined ? [other, named(given)] : [named(given), other];
  }
  if (names.length !== 2)
    throw new UsageError(
      names.length === 0
        ? `--by: no selected operation has a ${field}.`
        : `--by: ${field} has ${names.length === 1 ? 'only the value' : `${names.length} values:`} ${listed}. Name the sides with --a VALUE --b VALUE.`,
    );
  return [named(names[0] as string), named(names[1] as string)];
}

/** Folds a side, its sessions told apart; a subagent belongs to the session of its main agent. */
export function foldSide(viewed: Viewed, picked: Picked, pair: string | undefined): SideInput & { task?: string } {
  const { view, history, shown } = viewed;
  const { trace } = history;
  if (pair !== undefined && !trace.field(pair))
    throw new UsageError(
      `--pair: there is no field ${JSON.stringify(pair)}. Known fields: ${trace.names().join(', ')}; --labels joins others.`,
    );
  const task = pair === undefined ? [] : [{ ...columnOf(trace, pair), name: TASK }];
  const profile = fold(trace, picked.rows, {
    view: view.name,
    measure: view.measure,
    ...stackColumns(trace, view.stack, '--stack'),
    labels: [mainSession(trace), ...task],
    evidence: 0,
    comments: commentsOf({ ...history, rows: picked.rows, narrowed: [...history.narrowed, ...picked.narrowed] }, view),
    roundCost: microDollars,
    shown: (kind, value) => (kind === SESSION || kind === TASK ? value : shown(kind, value)),
  });
  return { name: picked.name, profile, session: SESSION, ...(pair === undefined ? {} : { task: TASK }) };
}

/** A side that a file holds. Its labels tell sessions and tasks apart, if it has any. */
export function sideOfFile(file: string, measure: string, pair: string | undefined): SideInput & { task?: string } {
  const profile = profileIn(file, measure);
  if (pair !== undefined && labelTexts(profile, pair).every(text => text === undefined))
    throw new UsageError(
      `--pair: ${file} has no label ${JSON.stringify(pair)}; profiles carry session, agent, project, model, branch, subagent, prompt_id where their format does.`,
    );
  const name = basename(file).replace(/\.(pb\.gz|pb|json|folded)$/i, '');
  return { name, profile, session: 'session', ...(pair === undefined ? {} : { task: pair }) };
}

function mainSession(trace: Trace): FrameColumn {
  const { sessions } = trace.ops;
  const code = (row: number) => (trace.links.root[trace.ops.session.get(row)] as number) + 1;
  return {
    name: SESSION,
    values: ['', ...sessions.all.map(session => `${session.agent} ${session.id}`)],
    code,
    codes(_, rows, into) {
      const { cells } = into;
      rows.cells.forEach((row, i) => {
        cells[i] = code(row);
      });
    },
  };
}

/** A side by what it was narrowed to: `2026-11-01 to 2026-11-30, branch main`. */
function nameOf(flags: SideFlags): string {
  const { since, until } = flags;
  const from = since === undefined ? undefined : dayOf(since, false);
  const to = until === undefined ? undefined : dayOf(until, true);
  const time =
    from !== undefined && to !== undefined
      ? [`${from} to ${to}`]
      : from !== undefined
        ? [`since ${from}`]
        : to !== undefined
          ? [`until ${to}`]
          : [];
  return [
    ...flags.agent,
    ...flags.projectRoot.map(root => new Projects().of(resolve(root)).name),
    ...flags.sessionId.map(() => 'one session'),
    ...time,
    ...flags.branch.map(branch => `branch ${branch}`),
    ...flags.model,
    ...flags.where,
  ].join(', ');
}

/** A date as it was written; anything relative as the local minute that it means. */
function dayOf(text: string, end: boolean): string {
  if (/^\d{4}-\d{2}-\d{2}/.test(text)) return text.replace('T', ' ');
  const date = new Date(parseTime(text, end ? '--until' : '--since', new Date(), end) / 1000);
  const two = (n: number) => String(n).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
