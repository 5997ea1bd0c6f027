import { NO_ROW } from '../trace/kinds.ts';
import type { Trace } from '../trace/trace.ts';
import { type FrameColumn, LIST } from './columns.ts';
import { type Engine, type Numbers, type PairTable, stepsOf } from './kernel/engine.ts';
import type { Stacks } from './stacks.ts';

/** Frames of the spawning operation that stand above a subagent's own: what led to the call, never what it touched. */
const CHAIN_FRAMES: ReadonlySet<string> = new Set(['task', 'call']);

/**
 * Subagents nest: above the inner frames of a subagent's operation stand those of the tool call that spawned it, then
 * the call itself (`tool:Agent`) and the kind of subagent, for each level. A stack that shows neither calls nor tools
 * asks for no such detail and stays flat, as does a trace without subagents: there is nothing to put in then.
 */
export function chainFrames(
  trace: Trace,
  stacks: Stacks,
  columns: readonly FrameColumn[],
): ((engine: Engine, rows: Numbers, nodes: Numbers, table: PairTable, room: Numbers) => void) | undefined {
  if (!columns.some(column => column.name === 'call' || column.name === 'tool')) return undefined;
  const { ops, links } = trace;
  if (!links.depth.some(depth => depth > 0)) return undefined;
  const above = columns.filter(column => CHAIN_FRAMES.has(column.name));
  const showsSubagent = !columns.some(column => column.name === 'subagent');
  const chains = new Map<number, number[]>();
  const framesOf = (session: number): number[] => {
    let frames = chains.get(session);
    if (frames) return frames;
    frames = [];
    if ((links.depth[session] as number) > 0) {
      const spawn = links.spawn[session] as number;
      if (spawn !== NO_ROW) {
        frames.push(...framesOf(ops.session.get(spawn)));
        for (const column of above) {
          const code = column.code(spawn);
          for (const part of (column.values[code] as string).split(LIST))
            if (part !== '') frames.push(stacks.frameId(column.name, part));
        }
        const tool = ops.field.tool.get(spawn);
        if (tool !== '') frames.push(stacks.frameId('tool', tool));
      }
      if (showsSubagent) frames.push(stacks.frameId('subagent', ops.sessions.all[session]?.subagent || 'subagent'));
    }
    chains.set(session, frames);
    return frames;
  };
  return (engine, rows, nodes, table, room) => {
    const codes = Uint32Array.from(links.depth, (depth, session) => (depth > 0 ? session + 1 : 0));
    engine.gather(codes, trace.via('session'), rows, room);
    const used = engine.distinct(room, codes.length + 1);
    engine.descend(
      nodes,
      room,
      stepsOf(used, code => framesOf(code - 1)),
      table,
    );
  };
}
