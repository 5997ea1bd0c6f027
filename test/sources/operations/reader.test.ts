import fc from 'fast-check';
import { expect, test } from 'vitest';
import { operations } from '../../../src/sources/operations/reader.ts';
import { ROW_FIELDS } from '../../../src/trace/fields.ts';
import { KIND_NAMES, Kind } from '../../../src/trace/kinds.ts';
import type { Operations } from '../../../src/trace/operations.ts';
import { readAll } from '../reading.ts';

type Fields = Record<string, unknown>;

const RESERVED = ['fields', 'value', 'measures', 'id', 'parent', 'session', 'start_ns', 'duration_ns', 'kind'];
const OF_SESSION = ['agent', 'project', 'entrypoint', 'host', 'subagent', 'parent_session'];

/** What a line says, read in the plainest way: one object of all fields, each looked at by its name. */
function plainly({ value, measures: _, fields, ...beside }: Fields) {
  const all = Object.fromEntries(
    Object.entries({ ...beside, ...(fields as Fields | undefined) })
      .filter(([name]) => !['fields', 'value', 'measures'].includes(name))
      .map(([name, raw]) => [name, Array.isArray(raw) ? raw.map(word).filter(Boolean).join('\u001f') : word(raw)]),
  );
  const one = (name: string) => (Array.isArray({ ...beside, ...(fields as Fields) }[name]) ? '' : (all[name] ?? ''));
  const kind = KIND_NAMES.includes(one('kind') as never) ? one('kind') : 'tool';
  const own = Object.entries(all).filter(([name, text]) => text !== '' && ![...RESERVED, ...OF_SESSION].includes(name));
  // `path` and `file` are one field: what stands last counts.
  const shown = own.map(([name, text]) => [name === 'path' ? 'file' : name, text] as const);
  return {
    kind,
    operations: value === undefined ? 1 : value,
    agent: one('agent') || 'operations',
    session: [one('session'), ...OF_SESSION.map(one)],
    fields: Object.fromEntries(shown.filter(([name]) => name !== 'text' && name !== 'result')),
    text: all.text ?? '',
    result: all.result ?? '',
  };
}

function word(raw: unknown): string {
  return typeof raw === 'string' || typeof raw === 'number' || typeof raw === 'boolean' ? String(raw) : '';
}

function asRead(ops: Operations, row: number) {
  const columns = [...ops.free, ...ROW_FIELDS.map(name => [name, ops.field[name]] as const)];
  const texts = (kind: 'prompt' | 'call' | 'result') => ops.texts.get(kind, row);
  return {
    kind: KIND_NAMES[ops.kind.get(row)],
    operations: ops.given.get('operations')?.get(row) ?? 0,
    agent: ops.sessions.all[ops.session.get(row)]?.agent,
    fields: Object.fromEntries(columns.map(([name, column]) => [name, column.get(row)]).filter(each => each[1] !== '')),
    text: texts(ops.kind.get(row) === Kind.prompt ? 'prompt' : 'call'),
    result: texts('result'),
  };
}

const name = fc.constantFrom(
  ...RESERVED.slice(1),
  ...OF_SESSION,
  ...['text', 'result', 'path', 'file', 'tool', 'command', 'status', 'phase', 'op', '__proto__', 'constructor', '7'],
);
const text = fc.constantFrom('', 'a', 'b', 'prompt', 'call', 'a\u001fb', '1:1:a');
const raw = fc.oneof(
  text,
  fc.integer({ min: 0, max: 9 }),
  fc.boolean(),
  fc.array(text, { maxLength: 3 }),
  fc.constant({}),
);
const fields = fc.array(fc.tuple(name, raw), { maxLength: 6 }).map(pairs => Object.fromEntries(pairs));
const line = fc.oneof(
  fc.record({ value: fc.nat(9), fields }),
  fc.tuple(fields, fc.record({ value: fc.nat(9), fields }, { requiredKeys: [] })).map(([beside, own]) => {
    const { value: _, measures: __, fields: ___, ...rest } = beside;
    return { ...rest, ...own };
  }),
);

test('a line gives the row that its fields say, wherever they stand and in whatever order', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), lines => {
      const { ops } = readAll(operations, { 'a.jsonl': lines });
      const said = lines.map(plainly);
      expect([...Array(ops.length).keys()].map(row => asRead(ops, row))).toEqual(
        said.map(({ session: _, ...each }) => each),
      );
      // Operations share a session where all that tells sessions apart is equal, and nowhere else.
      const sessions = new Map<string, number>();
      said.forEach(({ agent, session }, row) => {
        const key = JSON.stringify([agent, session]);
        const at = sessions.get(key) ?? ops.session.get(row);
        expect(ops.session.get(row)).toBe(at);
        sessions.set(key, at);
      });
    }),
    { numRuns: 300 },
  );
});
