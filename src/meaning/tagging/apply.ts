import { StringColumn } from '../../trace/columns.ts';
import { Flag } from '../../trace/flags.ts';
import { Kind } from '../../trace/kinds.ts';
import type { Operations } from '../../trace/operations.ts';
import { rowsOf } from '../../trace/rows-of-kind.ts';
import type { TextKind } from '../../trace/texts.ts';
import { callKinds } from './calls.ts';
import { Decided } from './decided.ts';
import { inheritTags, MACHINE } from './inherit.ts';
import { kindTag } from './kinds.ts';
import { NONE, UNMATCHED } from './rule.ts';
import type { Tagger } from './tagger.ts';

/** Tags of everything that was read, as columns, and how far they go. */
export interface TagReport {
  /** By row: prompt rows, and event rows that open a turn of their own. */
  readonly prompt: StringColumn;
  /** By row: who decided the tag of a prompt row (see decision.ts), `machine` for what no person wrote, absent for nobody. */
  readonly by: StringColumn;
  /** By row: call rows, `llm/<kind>` or the tag of a rule of kind llm. */
  readonly call: StringColumn;
  /** By index of the session: the tag of a rule of kind session, else the tag that most of its prompts have. */
  readonly session: StringColumn;
  /** By row: prompt rows; see turn.ts. */
  readonly turn: StringColumn;
  readonly description: string;
  readonly fingerprint: string;
}

/** Counts of prompts of people; copies of a prompt count once, machine-made turns not at all. */
export interface Coverage {
  readonly prompts: number;
  readonly tagged: number;
  /** Prompts by who decided, in the order of the steps; those that continue an unmatched one are unmatched. */
  readonly byStep: Readonly<Record<string, number>>;
  /** Prompts by tag, `unmatched` among them, the most frequent first. */
  readonly byTag: ReadonlyMap<string, number>;
}

/** The texts that must be kept while reading for this tagger to work. */
export function textsFor(tagger: Tagger): TextKind[] {
  return tagger.tags('llm') ? ['prompt', 'call'] : ['prompt'];
}

export interface ApplyOptions {
  /** False leaves prompts that only go on with the tag `continue`. */
  readonly inherit: boolean;
  /** What the tagger says of texts, where it is not to be asked again what it said in an earlier run. */
  readonly decided?: Decided;
}

/**
 * Tags prompts, machine-made turns, calls and sessions. Run it after links (copies are marked) and effects (they tell
 * what shell calls did); it changes nothing in `ops`. An untagged prompt is `unmatched`; work before any prompt has
 * no row here, callers name it `none`.
 */
export function tagOperations(
  ops: Operations,
  tagger: Tagger,
  { inherit, decided = new Decided(tagger) }: ApplyOptions = { inherit: true },
): TagReport {
  const prompt = new StringColumn();
  const by = new StringColumn();
  const turn = new StringColumn();
  const firsts = firstPrompts(ops);
  for (const row of rowsOf(ops, Kind.prompt, Kind.event)) {
    if (ops.kind.get(row) === Kind.event) {
      prompt.set(row, kindTag(ops, row));
      continue;
    }
    const text = ops.texts.get('prompt', row);
    if (text === '' && ops.has(row, Flag.given)) continue;
    const said = decided.of(text);
    if (said.machine !== '') {
      prompt.set(row, said.machine);
      by.set(row, MACHINE);
      continue;
    }
    prompt.set(row, said.tag || UNMATCHED);
    by.set(row, said.by);
    turn.set(row, firsts.get(ops.session.get(row)) === row ? 'first' : said.turn);
  }
  if (inherit) inheritTags(ops, prompt, by);
  const { description, fingerprint } = tagger;
  const session = tagSessions(ops, tagger, firsts, prompt, by);
  return { prompt, by, turn, call: tagCalls(ops, tagger), session, description, fingerprint };
}

/** The earliest prompt of each session by its index; a copy of another session's prompt does not count. */
function firstPrompts(ops: Operations): Map<number, number> {
  const firsts = new Map<number, number>();
  for (const row of rowsOf(ops, Kind.prompt)) {
    if (ops.has(row, Flag.copy)) continue;
    const session = ops.session.get(row);
    const before = firsts.get(session);
    const start = ops.start.get(row);
    if (before === undefined || (start > 0 && start < ops.start.get(before))) firsts.set(session, row);
  }
  return firsts;
}

function tagCalls(ops: Operations, tagger: Tagger): StringColumn {
  const calls = callKinds(ops);
  if (!tagger.tags('llm')) return calls;
  for (let row = 0; row < ops.length; row++) {
    if (ops.kind.get(row) !== Kind.call) continue;
    const text = ops.texts.get('call', row);
    const tag = text === '' ? '' : tagger.decide('llm', text).tag;
    if (tag !== '') calls.set(row, tag);
  }
  return calls;
}

function tagSessions(
  ops: Operations,
  tagger: Tagger,
  firsts: ReadonlyMap<number, number>,
  prompt: StringColumn,
  by: StringColumn,
): StringColumn {
  const column = new StringColumn();
  const main = mainTags(ops, prompt, by);
  const ruled = tagger.tags('session');
  for (let session = 0; session < ops.sessions.all.length; session++) {
    const first = firsts.get(session);
    const own = ruled && first !== undefined ? tagger.decide('session', ops.texts.get('prompt', first)).tag : '';
    column.set(session, own || main.get(session) || (first === undefined ? NONE : UNMATCHED));
  }
  return column;
}

/** The tag of most prompts of each session, of equally many the first; what nobody tagged only if nothing else is there. */
function mainTags(ops: Operations, prompt: StringColumn, by: StringColumn): Map<number, string> {
  const counts = new Map<number, Map<string, number>>();
  for (const row of rowsOf(ops, Kind.prompt)) {
    if (by.codeAt(row) === 0 || by.get(row) === MACHINE) continue;
    const session = ops.session.get(row);
    const own = counts.get(session) ?? new Map<string, number>();
    counts.set(session, own.set(prompt.get(row), (own.get(prompt.get(row)) ?? 0) + 1));
  }
  const most = (own: Map<string, number>) => [...own].reduce((best, each) => (each[1] > best[1] ? each : best))[0];
  return new Map([...counts].map(([session, own]) => [session, most(own)]));
}

const STEPS = ['rule', 'preset', 'cache', 'model', 'cluster', 'neighbour', 'turn'] as const;

/** Counts the prompts of a tagged history. `tags` and `by` are columns of a report. */
export function coverageOf(ops: Operations, tags: StringColumn, by: StringColumn): Coverage {
  const byCode = new Map<number, number>();
  const steps = new Map<string, number>();
  const unmatched = tags.find(UNMATCHED);
  const { codes } = tags;
  for (const row of rowsOf(ops, Kind.prompt)) {
    const code = codes[row] ?? 0;
    if (code === 0 || ops.has(row, Flag.copy)) continue;
    const step = by.get(row);
    if (step === MACHINE) continue;
    byCode.set(code, (byCode.get(code) ?? 0) + 1);
    if (code !== unmatched) steps.set(step, (steps.get(step) ?? 0) + 1);
  }
  const counts = [...byCode].map(([code, count]) => [tags.values[code] as string, count] as const);
  const byTag = new Map(counts.sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)));
  const prompts = counts.reduce((sum, [, count]) => sum + count, 0);
  const byStep = Object.fromEntries(
    STEPS.flatMap(step => (steps.has(step) ? [[step, steps.get(step) as number]] : [])),
  );
  return { prompts, tagged: prompts - (byTag.get(UNMATCHED) ?? 0), byStep, byTag };
}
