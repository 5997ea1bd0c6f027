import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { otel } from '../../../src/sources/otel/reader.ts';
import { mutated } from '../mutations.ts';
import { CORPUS, drawn, filesBelow, headOf, readAll, readFiles, recordsOf, tokensByModel } from '../reading.ts';
import { agent, batch, model, tool } from './otlp.ts';

const studio = 'sessions/misc/kenn-io+agentsview/visualstudio-copilot/redacted';
const inference = 'sessions/otel-genai/Arize-ai+openinference';
const bare = '1 spans have no id: sent twice, they count twice';
const pause = '1 spans or trees have no trace id: their sessions end with a pause of 30 minutes';
const noTime = '1 spans have no time';
const unanswered = 'agents of which no answer was traced: what they used is not in the file';

const SAMPLES: Readonly<Record<string, { rows: readonly string[]; notes: readonly string[] }>> = {
  [`${studio}/sample-1_VSGitHubCopilot_traces.jsonl`]: {
    rows: [
      'event trace +opensTurn',
      '  call gpt-5.5 ? +inferred',
      '    tool get_file',
      '    tool apply_patch',
      '    tool run_build',
    ],
    notes: [unanswered],
  },
  [`${studio}/sample-4_VSGitHubCopilot_traces.jsonl`]: {
    rows: [
      'event trace +opensTurn',
      '  call gpt-5.5-2026-03-05 ? +inferred',
      '    tool apply_patch',
      '    tool run_build',
      'event trace +opensTurn',
      '  call gpt-5.5-2026-03-05 ? +inferred',
      '    tool file_search',
    ],
    notes: [unanswered],
  },
  [`${inference}/openinference_client_span_input_output_only.json`]: {
    rows: ['event trace +opensTurn', '  call gpt-4-0613 97+0+0+52+0'],
    notes: [bare, pause, noTime],
  },
  [`${inference}/otel_genai_deprecated_client_span_tool_calls.json`]: {
    rows: ['event trace +opensTurn', '  call gpt-4-0613 97+0+0+52+0'],
    notes: [bare, pause, noTime],
  },
  [`${inference}/otel_genai_tool_execution_span.json`]: {
    rows: ['event trace +opensTurn', '  tool get_weather'],
    notes: [bare, pause, noTime],
  },
};

describe.skipIf(CORPUS === undefined)('samples (needs the shared corpus)', () => {
  test.each(Object.entries(SAMPLES))('%s', (path, { rows, notes }) => {
    const read = readFiles(otel, [`${CORPUS}/${path}`]);
    expect(drawn(read)).toEqual(rows);
    expect(read.ledgers[0]).toMatchObject({ badLines: 0, notes, unknown: new Map() });
  });

  test('sessions of Visual Studio are its conversations, also two in one trace', () => {
    const { ops } = readFiles(
      otel,
      [1, 2, 3, 4].map(n => `${CORPUS}/${studio}/sample-${n}_VSGitHubCopilot_traces.jsonl`),
    );
    expect(new Set(ops.sessions.all.map(session => session.id)).size).toBe(ops.sessions.all.length);
    expect(ops.sessions.all.map(session => session.id)).toContain('c0aca2e3-d1f2-4d28-bd5e-5dab29e2be28');
    expect(ops.free.get('service')?.get(0)).toBe('vs-copilot');
  });

  test('content tells whose a file is: all traces, and none of another', () => {
    const wrong = ['sessions', 'real-agents'].flatMap(part =>
      filesBelow(`${CORPUS}/${part}`)
        .map(path => path.slice((CORPUS as string).length + 1))
        .filter(
          path => otel.sniff(headOf(`${CORPUS}/${path}`)) !== (path.startsWith(studio) || path.startsWith(inference)),
        ),
    );
    expect(wrong).toEqual([]);
  });

  test('damaged records never make it throw', () => {
    const records = Object.keys(SAMPLES).flatMap(path =>
      recordsOf(`${CORPUS}/${path}`, otel.isDocument?.(`${CORPUS}/${path}`)),
    );
    fc.assert(fc.property(mutated(records, records), sound), { numRuns: 40 });
  });
});

const TREE = [
  batch([agent('main', { to: 20, has: { 'gen_ai.usage.input_tokens': 6, 'gen_ai.usage.output_tokens': 3 } })]),
  batch([model('a', 1, 1, { parent: 'main', at: 1 }), tool('task', { parent: 'a', at: 2, to: 6 })]),
  batch([model('b', 2, 1, { parent: 'task', at: 4 }), model('c', 3, 1, { parent: 'main', at: 7 })]),
];

test('damaged batches never make it throw, and every number stays a whole one', () => {
  fc.assert(fc.property(mutated(TREE, [{ resourceLogs: [] }]), sound), { numRuns: 50 });
});

function sound(records: unknown[]): boolean {
  const { ops } = readAll(otel, { '/h/x.jsonl': records });
  return [...Object.values(ops.tokens), ops.start, ops.end].every(column =>
    Array.from({ length: ops.length }, (_, row) => column.get(row)).every(Number.isSafeInteger),
  );
}

test('moved and doubled batches never count a call twice', () => {
  const property = fc.property(fc.shuffledSubarray([...TREE, ...TREE], { minLength: 6 }), records => {
    expect(tokensByModel(readAll(otel, { '/h/x.jsonl': records })).get('all')).toMatchObject({ calls: 3, total: 9 });
  });
  fc.assert(property, { numRuns: 30 });
});

test.each([undefined, null, 1, 'x', [], {}, { type: 7 }, { attributes: 1 }, JSON.parse('{"__proto__":1}')])(
  'a record like %j costs nothing but itself',
  value => {
    expect(() => readAll(otel, { '/h/a.jsonl': [value, value] })).not.toThrow();
    expect(otel.sniff({ path: '/h/a.jsonl', records: [value] })).toBe(false);
    expect(otel.sniff({ path: '/h/a.json', records: [], document: value })).toBe(false);
  },
);
