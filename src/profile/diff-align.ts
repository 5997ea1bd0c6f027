import type { Measure } from '../trace/measures.ts';
import type { Frame, Profile } from './profile.ts';
import { Stacks } from './stacks.ts';

/**
 * Two profiles on one prefix tree: the union of their stacks, numbered as `Stacks.sorted` numbers them (node 0 is the
 * root, a parent comes before its children), so that what is the same work on both sides has the same number.
 */
export interface Aligned {
  readonly frames: readonly Frame[];
  readonly nodes: { readonly parent: Uint32Array; readonly frame: Uint32Array };
  /** The measures of both sides by name: those of A in their order, then what only B has. */
  readonly measures: readonly Measure[];
  /** For each side, the common number of each of its own nodes. */
  readonly nodeOf: readonly [Uint32Array, Uint32Array];
  /** For each side, where it keeps each common measure; -1 where it has none. */
  readonly column: readonly [readonly number[], readonly number[]];
}

export function align(a: Profile, b: Profile): Aligned {
  const stacks = new Stacks();
  const own = [a, b].map(profile => placed(profile, stacks)) as [Uint32Array, Uint32Array];
  const { order, frames, parent, frame } = stacks.sorted();
  const measures = [...a.measures, ...b.measures.filter(each => !a.measures.some(known => known.name === each.name))];
  const columns = [a, b].map(profile =>
    measures.map(measure => profile.measures.findIndex(each => each.name === measure.name)),
  ) as [number[], number[]];
  return {
    frames,
    nodes: { parent, frame },
    measures,
    nodeOf: [own[0].map(node => order[node] as number), own[1].map(node => order[node] as number)],
    column: columns,
  };
}

function placed(profile: Profile, stacks: Stacks): Uint32Array {
  const frames = profile.frames.map(({ kind, value }) => stacks.frameId(kind, value));
  const { parent, frame } = profile.nodes;
  const nodes = new Uint32Array(parent.length);
  for (let n = 1; n < nodes.length; n++)
    nodes[n] = stacks.child(nodes[parent[n] as number] as number, frames[frame[n] as number] as number);
  return nodes;
}

/**
 * Every value times `over / under`, rounded so that the parts add up to the rounded whole: each is rounded down, and
 * what then is missing goes, one each, to the largest remainders, ties to the earlier. `under` is positive.
 */
export function scaled(values: BigInt64Array, over: bigint, under: bigint): BigInt64Array {
  const out = new BigInt64Array(values.length);
  const remainders: { at: number; rest: bigint }[] = [];
  let lost = 0n;
  for (let at = 0; at < values.length; at++) {
    const product = (values[at] as bigint) * over;
    if (product === 0n) continue;
    const rest = ((product % under) + under) % under;
    out[at] = (product - rest) / under;
    if (rest === 0n) continue;
    lost += rest;
    remainders.push({ at, rest });
  }
  const missing = Number((2n * lost + under) / (2n * under));
  remainders.sort((x, y) => (x.rest === y.rest ? x.at - y.at : x.rest > y.rest ? -1 : 1));
  for (const { at } of remainders.slice(0, missing)) out[at] = (out[at] as bigint) + 1n;
  return out;
}
