import fc from 'fast-check';
import { NumberColumn } from '../../src/trace/columns.ts';
import { Kind } from '../../src/trace/kinds.ts';
import { Trace } from '../../src/trace/trace.ts';
import { operationsOf } from './operations.ts';

/** Random linked histories with prices and tags: sessions, subagents, calls, tools, effects, lists, huge counts. */
const count = fc.oneof(fc.nat(300), fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }));
const span = fc
  .tuple(fc.integer({ min: 1, max: 400_000 }), fc.nat(90))
  .map(([from, length]) => `${from}-${from + length}`);
const id = fc.nat(12).map(n => `#k${n}`);
const line = fc.oneof(
  fc.tuple(span, id).map(([at, key]) => `prompt ${at.split('-')[0]} "p" ${key}`),
  fc
    .tuple(span, fc.constantFrom('opus', 'haiku'), count, count, fc.nat(500), id)
    .map(
      ([at, model, input, read, output, key]) =>
        `call ${at} ${model} in=${input} cr=${read} out=${output} rea=${output % 7} domain=a.com ${key}`,
    ),
  fc
    .tuple(span, fc.constantFrom('Bash', 'Read', 'Task'), fc.constantFrom('ok', 'error'), id)
    .map(([at, tool, status, key]) => `tool ${at} ${tool} status=${status} phase=a\u001fb args=x ${key}`),
  fc
    .tuple(fc.constantFrom('read', 'write', 'contact'), fc.constantFrom('a.ts', 'b.ts'))
    .map(([effect, what]) => `effect ${effect} ${what}`),
);
const session = fc
  .tuple(
    fc.nat(5),
    fc.option(fc.nat(5)),
    fc.constantFrom('codex', 'claude-code'),
    fc.option(id),
    fc.array(line, { maxLength: 12 }),
  )
  .map(([name, parent, agent, spawn, lines]) => {
    const link = parent === null ? '' : ` parent=s${parent} sub=Explore${spawn ? ` spawn=${spawn.slice(1)}` : ''}`;
    // An effect needs a tool above it.
    return `session s${name} agent=${agent} project=p${name % 2}${link}\n tool 1-1 Bash\n${lines.map(each => ` ${each}`).join('\n')}`;
  });

export const histories: fc.Arbitrary<string> = fc.array(session, { maxLength: 6 }).map(sessions => sessions.join('\n'));

export function tracedOf(text: string): Trace {
  const trace = new Trace(operationsOf(text));
  const column = () => new NumberColumn();
  const cost = { input: column(), cacheRead: column(), cacheWrite: column(), output: column(), reasoning: column() };
  for (let row = 0; row < trace.ops.length; row++) {
    if (trace.ops.kind.get(row) !== Kind.call) continue;
    cost.input.set(row, Math.min(trace.ops.tokens.input_tokens.get(row), 1e12) * 3 + 1);
    cost.output.set(row, trace.ops.tokens.output_tokens.get(row) * 37);
  }
  trace.cost = cost;
  return trace;
}
