import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { claudeCode } from '../../src/sources/claude-code/reader.ts';
import { codex } from '../../src/sources/codex/reader.ts';
import { geminiCli } from '../../src/sources/gemini-cli/reader.ts';
import type { Reader } from '../../src/sources/reader.ts';
import { READERS } from '../../src/sources/registry.ts';
import { TOLD_ELSEWHERE } from '../../src/sources/streams.ts';
import {
  drawn,
  everything,
  FIXTURES,
  type Files,
  headOf,
  readAll,
  readFiles,
  tokensByModel,
  touched,
} from './reading.ts';

/** What clients print with `stream-json` or `exec --json`, saved as a file. */
const at = (agent: string) => join(FIXTURES, 'streams', `${agent}.jsonl`);
const recordsOf = (agent: string): Record<string, unknown>[] =>
  readFileSync(at(agent), 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line));

const STREAMS: readonly { reader: Reader; rows: readonly string[]; touches: readonly string[]; total: number }[] = [
  {
    reader: claudeCode,
    rows: [
      'call claude-sonnet-4-5-20250929 10+1000+200+2+0',
      '  tool Bash error exit-1',
      'call claude-sonnet-4-5-20250929 5+1200+50+1+0',
      '  tool Task ok',
      '    event task +opensTurn +streamed',
      '      call claude-haiku-4-5-20251001 7+0+300+3+0',
      '        tool Read ok',
      '      call claude-haiku-4-5-20251001 4+300+0+1+0',
      'event retry error http-529',
      'call claude-sonnet-4-5-20250929 6+1250+0+1+0',
      '  call claude-sonnet-4-5-20250929 0+0+0+176+0 +inferred +usageOnly',
      '  call claude-haiku-4-5-20251001 0+0+0+66+0 +inferred +usageOnly',
    ],
    touches: ['shell npm test', 'read /code/shop/src/parse.ts'],
    total: 21 + 3450 + 250 + 180 + (11 + 300 + 300 + 70),
  },
  {
    reader: codex,
    rows: [
      'call - 315+24448+0+122+0 +inferred',
      '  tool exec_command error exit-1',
      '  tool apply_patch',
      '  tool mcp__docs__search error tool-error docs',
      'call - 685+24552+0+78+0 +inferred',
      '  tool web_search',
    ],
    touches: [
      "shell bash -lc 'npm test'",
      'write /code/shop/src/parse.ts',
      'create /code/shop/src/new.ts',
      'search node parser',
    ],
    total: 50_200,
  },
  {
    reader: geminiCli,
    rows: [
      'prompt "Fix the failing test"',
      '  call gemini-3-pro 0+0+0+0+0',
      '    tool run_shell_command',
      '    tool read_file error not-found',
      '  call gemini-3-pro 0+0+0+0+0',
      '  call gemini-3-pro 3800+5000+0+200+120 +inferred +usageOnly',
    ],
    touches: ['shell npm test'],
    total: 9120,
  },
];

describe.each(STREAMS.map(stream => ({ ...stream, agent: stream.reader.agent })))(
  'a saved stream of $agent',
  stream => {
    const { reader, agent, rows, touches, total } = stream;
    const plain = (lines: readonly string[]) => lines.map(line => line.replace(' +streamed', ''));

    test('gives its rows, and its total is what the run used', () => {
      const read = readFiles(reader, [at(agent)]);
      expect(plain(drawn(read))).toEqual(plain(rows));
      expect(touched(read)).toEqual(touches);
      expect(tokensByModel(read).get('all')?.total).toBe(total);
      expect([...(read.ledgers[0]?.unknown.keys() ?? [])]).toEqual([]);
      expect(read.ledgers[0]?.badLines).toBe(0);
    });

    test('is this agent’s by its content, and no other’s', () => {
      const head = headOf(at(agent));
      expect(READERS.filter(each => each.sniff(head)).map(each => each.agent)).toEqual([agent]);
    });

    test('read in two parts, cut before any line, it gives the same as at once', () => {
      const records = recordsOf(agent);
      const whole = everything(readAll(reader, { s: records }));
      for (let cut = 1; cut < records.length; cut++)
        expect(everything(readAll(reader, { s: records }, [cut]))).toEqual(whole);
    });

    test('saved twice it counts once', () => {
      const records = recordsOf(agent);
      const twice = readAll(reader, { s: records, t: records });
      expect(tokensByModel(twice)).toEqual(tokensByModel(readAll(reader, { s: records })));
      expect(drawn(twice).length).toBe(rows.length);
    });

    test('cut off by a kill before its end, its answers stand and what they used is a lower bound or unknown', () => {
      const read = readAll(reader, { s: recordsOf(agent).slice(0, -1) });
      expect(tokensByModel(read).get('all')?.total).toBeLessThan(total);
      expect(drawn(read).filter(line => /^\s*tool/.test(line)).length).toBe(
        rows.filter(row => /^\s*tool/.test(row)).length,
      );
    });
  },
);

/** What the same session is in the agent's own file: other numbers, so that one sees which of them counts. */
const TRANSCRIPTS: readonly { reader: Reader; total: number; files: Files }[] = [
  {
    reader: claudeCode,
    total: 700,
    files: {
      '/h/.claude/projects/-work-shop/5b1f2c3d-0000-4000-8000-00000000c1a0.jsonl': [
        {
          type: 'assistant',
          sessionId: '5b1f2c3d-0000-4000-8000-00000000c1a0',
          uuid: 'a',
          isSidechain: false,
          timestamp: '2026-05-04T10:00:00.000Z',
          message: { id: 'msg_s1', model: 'claude-x', content: [], usage: { input_tokens: 600, output_tokens: 100 } },
        },
      ],
    },
  },
  {
    reader: codex,
    total: 700,
    files: {
      '/h/.codex/sessions/2026/05/04/rollout-2026-05-04T10-00-00-0199a213-81c0-7800-8aa1-bbab2a035a53.jsonl': [
        {
          timestamp: '2026-05-04T10:00:00.000Z',
          type: 'session_meta',
          payload: { id: '0199a213-81c0-7800-8aa1-bbab2a035a53', cwd: '/code/shop' },
        },
        {
          timestamp: '2026-05-04T10:00:01.000Z',
          type: 'event_msg',
          payload: {
            type: 'token_count',
            info: {
              total_token_usage: { input_tokens: 600, output_tokens: 100, total_tokens: 700 },
              last_token_usage: { input_tokens: 600, output_tokens: 100, total_tokens: 700 },
            },
          },
        },
      ],
    },
  },
  {
    reader: geminiCli,
    total: 700,
    files: {
      '/h/.gemini/tmp/shop/chats/session-2026-05-04T10-00-8c2e0f5a.jsonl': [
        { sessionId: '8c2e0f5a-0000-4000-8000-0000000000e3', projectHash: 'h', startTime: 'x', kind: 'main' },
        {
          id: 'g1',
          timestamp: '2026-05-04T10:00:02.000Z',
          type: 'gemini',
          content: 'ok',
          model: 'gemini-3-pro',
          tokens: { input: 600, output: 100, cached: 0, thoughts: 0, tool: 0, total: 700 },
        },
      ],
    },
  },
];

describe('never twice', () => {
  test.each(TRANSCRIPTS.map(each => ({ ...each, agent: each.reader.agent })))(
    '$agent: with the session’s own file there, in either order, that file alone counts',
    ({ reader, agent, files, total }) => {
      for (const both of [
        { stream: recordsOf(agent), ...files },
        { ...files, stream: recordsOf(agent) },
      ]) {
        const read = readAll(reader, both);
        expect(tokensByModel(read).get('all')?.total).toBe(total);
        expect(drawn(read).filter(line => /^\s*tool/.test(line))).toEqual([]);
        const notes = read.ledgers.find(ledger => ledger.path === 'stream')?.notes;
        expect(notes).toContain(TOLD_ELSEWHERE);
      }
    },
  );

  test('the runs of one Codex thread in files of their own add up to its last total, in any order', () => {
    const records = recordsOf('codex');
    const second = records.findLastIndex(record => record.type === 'thread.started');
    const [a, b] = [records.slice(0, second), records.slice(second)];
    for (const files of [
      { a, b },
      { b, a },
    ])
      expect(tokensByModel(readAll(codex, files)).get('all')?.total).toBe(50_200);
    expect(tokensByModel(readAll(codex, { b })).get('all')?.total).toBe(50_200);
  });

  test('two results of one Claude Code process are one growing total', () => {
    const records = recordsOf('claude-code');
    const result = records.at(-1) as { modelUsage: Record<string, { outputTokens: number }> };
    const later = structuredClone(result);
    (later.modelUsage['claude-sonnet-4-5-20250929'] as { outputTokens: number }).outputTokens += 40;
    const read = readAll(claudeCode, { s: [...records, later] });
    expect(tokensByModel(read).get('all')?.total).toBe((STREAMS[0]?.total ?? 0) + 40);
  });
});

describe('what a stream may hold besides', () => {
  test('partial messages bring the last counts of each answer', () => {
    const session = { session_id: 's', parent_tool_use_id: null, uuid: 'u' };
    const usage = { input_tokens: 10, cache_read_input_tokens: 5, output_tokens: 1 };
    const read = readAll(claudeCode, {
      s: [
        { type: 'stream_event', ...session, event: { type: 'message_start', message: { id: 'm', model: 'c', usage } } },
        { type: 'stream_event', ...session, event: { type: 'content_block_delta', delta: { text: 'x' } } },
        {
          type: 'assistant',
          ...session,
          uuid: 'v',
          message: { id: 'm', model: 'c', content: [{ type: 'text', text: 'x' }], usage },
        },
        {
          type: 'stream_event',
          ...session,
          event: { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 77 } },
        },
      ],
    });
    expect(drawn(read)).toEqual(['call c 10+5+0+77+0 +streamed']);
  });

  test('before usage by model, the usage of the results is that of the model', () => {
    const session = { session_id: 's' };
    const result = { type: 'result', ...session, subtype: 'success', total_cost_usd: 0, duration_api_ms: 1 };
    const read = readAll(claudeCode, {
      s: [
        { type: 'system', subtype: 'init', ...session, model: 'c', mcp_servers: [] },
        { ...result, usage: { input_tokens: 5, output_tokens: 6 } },
        { ...result, subtype: 'error_max_turns', usage: { input_tokens: 1, output_tokens: 2 } },
      ],
    });
    expect(tokensByModel(read).get('all')?.total).toBe(14);
    expect(drawn(read)).toContain('event api-error error error-max-turns +streamed');
  });

  test('a failed turn of Codex is an error, and its usage unknown', () => {
    const read = readAll(codex, {
      s: [
        { type: 'thread.started', thread_id: 't' },
        { type: 'turn.started' },
        { type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: 'I try' } },
        { type: 'error', message: 'limit' },
        { type: 'turn.failed', error: { message: 'limit' } },
      ],
    });
    expect(drawn(read)).toEqual(['call - ? +inferred +streamed', 'event api-error error api-error +streamed']);
  });

  test('models of a Gemini run keep their sums apart', () => {
    const [init, , ...rest] = recordsOf('gemini-cli');
    const result = {
      ...rest.at(-1),
      stats: {
        total_tokens: 30,
        input_tokens: 20,
        output_tokens: 10,
        models: {
          a: { total_tokens: 12, input_tokens: 10, output_tokens: 2, cached: 4 },
          b: { total_tokens: 18, input_tokens: 10, output_tokens: 8, cached: 0 },
        },
      },
    };
    const models = tokensByModel(readAll(geminiCli, { s: [init, result] }));
    expect([models.get('a')?.total, models.get('b')?.total]).toEqual([12, 18]);
  });

  test.each(['qwen_code_version', 'amp'])(
    'a stream of the same outline by another program (%s) is not Claude Code’s',
    sign => {
      const records = recordsOf('claude-code').map(record =>
        sign === 'amp'
          ? { ...record, session_id: 'T-1' }
          : { ...record, ...(record.type === 'system' ? { [sign]: '1' } : {}) },
      );
      expect(claudeCode.sniff({ path: '/h/s.jsonl', records })).toBe(false);
    },
  );
});
