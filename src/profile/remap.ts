import type { Frame, Label, Profile } from './profile.ts';
import { Stacks } from './stacks.ts';

/**
 * The same profile with other names: frames and label texts mapped, stacks and label sets that become equal merged,
 * all values conserved. Evidence moves along. This is how redaction and masking are applied, once, before any format.
 */
export function remap(
  profile: Profile,
  frame: (frame: Frame) => Frame,
  label: (label: Label) => Label,
  session: (id: string) => string,
): Profile {
  const stacks = new Stacks();
  const mappedFrames = profile.frames.map(each => {
    const to = frame(each);
    return stacks.frameId(to.kind, to.value);
  });
  const count = profile.nodes.parent.length;
  const node = new Uint32Array(count);
  for (let at = 1; at < count; at++) {
    node[at] = stacks.child(
      node[profile.nodes.parent[at] as number] as number,
      mappedFrames[profile.nodes.frame[at] as number] as number,
    );
  }
  const { order, frames, parent, frame: frameOf } = stacks.sorted();
  const sets = profile.labelSets.map(set => set.map(label));
  const texts = sets.map(set =>
    JSON.stringify(set.map(each => ('text' in each ? [each.key, each.text] : [each.key, each.number, each.unit]))),
  );
  const distinct = [...new Set(texts)].sort((a, b) => (a === '[]' ? -1 : b === '[]' ? 1 : a < b ? -1 : a > b ? 1 : 0));
  const rank = new Map(distinct.map((text, at) => [text, at]));
  const labelSets = distinct.map(text => sets[texts.indexOf(text)] as Label[]);
  const { samples } = profile;
  const merged = new Map<number, number[]>();
  for (let at = 0; at < samples.length; at++) {
    const key =
      (order[node[samples.node[at] as number] as number] as number) * 0x200000 +
      (rank.get(texts[samples.labels[at] as number] as string) as number);
    const group = merged.get(key);
    if (group) group.push(at);
    else merged.set(key, [at]);
  }
  const keys = [...merged.keys()].sort((a, b) => a - b);
  const groups = keys.map(key => merged.get(key) as number[]);
  return {
    ...profile,
    frames,
    nodes: { parent, frame: frameOf },
    labelSets,
    samples: {
      length: keys.length,
      node: Uint32Array.from(keys, key => Math.floor(key / 0x200000)),
      labels: Uint32Array.from(keys, key => key % 0x200000),
      values: samples.values.map(values =>
        BigInt64Array.from(groups, group => group.reduce((sum, at) => sum + (values[at] as bigint), 0n)),
      ),
      ...mergedEvidence(profile, groups, session),
    },
  };
}

function mergedEvidence(profile: Profile, groups: number[][], session: (id: string) => string) {
  const { evidence, evidenceFirst } = profile.samples;
  if (!evidence || !evidenceFirst) return {};
  const first = new Uint32Array(groups.length + 1);
  const all: NonNullable<typeof evidence>[number][] = [];
  groups.forEach((group, i) => {
    for (const at of group) {
      for (let e = evidenceFirst[at] as number; e < (evidenceFirst[at + 1] as number); e++) {
        const each = evidence[e] as (typeof evidence)[number];
        all.push({ ...each, session: session(each.session) });
      }
    }
    first[i + 1] = all.length;
  });
  return { evidenceFirst: first, evidence: all };
}
