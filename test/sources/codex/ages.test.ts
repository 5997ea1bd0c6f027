import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { codex } from '../../../src/sources/codex/reader.ts';
import { Flag } from '../../../src/trace/flags.ts';
import { Kind } from '../../../src/trace/kinds.ts';
import {
  drawn,
  everything,
  FIXTURES,
  readAll,
  readFiles,
  recordsOf,
  tokensByModel,
  totalTokens,
  touched,
} from './reading.ts';

const DOCUMENT = join(FIXTURES, 'sessions/rollout-2025-05-07-5973b6c0-94b8-487b-a530-2aeb6098ae0e.json');
const BARE = join(
  FIXTURES,
  'sessions/2025/07/02/rollout-2025-07-02T09-00-00-0b1f4c8a-6c1e-4f5c-9d7b-3a2e1f0d9c8b.jsonl',
);
const COMPRESSED = join(
  FIXTURES,
  'archived_sessions/rollout-2026-06-17T15-17-40-019ed628-d563-7e40-bbb1-93a6a302d688.jsonl.zst',
);

describe('the TypeScript client’s documents (early 2025)', () => {
  const document = () =>
    JSON.parse(readFileSync(DOCUMENT, 'utf8')) as { session: { id: string; timestamp: string }; items: unknown[] };

  test('give prompts, answers and tools; usage is unknown, which is not 0', () => {
    expect(drawn(readFiles([DOCUMENT]))).toEqual([
      'prompt "list the files and fix the failing test"',
      'call unknown ? <0',
      'tool shell <1',
      'call unknown ? <0',
      'tool shell error exit-1 <3',
      'call unknown ? <0',
    ]);
    expect(touched(readFiles([DOCUMENT]))).toEqual(['shell ls -la (/work/app)', 'shell npm test']);
  });

  test('are dated by their header and last no time', () => {
    const { ops } = readFiles([DOCUMENT]);
    for (let row = 0; row < ops.length; row++) {
      expect(ops.start.get(row)).toBe(Date.parse('2025-05-07T17:24:21.500Z') * 1000);
      expect(ops.end.get(row)).toBe(ops.start.get(row));
    }
  });

  test('that hold the same history once more, longer and under another id, add only what is new', () => {
    const longer = document();
    longer.session = { ...longer.session, id: 'another', timestamp: '2025-05-07T17:30:00.000Z' };
    longer.items.push(
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'thanks' }] },
      { id: 'msg_5', type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Welcome.' }] },
    );
    expect(drawn(readAll({ b: [longer], a: [document()] })).filter(line => line.startsWith('prompt'))).toHaveLength(2);
    const other = structuredClone(longer);
    for (const item of other.items as { id?: string }[]) if (item.id) item.id = `other ${item.id}`;
    expect(drawn(readAll({ a: [document()], b: [other] })).filter(line => line.startsWith('prompt'))).toHaveLength(3);
  });

  test('are known by their name where the lines say nothing', () => {
    expect(codex.isDocument?.(DOCUMENT)).toBe(true);
    expect(codex.sniff({ path: DOCUMENT, records: [] })).toBe(true);
    expect(codex.sniff({ path: '/x/y.json', records: [document()] })).toBe(true);
  });
});

describe('items without envelope (mid 2025)', () => {
  test('give a session with tools and prompts; usage is unknown, which is not 0', () => {
    const read = readFiles([BARE]);
    expect(drawn(read)).toEqual([
      'prompt "why does the build fail?"',
      'call unknown ? <0',
      'tool shell error exit-2 <1',
      'call unknown ? <0',
      'tool local_shell <3',
      'call unknown ? <0',
      'prompt "thanks"',
    ]);
    expect(tokensByModel(read).get('all')).toMatchObject({ calls: 3, total: 0 });
    expect(read.ops.sessions.all).toMatchObject([{ id: '0b1f4c8a-6c1e-4f5c-9d7b-3a2e1f0d9c8b', cwd: '/work/app' }]);
    expect(read.ops.field.branch.get(0)).toBe('main');
    expect([...(read.ledgers[0]?.unknown ?? [])]).toEqual([]);
    for (let row = 0; row < read.ops.length; row++) {
      if (read.ops.kind.get(row) === Kind.call) expect(read.ops.has(row, Flag.unknownUsage)).toBe(true);
    }
  });

  test('read in two parts give the same', () => {
    const records = recordsOf(BARE);
    const whole = everything(readAll({ [BARE]: records }));
    for (let cut = 1; cut < records.length; cut++)
      expect(everything(readAll({ [BARE]: records }, [cut]))).toEqual(whole);
  });

  test('each row leads back to its line', () => {
    const { ops } = readFiles([BARE]);
    const bytes = readFileSync(BARE);
    const lines = Array.from({ length: ops.length }, (_, row) => {
      const at = ops.offset.get(row);
      return JSON.parse(bytes.subarray(at, at + ops.bytes.get(row)).toString()) as { type: string };
    });
    expect(lines.map(line => line.type)).toEqual([
      'message',
      'reasoning',
      'function_call',
      'local_shell_call',
      'local_shell_call',
      'message',
      'message',
    ]);
  });
});

describe('compressed rollouts (since 0.137)', () => {
  test('are read as they stand', () => {
    const read = readFiles([COMPRESSED]);
    expect(totalTokens(read)).toBe(58274);
    expect(read.ops.sessions.all).toMatchObject([{ id: '019ed628-d563-7e40-bbb1-93a6a302d688', subagent: 'review' }]);
  });
});

describe('a session in two files', () => {
  test('an archived copy beside the active file adds nothing', () => {
    const records = recordsOf(COMPRESSED);
    expect(
      totalTokens(readAll({ 'sessions/a.jsonl': records, 'archived_sessions/a.jsonl': records.slice(0, -3) })),
    ).toBe(58274);
  });

  test('a resumed file repeats its header and is no fork', () => {
    const records = recordsOf(COMPRESSED);
    const repeated = [...records.slice(0, 15), records[0], ...records.slice(15)];
    expect(drawn(readAll({ a: repeated }))).toEqual(drawn(readAll({ a: records })));
  });

  test('a file that names no thread is known by its name', () => {
    const rows = recordsOf(COMPRESSED).slice(4);
    const { ops } = readAll({
      '/x/sessions/rollout-2026-01-01T00-00-00-019ed628-d563-7e40-bbb1-93a6a302d688.jsonl': rows,
      '/y/basic.jsonl': rows,
    });
    expect(ops.sessions.all.map(session => session.id)).toEqual([
      '019ed628-d563-7e40-bbb1-93a6a302d688',
      'file:/y/basic.jsonl',
    ]);
  });
});
