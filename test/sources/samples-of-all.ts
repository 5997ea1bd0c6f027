import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { discover } from '../../src/sources/discover.ts';
import type { Discovery } from '../../src/sources/find.ts';
import type { Histories } from '../../src/sources/gathered.ts';
import { load } from '../../src/sources/load.ts';
import { READERS } from '../../src/sources/registry.ts';
import { encodeTraces } from './otel/encode.ts';
import { CORPUS, FIXTURES } from './reading.ts';

const BATCH = {
  resourceSpans: [
    {
      resource: { attributes: [{ key: 'service.name', value: { stringValue: 'bot' } }] },
      scopeSpans: [
        {
          spans: [
            {
              traceId: '0af7651916cd43dd8448eb211c80319c',
              spanId: 'b7ad6b7169203331',
              name: 'chat m',
              startTimeUnixNano: '1772366400000000000',
              endTimeUnixNano: '1772366401000000000',
              attributes: [
                { key: 'gen_ai.operation.name', value: { stringValue: 'chat' } },
                { key: 'gen_ai.request.model', value: { stringValue: 'm' } },
                { key: 'gen_ai.usage.input_tokens', value: { intValue: '10' } },
                { key: 'gen_ai.usage.output_tokens', value: { intValue: '5' } },
              ],
            },
          ],
        },
      ],
    },
  ],
};

/** Samples of formats of which the corpus has none: by name of the file. */
const MADE: Readonly<Record<string, string | Buffer>> = {
  'operations.jsonl': [
    { id: 'a', session: 's', kind: 'call', measures: { input_tokens: 7, output_tokens: 3 }, fields: { model: 'm' } },
    { id: 'b', session: 's', kind: 'tool', parent: 'a', tool: 'bash', command: 'ls', value: 1, fields: { phase: 'x' } },
    { value: 2, fields: { agent: 'bot', op: ['read', 'grep'] } },
  ]
    .map(each => `${JSON.stringify(each)}\n`)
    .join(''),
  'trace.json': `${JSON.stringify({
    traceEvents: [
      { ph: 'X', pid: 1, tid: 1, ts: 0, dur: 90, name: 'chat', cat: 'llm', args: { model: 'm', input_tokens: 9 } },
      { ph: 'X', pid: 1, tid: 1, ts: 100, dur: 50, name: 'bash', cat: 'tool', args: { command: 'ls' } },
    ],
  })}\n`,
  'spans.pb': encodeTraces(BATCH),
};

export interface Everything extends Histories {
  readonly discovery: Discovery;
}

/** A directory with the made samples; `remove` takes it away. */
export function madeSamples(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'agentpprof-samples-'));
  for (const [name, text] of Object.entries(MADE)) writeFileSync(join(path, name), text);
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** All files of all formats: of the project's fixtures, made ones, and of the corpus where it is there. */
export function directoriesOfAll(made: string): string[] {
  const corpus = CORPUS === undefined ? [] : [join(CORPUS, 'sessions'), join(CORPUS, 'real-agents')];
  return [FIXTURES, made, ...corpus];
}

export function readDirectories(sessionDirs: readonly string[]): Everything {
  const discovery = discover({ homes: [], sessionFiles: [], sessionDirs, agents: [] }, READERS);
  return load(discovery, { texts: ['prompt'] });
}
