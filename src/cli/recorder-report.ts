import { homedir } from 'node:os';
import { redactorFor } from '../privacy/redact.ts';
import { harmlessJson } from '../recorder/printable.ts';
import { readRecording } from '../recorder/reader.ts';
import { reportJson, reportText } from '../recorder/report.ts';
import { Summarizer } from '../recorder/summary.ts';
import { newestIn } from './recorder-export.ts';

/** `agentsight report [DIR] [--json]`: the newest recording of a folder, or the one a part's path names. */
export async function reportCommand(
  given: string | undefined,
  flags: { json?: boolean; all?: boolean },
): Promise<number> {
  const newest = newestIn(given);
  const summarizer = new Summarizer();
  const read = await readRecording(newest.parts, event => summarizer.take(event));
  const summary = summarizer.end();
  const redactor = redactorFor([homedir(), summary.header?.root.cwd ?? '']);
  const clean = (text: string): string => redactor.text(text);
  if (flags.json) process.stdout.write(`${harmlessJson(reportJson(summary, read, clean))}\n`);
  else process.stdout.write(reportText(summary, read, clean, flags.all ?? false));
  return 0;
}
