import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { agentpprof, scratch } from './program.ts';

const place = scratch('gap');
afterAll(() => place.remove());

/** Answers of one user without trace ids, at these minutes of a day. */
function spansAt(...minutes: number[]): string {
  const start = BigInt(Date.UTC(2026, 4, 4)) * 1_000_000n;
  const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
  const spans = minutes.map((minute, at) => ({
    spanId: `000000000000000${at + 1}`,
    name: 'chat m',
    startTimeUnixNano: String(start + BigInt(minute) * 60_000_000_000n),
    endTimeUnixNano: String(start + BigInt(minute) * 60_000_000_000n + 1_000_000_000n),
    attributes: [
      text('gen_ai.operation.name', 'chat'),
      text('gen_ai.request.model', 'm'),
      text('user.id', 'u'),
      { key: 'gen_ai.usage.input_tokens', value: { intValue: '10' } },
    ],
  }));
  return `${JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] })}\n`;
}

const home = join(place.path, 'home');
const traces = join(home, '.local/share/agentpprof/traces');
mkdirSync(traces, { recursive: true });
writeFileSync(join(traces, 'a.jsonl'), spansAt(0, 10, 50));

function sessions(...flags: string[]): number {
  const ran = agentpprof(['reconcile', '--json', '-q', ...flags], {
    home,
    env: { XDG_DATA_HOME: join(home, '.local/share') },
  });
  expect(ran.code).toBe(0);
  const { total } = JSON.parse(ran.out);
  expect(total.tokens.total).toBe(30);
  return total.sessions;
}

describe('--session-gap ends sessions of traces that name none', () => {
  test('by 30 minutes unless told otherwise, and a stored history of another gap is not taken for this one', () => {
    for (let run = 0; run < 2; run++) {
      expect(sessions()).toBe(2);
      expect(sessions('--session-gap', '5m')).toBe(3);
      expect(sessions('--session-gap', '1h')).toBe(1);
      expect(sessions('--session-gap', '30m')).toBe(2);
    }
  });

  test.each(['', '30', 'm', '0m', '-5m', '5 weeks', '1e9h'])('%j is wrong usage', gap => {
    const ran = agentpprof(['reconcile', '--session-gap', gap], { home });
    expect([ran.code, ran.out]).toEqual([2, '']);
    expect(ran.err).toMatch(/^agentpprof: --session-gap: .* is no pause; write 30m/);
  });
});
