import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { encodeTraces } from '../sources/otel/encode.ts';
import { agentpprof, SHARED, scratch } from './program.ts';

const place = scratch('evidence');
afterAll(() => place.remove());

const explained = (path: string, ...flags: string[]) =>
  agentpprof(['explain', path, '--include-previews', '--json', '--no-cache', '-q', ...flags], { home: place.path });

describe('explain leads to the record, also where a file is no text', () => {
  test('a message of a protobuf file is shown as JSON', () => {
    const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
    const attributes = [text('gen_ai.operation.name', 'execute_tool'), text('gen_ai.tool.name', 'grep')];
    const span = {
      traceId: '0af7651916cd43dd8448eb211c80319c',
      spanId: 'b7ad6b7169203331',
      name: 'execute_tool grep',
      startTimeUnixNano: '1772366400000000000',
      endTimeUnixNano: '1772366401000000000',
    };
    const file = join(place.path, 'spans.pb');
    writeFileSync(file, encodeTraces({ resourceSpans: [{ scopeSpans: [{ spans: [{ ...span, attributes }] }] }] }));
    const ran = explained('tool:grep', '--session-file', file);
    const { shown } = JSON.parse(ran.out);
    expect(shown[0].preview).toContain('"name":"execute_tool grep"');
  });

  test.skipIf(!SHARED)('a row of a database is shown as JSON, and nothing is left beside it', () => {
    const home = join(SHARED ?? '', 'corpus/real-agents/opencode-1.18.33/a-edit-test/home');
    const before = readdirSync(join(home, '.local/share/opencode'));
    const { shown } = JSON.parse(explained('tool:bash', '--home', home).out);
    expect(shown.length).toBeGreaterThan(0);
    for (const { preview } of shown) expect(JSON.parse(preview)).toMatchObject({ type: 'tool', tool: 'bash' });
    expect(readdirSync(join(home, '.local/share/opencode'))).toEqual(before);
  });
});

describe('a file that was named and tells nothing', () => {
  test('is empty, and that is said', () => {
    const file = join(place.path, 'empty.jsonl');
    writeFileSync(file, '');
    const ran = agentpprof(['--session-file', file], { home: place.path });
    expect([ran.code, ran.err]).toEqual([0, expect.stringContaining('empty.jsonl: is empty')]);
  });
});
