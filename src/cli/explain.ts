import { homedir } from 'node:os';
import { displayText } from '../formats/names.ts';
import { words } from '../formats/units.ts';
import { placements } from '../profile/fold.ts';
import type { Frame } from '../profile/profile.ts';
import { stackColumns } from '../profile/stack-spec.ts';
import type { Stacks } from '../profile/stacks.ts';
import { evidenceOf } from '../sources/evidence.ts';
import { counted } from '../trace/counted.ts';
import { KIND_NAMES } from '../trace/kinds.ts';
import { MEASURES } from '../trace/measures.ts';
import { UsageError } from '../trace/usage-error.ts';
import { emptyReport } from './empty.ts';
import { type History, readHistory } from './history.ts';
import { ID_FRAMES } from './ids.ts';
import type { HistoryFlags, MeaningFlags } from './options.ts';
import { viewOf } from './view.ts';

export interface ExplainFlags extends HistoryFlags, MeaningFlags {
  view: string;
  stack?: string;
  limit: string;
  includePreviews?: boolean;
  fullPaths?: boolean;
  json?: boolean;
}

interface Explained {
  readonly session: string;
  readonly kind: string;
  readonly time: string | null;
  readonly what: string;
  readonly file: string;
  readonly offset: number;
  readonly bytes: number;
  readonly measures: Record<string, number>;
  readonly preview?: string;
}

/**
 * The operations under a frame, each with the file and the byte range of its record. The path names frames as folded
 * text does; frames may be left out between, and it need not reach the end of a stack.
 */
export async function explain(path: string, flags: ExplainFlags): Promise<void> {
  const limit = Number(flags.limit);
  if (!Number.isInteger(limit) || limit < 0)
    throw new UsageError(`--limit: ${JSON.stringify(flags.limit)} is not a number of operations.`);
  const wanted = parsePath(path);
  const history = await readHistory(flags, { meaning: flags, prices: flags.prices ?? true });
  if (history.rows.length === 0) {
    if (flags.json)
      process.stdout.write(
        `${JSON.stringify({ schema: 'agentpprof.explain/1', path, operations: 0, shown: [] }, null, 2)}\n`,
      );
    process.stderr.write(emptyReport(history));
    return;
  }
  const found = under(history, wanted, viewOf(flags.view, flags.stack).stack);
  // What weighs nothing (an event that a turn began with) stands under the frame but is none of its operations.
  const { start } = history.trace.ops;
  const rows = [...found]
    .filter(([, sums]) => sums.some(sum => sum !== 0))
    .map(([row]) => row)
    .sort((a, b) => start.get(a) - start.get(b) || a - b);
  const shown = (limit === 0 ? rows : rows.slice(0, limit)).map(row =>
    describe(history, row, found.get(row) as number[], flags),
  );
  if (flags.json) {
    process.stdout.write(
      `${JSON.stringify({ schema: 'agentpprof.explain/1', path, operations: rows.length, shown }, null, 2)}\n`,
    );
    return;
  }
  if (rows.length === 0)
    throw new UsageError(
      `explain: no operation stands under ${JSON.stringify(path)} in this view. Frames look like tool:Bash; --view and --stack choose which there are.`,
    );
  process.stdout.write(`${counted(rows.length, 'operation or effect', 'operations and effects')} under ${path}\n`);
  for (const each of shown) process.stdout.write(`${line(each)}\n`);
  if (rows.length > shown.length)
    process.stdout.write(
      `... and ${(rows.length - shown.length).toLocaleString('en-US')} more (--limit 0 shows all)\n`,
    );
}

function parsePath(path: string): Frame[] {
  const frames = path
    .split(';')
    .filter(part => part !== '')
    .map(part => {
      const at = part.indexOf(':');
      if (at <= 0)
        throw new UsageError(
          `explain: ${JSON.stringify(part)} is not a frame; write kind:value, for instance tool:Bash.`,
        );
      return { kind: part.slice(0, at), value: part.slice(at + 1) };
    });
  if (frames.length === 0) throw new UsageError('explain: name a frame, for instance prompt:debug;tool:Bash.');
  return frames;
}

/** Rows with a portion below the wanted frames, and the sum of those portions. */
function under(history: History, wanted: readonly Frame[], stack: readonly string[]): Map<number, number[]> {
  const found = new Map<number, number[]>();
  const placed: { row: number; node: number; values: Float64Array }[] = [];
  const { trace } = history;
  const stacks = placements(trace, history.rows, stackColumns(trace, stack, '--stack'), (row, node, values) => {
    placed.push({ row, node, values: values.slice() });
  });
  const matches = matcher(stacks, wanted, history);
  for (const { row, node, values } of placed) {
    if (!matches(node)) continue;
    const sums = found.get(row);
    if (!sums) found.set(row, [...values]);
    else
      values.forEach((value, m) => {
        sums[m] = (sums[m] as number) + value;
      });
  }
  return found;
}

function matcher(
  stacks: Stacks,
  wanted: readonly Frame[],
  { pseudonyms, redactor }: History,
): (node: number) => boolean {
  const equal = (id: number, frame: Frame): boolean => {
    const has = stacks.frames[id] as Frame;
    if (has.kind !== frame.kind) return false;
    return (
      has.value === frame.value ||
      redactor.frame(has.kind, has.value) === frame.value ||
      (ID_FRAMES.has(has.kind) && pseudonyms.of(has.kind, has.value) === frame.value)
    );
  };
  /** How many of the wanted frames the stack down to a node has met, in order. */
  const met: number[] = [0];
  return node => {
    const path: number[] = [];
    for (let at = node; met[at] === undefined; at = stacks.parentOf(at)) path.push(at);
    for (const at of path.reverse()) {
      const before = met[stacks.parentOf(at)] as number;
      const next = wanted[before];
      met[at] = next !== undefined && equal(stacks.frameOf(at), next) ? before + 1 : before;
    }
    return met[node] === wanted.length;
  };
}

function describe(history: History, row: number, sums: readonly number[], flags: ExplainFlags): Explained {
  const { trace, histories, pseudonyms } = history;
  const { ops } = trace;
  const file = histories.ledgers[ops.file.get(row)]?.path ?? '';
  const start = ops.start.get(row);
  const what = ['model', 'tool', 'command', 'effect', 'file', 'domain', 'wait', 'status', 'error', 'event', 'evidence']
    .map(name => (name === 'event' || name === 'model' ? ops.field[name].get(row) : trace.value(name, row)))
    .filter(value => value !== '');
  return {
    session: pseudonyms.of('session', ops.sessions.all[ops.session.get(row)]?.id ?? ''),
    kind: KIND_NAMES[ops.kind.get(row)] ?? '',
    time: start === 0 ? null : new Date(start / 1000).toISOString(),
    what: history.redactor.text(what.join(' ')),
    file: flags.fullPaths ? file : history.redactor.path(file, homedir()),
    offset: ops.offset.get(row),
    bytes: ops.bytes.get(row),
    measures: Object.fromEntries(
      MEASURES.map(
        (measure, m) =>
          [
            measure.name,
            measure.name === 'cost' ? Math.round((sums[m] as number) / 1000) : (sums[m] as number),
          ] as const,
      ).filter(([, value]) => value !== 0),
    ),
    ...(flags.includePreviews ? { preview: preview(history, row) } : {}),
  };
}

function preview(history: History, row: number): string {
  const { ops } = history.trace;
  const file = history.histories.discovery.files[ops.file.get(row)];
  if (file === undefined) return '';
  try {
    return history.redactor.text(evidenceOf(file, ops.offset.get(row), ops.bytes.get(row))).slice(0, 2000);
  } catch (error) {
    return `(cannot be read: ${error instanceof Error ? history.redactor.path(error.message, homedir()) : 'unknown reason'})`;
  }
}

function line(each: Explained): string {
  const sums = MEASURES.filter(
    measure => each.measures[measure.name] !== undefined && !measure.name.endsWith('_tokens'),
  )
    .map(measure => `${measure.name} ${words(BigInt(each.measures[measure.name] as number), measure.unit)}`)
    .join(', ');
  const text = `${each.time ?? '(no time)'}  ${each.session}  ${each.kind}  ${displayText(each.what)}\n    ${displayText(each.file)} at byte ${each.offset}, ${counted(each.bytes, 'byte')}; ${sums}`;
  return each.preview === undefined
    ? text
    : `${text}\n${each.preview
        .split('\n')
        .map(part => `    ${displayText(part)}`)
        .join('\n')}`;
}
