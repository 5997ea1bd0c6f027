import { keyText } from '../../trace/keys.ts';
import { Kind } from '../../trace/kinds.ts';
import type { Operations } from '../../trace/operations.ts';
import { AGENT } from './context.ts';

/**
 * What only the whole tells about subagents: their kind, which up to 2.1.6x stands in the call that started them and
 * nowhere else, and which of them nobody started.
 */
export function settleSubagents(out: Operations): void {
  const { all } = out.sessions;
  const unnamed = new Set<number>();
  const unasked = new Set<number>();
  all.forEach((session, at) => {
    if (session.agent !== AGENT || session.parent === undefined || session.warmer === true) return;
    if (!session.subagent) unnamed.add(at);
    if (session.spawnCall === undefined && session.spawnPrompt === undefined) unasked.add(at);
  });
  if (unnamed.size === 0 && unasked.size === 0) return;
  const byPrompt = promptsOf(out, unnamed);
  for (const row of spawningRows(out)) {
    const session = out.session.get(row);
    if (all[session]?.agent !== AGENT) continue;
    const id = out.spawnedId.get(row);
    const child = id === '' ? undefined : out.sessions.find(AGENT, id);
    if (child !== undefined) unasked.delete(child);
    const type = out.spawnedType.get(row);
    if (type === '') continue;
    const prompt = keyText(out.spawnedPrompt.high[row] ?? 0, out.spawnedPrompt.low[row] ?? 0);
    const named = child ?? byPrompt.get(`${all[session]?.id} ${prompt}`);
    const target = named === undefined ? undefined : all[named];
    if (target && unnamed.has(named as number)) target.subagent = type;
  }
  // A cache warmer whose prompt was not written (2.0.60): one answer, no tool, and no call asked for it.
  for (const [at, { calls, tools }] of workOf(out, unasked)) {
    const session = all[at];
    if (session && calls === 1 && tools === 0) session.warmer = true;
  }
}

/** Tool calls that tell the id of the subagent they spawned, or its kind. */
function spawningRows({ length, kind, spawnedId, spawnedType }: Operations): number[] {
  const rows: number[] = [];
  const { cells: kinds } = kind;
  const [ids, types] = [spawnedId.codes, spawnedType.codes];
  const end = Math.min(length, Math.max(ids.length, types.length));
  for (let row = 0; row < end; row++)
    if (((ids[row] ?? 0) | (types[row] ?? 0)) !== 0 && kinds[row] === Kind.tool) rows.push(row);
  return rows;
}

/** Calls and tool calls of some sessions. */
function workOf(out: Operations, sessions: ReadonlySet<number>): Map<number, { calls: number; tools: number }> {
  const work = new Map<number, { calls: number; tools: number }>();
  for (let row = 0; sessions.size > 0 && row < out.length; row++) {
    const session = out.session.get(row);
    if (!sessions.has(session)) continue;
    const done = work.get(session) ?? { calls: 0, tools: 0 };
    const kind = out.kind.get(row);
    if (kind === Kind.call) done.calls++;
    else if (kind === Kind.tool) done.tools++;
    work.set(session, done);
  }
  return work;
}

function promptsOf(out: Operations, sessions: ReadonlySet<number>): Map<string, number> {
  const found = new Map<string, number>();
  for (const at of sessions) {
    const session = out.sessions.all[at];
    const prompt = session?.spawnPrompt;
    if (session && prompt) found.set(`${session.parent} ${keyText(prompt.high, prompt.low)}`, at);
  }
  return found;
}
