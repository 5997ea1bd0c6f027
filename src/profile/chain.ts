import { NO_ROW } from '../trace/kinds.ts';
import type { Trace } from '../trace/trace.ts';
import type { FrameColumn } from './columns.ts';
import type { Stacks } from './stacks.ts';

/** Frames of the spawning operation that stand above a subagent's own: what led to the call, never what it touched. */
const CHAIN_FRAMES: ReadonlySet<string> = new Set(['task', 'call']);

/**
 * Subagents nest: above the inner frames of a subagent's operation stand those of the tool call that spawned it, then
 * the call itself (`tool:Agent`) and the kind of subagent, for each level. A stack that shows neither calls nor tools
 * asks for no such detail and stays flat.
 */
export function chainFrames(
  trace: Trace,
  stacks: Stacks,
  columns: readonly FrameColumn[],
): (node: number, row: number) => number {
  if (!columns.some(column => column.name === 'call' || column.name === 'tool')) return node => node;
  const { ops, links } = trace;
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
          if (code !== 0) frames.push(stacks.frameId(column.name, column.values[code] as string));
        }
        const tool = ops.field.tool.get(spawn);
        if (tool !== '') frames.push(stacks.frameId('tool', tool));
      }
      if (showsSubagent) frames.push(stacks.frameId('subagent', ops.sessions.all[session]?.subagent || 'subagent'));
    }
    chains.set(session, frames);
    return frames;
  };
  return (node, row) => {
    const session = ops.session.get(row);
    if (links.depth[session] === 0) return node;
    for (const frame of framesOf(session)) node = stacks.child(node, frame);
    return node;
  };
}
