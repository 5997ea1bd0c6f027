import { amountsOf } from '../../trace/amounts.ts';
import { KIND_NAMES, Kind, NO_ROW } from '../../trace/kinds.ts';
import { MEASURES } from '../../trace/measures.ts';
import type { Trace } from '../../trace/trace.ts';
import type { SessionNodes } from './nodes.ts';
import type { Sequence } from './steps.ts';

/** One source node, a line of `trace.jsonl`. */
export interface TraceNode {
  readonly id: string;
  /** The node that asked for it: a call for its tools, the spawning tool call for what a subagent did; else null. */
  readonly parent: string | null;
  readonly kind: string;
  /** What it did, in readable previews; empty ones are left out. */
  readonly data: {
    readonly action?: string;
    readonly said?: string;
    readonly tool?: string;
    readonly command?: string;
    readonly objects?: readonly string[];
    readonly status?: string;
    readonly result?: string;
  };
  /** Measures that are not 0; cost in nano-dollars. */
  readonly metrics: Readonly<Record<string, number>>;
  /** Frames that are known without marks: agent, session, and the number of the turn. */
  readonly path: readonly string[];
}

const PREVIEW = 300;
const RESULT_PREVIEW = 200;
const MOST_OBJECTS = 8;

/** How texts and ids may be seen: `text` redacts free text, `object` a path or value, `session` gives a pseudonym. */
export interface Shown {
  text(text: string): string;
  object(object: string): string;
  session(id: string): string;
}

/** The nodes of sessions in order; a subagent's first nodes hang under the call that spawned it, where that is among them. */
export function traceNodes(
  trace: Trace,
  sessions: readonly (readonly [Sequence, SessionNodes])[],
  shown: Shown,
): TraceNode[] {
  const { ops, links } = trace;
  const idOf = new Map<number, string>();
  for (const [, { rows, ids }] of sessions)
    rows.forEach((row, at) => {
      idOf.set(row, ids[at] as string);
    });
  const measure = metricsOf(trace, sessions);
  return sessions.flatMap(([{ steps }, nodes]) => {
    const session = ops.sessions.all[nodes.session] as { agent: string; id: string };
    const spawn = links.spawn[nodes.session] as number;
    const stepOf = new Map(steps.flatMap(step => step.rows.map(row => [row, step] as const)));
    let turn = 0;
    return nodes.rows.map((row, at): TraceNode => {
      const step = stepOf.get(row);
      if (step?.opensTurn && step.rows[0] === row) turn++;
      const parent = ops.parentOf(row);
      const above = idOf.get(parent) ?? (parent === NO_ROW && spawn !== NO_ROW ? idOf.get(spawn) : undefined);
      return {
        id: nodes.ids[at] as string,
        parent: above ?? null,
        kind: KIND_NAMES[ops.kind.get(row)] ?? 'tool',
        data: dataOf(trace, row, step?.rows[0] === row ? step.action : '', objectsAt(step, row), shown),
        metrics: measure(row),
        path: [session.agent, shown.session(session.id), `turn ${turn}`],
      };
    });
  });
}

function objectsAt(step: { rows: readonly number[]; objects: readonly string[] } | undefined, row: number) {
  // Objects are known of the step as a whole; they stand at its last row, where its tools are.
  return step?.rows.at(-1) === row ? step.objects.slice(0, MOST_OBJECTS) : [];
}

function dataOf(
  trace: Trace,
  row: number,
  action: string,
  objects: readonly string[],
  shown: Shown,
): TraceNode['data'] {
  const { texts, field, kind } = trace.ops;
  const preview = (text: string, most: number) => oneLine(shown.text(text.slice(0, 4 * most)), most);
  const parts = {
    action: shown.object(action),
    said: preview(texts.get(kind.get(row) === Kind.prompt ? 'prompt' : 'call', row), PREVIEW),
    tool: shown.object(field.tool.get(row)),
    command: preview(texts.get('command', row) || field.command.get(row), PREVIEW),
    objects: objects.map(shown.object),
    status: field.status.get(row),
    result: preview(texts.get('result', row), RESULT_PREVIEW),
  };
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value.length > 0));
}

function oneLine(text: string, most: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const characters = [...line.slice(0, 2 * most)];
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : line;
}

/** Measures by row; those of effects are their tool call's. */
function metricsOf(trace: Trace, sessions: readonly (readonly [Sequence, SessionNodes])[]) {
  const { ops, links } = trace;
  const wanted = new Set(sessions.flatMap(([, { rows }]) => rows));
  const sums = new Map<number, Float64Array>();
  const amounts = amountsOf(trace);
  for (let row = 0; row < ops.length; row++) {
    const owner = wanted.has(row) ? row : (links.tool[row] as number);
    if (!wanted.has(owner)) continue;
    amounts(row, (_, values) => {
      let sum = sums.get(owner);
      if (!sum) sums.set(owner, (sum = new Float64Array(values.length)));
      for (let at = 0; at < values.length; at++) sum[at] = (sum[at] as number) + (values[at] as number);
    });
  }
  return (row: number): Record<string, number> =>
    Object.fromEntries(
      MEASURES.flatMap(({ name }, at): [string, number][] => {
        const value = sums.get(row)?.[at] ?? 0;
        return value === 0 ? [] : [[name, value]];
      }),
    );
}
