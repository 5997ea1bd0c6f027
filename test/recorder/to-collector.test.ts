import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { EngineName } from '../../src/recorder/events.ts';
import { agentpprof } from '../cli/program.ts';
import { bash, environment, play, stageIn } from './agent/play.ts';
import { liveRecorder, unusable } from './live.ts';

const live = liveRecorder();
afterAll(() => live.remove());

interface Span {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
}

const engine = (['bpf', 'strace'] as const).find((each: EngineName) => unusable(each) === undefined);

it.skipIf(engine === undefined)('recorded processes hang below the span of their tool call', () => {
  const stage = stageIn(live.dir, 'collector');
  play(stage, { turns: [[bash('cat /dev/null; (sleep 0.01; true)')]] }, engine as EngineName, live.program);
  const spansWith = (...more: string[]): Span[] => {
    const out = join(stage.home, 'spans.jsonl');
    const ran = agentpprof(['export', '-o', out, ...more], {
      home: stage.home,
      env: environment(stage) as Record<string, string>,
    });
    expect([ran.code, ran.err]).toEqual([0, '']);
    const batches = readFileSync(out, 'utf8')
      .trim()
      .split('\n')
      .map(line => JSON.parse(line));
    return batches.flatMap(batch => batch.resourceSpans[0].scopeSpans[0].spans);
  };
  const spans = spansWith();
  const byId = new Map(spans.map(span => [span.spanId, span]));
  const path = (span: Span | undefined): string[] =>
    span === undefined ? [] : [...path(byId.get(span.parentSpanId ?? '')), span.name];
  const sleeping = spans.find(({ name }) => name === 'sleep');
  expect(path(sleeping)).toEqual([
    'invoke_agent claude-code',
    expect.stringMatching(/^turn /),
    expect.stringMatching(/^chat /),
    'execute_tool Bash',
    expect.stringMatching(/^(?:ba|da)?sh$/),
    ...path(sleeping).slice(5, -1),
    'sleep',
  ]);
  expect(new Set(path(sleeping).map(name => spans.find(span => span.name === name)?.traceId)).size).toBe(1);
  expect(byId.size).toBe(spans.length);
  // The history is the same without the recording; a second run says the same of both.
  const alone = spansWith('--no-recordings');
  expect(alone.map(({ spanId }) => spanId)).toEqual(spans.map(({ spanId }) => spanId).slice(0, alone.length));
  expect(spansWith()).toEqual(spans);
});
