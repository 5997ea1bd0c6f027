import { type CallReport, callsJson, callsText } from '../recorder/call-report.ts';
import { HostWaits } from '../recorder/host-waits.ts';
import { harmlessJson } from '../recorder/printable.ts';
import { type RecordingFiles, readRecording } from '../recorder/reader.ts';
import { reportJson, reportText } from '../recorder/report.ts';
import { type RecordingSummary, Summarizer } from '../recorder/summary.ts';
import { UsageError } from '../trace/usage-error.ts';
import { redactorHere } from './homes.ts';
import type { CallReportFlags } from './recorder-calls.ts';
import { newestIn } from './recorder-export.ts';

/** `agentsight report [DIR] [--json]`: the newest recording of a folder, or the one a part's path names. */
export async function reportCommand(
  given: string | undefined,
  flags: CallReportFlags & { json?: boolean; all?: boolean },
): Promise<number> {
  const newest = newestIn(given);
  const summarizer = new Summarizer();
  const waits = new HostWaits();
  const read = await readRecording(newest.parts, event => {
    summarizer.take(event);
    waits.take(event);
  });
  const summary = summarizer.end();
  const redactor = redactorHere([summary.header?.root.cwd ?? '']);
  const clean = (text: string): string => redactor.text(text);
  const told = await calls(newest, summary, waits, flags);
  const report = typeof told === 'string' ? undefined : told;
  if (flags.json) {
    const whole = { ...reportJson(summary, read, clean), histories: report ? callsJson(report, clean) : null };
    process.stdout.write(`${harmlessJson(whole)}\n`);
    return 0;
  }
  if (typeof told === 'string') process.stderr.write(`agentsight: ${told}\n`);
  const before = report ? callsText(report, clean) : [];
  process.stdout.write(reportText(summary, read, clean, flags.all ?? false, before));
  return 0;
}

/** A recording is told without histories too: what is wrong with them is said, and no more. */
async function calls(
  newest: RecordingFiles,
  summary: RecordingSummary,
  waits: HostWaits,
  flags: CallReportFlags,
): Promise<CallReport | string | undefined> {
  if (!flags.histories) return undefined;
  const { callReport } = await import('./recorder-calls.ts');
  try {
    return await callReport(newest, summary, waits, flags);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    return `histories cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
}
