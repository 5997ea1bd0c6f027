import { StringColumn } from '../../trace/columns.ts';
import { Flag } from '../../trace/flags.ts';
import { Kind } from '../../trace/kinds.ts';
import type { Operations } from '../../trace/operations.ts';
import type { TextKind } from '../../trace/texts.ts';
import { callKinds } from './calls.ts';
import { kindTag } from './kinds.ts';
import { NONE, UNMATCHED } from './rule.ts';
import type { Tagger } from './tagger.ts';
import { turnOf } from './turn.ts';

/** Raised when equal rules give equal operations other tags, so that stored ones are made again. */
export const TAGS_VERSION = 1;

/** Tags of everything that was read, as columns, and how far they go. */
export interface TagReport {
  /** By row: prompt rows, and event rows that open a turn of their own. */
  readonly prompt: StringColumn;
  /** By row: call rows, `llm/<kind>` or the tag of a rule of kind llm. */
  readonly call: StringColumn;
  /** By index of the session. Absent for all where no rule is of kind session. */
  readonly session: StringColumn;
  /** By row: prompt rows; see turn.ts. */
  readonly turn: StringColumn;
  readonly coverage: Coverage;
  /** The most frequent prompts without a tag, for a terminal only: they are text of the person. */
  unmatchedSamples(most: number): UnmatchedSample[];
  readonly description: string;
  readonly fingerprint: string;
  readonly byDefault: boolean;
}

/** Counts of prompts of people; copies of a prompt count once, machine-made turns not at all. */
export interface Coverage {
  readonly prompts: number;
  readonly tagged: number;
  /** Prompts by tag, `unmatched` among them, the most frequent first. */
  readonly byTag: ReadonlyMap<string, number>;
}

export interface UnmatchedSample {
  /** The prompt on one line, at most 200 characters of it. */
  readonly text: string;
  readonly prompts: number;
}

/** The texts that must be kept while reading for this tagger to work. */
export function textsFor(tagger: Tagger): TextKind[] {
  return tagger.tags('llm') ? ['prompt', 'call'] : ['prompt'];
}

/**
 * Tags prompts, machine-made turns, calls and sessions. Run it after links (copies are marked) and effects (they tell
 * what shell calls did); it changes nothing in `ops`. An untagged prompt is `unmatched`; work before any prompt has
 * no row here, callers name it `none`.
 */
export function tagOperations(ops: Operations, tagger: Tagger): TagReport {
  const prompt = new StringColumn();
  const turn = new StringColumn();
  const firsts = firstPrompts(ops);
  for (let row = 0; row < ops.length; row++) {
    const kind = ops.kind.get(row);
    if (kind === Kind.event) prompt.set(row, kindTag(ops, row));
    if (kind !== Kind.prompt) continue;
    const text = ops.texts.get('prompt', row);
    if (text === '' && ops.has(row, Flag.given)) continue;
    prompt.set(row, tagger.tag('prompt', text) || UNMATCHED);
    turn.set(row, turnOf(text, firsts.get(ops.session.get(row)) === row));
  }
  return {
    prompt,
    turn,
    call: tagCalls(ops, tagger),
    session: tagSessions(ops, tagger, firsts),
    coverage: coverageOf(ops, prompt),
    unmatchedSamples: most => unmatchedSamples(ops, prompt, most),
    description: tagger.description,
    fingerprint: tagger.fingerprint,
    byDefault: tagger.byDefault,
  };
}

/** The earliest prompt of each session by its index; a copy of another session's prompt does not count. */
function firstPrompts(ops: Operations): Map<number, number> {
  const firsts = new Map<number, number>();
  for (let row = 0; row < ops.length; row++) {
    if (ops.kind.get(row) !== Kind.prompt || ops.has(row, Flag.copy)) continue;
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
    const tag = text === '' ? '' : tagger.tag('llm', text);
    if (tag !== '') calls.set(row, tag);
  }
  return calls;
}

function tagSessions(ops: Operations, tagger: Tagger, firsts: ReadonlyMap<number, number>): StringColumn {
  const column = new StringColumn();
  if (!tagger.tags('session')) return column;
  for (let session = 0; session < ops.sessions.all.length; session++) {
    const first = firsts.get(session);
    column.set(
      session,
      first === undefined ? NONE : tagger.tag('session', ops.texts.get('prompt', first)) || UNMATCHED,
    );
  }
  return column;
}

/** Counts the prompts of a tagged history. `tags` is the column `prompt` of a report. */
export function coverageOf(ops: Operations, tags: StringColumn): Coverage {
  const byCode = new Map<number, number>();
  for (let row = 0; row < ops.length; row++) {
    const code = tags.codeAt(row);
    if (code === 0 || ops.kind.get(row) !== Kind.prompt || ops.has(row, Flag.copy)) continue;
    byCode.set(code, (byCode.get(code) ?? 0) + 1);
  }
  const counts = [...byCode].map(([code, count]) => [tags.values[code] as string, count] as const);
  const byTag = new Map(counts.sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)));
  const prompts = counts.reduce((sum, [, count]) => sum + count, 0);
  return { prompts, tagged: prompts - (byTag.get(UNMATCHED) ?? 0), byTag };
}

const SAMPLE = 200;

/** The most frequent prompts without a tag. `prompt` is the column of a report. */
export function unmatchedSamples(ops: Operations, prompt: StringColumn, most: number): UnmatchedSample[] {
  const counts = new Map<string, number>();
  const unmatched = prompt.find(UNMATCHED) ?? -1;
  for (let row = 0; row < ops.length; row++) {
    if (prompt.codeAt(row) !== unmatched || ops.kind.get(row) !== Kind.prompt || ops.has(row, Flag.copy)) continue;
    const text = ops.texts
      .get('prompt', row)
      .slice(0, 4 * SAMPLE)
      .replace(/\s+/g, ' ')
      .trim();
    const line = [...text].slice(0, SAMPLE).join('');
    if (line !== '') counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  const ranked = [...counts].sort(([, m], [, n]) => n - m);
  return ranked.slice(0, most).map(([text, prompts]) => ({ text, prompts }));
}
