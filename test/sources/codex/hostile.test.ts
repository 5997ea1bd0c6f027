import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { patchInLine } from '../../../src/sources/codex/commands.ts';
import { microsOf, uuidMillis } from '../../../src/sources/codex/instants.ts';
import { machineText, typedPart } from '../../../src/sources/codex/machine-text.ts';
import { outcomeOf } from '../../../src/sources/codex/outcome.ts';
import { codex } from '../../../src/sources/codex/reader.ts';
import { scriptPatches, scriptUses } from '../../../src/sources/codex/script.ts';
import { patchedFiles } from '../../../src/sources/patch.ts';
import { Kind, NO_ROW } from '../../../src/trace/kinds.ts';
import {
  drawn,
  everything,
  FIXTURES,
  filesBelow,
  type Read,
  readAll,
  recordsOf,
  SHARED,
  totalTokens,
} from './reading.ts';
import { rollout } from './rollout.ts';

const lines = (name: string) => name.endsWith('.jsonl') || name.endsWith('.zst');
const seeds = [
  ...filesBelow(FIXTURES, lines),
  ...(SHARED
    ? filesBelow(join(SHARED, 'corpus/real-agents'), path => path.includes('codex-') && path.endsWith('.jsonl'))
    : []),
].flatMap(recordsOf);

/** Any value that a key of a record could have instead of its own. */
const oddValue = fc.oneof(
  fc.constantFrom(
    null,
    true,
    '',
    0,
    -1,
    1.5,
    1e300,
    Number.MAX_SAFE_INTEGER,
    [],
    {},
    [[]],
    [null],
    '__proto__',
    'session_meta',
  ),
  fc.json().map(text => JSON.parse(text) as unknown),
);

/** A record with some of its values, at any depth, replaced, dropped or wrapped. */
function mutated(record: unknown, choices: readonly number[], values: readonly unknown[]): unknown {
  const copy = structuredClone(record);
  const places: [Record<string, unknown>, string][] = [];
  const visit = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return;
    for (const key of Object.keys(value)) {
      places.push([value as Record<string, unknown>, key]);
      visit((value as Record<string, unknown>)[key]);
    }
  };
  visit(copy);
  choices.forEach((choice, i) => {
    const place = places[choice % Math.max(1, places.length)];
    if (!place) return;
    const [owner, key] = place;
    if (choice % 3 === 0) delete owner[key];
    else if (choice % 3 === 1) owner[key] = [owner[key]];
    else owner[key] = values[i % values.length];
  });
  return copy;
}

const damage = fc.tuple(fc.array(fc.nat(), { maxLength: 3 }), fc.array(oddValue, { minLength: 1, maxLength: 3 }));

/** Records of anywhere in any order, or a stretch of one file in its order; some of them damaged. */
const history = fc.oneof(
  fc
    .array(fc.tuple(fc.integer({ min: 0, max: seeds.length - 1 }), damage), { maxLength: 40 })
    .map(rows => rows.map(([at, [choices, values]]) => mutated(seeds[at], choices, values))),
  fc
    .tuple(fc.integer({ min: 0, max: seeds.length - 1 }), fc.array(fc.option(damage, { freq: 2 }), { maxLength: 40 }))
    .map(([from, damages]) =>
      damages.map((each, i) => {
        const seed = seeds[(from + i) % seeds.length];
        return each ? mutated(seed, each[0], each[1]) : seed;
      }),
    ),
);

function isSound({ ops }: Read): void {
  for (let row = 0; row < ops.length; row++) {
    const parent = ops.parentOf(row);
    expect(parent === NO_ROW || parent < ops.length).toBe(true);
    expect(ops.end.get(row)).toBeGreaterThanOrEqual(ops.start.get(row));
    expect(ops.session.get(row)).toBeLessThan(ops.sessions.all.length);
    expect(ops.key.has(row)).toBe(true);
    if (ops.kind.get(row) === Kind.tool) expect(ops.field.tool.get(row)).not.toBe('');
    for (const column of Object.values(ops.tokens)) expect(Number.isSafeInteger(column.get(row))).toBe(true);
  }
}

describe('no content breaks the reader', () => {
  test('mutated histories are read, and every row made of them is sound', () => {
    fc.assert(
      fc.property(history, records => {
        const read = readAll({ 'a.jsonl': records });
        isSound(read);
      }),
      { numRuns: 300 },
    );
  });

  test('read in parts they give the same', () => {
    fc.assert(
      fc.property(history, fc.array(fc.nat({ max: 40 }), { maxLength: 4 }), (records, cuts) => {
        const parts = [...new Set(cuts)].filter(cut => cut > 0).sort((a, b) => a - b);
        expect(everything(readAll({ a: records }, parts))).toEqual(everything(readAll({ a: records })));
      }),
      { numRuns: 150 },
    );
  });

  test('any JSON at all is a record, and any list of them a head', () => {
    const anything = fc.json().map(text => JSON.parse(text) as unknown);
    fc.assert(
      fc.property(fc.array(anything, { maxLength: 20 }), records => {
        isSound(readAll({ a: records }));
        expect(typeof codex.sniff({ path: '/x/a.jsonl', records })).toBe('boolean');
      }),
    );
  });

  test('reading an unknown record type is one line in the ledger for all of its rows', () => {
    const made = rollout('t').turn('m').prompt('a');
    for (let i = 0; i < 200; i++) made.row('frobnicate', { type: 'x' }).event({ type: 'frob' }).item({ type: 'frob' });
    const read = readAll({ a: made.says('ok').counts([1, 0, 1]).rows });
    expect([...(read.ledgers[0]?.unknown ?? [])]).toEqual([
      ['frobnicate', 200],
      ['event_msg frob', 200],
      ['response_item frob', 200],
    ]);
    expect(drawn(read)).toEqual(['prompt "a"', 'call m 1+0+0+1+0 <0']);
  });

  test('names of objects’ own machinery are ordinary', () => {
    const made = rollout('__proto__')
      .turn('constructor')
      .prompt('hasOwnProperty')
      .calls('toString', { a: 1 }, 'valueOf')
      .gives('ok', 'valueOf')
      .counts([1, 0, 1]);
    const records = made.rows.map(row => JSON.parse(JSON.stringify(row)) as unknown);
    const read = readAll({ a: [...records, JSON.parse('{"__proto__":{"type":"event_msg"},"constructor":1}')] });
    expect(drawn(read)).toEqual(['prompt "hasOwnProperty"', 'call constructor 1+0+0+1+0 <0', 'tool toString <1']);
  });

  test.each([
    '\n',
    ' ',
    '*** Add File: ',
    '*** Begin Patch "',
    '"*** Begin Patch',
    '<a_',
    'tools . ',
    "cmd : '",
    'Output:\n',
    '{"output":"',
  ])('a quarter of a megabyte of %j is read in one go and not over and over', part => {
    const text = part.repeat((1 << 18) / part.length);
    for (const whole of [
      text,
      `<a_b>${text}`,
      `*** Add File: x${text}y`,
      `# Context from my IDE setup${text}`,
      `${text}*** Begin Patch`,
    ]) {
      machineText(whole, true);
      typedPart(whole);
      patchedFiles(whole);
      patchInLine(whole);
      scriptPatches(whole);
      scriptUses(whole);
      expect(outcomeOf(whole).running).toBe('');
      expect(outcomeOf([{ text: whole }]).running).toBe('');
    }
  });

  test('impossible numbers count as nothing and do not spoil the sum', () => {
    const made = rollout('t').turn('m').prompt('a').counts([10, 0, 1]);
    const info = {
      total_token_usage: { input_tokens: 1e300, output_tokens: -5 },
      last_token_usage: { input_tokens: 2.5, output_tokens: 7 },
    };
    expect(totalTokens(readAll({ a: made.event({ type: 'token_count', info }).rows }))).toBe(18);
  });
});

describe('times', () => {
  test.each([
    ['2026-11-29T16:35:37.714Z', 1795970137714000],
    ['2026-11-29T16:35:37Z', 1795970137000000],
    ['2026-11-29T16:35:37.714123Z', 1795970137714123],
    ['2026-11-29T17:35:37.714+01:00', 1795970137714000],
    ['2024-02-29T23:59:59.999Z', 1709251199999000],
    ['1969-12-31T23:59:59.000Z', 0],
    ['9999-12-31T23:59:59.999Z', 0],
    ['2026-11-29T25:00:00.000Z', 0],
    ['2026-11-29Txx:00:00.000Z', 0],
    ['yesterday', 0],
    ['', 0],
    [12, 0],
    [null, 0],
  ])('%j is %d microseconds', (text, micros) => {
    expect(microsOf(text)).toBe(micros);
  });

  test('agree with the language’s own reading for every millisecond of two centuries', () => {
    const date = fc.date({ min: new Date(1), max: new Date('2250-01-01'), noInvalidDate: true });
    fc.assert(fc.property(date, at => microsOf(at.toISOString()) === at.getTime() * 1000));
  });

  test('ids of version 7 carry theirs, others none', () => {
    expect(uuidMillis('01a22829-7e34-77f1-b127-ae807c16fee7')).toBe(0x01a228297e34);
    expect(uuidMillis('5973b6c0-94b8-487b-a530-2aeb6098ae0e')).toBeUndefined();
    expect(uuidMillis('3')).toBeUndefined();
  });
});
