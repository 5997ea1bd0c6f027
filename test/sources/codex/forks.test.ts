import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MISSING_PARENT } from '../../../src/sources/codex/forks.ts';
import { codex } from '../../../src/sources/codex/reader.ts';
import { Flag } from '../../../src/trace/flags.ts';
import { KIND_NAMES, Kind } from '../../../src/trace/kinds.ts';
import { everything, type Read, readAll, totalTokens } from './reading.ts';
import { type Rollout, rollout } from './rollout.ts';

const MAY_1 = '2026-05-01T10:00:00.000Z';
const MAY_20 = '2026-05-20T10:00:00.000Z';

/** A thread of `calls` answers of different sizes, with a prompt, a tool call and its result for each. */
function thread(id: string, calls: number, start = MAY_1, meta: Record<string, unknown> = {}): Rollout {
  return work(rollout(id, start, meta), calls, id);
}

function work(made: Rollout, calls: number, name: string): Rollout {
  for (let i = 1; i <= calls; i++) {
    made.turn('gpt-parent', `${name}-${i}`).prompt(`step ${i} of ${name}`);
    made
      .calls('exec_command', { cmd: `echo ${i}` }, `call_${name}_${i}`)
      .gives('Process exited with code 0\nOutput:\n', `call_${name}_${i}`);
    made.counts([10 * i, i, i, 0]);
  }
  return made;
}

/** A fork as the client writes it: own header, copied rows in one burst with the time of the fork, the total again. */
function fork(
  parent: Rollout,
  id: string,
  own: number,
  options: { start?: string; meta?: Record<string, unknown>; header?: boolean } = {},
): Rollout {
  const made = rollout(id, options.start ?? MAY_20, options.meta ?? { forked_from_id: parent.id });
  made
    .copies(parent, options.header === false ? 1 : 0)
    .after(1300)
    .again([0, 0, 0])
    .after(14_000);
  return work(made, own, id);
}

const sumTo = (calls: number) => (calls * (calls + 1) * 11) / 2;

function ofSession(read: Read, id: string): (row: number) => boolean {
  const session = read.ops.sessions.find('codex', id);
  return row => read.ops.session.get(row) === session;
}

function counts({ ops }: Read): Record<string, number> {
  const sum: Record<string, number> = {};
  for (let row = 0; row < ops.length; row++) {
    if (ops.has(row, Flag.copy)) continue;
    const name = KIND_NAMES[ops.kind.get(row)] as string;
    sum[name] = (sum[name] ?? 0) + 1;
  }
  return sum;
}

const day = (read: Read) => (row: number, date: string) =>
  new Date(read.ops.start.get(row) / 1000).toISOString().startsWith(date);

describe('a fork begins with another thread’s history', () => {
  test('the family’s total is the parent’s and the fork’s own work, in either order of reading', () => {
    const parent = thread('A', 4);
    const child = fork(parent, 'B', 2);
    for (const files of [
      { a: parent.rows, b: child.rows },
      { b: child.rows, a: parent.rows },
    ]) {
      const read = readAll(files);
      expect(totalTokens(read)).toBe(sumTo(4) + sumTo(2));
      expect(totalTokens(read, ofSession(read, 'B'))).toBe(sumTo(2));
      expect(counts(read)).toEqual({ prompt: 6, call: 6, tool: 6 });
    }
  });

  test('each day keeps its own use: the parent’s history does not move to the day of the fork', () => {
    const parent = thread('A', 4);
    const read = readAll({ b: fork(parent, 'B', 1).rows, a: parent.rows });
    const on = day(read);
    expect(totalTokens(read, row => on(row, '2026-05-01'))).toBe(sumTo(4));
    expect(totalTokens(read, row => on(row, '2026-05-20'))).toBe(sumTo(1));
  });

  test('the smallest: 100 in the parent, the fork ends at 150 and owns 50', () => {
    const parent = rollout('A').turn('m').prompt('x').counts([90, 0, 10]);
    const child = rollout('B', MAY_20, { forked_from_id: 'A' })
      .copies(parent)
      .after(60_000)
      .turn('m')
      .prompt('y')
      .counts([45, 0, 5]);
    const read = readAll({ a: parent.rows, b: child.rows });
    expect(totalTokens(read)).toBe(150);
    expect(totalTokens(read, ofSession(read, 'B'))).toBe(50);
  });

  test('copied rows last no time, own rows do', () => {
    const parent = thread('A', 3);
    const { ops } = readAll({ b: fork(parent, 'B', 1).rows });
    const lasting = Array.from({ length: ops.length }, (_, row) => row).filter(
      row => ops.end.get(row) > ops.start.get(row),
    );
    expect(lasting.length).toBeGreaterThan(0);
    expect(lasting.every(row => !ops.has(row, Flag.replayed))).toBe(true);
  });

  test('own work that comes within two seconds of the copy has its time: a pause tells it apart', () => {
    const parent = rollout('A', MAY_1)
      .prompt('begin')
      .calls('exec_command', { cmd: 'id' }, 'first')
      .gives('ok', 'first');
    parent.counts([10, 1, 1, 0]);
    const child = rollout('B', MAY_20, { forked_from_id: 'A' }).copies(parent, 0).after(900).prompt('go on');
    child.after(300).calls('exec_command', { cmd: 'ls' }, 'own').after(200).gives('ok', 'own').counts([7, 0, 1, 0]);
    for (const files of [{ a: parent.rows, b: child.rows }, { b: child.rows }] as Record<string, unknown[]>[]) {
      const read = readAll(files);
      const own = ofSession(read, 'B');
      const tools = Array.from({ length: read.ops.length }, (_, row) => row).filter(
        row => own(row) && read.ops.kind.get(row) === Kind.tool && !read.ops.has(row, Flag.replayed),
      );
      expect(tools.map(row => read.ops.end.get(row) - read.ops.start.get(row))).toEqual([200_000]);
    }
  });

  test('a fork of a fork of a fork is one family', () => {
    const a = thread('A', 3);
    const b = fork(a, 'B', 2, { start: '2026-05-05T10:00:00.000Z' });
    const c = fork(b, 'C', 2, { start: '2026-05-10T10:00:00.000Z' });
    const d = fork(c, 'D', 1);
    const read = readAll({ d: d.rows, c: c.rows, b: b.rows, a: a.rows });
    expect(totalTokens(read)).toBe(sumTo(3) + sumTo(2) + sumTo(2) + sumTo(1));
    expect(counts(read)).toEqual({ prompt: 8, call: 8, tool: 8 });
    expect(totalTokens(read, row => day(read)(row, '2026-05-01'))).toBe(sumTo(3));
  });

  test('two branches with equal counters after the fork both count: equal numbers alone make no copy', () => {
    const parent = thread('A', 3);
    const [b, c] = [fork(parent, 'B', 2), fork(parent, 'C', 2)];
    const read = readAll({ a: parent.rows, b: b.rows, c: c.rows });
    expect(totalTokens(read)).toBe(sumTo(3) + 2 * sumTo(2));
  });

  test('the parent goes on after the fork', () => {
    const parent = thread('A', 3);
    const child = fork(parent, 'B', 1);
    work(parent, 2, 'later');
    const read = readAll({ a: parent.rows, b: child.rows });
    expect(totalTokens(read)).toBe(sumTo(3) + sumTo(1) + sumTo(2));
  });

  test('settling twice changes nothing', () => {
    const parent = thread('A', 3);
    const read = readAll({ a: parent.rows, b: fork(parent, 'B', 1).rows });
    const before = everything(read);
    codex.settle?.(read.ops, read.ledgers);
    expect(everything(read)).toEqual(before);
  });
});

describe('where the copy ends, told by', () => {
  const own = (made: Rollout) => work(made, 1, 'B');

  test.each<[string, (parent: Rollout) => Rollout]>([
    [
      'the ordinal in the header',
      parent => {
        const made = rollout('B', MAY_20, {
          parent_thread_id: 'A',
          subagent_history_start_ordinal: parent.rows.length + 2,
        });
        own(made.copies(parent));
        for (const [ordinal, row] of made.rows.entries()) row.ordinal = ordinal;
        return made;
      },
    ],
    [
      'the times of the originals',
      parent => {
        const made = rollout('B', MAY_20, { forked_from_id: 'A' });
        made.rows.push(...parent.rows);
        made.total = [...parent.total];
        return own(made);
      },
    ],
    [
      'ids that carry the time',
      parent => {
        const stamp = (time: string) => {
          const hex = Date.parse(time).toString(16).padStart(12, '0');
          return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
        };
        // All in one burst, the own turn as well.
        const made = rollout(stamp(MAY_20), MAY_20, { forked_from_id: 'A' });
        for (const row of parent.rows) {
          const payload = row.payload as Record<string, unknown>;
          const dated =
            payload.turn_id === undefined
              ? payload
              : { ...payload, turn_id: stamp(row.timestamp as string), started_at: undefined };
          made.after(0).row(row.type as string, dated);
        }
        made.total = [...parent.total];
        made.after(1).turn('gpt-parent', stamp('2026-05-20T10:00:00.001Z'));
        return made
          .prompt('step 1 of B')
          .calls('exec_command', { cmd: 'echo 1' }, 'call_B_1')
          .gives('', 'call_B_1')
          .counts([10, 1, 1, 0]);
      },
    ],
    ['when the turn says it started', parent => own(rollout('B', MAY_20, { forked_from_id: 'A' }).copies(parent))],
    [
      'the owner of usage records',
      parent => {
        const made = rollout('B', MAY_20, { forked_from_id: 'A' }).copies(parent);
        return made.after(1).records([10, 1, 1, 0], 'own');
      },
    ],
  ])('%s', (_, make) => {
    const parent = thread('A', 5);
    const child = make(parent);
    const alone = readAll({ b: child.rows });
    const { ops } = alone;
    const calls = Array.from({ length: ops.length }, (__, row) => row).filter(row => ops.kind.get(row) === Kind.call);
    expect(calls.filter(row => !ops.has(row, Flag.replayed))).toHaveLength(1);
    expect(totalTokens(alone, row => !ops.has(row, Flag.replayed))).toBe(sumTo(1));
    expect(totalTokens(readAll({ a: parent.rows, b: child.rows }))).toBe(sumTo(5) + sumTo(1));
  });

  test('the parent’s rows, where the file has neither turns nor a burst', () => {
    const strip = (made: Rollout) => {
      const kept = made.rows.filter(
        row => row.type === 'session_meta' || (row.payload as { type?: string }).type === 'token_count',
      );
      made.rows.length = 0;
      made.rows.push(...kept);
      return made;
    };
    const parent = strip(thread('A', 30));
    const child = rollout('B', MAY_20, { forked_from_id: 'A' });
    for (const row of parent.rows.slice(1)) child.row(row.type as string, row.payload);
    child.total = [...parent.total];
    child.counts([500, 0, 50]);
    const read = readAll({ b: child.rows, a: parent.rows });
    expect(totalTokens(read)).toBe(sumTo(30) + 550);
    expect(totalTokens(read, ofSession(read, 'B'))).toBe(550);
  });
});

describe('the parent’s file is missing', () => {
  test.each([
    ['with the parent’s header among the copied rows', true],
    ['without it', false],
  ])('siblings share the copied part: it counts at most once, and the ledger says so, %s', (_, header) => {
    const parent = thread('A', 34);
    const meta = { parent_thread_id: 'A', source: { subagent: { thread_spawn: { parent_thread_id: 'A' } } } };
    const [b, c] = [fork(parent, 'B', 1, { meta, header }), fork(parent, 'C', 2, { meta, header })];
    const read = readAll({ b: b.rows, c: c.rows });
    expect(totalTokens(read)).toBe(sumTo(34) + sumTo(1) + sumTo(2));
    expect(read.ledgers.map(ledger => ledger.notes)).toEqual([[MISSING_PARENT], [MISSING_PARENT]]);
  });

  test('nothing is said where it is there, or where nothing was copied', () => {
    const parent = thread('A', 2);
    const fresh = work(rollout('C', MAY_20, { parent_thread_id: 'A' }), 1, 'C');
    const read = readAll({ a: parent.rows, b: fork(parent, 'B', 1).rows, c: fresh.rows });
    expect(read.ledgers.flatMap(ledger => ledger.notes)).toEqual([]);
  });

  test('the grandparent’s header among the rows is enough to find its part again', () => {
    const a = thread('A', 3);
    const b = fork(a, 'B', 2, { start: '2026-05-10T10:00:00.000Z' });
    const c = fork(b, 'C', 1);
    const read = readAll({ a: a.rows, c: c.rows });
    expect(totalTokens(read)).toBe(sumTo(3) + sumTo(2) + sumTo(1));
  });
});

describe('subagents', () => {
  test('with the parent’s history at their head: a family of eight adds up to what was spent', () => {
    const parent = thread('P', 60);
    const families = [2, 3, 5, 7, 11, 13, 17].map((own, i) =>
      fork(parent, `child-${i}`, own, {
        start: `2026-05-01T11:0${i}:00.000Z`,
        meta: {
          forked_from_id: 'P',
          parent_thread_id: 'P',
          source: { subagent: { thread_spawn: { parent_thread_id: 'P', agent_role: 'worker' } } },
        },
      }),
    );
    const read = readAll(Object.fromEntries([parent, ...families].map(made => [made.id, made.rows])));
    expect(totalTokens(read)).toBe(sumTo(60) + [2, 3, 5, 7, 11, 13, 17].reduce((all, own) => all + sumTo(own), 0));
    const child = read.ops.sessions.all.find(session => session.id === 'child-0');
    expect(child).toMatchObject({ parent: 'P', subagent: 'worker', forkedFrom: 'P' });
  });

  test('with a history of their own own everything', () => {
    const child = rollout('C', MAY_1, { parent_thread_id: 'P', thread_source: 'subagent' });
    child.after(20).turn('m').after(20).prompt('look').after(200).counts([10, 0, 1]);
    const read = readAll({ c: child.rows });
    expect(totalTokens(read, row => !read.ops.has(row, Flag.replayed))).toBe(11);
  });

  test('whose turns have no ids and whose answer comes later began nothing with a copy: their first words are a task', () => {
    const child = rollout('C', MAY_1, { source: { subagent: { thread_spawn: { parent_thread_id: 'P' } } } });
    child.after(20).prompt('look').row('turn_context', { model: 'm' }).after(3000).says('seen').counts([10, 0, 1]);
    const read = readAll({ c: child.rows });
    expect(counts(read)).toEqual({ event: 1, call: 1 });
    expect(Array.from({ length: read.ops.length }, (_, row) => read.ops.has(row, Flag.replayed))).toEqual([
      false,
      false,
    ]);
    expect(read.ledgers[0]?.notes).toEqual([]);
  });

  test('their random nicknames are no kinds of subagent', () => {
    const spawn = { parent_thread_id: 'P', agent_nickname: 'Bernoulli', agent_role: null };
    const read = readAll({
      a: rollout('C', MAY_1, { agent_nickname: 'Bernoulli', source: { subagent: { thread_spawn: spawn } } }).rows,
      b: rollout('R', MAY_1, { parent_thread_id: 'P', source: { subagent: 'review' } }).rows,
      c: rollout('G', MAY_1, { parent_thread_id: 'P', source: { subagent: { other: 'guardian' } } }).rows,
    });
    expect(read.ops.sessions.all.map(session => session.subagent)).toEqual(['', 'review', 'guardian']);
  });
});

test('for any family tree, the family costs what its members spent themselves', () => {
  const member = fc.record({ own: fc.integer({ min: 0, max: 4 }), from: fc.nat(), keepHeader: fc.boolean() });
  fc.assert(
    fc.property(
      fc.array(member, { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 1, max: 5 }),
      fc.boolean(),
      (members, rootCalls, reverse) => {
        const family = [thread('root', rootCalls)];
        let spent = sumTo(rootCalls);
        members.forEach(({ own, from, keepHeader }, i) => {
          const start = new Date(Date.parse(MAY_1) + (i + 1) * 86_400_000).toISOString();
          family.push(fork(family[from % family.length]!, `m${i}`, own, { start, header: keepHeader }));
          spent += sumTo(own);
        });
        const files = (reverse ? family.toReversed() : family).map(made => [made.id, made.rows] as const);
        const read = readAll(Object.fromEntries(files));
        expect(totalTokens(read)).toBe(spent);
        expect(counts(read).prompt).toBe(rootCalls + members.reduce((all, { own }) => all + own, 0));
      },
    ),
    { numRuns: 60 },
  );
});
