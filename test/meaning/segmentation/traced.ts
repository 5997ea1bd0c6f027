import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { discover } from '../../../src/sources/discover.ts';
import { load } from '../../../src/sources/load.ts';
import { READERS } from '../../../src/sources/registry.ts';
import { Trace } from '../../../src/trace/trace.ts';

/** A linked trace of operations given by their fields, read as an operation file is. */
export function tracedOperations(operations: readonly Readonly<Record<string, unknown>>[]): Trace {
  const folder = mkdtempSync(join(tmpdir(), 'agentpprof-traced-'));
  try {
    const file = join(folder, 'operations.jsonl');
    writeFileSync(file, operations.map(fields => `${JSON.stringify({ value: 1, fields })}\n`).join(''));
    const plan = { homes: [], sessionFiles: [], sessionDirs: [], agents: [] };
    const histories = load(discover(plan, READERS, [file]), { texts: ['prompt', 'call', 'command', 'result'] });
    return new Trace(histories.ops);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
