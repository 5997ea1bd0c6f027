import { describe, expect, test } from 'vitest';
import { langfuse } from '../../../src/sources/langfuse/reader.ts';
import { drawn, readAll, tokensByModel } from '../reading.ts';
import { reads } from '../samples.ts';

const below = 'sessions/langfuse/langfuse+langfuse';

reads(langfuse, {
  owns: path => path.startsWith('sessions/langfuse/'),
  samples: {
    [`${below}/autogen-2025-06-06.trace.json`]: {
      rows: ['prompt "Say \'Hello World!\'"', '  call gpt-4o 41+0+0+3+0'],
      total: 44,
    },
    [`${below}/llamaindex-2025-06-05.trace.json`]: {
      rows: ['prompt "What is Langfuse?"', '  call gpt-4o 13+0+0+81+0'],
      total: 94,
    },
    [`${below}/microsoft-agent-2025-12-17.trace.json`]: {
      rows: [
        'prompt "What\'s the weather in Tokyo?"',
        '  call gpt-5-mini-2025-08-07 77+0+0+86+0',
        '    tool get_weather',
        '  call gpt-5-mini-2025-08-07 216+0+0+20+0',
      ],
      total: 399,
    },
    [`${below}/pydantic-ai-2025-06-06.trace.json`]: {
      rows: ['prompt "What is Langfuse?"', '  call gpt-4o 31+0+0+96+0'],
      total: 127,
    },
    [`${below}/pydantic-ai-tools-2025-06-06.trace.json`]: {
      rows: ['prompt "What is Langfuse?"', '  call gpt-4o 31+0+0+96+0'],
      total: 127,
    },
    [`${below}/pydantic-ai-with-gemini-2025-12-24.trace.json`]: { rows: { prompt: 1, call: 1 }, total: 199 },
    [`${below}/vercel-aisdk-2025-11-17.trace.json`]: {
      rows: [
        'prompt "What is the weather like today in San Francisco?"',
        '  call gpt-5 62+0+0+85+0',
        '    tool getWeather',
      ],
      total: 147,
    },
  },
});

const at = (seconds: number) => new Date(Date.UTC(2026, 4, 4) + seconds * 1000).toISOString();
const seen = (id: string, type: string, more: object = {}) => ({
  id,
  traceId: 't',
  type,
  name: id,
  startTime: at(0),
  endTime: at(1),
  parentObservationId: null,
  ...more,
});
const trace = (observations: object[], more: object = {}) => ({ trace: { id: 't', ...more }, observations });
const read = (...records: unknown[]) => readAll(langfuse, { '/h/x.jsonl': records });
const rows = (...observations: object[]) => drawn(read(trace(observations)));

describe('what counts', () => {
  test('a generation around another one of the same usage counts once', () => {
    const usageDetails = { input: 100, output: 10, total: 110 };
    expect(
      rows(
        seen('out', 'GENERATION', { model: 'm', usageDetails }),
        seen('in', 'GENERATION', { model: 'm', usageDetails, parentObservationId: 'out' }),
      ),
    ).toEqual(['event trace +opensTurn', '  call m 100+0+0+10+0']);
  });

  test.each<[string, object, string]>([
    [
      'cached input beside the input, as the total says',
      { input: 40, input_cached_tokens: 60, output: 5, total: 105 },
      '40+60+0+5+0',
    ],
    ['cached input in it', { input: 100, 'prompt_details.cache_read': 60, output: 5, total: 105 }, '40+60+0+5+0'],
    ['reasoning in the output', { input: 1, output: 9, output_reasoning_tokens: 4, total: 10 }, '1+0+0+5+4'],
    ['reasoning beside it', { input: 1, output: 9, output_reasoning: 4, total: 14 }, '1+0+0+9+4'],
    [
      'cache writes',
      { input: 1, cache_creation_input_tokens: 7, cache_read_input_tokens: 8, output: 2, total: 18 },
      '1+8+7+2+0',
    ],
  ])('%s', (_, usageDetails, expected) => {
    expect(rows(seen('a', 'GENERATION', { usageDetails }))[1]).toBe(`  call - ${expected}`);
  });

  test.each<[object, string]>([
    [{ promptTokens: 3, completionTokens: 1, totalTokens: 4 }, '3+0+0+1+0'],
    [{ input: 3, output: 1, total: 4, unit: 'TOKENS' }, '3+0+0+1+0'],
    [{ input: 300, output: 100, unit: 'CHARACTERS' }, '?'],
  ])('usage before its kinds had names: %j', (usage, expected) => {
    expect(rows(seen('a', 'GENERATION', { usage }))[1]).toBe(`  call - ${expected}`);
  });

  test('sessions, failures, names of before tools had a type', () => {
    const metadata = JSON.stringify({
      attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'grep' },
    });
    const made = read(
      trace(
        [
          seen('a', 'GENERATION', { model: 'm', level: 'ERROR', statusMessage: 'rate limit for me@x.y' }),
          seen('b', 'SPAN', {
            metadata,
            startTime: at(1),
            parentObservationId: 'a',
            level: 'ERROR',
            statusMessage: 'timed out',
          }),
        ],
        { sessionId: 'S', userId: 'me' },
      ),
    );
    expect(drawn(made, { sessions: true })).toEqual([
      'event trace +opensTurn @S',
      '  call m ? error api-error @S',
      '    tool grep error timeout @S',
    ]);
  });

  test('lines, pages and lists of observations hold the same', () => {
    const all = [
      seen('a', 'GENERATION', { usageDetails: { input: 1, output: 1 } }),
      seen('b', 'GENERATION', { usageDetails: { input: 2, output: 1 } }),
    ];
    for (const records of [all, [{ data: all }], [all], [{ id: 't', observations: all }]]) {
      expect(tokensByModel(read(...records)).get('all')).toMatchObject({ calls: 2, total: 5 });
    }
  });
});
