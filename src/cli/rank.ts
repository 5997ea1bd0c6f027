import { type GroupEvidence, groupsOf, rank } from '../profile/rank.ts';
import { counted } from '../trace/counted.ts';
import { KIND_NAMES } from '../trace/kinds.ts';
import { UsageError } from '../trace/usage-error.ts';
import { hintIfEmpty } from './empty.ts';
import { integerOf } from './evaluate.ts';
import { type History, readHistory } from './history.ts';
import { ID_FRAMES } from './ids.ts';
import type { HistoryFlags, MeaningFlags } from './options.ts';
import { print } from './segment.ts';
import { type Column, drawTable } from './table.ts';

interface RankFlags extends HistoryFlags, MeaningFlags {
  group: string;
  limit: string;
  guided?: string;
  json?: boolean;
}

const SIGNALS = ['', 'again after failure', 'failed'] as const;

export async function rankCommand(flags: RankFlags): Promise<void> {
  const fields = flags.group.split(',').map(name => name.trim());
  const limit = integerOf(flags.limit, '--limit', 0);
  const guided = flags.guided === undefined ? undefined : integerOf(flags.guided, '--guided', 1);
  const history = await readHistory(flags, { meaning: flags });
  hintIfEmpty(history);
  const known = history.trace.names();
  for (const name of fields)
    if (!known.includes(name))
      throw new UsageError(`--group: there is no field ${JSON.stringify(name)}. Known fields: ${known.join(', ')}.`);
  const groups = groupsOf(history.trace, history.rows, fields);
  if (guided !== undefined) guide(history, groups, fields, guided, flags.json);
  else list(history, groups, fields, limit, flags.json);
}

function list(
  history: History,
  groups: readonly GroupEvidence[],
  fields: readonly string[],
  limit: number,
  json: boolean | undefined,
): void {
  const { ops } = history.trace;
  const ranked = rank(history.trace, groups);
  const shown = (limit === 0 ? ranked : ranked.slice(0, limit)).map(({ row, direct, group }) => ({
    session: shownValue(history, 'session', history.trace.value('session', row)),
    kind: KIND_NAMES[ops.kind.get(row)] ?? '',
    signal: SIGNALS[direct],
    group: named(history, fields, group),
    failed: group.failed,
    operations: group.operations,
    bound: Math.round(group.bound * 1000) / 1000,
    file: ops.file.get(row),
    offset: ops.offset.get(row),
    bytes: ops.bytes.get(row),
  }));
  const columns: Column[] = [
    { title: 'signal' },
    { title: 'its like', widest: 70 },
    { title: 'failed', right: true },
    { title: 'surely', right: true },
    { title: 'session' },
    { title: 'file:offset', right: true },
  ];
  const lines = drawTable(
    columns,
    shown.map(each => [
      each.signal ?? '',
      each.group,
      `${each.failed} of ${each.operations}`,
      `${Math.round(100 * each.bound)} %`,
      each.session,
      `${each.file}:${each.offset}`,
    ]),
  );
  const facts = { schema: 'agentpprof.rank/1', group: fields, operations: ranked.length, ranked: shown };
  print(json, facts, [lines.trimEnd()]);
}

/** The groups to open, and beside them the outline of all work in a few words a session. */
function guide(
  history: History,
  groups: readonly GroupEvidence[],
  fields: readonly string[],
  most: number,
  json: boolean | undefined,
): void {
  const { trace } = history;
  const bytesOf = (rows: readonly number[]) => rows.reduce((sum, row) => sum + trace.ops.bytes.get(row), 0);
  const whole = bytesOf(groups.flatMap(({ rows }) => rows));
  const opened = groups.filter(({ failed }) => failed > 0).slice(0, most);
  const open = opened.map(group => ({
    group: named(history, fields, group),
    operations: group.operations,
    failed: group.failed,
    bound: Math.round(group.bound * 1000) / 1000,
    bytes: bytesOf(group.rows),
  }));
  const bytes = open.reduce((sum, each) => sum + each.bytes, 0);
  const skeleton = skeletonOf(history, groups);
  const share = whole === 0 ? 0 : bytes / whole;
  print(json, { schema: 'agentpprof.rank-guided/1', skeleton, open, bytes, source_bytes: whole, share }, [
    'skeleton: task (or prompt), operations, failed',
    ...skeleton.map(({ name, operations, failed }) => `  ${name}  ${operations}  ${failed}`),
    `open first (${counted(open.length, 'group')}): ${(100 * share).toFixed(1)} % of the source (${bytes} of ${whole} bytes)`,
    ...open.map(
      each => `  ${each.group}  ${each.failed} of ${each.operations} failed, surely ${Math.round(100 * each.bound)} %`,
    ),
  ]);
}

const MOST_LINES = 40;

/** Work by its outermost name, the largest first. */
function skeletonOf(history: History, groups: readonly GroupEvidence[]) {
  const { trace } = history;
  const work = new Map<string, { operations: number; failed: number }>();
  for (const row of groups.flatMap(({ rows }) => rows)) {
    const task = trace.value('task', row).split('\u001f')[0] || trace.value('prompt', row) || 'none';
    let own = work.get(task);
    if (!own) work.set(task, (own = { operations: 0, failed: 0 }));
    own.operations++;
    if (trace.ops.field.status.get(row) === 'error') own.failed++;
  }
  return [...work]
    .map(([name, counts]) => ({ name: shownValue(history, 'task', name), ...counts }))
    .sort((a, b) => b.operations - a.operations || (a.name < b.name ? -1 : 1))
    .slice(0, MOST_LINES);
}

function named(history: History, fields: readonly string[], { values }: GroupEvidence): string {
  return fields
    .flatMap((name, at) => (values[at] === '' ? [] : [`${name}:${shownValue(history, name, values[at] as string)}`]))
    .join(';');
}

function shownValue({ pseudonyms, redactor }: History, name: string, value: string): string {
  return ID_FRAMES.has(name) ? pseudonyms.of(name, value) : redactor.frame(name, value.replaceAll('\u001f', ' > '));
}
