import { writeFolded } from '../formats/folded.ts';
import { foldedName } from '../formats/names.ts';
import { writeSvg } from '../formats/svg.ts';
import type { Profile } from '../profile/profile.ts';
import type { Measure } from '../trace/measures.ts';
import type { Flame } from './flame.ts';
import { ranksOf } from './ranks.ts';

/** What is seen as a profile of one measure: the zoomed frame with its way from the root, and all below it. */
export function profileOfFlame(
  flame: Flame,
  zoomed: number,
  measure: Measure,
  view: string,
  comments: readonly string[],
): Profile {
  const kept: number[] = [];
  for (let node = zoomed; node !== 0; node = flame.parent[node] as number) kept.unshift(node);
  kept.unshift(0);
  const way = kept.length;
  for (let node = zoomed + 1; node < (flame.end[zoomed] as number); node++) kept.push(node);
  const place = new Map(kept.map((node, at) => [node, at]));
  const values = BigInt64Array.from(kept, (node, at) => (at < way - 1 ? 0n : flame.exactSelf(node)));
  return {
    view,
    measure: measure.name,
    measures: [measure],
    frames: flame.frames,
    nodes: {
      parent: Uint32Array.from(kept, node => place.get(flame.parent[node] as number) as number),
      frame: Uint32Array.from(kept, node => flame.frame[node] as number),
    },
    samples: {
      length: kept.length,
      node: Uint32Array.from(kept, (_, at) => at),
      labels: new Uint32Array(kept.length),
      values: [values],
    },
    labelSets: [[]],
    comments,
    timeNanos: 0n,
    durationNanos: 0n,
  };
}

export function foldedOf(profile: Profile): string {
  return collected(sink => writeFolded(profile, sink, {}));
}

export function svgOf(profile: Profile, subtitle: string): string {
  return collected(sink => writeSvg(profile, sink, { subtitle }));
}

/** The frames below a node with exact numbers; RFC 4180, no cell that a spreadsheet would run as a formula. */
export function csvOf(flame: Flame, zoomed: number, measure: Measure): string {
  const rows = ranksOf(flame, zoomed).map(({ frame, total, self }) => {
    const { kind, value } = flame.frames[frame] as { kind: string; value: string };
    return [quoted(kind), quoted(value), total, self].join(',');
  });
  return `kind,value,total_${measure.name}_${measure.unit},self_${measure.name}_${measure.unit}\r\n${rows.map(row => `${row}\r\n`).join('')}`;
}

function quoted(text: string): string {
  const line = foldedName({ kind: '', value: text }).slice(1);
  const safe = /^[=+\-@\t]/.test(line) ? `'${line}` : line;
  return `"${safe.replaceAll('"', '""')}"`;
}

function collected(write: (sink: (chunk: string | Uint8Array) => void) => void): string {
  const parts: string[] = [];
  write(chunk => parts.push(chunk as string));
  return parts.join('');
}
