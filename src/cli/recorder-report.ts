import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { redactorFor } from '../privacy/redact.ts';
import { recordingsDirectory } from '../recorder/place.ts';
import { harmlessJson } from '../recorder/printable.ts';
import { readRecording, recordingsIn } from '../recorder/reader.ts';
import { reportJson, reportText } from '../recorder/report.ts';
import { Summarizer } from '../recorder/summary.ts';
import { UsageError } from '../trace/usage-error.ts';

/** `agentsight report [DIR] [--json]`: the newest recording of a folder, or the one a part's path names. */
export async function reportCommand(
  given: string | undefined,
  flags: { json?: boolean; all?: boolean },
): Promise<number> {
  const path = resolve(given ?? recordingsDirectory(process.env, homedir()));
  let newest: ReturnType<typeof recordingsIn>[number] | undefined;
  try {
    newest = recordingsIn(path)[0];
  } catch {
    // the same as an empty folder: nothing was recorded there
  }
  if (newest === undefined) throw new UsageError(`no recording in ${path}; agentsight record -- COMMAND makes one`);
  const summarizer = new Summarizer();
  const read = await readRecording(newest.parts, event => summarizer.take(event));
  const summary = summarizer.end();
  const redactor = redactorFor([homedir(), summary.header?.root.cwd ?? '']);
  const clean = (text: string): string => redactor.text(text);
  if (flags.json) process.stdout.write(`${harmlessJson(reportJson(summary, read, clean))}\n`);
  else process.stdout.write(reportText(summary, read, clean, flags.all ?? false));
  return 0;
}
