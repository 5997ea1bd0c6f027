import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fold } from '../../src/profile/fold.ts';
import { openEngine } from '../../src/profile/kernel/kernel.ts';
import { PLAIN } from '../../src/profile/kernel/plain.ts';
import type { Profile } from '../../src/profile/profile.ts';
import { remap } from '../../src/profile/remap.ts';
import { blocksOf } from '../../src/profile/value-columns.ts';
import { VIEWS } from '../../src/profile/views.ts';
import { amountsOf } from '../../src/trace/amounts.ts';
import { NumberColumn } from '../../src/trace/columns.ts';
import { Flag } from '../../src/trace/flags.ts';
import { Kind } from '../../src/trace/kinds.ts';
import { MEASURES } from '../../src/trace/measures.ts';
import { Trace } from '../../src/trace/trace.ts';
import { allRows, drawn, foldBy, foldOptions, foldView, total } from '../support/folding.ts';
import { operationsOf } from '../support/operations.ts';
import { foldByRow, sampleLines } from '../support/row-fold.ts';

/** Random histories as text: sessions with prompts, calls, tools, effects; subagents; ids that repeat over sessions. */
const id = fc.integer({ min: 0, max: 12 }).map(n => `#k${n}`);
const count = fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }));
const span = fc
  .tuple(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 0, max: 90 }))
  .map(([from, length]) => `${from}-${from + length}`);
const line = fc.oneof(
  fc.tuple(span, id).map(([at, key]) => `prompt ${at.split('-')[0]} "p" ${key}`),
  fc
    .tuple(span, fc.constantFrom('opus', 'haiku', 'gpt'), count, count, count, id)
    .map(
      ([at, model, input, read, output, key]) =>
        `call ${at} ${model} in=${input} cr=${read} out=${output} rea=${output % 7} domain=a.com ${key}`,
    ),
  fc
    .tuple(span, fc.constantFrom('Bash', 'Read', 'Task'), fc.constantFrom('ok', 'error'), id)
    .map(([at, tool, status, key]) => `tool ${at} ${tool} status=${status} args=x ${key}`),
  fc
    .tuple(fc.constantFrom('read', 'write', 'contact'), fc.constantFrom('a.ts', 'b.ts'))
    .map(([effect, what]) => `effect ${effect} ${what}`),
  span.map(at => `event ${at.split('-')[0]} notification opens`),
);
const session = fc
  .tuple(
    fc.integer({ min: 0, max: 5 }),
    fc.option(fc.integer({ min: 0, max: 5 })),
    fc.constantFrom('codex', 'claude-code'),
    fc.option(id),
    fc.array(line, { maxLength: 12 }),
  )
  .map(([name, parent, agent, spawn, lines]) => {
    const link = parent === null ? '' : ` parent=s${parent}${spawn ? ` spawn=${spawn.slice(1)}` : ''}`;
    // An effect needs a tool above it.
    return `session s${name} agent=${agent}${link}\n tool 1-1 Bash\n${lines.map(each => ` ${each}`).join('\n')}`;
  });
const history = fc.array(session, { maxLength: 6 });

const traceOf = (sessions: readonly string[]) => {
  const trace = new Trace(operationsOf(sessions.join('\n')));
  const cost = {
    input: new NumberColumn(),
    cacheRead: new NumberColumn(),
    cacheWrite: new NumberColumn(),
    output: new NumberColumn(),
    reasoning: new NumberColumn(),
  };
  for (let row = 0; row < trace.ops.length; row++) {
    if (trace.ops.kind.get(row) === Kind.call)
      cost.input.set(row, Math.min(trace.ops.tokens.input_tokens.get(row), 1e12) * 3);
  }
  trace.cost = cost;
  return trace;
};

/** Measures added up from the columns alone, with no stack in sight. */
function bruteForce(trace: Trace): Record<string, bigint> {
  const { ops } = trace;
  const sums: Record<string, bigint> = Object.fromEntries(MEASURES.map(measure => [measure.name, 0n]));
  const add = (name: string, value: number) => {
    sums[name] = sums[name]! + BigInt(value);
  };
  for (let row = 0; row < ops.length; row++) {
    if (ops.has(row, Flag.copy)) continue;
    const kind = ops.kind.get(row);
    if (kind === Kind.prompt || kind === Kind.call || kind === Kind.tool) add('operations', 1);
    if (kind === Kind.effect && ops.field.file.get(row) !== '') add('files', 1);
    if (ops.field.domain.get(row) !== '') add('network', 1);
    if (ops.field.status.get(row) === 'error') add('errors', 1);
    add('time', trace.times.time.get(row));
    for (const [name, column] of Object.entries(ops.tokens)) {
      add(name.startsWith('cache_write') ? 'cache_write_tokens' : name, column.get(row));
      add('tokens', column.get(row));
    }
    add('cost', trace.cost!.input.get(row));
  }
  sums.cost = 0n;
  return sums;
}

const FRAMES = [
  'agent',
  'prompt',
  'call',
  'tool',
  'model',
  'token',
  'file',
  'effect',
  'domain',
  'session',
  'day',
  'status',
  'repeat',
  'subagent',
];

describe('conservation', () => {
  test.each(VIEWS.map(view => view.name))('no measure is lost or invented by the %s view', name => {
    fc.assert(
      fc.property(history, sessions => {
        const trace = traceOf(sessions);
        const profile = foldView(trace, name);
        const expected = bruteForce(trace);
        for (const measure of MEASURES)
          if (measure.name !== 'cost')
            expect([measure.name, total(profile, measure.name)]).toEqual([measure.name, expected[measure.name]]);
      }),
      { numRuns: 60 },
    );
  });

  test('holds for any stack of any frames, in any order, with labels', () => {
    fc.assert(
      fc.property(
        history,
        fc.shuffledSubarray(FRAMES, { minLength: 1 }),
        fc.subarray(['session', 'model']),
        (sessions, stack, labels) => {
          const trace = traceOf(sessions);
          const profile = foldBy(trace, stack, 'tokens', labels);
          const expected = bruteForce(trace);
          for (const measure of MEASURES)
            if (measure.name !== 'cost') expect(total(profile, measure.name)).toBe(expected[measure.name]);
        },
      ),
    );
  });

  test('each sample is what its twin adds up row by row', () => {
    fc.assert(
      fc.property(
        history,
        fc.shuffledSubarray(FRAMES, { minLength: 1 }),
        fc.subarray(['session', 'model', 'prompt_id', 'tool']),
        fc.array(fc.tuple(fc.nat(80), fc.nat(9), fc.nat(9), fc.nat(9)), { maxLength: 6 }),
        (sessions, stack, labels, given) => {
          const trace = traceOf(sessions);
          const { ops } = trace;
          for (const [at, operations, tokens, files] of given) {
            if (at >= ops.length) continue;
            ops.flag(at, Flag.given);
            ops.givenMeasure('operations').set(at, operations);
            ops.givenMeasure('tokens').set(at, tokens);
            ops.givenMeasure('files').set(at, files);
          }
          const options = foldOptions(trace, stack, 'tokens', labels);
          const rows = Uint32Array.from({ length: ops.length }, (_, row) => row);
          const folded = fold(trace, rows, { ...options, roundCost: nanos => nanos });
          expect(sampleLines(folded)).toEqual(foldByRow(trace, rows, options));
        },
      ),
      { numRuns: 300 },
    );
  });

  test('survives renaming frames until they merge', () => {
    fc.assert(
      fc.property(history, sessions => {
        const profile = foldBy(traceOf(sessions), ['agent', 'session', 'model', 'token'], 'tokens', ['session']);
        const merged = remap(
          profile,
          frame => (frame.kind === 'token' ? frame : { ...frame, value: 'x' }),
          label => ({ ...label, text: 'y' }) as never,
          id => id,
        );
        for (const measure of MEASURES) expect(total(merged, measure.name)).toBe(total(profile, measure.name));
        for (const line of drawn(merged, 'tokens'))
          expect(line).toMatch(/^(agent:x;session:x(;subagent:x)?(;model:x)?(;token:\w+)?) \d+$/);
      }),
    );
  });

  test('the portions of an operation are its measures', () => {
    const trace = traceOf(['session s\n call 0-1 opus in=5 cr=2 cw=1 cw1=3 out=7 rea=2 domain=a.com']);
    const portions: string[] = [];
    amountsOf(trace)(0, (amount, values) =>
      portions.push(`${amount.token ?? (amount.domain ? 'domain' : 'whole')} ${values[11]} ${values[0]} ${values[2]}`),
    );
    expect(portions).toEqual([
      'whole 0 1 0',
      'domain 0 0 1',
      'input 5 0 0',
      'cache_read 2 0 0',
      'cache_write 4 0 0',
      'output 7 0 0',
      'reasoning 2 0 0',
    ]);
  });
});

/** Without evidence, and without time: nanoseconds that do not divide go to the operations in the order of the files. */
function comparable(profile: Profile): unknown {
  const time = profile.measures.findIndex(measure => measure.name === 'time');
  return {
    ...profile,
    samples: { ...profile.samples, evidence: [], values: profile.samples.values.filter((_, at) => at !== time) },
  };
}

test('operations that do not fit a fold are told, with the way out', () => {
  const trace = traceOf(['session s0 agent=codex\n tool 1-1 Bash\n']);
  const full = {
    ...PLAIN,
    pairs: () => {
      throw Object.assign(new Error('unreachable'), { name: 'RuntimeError' });
    },
  };
  const folding = () => fold(trace, allRows(trace), foldOptions(trace, ['agent'], 'operations', []), full);
  expect(folding).toThrow('1 operation: too many for one profile; narrow them with --since');
});

describe('determinism', () => {
  test('the kernel folds as its twin in plain JavaScript does', () => {
    const stacks = fc.subarray(FRAMES, { minLength: 1 });
    fc.assert(
      fc.property(history, stacks, fc.subarray(['model', 'session', 'agent']), (sessions, stack, labels) => {
        const trace = traceOf(sessions);
        const options = foldOptions(trace, stack, 'tokens', labels);
        const rows = allRows(trace);
        expect(fold(trace, rows, options, openEngine())).toEqual(fold(trace, rows, options, PLAIN));
      }),
    );
  });

  test('blocks of values hold what the columns do, whichever samples are asked for', () => {
    const many = Array.from({ length: 9000 }, (_, at) => `session s${at} agent=codex\n tool 1-${2 + (at % 9)} Bash\n`);
    const check = (sessions: readonly string[], from: number, count: number) => {
      const trace = traceOf([...sessions]);
      const options = foldOptions(trace, ['agent', 'tool', 'token'], 'tokens', ['session']);
      const { length, values } = fold(trace, allRows(trace), options).samples;
      const [first, some] = [from % (length + 1), count % (length - (from % (length + 1)) + 1)];
      const into = new BigInt64Array(values.length * (some + 1));
      blocksOf(values)(first, some, into, some + 1);
      values.forEach((column, m) => {
        expect(into.slice(m * (some + 1), m * (some + 1) + some)).toEqual(column.slice(first, first + some));
      });
      return length;
    };
    fc.assert(fc.property(history, fc.nat(), fc.nat(), (sessions, from, count) => void check(sessions, from, count)));
    expect(check(many, 700, 8200)).toBe(9000);
  });

  test('the order in which sessions are read leaves no trace in the profile', () => {
    const distinct = fc.uniqueArray(session, { maxLength: 6, selector: text => text.split(' ')[1]! });
    fc.assert(
      fc.property(distinct, distinctSessions => {
        // Ids of their own: which of two copies at one time survives is left to the reading order, on purpose.
        const sessions = distinctSessions.map((text, at) => text.replaceAll(/#k(\d+)/g, `#${at}-$1`));
        const there = foldBy(traceOf(sessions), ['agent', 'tool', 'model', 'token', 'file'], 'tokens', ['model']);
        const back = foldBy(traceOf([...sessions].reverse()), ['agent', 'tool', 'model', 'token', 'file'], 'tokens', [
          'model',
        ]);
        expect(comparable(back)).toEqual(comparable(there));
      }),
    );
  });
});

describe('evidence', () => {
  test('every sample leads to operations, each with a byte range', () => {
    fc.assert(
      fc.property(history, sessions => {
        const { samples } = foldView(traceOf(sessions), 'operations');
        for (let i = 0; i < samples.length; i++) {
          const own = samples.evidence!.slice(samples.evidenceFirst![i], samples.evidenceFirst![i + 1]);
          expect(own.length).toBeGreaterThan(0);
          for (const each of own) expect(each.bytes).toBeGreaterThan(0);
        }
      }),
    );
  });
});
