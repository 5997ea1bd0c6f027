import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { claudeCode } from '../../../src/sources/claude-code/reader.ts';
import { fileLedger } from '../../../src/sources/ledger.ts';
import { Operations } from '../../../src/trace/operations.ts';
import { Texts } from '../../../src/trace/texts.ts';
import { everything, FIXTURES, filesBelow, isTranscript, recordsOf, SHARED, shrunk } from './reading.ts';
import { answers, at, attaches, costState, queues, type Row, returns, says, system, uses } from './rows.ts';

/** Reads records in two parts; what is kept in between is a clone of the state, as a store would give it back. */
function readInParts(path: string, records: readonly unknown[], cut: number): object {
  const out = new Operations(new Texts(['prompt', 'call', 'command', 'result']));
  const ledger = fileLedger(path, claudeCode.agent);
  const file = { index: 0, path, sibling: (name: string) => siblings(path, name) };
  let state: unknown;
  for (const [from, to] of [
    [0, cut],
    [cut, records.length],
  ] as const) {
    const sink = claudeCode.open(file, out, ledger, state);
    for (let i = from; i < to; i++) sink.record(records[i], i * 100, 99);
    state = structuredClone(sink.end());
  }
  claudeCode.settle?.(out, [ledger]);
  return everything({ out, ledgers: [ledger] });
}

function siblings(path: string, name: string): unknown {
  try {
    return JSON.parse(readFileSync(path.replace(/[^/]+$/, name), 'utf8'));
  } catch {
    return undefined;
  }
}

/** Everything that spans two records. */
const SPANNING: readonly Row[] = [
  queues(0, 'enqueue', 'Go'),
  queues(0, 'dequeue'),
  says(0, 'Go', { uuid: 'u1' }),
  { type: 'api-request', id: 'r1', timestamp: at(1), sessionId: 's1' },
  answers(2, 'm1', 'x'.repeat(200), { in: 1, out: 1 }, { requestRef: 'r1', stop: null }),
  answers(
    3,
    'm1',
    [uses('t1', 'Bash', { command: 'ls', run_in_background: true }), uses('t2', 'Write', { file_path: '/w/a' })],
    { in: 1, out: 99 },
  ),
  queues(4, 'enqueue', 'Also that'),
  queues(4, 'enqueue', 'And that'),
  returns(5, 't1', { backgroundTaskId: 'b1' }),
  returns(6, 't2', { type: 'create' }),
  attaches(6, { type: 'queued_command', prompt: 'Also that', commandMode: 'prompt' }),
  queues(6, 'remove'),
  queues(6, 'remove'),
  attaches(7, { type: 'queued_command', prompt: 'And that', commandMode: 'prompt' }),
  answers(8, 'm2', 'Done.', { in: 2, out: 9 }),
  says(0, 'Go', { uuid: 'u1' }),
  says(20, '<task-notification><tool-use-id>t1</tool-use-id><status>failed</status></task-notification>'),
  answers(21, 'm3', 'I see.', { in: 2, out: 9 }),
  returns(22, 't3', { type: 'create' }),
  answers(22, 'm4', [uses('t3', 'Write', { file_path: '/w/b' })], { in: 2, out: 99 }),
  costState({ 'claude-a': { in: 50, out: 300 } }),
  system(30, 'compact_boundary', { compactMetadata: { durationMs: 1000 } }),
  costState({ 'claude-a': { in: 60, out: 400 } }),
  says(40, 'A', { isSidechain: true, uuid: 'c0' }),
  answers(41, 'm10', 'a', { in: 1, out: 9 }, { isSidechain: true, uuid: 'c1', parentUuid: 'c0' }),
  answers(42, 'm11', 'a', { in: 1, out: 9 }, { isSidechain: true, uuid: 'c2', parentUuid: 'c1' }),
  { type: 'frobnicate' },
];

const MOST_RECORDS = 130;
const samples: [string, string, readonly unknown[]][] = [['rows that belong together', '/p/s1.jsonl', SPANNING]];
for (const directory of [FIXTURES, ...(SHARED === '' ? [] : [`${SHARED}/real-agents`])]) {
  for (const path of filesBelow(directory, path => isTranscript(path) && path.includes('claude-code'))) {
    const records = recordsOf(path);
    if (records.length <= MOST_RECORDS) samples.push([path.slice(directory.length + 1), path, records]);
  }
}

describe('a file that grew, read in two parts, is the same as read at once', () => {
  it.each(samples)('%s, cut behind every record', (_, path, records) => {
    const small = records.map(shrunk);
    const whole = readInParts(path, small, small.length);
    const text = JSON.stringify(whole);
    for (let cut = 0; cut < small.length; cut++) {
      const parts = readInParts(path, small, cut);
      // Comparing texts is quick; comparing values shows where they differ.
      if (JSON.stringify(parts) !== text) expect({ cut, ...parts }).toEqual({ cut, ...whole });
    }
    expect(small.length).toBeGreaterThan(0);
  });
});
