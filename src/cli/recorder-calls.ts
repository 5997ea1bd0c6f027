import type { CallReport } from '../recorder/call-report.ts';
import { callTimes, modelTokens, toolTimes } from '../recorder/call-times.ts';
import { clockOf } from '../recorder/clock.ts';
import type { HostWaits } from '../recorder/host-waits.ts';
import type { RecordingFiles } from '../recorder/reader.ts';
import { reasonsOf } from '../recorder/reasons.ts';
import type { RecordingSummary } from '../recorder/summary.ts';
import { readHistory } from './history.ts';

export interface CallReportFlags {
  home: string[];
  sessionFile: string[];
  /** False: the recording alone. */
  histories: boolean;
}

/** What the histories of a recording's time say about it; undefined where nothing of them belongs to it. */
export async function callReport(
  { id, parts }: RecordingFiles,
  summary: RecordingSummary,
  waits: HostWaits,
  { home, sessionFile }: CallReportFlags,
): Promise<CallReport | undefined> {
  const [first] = parts;
  if (first === undefined || summary.header === undefined) return undefined;
  const history = await readHistory(
    {
      home,
      sessionFile,
      sessionDir: [],
      operationFile: [],
      projectRoot: [],
      agent: [],
      sessionId: [],
      branch: [],
      model: [],
      where: [],
      labels: [],
      quiet: true,
      recordings: [first],
    },
    { recordedParts: true },
  );
  const { trace, recorded } = history;
  const joined = recorded?.parts.get(id);
  if (joined === undefined || joined.agents.size === 0) return undefined;
  const clock = clockOf(summary.header);
  const calls = callTimes(trace, joined, summary, clock, waits);
  const reasons = reasonsOf(summary.processes, joined);
  return {
    calls,
    tools: toolTimes(calls),
    models: modelTokens(trace, joined, summary, clock),
    ledger: recorded?.ledgers.find(ledger => ledger.id === id),
    programs: [...reasons].flatMap(([key, reason]) => {
      const process = summary.processes.get(key);
      const image = process?.images.at(-1);
      // Forks without a program of their own are part of what they came from.
      if (process === undefined || image === undefined || reason === 'agent') return [];
      return { pid: process.pid, argv: image.argv.length > 0 ? image.argv : [image.exe], reason };
    }),
  };
}
