import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { recordedProcesses } from '../../src/cli/recorder-export.ts';
import { processTraces } from '../../src/exports/processes.ts';
import { redactorFor } from '../../src/privacy/redact.ts';
import { callsJson, callsText } from '../../src/recorder/call-report.ts';
import type { RecordingLedger } from '../../src/recorder/ledger.ts';
import { recordingsIn } from '../../src/recorder/reader.ts';
import { reportJson, reportText } from '../../src/recorder/report.ts';
import { headerOf, recordedOf, writeStory } from './story.ts';

const dir = mkdtempSync(join(tmpdir(), 'agentsight-secrets-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** Secrets that only show by the argument before them. */
const SECRET = ['/bin/tool', '--password', 'Canary 1 two', '--token', 'canary55x', '-u', 'bob:canary3'];
const STORY = `
  0 1 exec /bin/tool --password Canary1 --token canary55x -u bob:canary3
  1 1 fork 2
  2 2 exec sudo mysql -h db -u root -pcanary4 shop
  3 2 exit 0
  9 1 exit 0
  end
`;
const redactor = redactorFor([]);
const clean = (text: string): string => redactor.text(text);
const { summary } = recordedOf(STORY);
summary.header = headerOf(undefined, SECRET);
const read = { badLines: 0, cutParts: 0 };
const programs = [...summary.processes.values()].map(({ pid, images }) => ({
  pid,
  argv: images[0]?.argv ?? [],
  reason: 'no_call',
}));
const ledger = { sessions: 1, calls: { in_time: 0, attached: 0, not_attached: {} } } as unknown as RecordingLedger;
const report = { calls: [], tools: [], models: [], ledger, programs };

describe('a secret among arguments is in no', () => {
  it.each<[string, () => unknown]>([
    ['report as text', () => reportText(summary, read, clean, true)],
    ['report as JSON', () => reportJson(summary, read, clean)],
    ['list of programs of no tool call', () => callsText(report, clean)],
    ['such list as JSON', () => callsJson(report, clean)],
    [
      'span, whose words were asked for',
      async () => {
        writeStory(dir, STORY, headerOf(undefined, SECRET));
        return [...processTraces(await recordedProcesses(recordingsIn(dir)[0]!, true))];
      },
    ],
  ])('%s', async (_, made) => {
    const text = JSON.stringify(await made());
    expect(text).toContain('[redacted]');
    expect(text.toLowerCase()).not.toContain('canary');
  });
});
