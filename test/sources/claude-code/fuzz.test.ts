import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { claudeCode } from '../../../src/sources/claude-code/reader.ts';
import { sniff } from '../../../src/sources/claude-code/sniff.ts';
import { fileLedger } from '../../../src/sources/ledger.ts';
import { STATUSES } from '../../../src/trace/fields.ts';
import { NO_ROW } from '../../../src/trace/kinds.ts';
import { link } from '../../../src/trace/link.ts';
import { TOKEN_COLUMNS } from '../../../src/trace/measures.ts';
import { Operations } from '../../../src/trace/operations.ts';
import { FIXTURES, filesBelow, isTranscript, read, recordsOf } from './reading.ts';
import { costState, queues } from './rows.ts';

const REAL: readonly unknown[] = [
  ...filesBelow(FIXTURES, isTranscript).flatMap(recordsOf),
  costState({ 'claude-a': { in: 5, out: 7 } }, 'ses_stage0_small'),
  ...['enqueue', 'dequeue', 'remove', 'popAll'].map(operation => queues(1, operation, 'text')),
];

/** A real record with some of its values replaced, dropped or moved. */
const mutated = fc
  .tuple(fc.constantFrom(...REAL), fc.array(fc.tuple(fc.nat(), fc.nat(5), fc.jsonValue()), { maxLength: 4 }))
  .map(([record, changes]) => {
    const copy: unknown = structuredClone(record);
    for (const [where, how, value] of changes) change(copy, where, how, value);
    return JSON.parse(JSON.stringify(copy)) as unknown;
  });

function change(root: unknown, where: number, how: number, value: unknown): void {
  const places: [Record<string, unknown>, string][] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const key of Object.keys(node)) {
      places.push([node as Record<string, unknown>, key]);
      visit((node as Record<string, unknown>)[key]);
    }
  };
  visit(root);
  const place = places[where % Math.max(places.length, 1)];
  if (!place) return;
  const [parent, key] = place;
  if (how === 0) delete parent[key];
  else if (how === 1) parent[key] = value;
  else if (how === 2) parent[key] = [parent[key], value];
  else if (how === 3) parent[key] = { __proto__: null, [key]: parent[key] };
  else if (how === 4) parent[key] = JSON.stringify(parent[key]);
  else Object.defineProperty(parent, '__proto__', { value, enumerable: true, configurable: true, writable: true });
}

describe('whatever a file holds', () => {
  it('reading, settling and linking never throw, and every row is sound', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof({ weight: 9, arbitrary: mutated }, { weight: 1, arbitrary: fc.jsonValue() }), {
          maxLength: 40,
        }),
        fc.boolean(),
        (records, agentFile) => {
          const { out } = read({
            [agentFile ? '/p/agent-a1.jsonl' : '/p/s1.jsonl']: records,
            '/p/0a1b2c3d-0000-4000-8000-00000000000a.jsonl': records.slice(0, 9),
          });
          link(out);
          for (let row = 0; row < out.length; row++) {
            expect(out.sessions.all[out.session.get(row)]?.agent).toBe('claude-code');
            const parent = out.parentOf(row);
            expect(parent === NO_ROW || (parent < out.length && parent !== row)).toBe(true);
            expect(out.end.get(row)).toBeGreaterThanOrEqual(out.start.get(row));
            expect(['', ...STATUSES]).toContain(out.field.status.get(row));
            expect(out.field.error.get(row)).toMatch(/^[a-z0-9_-]{0,40}$/);
            for (const name of TOKEN_COLUMNS)
              expect(Number.isSafeInteger(out.tokens[name].get(row)) && out.tokens[name].get(row) >= 0).toBe(true);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('sniffing never throws', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(mutated, fc.jsonValue()), { maxLength: 5 }), records => {
        expect(typeof sniff({ path: '/p/x', records })).toBe('boolean');
      }),
    );
  });

  it('values nested without end are no danger', () => {
    let deep: unknown = 'x';
    for (let i = 0; i < 50_000; i++)
      deep = i % 2 === 0 ? { content: [deep] } : { input: deep, type: 'tool_use', id: `t${i}` };
    const out = new Operations();
    const sink = claudeCode.open(
      { index: 0, path: '/p/s1.jsonl', sibling: () => undefined },
      out,
      fileLedger('/p/s1.jsonl', 'x'),
    );
    for (const type of ['user', 'assistant', 'attachment', 'progress', 'system', 'queue-operation', 'cost-state']) {
      for (const key of ['message', 'toolUseResult', 'attachment', 'data', 'modelUsage', 'content']) {
        sink.record({ type, sessionId: 's1', [key]: { content: [deep], m: deep } }, 0, 1);
      }
    }
    expect(out.length).toBeGreaterThan(0);
  });
});
