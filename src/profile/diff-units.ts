import { type Aligned, scaled } from './diff-align.ts';
import type { Profile } from './profile.ts';

/**
 * A side cut into the units that it consists of: sessions, or in a paired comparison the tasks. The values of a unit
 * stand by common node, one array a measure; a task that was tried in several sessions counts with their mean.
 */
export interface Units {
  readonly names: readonly string[];
  /** By unit: its nodes, and one array a measure of values beside them. */
  readonly nodes: readonly Uint32Array[];
  readonly values: readonly (readonly BigInt64Array[])[];
}

/** The text of a label of each label set of a profile; undefined where a set has no such label. */
export function labelTexts(profile: Profile, key: string): (string | undefined)[] {
  return profile.labelSets.map(set => {
    const label = set.find(each => each.key === key);
    return label === undefined ? undefined : 'text' in label ? label.text : String(label.number);
  });
}

/** Whether every sample says by this label whose it is. */
export function isLabelled(profile: Profile, key: string): boolean {
  const texts = labelTexts(profile, key);
  return profile.samples.labels.every(set => texts[set] !== undefined);
}

/** The sessions of a side, by name in code unit order. */
export function sessionUnits(aligned: Aligned, at: 0 | 1, profile: Profile, session: string): Units {
  const texts = labelTexts(profile, session);
  return unitsOf(aligned, at, profile, sample => texts[profile.samples.labels[sample] as number]);
}

/** A side by task: the mean over the task's sessions where these are told apart, else their sum. */
export function taskUnits(
  aligned: Aligned,
  at: 0 | 1,
  profile: Profile,
  task: string,
  session: string | undefined,
): Units {
  const tasks = labelTexts(profile, task);
  const units = unitsOf(aligned, at, profile, sample => tasks[profile.samples.labels[sample] as number]);
  if (session === undefined) return units;
  const sessions = labelTexts(profile, session);
  const tries = new Map<string, Set<string>>();
  for (const set of new Set(profile.samples.labels)) {
    const name = tasks[set];
    if (name === undefined) continue;
    const known = tries.get(name) ?? new Set();
    tries.set(name, known.add(sessions[set] ?? ''));
  }
  const values = units.values.map((columns, unit) => {
    const count = BigInt(tries.get(units.names[unit] as string)?.size ?? 1);
    return count === 1n ? columns : columns.map(column => scaled(column, 1n, count));
  });
  return { ...units, values };
}

/** The units that both sides have, in the same order on each. */
export function paired(a: Units, b: Units): [Units, Units] {
  const inB = new Map(b.names.map((name, at) => [name, at]));
  const both = a.names.flatMap((name, at) => (inB.has(name) ? [[at, inB.get(name) as number] as const] : []));
  const only = (units: Units, ids: readonly number[]): Units => ({
    names: ids.map(id => units.names[id] as string),
    nodes: ids.map(id => units.nodes[id] as Uint32Array),
    values: ids.map(id => units.values[id] as readonly BigInt64Array[]),
  });
  return [
    only(
      a,
      both.map(([at]) => at),
    ),
    only(
      b,
      both.map(([, at]) => at),
    ),
  ];
}

/** All units added up: one array a measure, by common node. */
export function sumOfUnits(aligned: Aligned, units: Units): BigInt64Array[] {
  const sums = aligned.measures.map(() => new BigInt64Array(aligned.nodes.parent.length));
  units.nodes.forEach((nodes, unit) => {
    sums.forEach((sum, m) => {
      const column = units.values[unit]?.[m] as BigInt64Array;
      nodes.forEach((node, i) => {
        sum[node] = (sum[node] as bigint) + (column[i] as bigint);
      });
    });
  });
  return sums;
}

/** All samples of a side added up, whosever they are. */
export function sumOfSamples(aligned: Aligned, at: 0 | 1, profile: Profile): BigInt64Array[] {
  const { samples } = profile;
  return aligned.measures.map((_, m) => {
    const sum = new BigInt64Array(aligned.nodes.parent.length);
    const values = samples.values[aligned.column[at][m] as number];
    if (values === undefined) return sum;
    for (let i = 0; i < samples.length; i++) {
      const node = aligned.nodeOf[at][samples.node[i] as number] as number;
      sum[node] = (sum[node] as bigint) + (values[i] as bigint);
    }
    return sum;
  });
}

function unitsOf(aligned: Aligned, at: 0 | 1, profile: Profile, nameOf: (sample: number) => string | undefined): Units {
  const { samples } = profile;
  const groups = new Map<string, Map<number, bigint[]>>();
  for (let i = 0; i < samples.length; i++) {
    const name = nameOf(i);
    if (name === undefined) continue;
    let group = groups.get(name);
    if (group === undefined) groups.set(name, (group = new Map()));
    const node = aligned.nodeOf[at][samples.node[i] as number] as number;
    let sums = group.get(node);
    if (sums === undefined) group.set(node, (sums = aligned.measures.map(() => 0n)));
    aligned.column[at].forEach((column, m) => {
      if (column >= 0) (sums as bigint[])[m] = ((sums as bigint[])[m] as bigint) + (samples.values[column]?.[i] ?? 0n);
    });
  }
  const names = [...groups.keys()].sort();
  const sorted = names.map(name => [...(groups.get(name) as Map<number, bigint[]>)].sort(([x], [y]) => x - y));
  return {
    names,
    nodes: sorted.map(group => Uint32Array.from(group, ([node]) => node)),
    values: sorted.map(group =>
      aligned.measures.map((_, m) => BigInt64Array.from(group, ([, sums]) => sums[m] as bigint)),
    ),
  };
}
