import type { Clustering, HdbscanOptions } from '../../src/clusters/hdbscan/hdbscan.ts';
import { type Matrix, rowOf } from '../../src/clusters/matrix.ts';

/**
 * HDBSCAN* as its definition reads, with the whole matrix of distances and no spanning tree: the parts at a threshold
 * are the connected components of the pairs that are nearer than it. Slow, and for this reason an oracle.
 */
export function hdbscanByDefinition(points: Matrix, options: HdbscanOptions): Clustering {
  const n = points.rows;
  const none: Clustering = {
    labels: new Int32Array(n).fill(-1),
    clusters: 0,
    probabilities: new Float64Array(n),
    outlierScores: new Float64Array(n),
  };
  if (n < options.minClusterSize || n < 2) return none;
  const reach = mutualReachability(points, options.minSamples);
  const levels = [...new Set(reach.flatMap((row, i) => row.filter((_, j) => j !== i)))].sort((a, b) => b - a);
  const smallest = levels.findLast(level => level > 0);
  const lambda = (level: number) => (level > 0 ? 1 / level : smallest === undefined ? 1 : 2 / smallest);

  interface Cluster {
    members: number[];
    birth: number;
    death: number;
    stability: number;
    children: Cluster[];
  }
  const root: Cluster = { members: all(n), birth: 0, death: 0, stability: 0, children: [] };
  const lastOf: Cluster[] = Array.from({ length: n }, () => root);
  const exit = new Float64Array(n);
  let alive: { cluster: Cluster; members: number[] }[] = [{ cluster: root, members: all(n) }];
  for (const level of levels) {
    const next: typeof alive = [];
    for (const { cluster, members } of alive) {
      const parts = components(members, (a, b) => (reach[a]?.[b] as number) < level);
      if (parts.length === 1) {
        next.push({ cluster, members });
        continue;
      }
      const large = parts.filter(part => part.length >= options.minClusterSize);
      const at = lambda(level);
      cluster.death = Math.max(cluster.death, at);
      for (const part of parts) {
        const stays = large.length === 1 && part === large[0];
        if (!stays) cluster.stability += part.length * (at - cluster.birth);
        if (large.includes(part)) continue;
        for (const point of part) {
          lastOf[point] = cluster;
          exit[point] = at;
        }
      }
      if (large.length === 1) next.push({ cluster, members: large[0] as number[] });
      else {
        for (const part of large) {
          const child: Cluster = { members: part, birth: at, death: at, stability: 0, children: [] };
          cluster.children.push(child);
          next.push({ cluster: child, members: part });
        }
      }
    }
    alive = next;
  }

  const chosen = (cluster: Cluster): { value: number; taken: Cluster[] } => {
    const below = cluster.children.map(chosen);
    const value = below.reduce((sum, each) => sum + each.value, 0);
    const may = cluster !== root || options.single === true || levels[0] === 0;
    const wins = cluster.children.length === 0 || (options.selection === 'eom' && cluster.stability >= value);
    if (may && wins) return { value: cluster.stability, taken: [cluster] };
    return { value, taken: below.flatMap(each => each.taken) };
  };
  const { taken } = chosen(root);
  const densest = (cluster: Cluster): number => Math.max(cluster.death, ...cluster.children.map(densest));
  const order: Cluster[] = [];
  const labels = Int32Array.from({ length: n }, (_, point) => {
    // A cluster holds its members at birth, whenever they fall out.
    const mine = taken.find(cluster => cluster.members.includes(point));
    if (!mine) return -1;
    if (!order.includes(mine)) order.push(mine);
    return order.indexOf(mine);
  });
  return {
    labels,
    clusters: order.length,
    probabilities: Float64Array.from(labels, (label, point) => {
      const mine = order[label];
      return mine ? Math.min(exit[point] as number, mine.death) / mine.death : 0;
    }),
    outlierScores: Float64Array.from(exit, (at, point) => 1 - at / densest(lastOf[point] as Cluster)),
  };
}

function mutualReachability(points: Matrix, minSamples: number): number[][] {
  const n = points.rows;
  const distances = all(n).map(a => all(n).map(b => euclidean(rowOf(points, a), rowOf(points, b))));
  const core = distances.map(row => [...row].sort((a, b) => a - b)[Math.min(minSamples, n) - 1] as number);
  return distances.map((row, a) => row.map((each, b) => Math.max(each, core[a] as number, core[b] as number)));
}

function euclidean(a: Float64Array, b: Float64Array): number {
  let square = 0;
  for (let d = 0; d < a.length; d++) square += ((a[d] as number) - (b[d] as number)) ** 2;
  return Math.sqrt(square);
}

function components(members: readonly number[], joined: (a: number, b: number) => boolean): number[][] {
  const left = new Set(members);
  const parts: number[][] = [];
  for (const start of members) {
    if (!left.delete(start)) continue;
    const part = [start];
    for (const at of part) for (const other of left) if (joined(at, other) && left.delete(other)) part.push(other);
    parts.push(part);
  }
  return parts;
}

function all(n: number): number[] {
  return Array.from({ length: n }, (_, i) => i);
}
