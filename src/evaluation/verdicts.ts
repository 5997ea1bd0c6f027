import type { SessionNodes } from '../meaning/segmentation/nodes.ts';
import type { Sequence } from '../meaning/segmentation/steps.ts';
import { UsageError } from '../trace/usage-error.ts';
import type { Score } from './agreement.ts';

/** Verdicts of a person by node: whether something new begins there. The last one of a node counts. */
export function parseVerdicts(text: string, file: string): Map<string, boolean> {
  const verdicts = new Map<string, boolean>();
  text.split('\n').forEach((line, at) => {
    if (line.trim() === '') return;
    let value: { node?: unknown; boundary?: unknown } | null = null;
    try {
      value = JSON.parse(line);
    } catch {
      // Told below, with what is wanted.
    }
    if (typeof value?.node !== 'string' || typeof value.boundary !== 'boolean')
      throw new UsageError(`--verdicts: ${file}:${at + 1}: wants {"node":"...","boundary":true or false}.`);
    verdicts.set(value.node, value.boundary);
  });
  return verdicts;
}

export interface Judged extends Score {
  /** Gaps that a person judged and that are in the history. */
  readonly judged: number;
}

/** Boundary scores at the judged gaps alone. `cuts` has one entry a step of each session. */
export function judgedScore(
  sessions: readonly { readonly sequence: Sequence; readonly nodes: SessionNodes }[],
  cuts: readonly ArrayLike<number>[],
  verdicts: ReadonlyMap<string, boolean>,
): Judged {
  let [judged, hits, predicted, real] = [0, 0, 0, 0];
  sessions.forEach(({ sequence, nodes }, which) => {
    let node = 0;
    sequence.steps.forEach((step, at) => {
      const verdict = verdicts.get(nodes.ids[node] as string);
      node += step.rows.length;
      if (verdict === undefined || at === 0) return;
      judged++;
      const cut = cuts[which]?.[at] === 1;
      if (cut) predicted++;
      if (verdict) real++;
      if (cut && verdict) hits++;
    });
  });
  const p = predicted === 0 ? 0 : hits / predicted;
  const r = real === 0 ? 0 : hits / real;
  return { judged, p, r, f1: p + r === 0 ? 0 : (2 * p * r) / (p + r) };
}
