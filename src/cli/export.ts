import { chromeTrace } from '../exports/chrome-trace.ts';
import { csv } from '../exports/csv.ts';
import type { Exported } from '../exports/exported.ts';
import { openmetrics } from '../exports/openmetrics.ts';
import { type SpanPlace, traces } from '../exports/otlp.ts';
import { processTraces, type RecordedProcesses } from '../exports/processes.ts';
import { microDollars } from '../money/round.ts';
import { encodeTraces, type TracesData } from '../otlp/encode.ts';
import { timelinesOf } from '../profile/timelines.ts';
import type { Parts } from '../recorder/parts.ts';
import { UsageError } from '../trace/usage-error.ts';
import { emptyReport } from './empty.ts';
import { type History, readHistory } from './history.ts';
import { ID_FRAMES } from './ids.ts';
import type { HistoryFlags, MeaningFlags } from './options.ts';
import { deliver, headersOf, type OtlpFlags } from './otlp.ts';
import { type Chunk, checkOutput, writeOutput } from './output.ts';

export interface ExportFlags extends HistoryFlags, MeaningFlags, OtlpFlags {
  format?: string;
  output?: string;
  includePreviews?: boolean;
  json?: boolean;
}

/** What is exported, and the recordings of its tool calls. */
interface Source extends Exported {
  readonly recorded: readonly { readonly processes: RecordedProcesses; readonly parts: Parts }[];
}

type Write = (exported: Source) => Iterable<Chunk>;

/** What each format writes, and the endings of file names that stand for it. */
const FORMATS: Readonly<Record<string, { readonly endings: readonly string[]; readonly write: Write }>> = {
  'otlp-json': {
    endings: ['.jsonl', '.ndjson'],
    *write(exported) {
      for (const batch of spans(exported)) yield `${JSON.stringify(batch)}\n`;
    },
  },
  'otlp-proto': {
    endings: ['.binpb', '.otlp'],
    *write(exported) {
      for (const batch of spans(exported)) yield encodeTraces(batch);
    },
  },
  'chrome-trace': {
    endings: ['.json'],
    write: ({ trace, rows, shown }) => [JSON.stringify(chromeTrace(timelinesOf(trace, rows, shown)))],
  },
  csv: { endings: ['.csv'], write: exported => csv(exported, microDollars) },
  openmetrics: { endings: ['.prom', '.om'], write: exported => [openmetrics(exported)] },
};

/** Operations to a file, or to a receiver of OTLP; offline unless one is named. */
export async function exportCommand(flags: ExportFlags): Promise<void> {
  const format = formatOf(flags);
  const headers = headersOf(flags);
  if (flags.output !== undefined) checkOutput(flags.output);
  const texts = flags.includePreviews ? (['prompt'] as const) : [];
  const needs = { meaning: flags, prices: flags.prices ?? true, texts, recordedParts: format.startsWith('otlp-') };
  const history = await readHistory(flags, needs);
  const words = flags.includePreviews === true;
  const exported = { ...exportedOf(history, words), recorded: await recordedOf(history, words) };
  if (flags.otlpEndpoint !== undefined) await deliver(spans(exported), flags, format, headers);
  else {
    const write = FORMATS[format]?.write as Write;
    writeOutput(flags.output ?? '-', sink => {
      for (const chunk of write(exported)) sink(chunk);
    });
  }
  if (history.rows.length === 0) process.stderr.write(emptyReport(history));
}

/** Of the recordings that show a tool call of the history: their processes. Without parts, for formats that have no spans, none. */
async function recordedOf({ recorded }: History, words: boolean): Promise<Source['recorded']> {
  const shown: { processes: RecordedProcesses; parts: Parts }[] = [];
  for (const [id, parts] of recorded?.parts ?? []) {
    const files = recorded?.files.get(id);
    if (files === undefined || parts.calls.length === 0) continue;
    const { recordedProcesses } = await import('./recorder-export.ts');
    shown.push({ processes: await recordedProcesses(files, words), parts });
  }
  return shown;
}

/** Operations, and below their tool calls the processes that were recorded of them. */
function* spans(source: Source): Generator<TracesData> {
  const places = new Map<number, SpanPlace>();
  yield* traces(source, places);
  for (const { processes, parts } of source.recorded) {
    const above = new Map<string, SpanPlace>();
    for (const { row, links } of parts.calls) {
      const place = places.get(row);
      // What a process started hangs below it, so the first of a call is enough.
      if (place) for (const { process } of links) if (process !== undefined) above.set(process, place);
    }
    if (above.size > 0) yield* processTraces(processes, above);
  }
}

function formatOf({ format, output, otlpEndpoint }: ExportFlags): string {
  if (otlpEndpoint === undefined && output === undefined)
    throw new UsageError('export: say where to: -o FILE, -o - for standard output, or --otlp-endpoint URL.');
  if (otlpEndpoint !== undefined && output !== undefined)
    throw new UsageError('--otlp-endpoint: sends; give either that or -o.');
  const known = Object.keys(FORMATS).join(', ');
  if (format !== undefined) {
    if (!Object.hasOwn(FORMATS, format))
      throw new UsageError(`--format: there is no export ${JSON.stringify(format)}. Known exports: ${known}.`);
    if (otlpEndpoint !== undefined && !format.startsWith('otlp-'))
      throw new UsageError('--otlp-endpoint: takes otlp-proto or otlp-json.');
    const told = output === undefined ? undefined : formatOfEnding(output);
    if (told !== undefined && told !== format)
      throw new UsageError(`--format ${format}: ${output} has the ending of ${told}; name the file otherwise.`);
    return format;
  }
  if (otlpEndpoint !== undefined) return 'otlp-proto';
  const told = formatOfEnding(output as string);
  if (told === undefined)
    throw new UsageError(`-o: the ending of ${output} stands for no export; give --format: ${known}.`);
  return told;
}

function formatOfEnding(path: string): string | undefined {
  return Object.keys(FORMATS).find(name => FORMATS[name]?.endings.some(ending => path.toLowerCase().endsWith(ending)));
}

function exportedOf({ trace, rows, pseudonyms, redactor }: History, words: boolean): Exported {
  return {
    trace,
    rows,
    shown: (field, value) => (ID_FRAMES.has(field) ? pseudonyms.of(field, value) : redactor.frame(field, value)),
    keyed: identity => pseudonyms.of('span', identity),
    words: words ? row => redactor.text(trace.ops.texts.get('prompt', row)) : undefined,
  };
}
