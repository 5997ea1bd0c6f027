import type { Cutting } from './backends/auto.ts';
import type { Segment } from './marks.ts';
import type { Named } from './model-marks.ts';
import { nameOf } from './names.ts';
import type { SessionNodes } from './nodes.ts';
import type { Step } from './steps.ts';

/** A cut this likely parts work of its own, not only a step of one. */
const STRONG = 0.6;

/**
 * Nested segments from cuts. Strong cuts (those of the conversation, and those the evidence is sure of) part the outer
 * segments, all cuts the inner ones; an outer one that would hold a single inner one is left out.
 */
export function segmentsOf(
  steps: readonly Step[],
  nodes: SessionNodes,
  { cuts, probability }: Cutting,
  shown: (object: string) => string,
): Segment[] {
  const firstNode = firstNodes(steps);
  const inner = stretches(steps.length, at => cuts[at] === 1);
  const make = ([begin, end]: Stretch, children: readonly Segment[]): Segment => ({
    start: nodes.ids[firstNode[begin] as number] as string,
    begin: firstNode[begin] as number,
    end: firstNode[end] ?? nodes.ids.length,
    tag: nameOf(steps.slice(begin, end), shown),
    sure: begin === 0 ? 1 : probability?.[begin],
    children,
  });
  if (!probability) return inner.map(stretch => make(stretch, []));
  const outer = stretches(steps.length, at => cuts[at] === 1 && (probability[at] as number) >= STRONG);
  if (outer.length < 2) return inner.map(stretch => make(stretch, []));
  let next = 0;
  return outer.map(stretch => {
    const own: Stretch[] = [];
    while (next < inner.length && (inner[next] as Stretch)[0] < stretch[1]) own.push(inner[next++] as Stretch);
    return make(stretch, own.length < 2 ? [] : own.map(each => make(each, [])));
  });
}

type Stretch = readonly [begin: number, end: number];

function stretches(steps: number, isCut: (at: number) => boolean): Stretch[] {
  const found: Stretch[] = [];
  let begin = 0;
  for (let at = 1; at <= steps; at++) {
    if (at < steps && !isCut(at)) continue;
    found.push([begin, at]);
    begin = at;
  }
  return found;
}

/** Position of the first node of each step; all rows of a session's steps are its nodes, in their order. */
function firstNodes(steps: readonly Step[]): number[] {
  let next = 0;
  return steps.map(step => {
    const first = next;
    next += step.rows.length;
    return first;
  });
}

/** Segments of a session from stretches that a model named. */
export function segmentsNamed(steps: readonly Step[], nodes: SessionNodes, named: readonly Named[]): Segment[] {
  const firstNode = firstNodes(steps);
  const make = ({ begin, end, tag, inside }: Named): Segment => ({
    start: nodes.ids[firstNode[begin] as number] as string,
    begin: firstNode[begin] as number,
    end: firstNode[end] ?? nodes.ids.length,
    tag,
    sure: undefined,
    children: inside.map(make),
  });
  return named.map(make);
}
