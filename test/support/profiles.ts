import type { Evidence, Frame, Label, Profile } from '../../src/profile/profile.ts';
import type { Measure } from '../../src/trace/measures.ts';
import { MEASURES } from '../../src/trace/measures.ts';

/** One sample to be: its frames root first, a value a measure, its labels. */
export interface SampleRow {
  readonly stack: readonly Frame[];
  readonly values: readonly bigint[];
  readonly labels?: readonly Label[] | undefined;
  readonly evidence?: readonly Evidence[] | undefined;
}

export interface ProfileHead {
  readonly view?: string;
  readonly measure?: string;
  readonly measures?: readonly Measure[];
  readonly comments?: readonly string[];
  readonly timeNanos?: bigint;
  readonly durationNanos?: bigint;
}

/**
 * A profile from folded text, one stack a line or parted by ` | `: `profileOf('a:x;b:y 3 | a:x 2')`.
 * The number is the value of the profile's measure (`tokens` unless said); all other measures are zero.
 * A line ` 3` without a stack belongs to the root.
 */
export function profileOf(text: string, head: ProfileHead = {}): Profile {
  const measures = head.measures ?? MEASURES;
  const measure = head.measure ?? 'tokens';
  const rows: SampleRow[] = [];
  for (const line of text.split(/\n| \| /)) {
    if (line.trim() === '') continue;
    const { stack, value } = parseFoldedLine(line);
    rows.push({ stack, values: measures.map(m => (m.name === measure ? value : 0n)) });
  }
  return profileOfRows(rows, { ...head, measures, measure });
}

/** `a:x;b:y 3`, as the folded format writes it: the kind ends at the first colon, the value follows the last space. */
export function parseFoldedLine(line: string): { stack: Frame[]; value: bigint } {
  const space = line.lastIndexOf(' ');
  const path = line.slice(0, space).trimStart();
  const frames = path === '' || path === '(no frame)' ? [] : path.split(';');
  const stack = frames.map(frame => {
    const colon = frame.indexOf(':');
    return { kind: frame.slice(0, colon), value: frame.slice(colon + 1) };
  });
  return { stack, value: BigInt(line.slice(space + 1)) };
}

/** Interns frames and label sets, builds the prefix tree, merges equal samples, sorts them by node and labels. */
export function profileOfRows(rows: readonly SampleRow[], head: ProfileHead = {}): Profile {
  const measures = head.measures ?? MEASURES;
  const frames: Frame[] = [];
  const frameIds = new Map<string, number>();
  const parent = [0];
  const frame = [0];
  const nodeIds = new Map<string, number>();
  const labelSets: (readonly Label[])[] = [[]];
  const labelIds = new Map<string, number>([['[]', 0]]);
  const merged = new Map<string, { node: number; labels: number; values: bigint[]; evidence: Evidence[] }>();

  for (const row of rows) {
    let node = 0;
    for (const { kind, value } of row.stack) {
      const frameId = idOf(frameIds, JSON.stringify([kind, value]), () => frames.push({ kind, value }) - 1);
      const up = node;
      node = idOf(nodeIds, `${up},${frameId}`, () => {
        parent.push(up);
        return frame.push(frameId) - 1;
      });
    }
    const labels = row.labels ?? [];
    const set = idOf(labelIds, JSON.stringify(labels), () => labelSets.push(labels) - 1);
    const key = `${node},${set}`;
    const sample = merged.get(key) ?? { node, labels: set, values: measures.map(() => 0n), evidence: [] };
    merged.set(key, sample);
    row.values.forEach((value, m) => {
      sample.values[m]! += value;
    });
    sample.evidence.push(...(row.evidence ?? []));
  }

  const samples = [...merged.values()].sort((a, b) => a.node - b.node || a.labels - b.labels);
  const evidenceFirst = new Uint32Array(samples.length + 1);
  samples.forEach((sample, i) => {
    evidenceFirst[i + 1] = evidenceFirst[i]! + sample.evidence.length;
  });
  const hasEvidence = rows.some(row => row.evidence !== undefined);
  return {
    view: head.view ?? 'tokens',
    measure: head.measure ?? 'tokens',
    measures,
    frames,
    nodes: { parent: Uint32Array.from(parent), frame: Uint32Array.from(frame) },
    samples: {
      length: samples.length,
      node: Uint32Array.from(samples, sample => sample.node),
      labels: Uint32Array.from(samples, sample => sample.labels),
      values: measures.map((_, m) => BigInt64Array.from(samples, sample => sample.values[m]!)),
      ...(hasEvidence ? { evidenceFirst, evidence: samples.flatMap(sample => sample.evidence) } : {}),
    },
    labelSets,
    comments: head.comments ?? [],
    timeNanos: head.timeNanos ?? 0n,
    durationNanos: head.durationNanos ?? 0n,
  };
}

function idOf(ids: Map<string, number>, key: string, make: () => number): number {
  const known = ids.get(key);
  if (known !== undefined) return known;
  const id = make();
  ids.set(key, id);
  return id;
}
