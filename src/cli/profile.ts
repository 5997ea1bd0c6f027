import { FORMATS, type Format, type FormatOptions, formatNamed, formatOfPath } from '../formats/index.ts';
import { displayText } from '../formats/names.ts';
import { exactly, nounOf } from '../formats/units.ts';
import { microDollars } from '../money/round.ts';
import { fold, type Shown } from '../profile/fold.ts';
import type { Profile } from '../profile/profile.ts';
import { columnOf, stackColumns } from '../profile/stack-spec.ts';
import type { View } from '../profile/views.ts';
import { counted, grouped } from '../trace/counted.ts';
import type { Measure } from '../trace/measures.ts';
import type { Trace } from '../trace/trace.ts';
import { UsageError } from '../trace/usage-error.ts';
import { commentsOf } from './comments.ts';
import { emptyReport } from './empty.ts';
import type { History } from './history.ts';
import { checkOutput, writeOutput } from './output.ts';
import type { PageAsked } from './page.ts';
import { recordedJson, recordedNotes } from './recorded-words.ts';
import { sharesOf } from './tags.ts';
import { useColor } from './terminal.ts';
import { unknownUsage, unknownUsageLine } from './unknown-usage.ts';
import { readForView, type ViewFlags } from './viewed.ts';

export interface ProfileFlags extends ViewFlags {
  output?: string;
  format?: string;
  includePreviews?: boolean;
  json?: boolean;
}

/** Labels of the samples in formats that carry them: who, where, which prompt; ids as pseudonyms. */
const LABELS = ['session', 'agent', 'project', 'model', 'branch', 'subagent', 'prompt_id'] as const;
const LABELLED: ReadonlySet<string> = new Set(['pprof', 'pprof-raw', 'json']);
const EVIDENCE_PER_SAMPLE = 20;

/** Histories to a profile: a file in the format of its extension, or a summary in the terminal. */
export async function profile(flags: ProfileFlags): Promise<void> {
  const format = formatOf(flags);
  if (flags.output !== undefined) checkOutput(flags.output);
  const { folded, history, options } = await prepare(flags, format);
  await write(folded, history, flags, format, options);
  if (history.rows.length === 0) process.stderr.write(emptyReport(history));
}

export interface Prepared {
  readonly folded: Profile;
  readonly history: History;
  /** What the format is told; the page, where it is the one that needs it. */
  readonly options: FormatOptions & { readonly subtitle: string };
  /** What the page was made from. */
  readonly asked: PageAsked | undefined;
}

/** Reads and folds what the flags ask for. `served`: a page that a server will stand behind. */
export async function prepare(flags: ProfileFlags, format: Format | undefined, served = false): Promise<Prepared> {
  const { view, history, shown } = await readForView(flags);
  const folded = foldHistory(history, view, format, shown);
  const subtitle = history.narrowed.length === 0 ? 'all that was recorded' : history.narrowed.join(', ');
  const asked =
    format?.name === 'html'
      ? {
          view,
          profile: folded,
          rows: inFileOrder(history.trace, history.rows),
          shown,
          subtitle,
          previews: flags.includePreviews === true,
          served,
        }
      : undefined;
  const page = asked && (await pageOf(history, asked));
  return { folded, history, options: { subtitle, page }, asked };
}

function formatOf(flags: ProfileFlags): Format | undefined {
  const { output, format } = flags;
  try {
    if (format !== undefined) return agreeing(formatNamed(format), output);
    if (output !== undefined && output !== '-') return formatOfPath(output);
  } catch (error) {
    throw new UsageError(
      `${format !== undefined ? '--format' : '-o'}: ${error instanceof Error ? error.message : String(error)}.`,
    );
  }
  return output === '-' ? formatNamed('folded') : undefined;
}

/** A file whose ending promises another format would mislead whoever opens it. */
function agreeing(format: Format, output: string | undefined): Format {
  const name = output?.toLowerCase() ?? '';
  const others = FORMATS.filter(each => each.extensions.some(ending => name.endsWith(ending)));
  if (others.length > 0 && !others.includes(format))
    throw new Error(
      `${format.name} does not fit the ending of ${output}, which is that of ${others[0]?.name}; leave one of the two out`,
    );
  return format;
}

function foldHistory(history: History, view: View, format: Format | undefined, shown: Shown): Profile {
  const { trace } = history;
  const rows = format?.name === 'json' ? inFileOrder(trace, history.rows) : history.rows;
  const labelled = format !== undefined && LABELLED.has(format.name);
  return fold(trace, rows, {
    view: view.name,
    measure: view.measure,
    ...stackColumns(trace, view.stack, '--stack'),
    labels: labelled ? LABELS.map(name => columnOf(trace, name)) : [],
    evidence: format?.name === 'json' ? EVIDENCE_PER_SAMPLE : 0,
    comments: commentsOf(history, view),
    roundCost: microDollars,
    shown,
  });
}

/** The explorer's page; what makes it is loaded only for it. */
async function pageOf(history: History, asked: PageAsked) {
  const { pageContent, pageProgram } = await import('./page.ts');
  return { ...pageContent(history, asked), program: pageProgram() };
}

/** The operations kept as evidence are the first of the files, in whatever order these were read. */
function inFileOrder(trace: Trace, rows: Uint32Array): Uint32Array {
  const { ops } = trace;
  const rank = (row: number) => ops.fileRank[ops.file.get(row)] ?? 0;
  return rows.slice().sort((a, b) => rank(a) - rank(b) || ops.offset.get(a) - ops.offset.get(b) || a - b);
}

async function write(
  folded: Profile,
  history: History,
  flags: ProfileFlags,
  format: Format | undefined,
  options: FormatOptions & { readonly subtitle: string },
): Promise<void> {
  const { subtitle } = options;
  if (format !== undefined) {
    const path = flags.output ?? '-';
    if (path === '-' && format.binary && process.stdout.isTTY)
      throw new UsageError(`--format ${format.name}: is binary and would harm the terminal; give -o FILE or pipe it.`);
    const writer = await format.writer();
    writeOutput(path, sink => writer(folded, sink, options));
    if (path !== '-' && !flags.quiet) process.stderr.write(`${said(folded, history, path)}\n`);
    if (path === '-' || !flags.json) return;
  }
  if (flags.json) process.stdout.write(`${JSON.stringify(summary(folded, history), null, 2)}\n`);
  else process.stdout.write(await terminalText(folded, history, subtitle));
}

function said(folded: Profile, history: History, path: string): string {
  const at = folded.measures.findIndex(measure => measure.name === folded.measure);
  const measure = folded.measures[at] as Measure;
  const total = (folded.samples.values[at] as BigInt64Array).reduce((sum, value) => sum + value, 0n);
  const noun = nounOf(measure, total);
  return `${path}: ${exactly(total, measure.unit)}${noun === '' ? '' : ` ${noun}`} in ${counted(folded.samples.length, 'stack')} of ${counted(history.rows.length, 'operation')} and effects`;
}

async function terminalText(folded: Profile, history: History, subtitle: string): Promise<string> {
  const { terminalSummary } = await import('../formats/terminal.ts');
  const terminal = process.stdout;
  const text = terminalSummary(folded, {
    subtitle,
    color: useColor(terminal),
    ...(terminal.columns ? { width: Math.min(terminal.columns, 160) } : { width: 100 }),
  });
  const lines = [
    ...notesOf(history),
    ...(terminal.isTTY ? (history.tags?.samples(3) ?? []).map(sample => `  unmatched: ${displayText(sample)}`) : []),
  ];
  return lines.length === 0 ? text : `${text}\n${lines.join('\n')}\n`;
}

/** What a person should know beside the numbers: coverage of the tags, calls without a price. */
function notesOf(history: History): string[] {
  const lines: string[] = [];
  const { tags, money } = history;
  if (tags && tags.prompts > 0) {
    lines.push(
      `tags: ${grouped(tags.tagged)} of ${counted(tags.prompts, 'prompt')} (${Math.round((100 * tags.tagged) / tags.prompts)} %) by ${tags.source}: ${sharesOf(tags)}`,
    );
  }
  if (history.recorded) lines.push(...recordedNotes(history.recorded));
  const unknown = unknownUsageLine(history);
  if (unknown !== '') lines.push(unknown);
  if (money && money.summary.unpricedCalls > 0) {
    const named = money.summary.unpriced
      .slice(0, 3)
      .map(each => `${displayText(history.redactor.text(each.model))} (${each.reason})`);
    lines.push(`no price for ${counted(money.summary.unpricedCalls, 'call')}: ${named.join(', ')}; give --prices FILE`);
  }
  return lines;
}

function summary(folded: Profile, history: History): Record<string, unknown> {
  const number = (value: bigint) =>
    value <= BigInt(Number.MAX_SAFE_INTEGER) && value >= -BigInt(Number.MAX_SAFE_INTEGER)
      ? Number(value)
      : value.toString();
  return {
    schema: 'agentpprof.summary/1',
    view: folded.view,
    measure: folded.measure,
    rows: history.rows.length,
    stacks: folded.samples.length,
    totals: Object.fromEntries(
      folded.measures.map((measure, at) => [
        measure.name,
        number((folded.samples.values[at] as BigInt64Array).reduce((sum, value) => sum + value, 0n)),
      ]),
    ),
    tags: history.tags
      ? {
          prompts: history.tags.prompts,
          tagged: history.tags.tagged,
          source: history.tags.source,
          decided_by: history.tags.steps,
        }
      : null,
    unknown_usage_calls: unknownUsage(history).calls,
    unpriced_calls: history.money?.summary.unpricedCalls ?? 0,
    ...(history.recorded ? { recordings: recordedJson(history.recorded) } : {}),
    narrowed: history.narrowed,
    comments: folded.comments,
  };
}
