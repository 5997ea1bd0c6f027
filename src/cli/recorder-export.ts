import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { processTraces, type RecordedProcesses } from '../exports/processes.ts';
import { redactArguments } from '../privacy/arguments.ts';
import { openPseudonyms } from '../privacy/pseudonym.ts';
import { recordingsDirectory } from '../recorder/place.ts';
import { printable } from '../recorder/printable.ts';
import { type RecordingFiles, readRecording, recordingsIn } from '../recorder/reader.ts';
import { Summarizer } from '../recorder/summary.ts';
import { Tally } from '../recorder/tally.ts';
import { UsageError } from '../trace/usage-error.ts';
import { redactorHere } from './homes.ts';
import { deliver, headersOf, type OtlpFlags } from './otlp.ts';

export interface RecordingExportFlags extends OtlpFlags {
  otlpFormat: string;
  includePreviews?: boolean;
  json?: boolean;
}

const LONGEST = 4000;

/** `agentsight report [DIR] --otlp-endpoint URL`: sends the processes of a recording as spans instead of showing them. */
export async function sendRecording(given: string | undefined, flags: RecordingExportFlags): Promise<number> {
  const headers = headersOf(flags);
  if (flags.otlpFormat !== 'otlp-proto' && flags.otlpFormat !== 'otlp-json')
    throw new UsageError(`--otlp-format: takes otlp-proto or otlp-json, not ${JSON.stringify(flags.otlpFormat)}.`);
  const recorded = await recordedProcesses(newestIn(given), flags.includePreviews === true);
  await deliver(processTraces(recorded), flags, flags.otlpFormat, headers);
  return 0;
}

/** The newest recording of a folder, or the one that a part's path names. Throws UsageError where there is none. */
export function newestIn(given: string | undefined): RecordingFiles {
  const path = resolve(given ?? recordingsDirectory(process.env, homedir()));
  let newest: RecordingFiles | undefined;
  try {
    newest = recordingsIn(path)[0];
  } catch {
    // the same as an empty folder: nothing was recorded there
  }
  if (newest === undefined) throw new UsageError(`no recording in ${path}; agentsight record -- COMMAND makes one`);
  return newest;
}

/** A recording as an export sees it: names of programs alone, unless a person asked for words. */
export async function recordedProcesses({ parts }: RecordingFiles, words: boolean): Promise<RecordedProcesses> {
  const summarizer = new Summarizer();
  const tally = new Tally();
  await readRecording(parts, event => {
    summarizer.take(event);
    tally.take(event);
  });
  const summary = summarizer.end();
  const redactor = redactorHere([summary.header?.root.cwd ?? '']);
  const pseudonyms = openPseudonyms(process.env);
  return {
    summary,
    tally,
    shown: name => printable(redactor.frame('process', name)),
    keyed: identity => pseudonyms.of('span', identity),
    words: words
      ? given => redactArguments(given, text => redactor.text(text)).map(word => printable(word, LONGEST))
      : undefined,
  };
}
