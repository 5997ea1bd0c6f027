import { type FoldOptions, fold } from '../../src/profile/fold.ts';
import type { Profile } from '../../src/profile/profile.ts';
import { columnOf, stackColumns } from '../../src/profile/stack-spec.ts';
import { viewNamed } from '../../src/profile/views.ts';
import { Flag } from '../../src/trace/flags.ts';
import type { Trace } from '../../src/trace/trace.ts';

/** All rows that count, as a selection of everything gives them. */
export function allRows(trace: Trace): Uint32Array {
  return Uint32Array.from({ length: trace.ops.length }, (_, row) => row).filter(row => !trace.ops.has(row, Flag.copy));
}

export function foldBy(
  trace: Trace,
  stack: readonly string[],
  measure = 'operations',
  labels: readonly string[] = [],
  rows = allRows(trace),
): Profile {
  return fold(trace, rows, foldOptions(trace, stack, measure, labels));
}

export function foldOptions(
  trace: Trace,
  stack: readonly string[],
  measure: string,
  labels: readonly string[],
): FoldOptions {
  return {
    view: 'test',
    measure,
    ...stackColumns(trace, stack, '--stack'),
    labels: labels.map(name => columnOf(trace, name)),
    evidence: 20,
    comments: [],
    shown: (_, value) => value,
    roundCost: nanos => nanos.map(nano => nano / 1000n),
  };
}

export function foldView(trace: Trace, name: string, rows = allRows(trace)): Profile {
  const view = viewNamed(name)!;
  return foldBy(trace, view.stack, view.measure, [], rows);
}

/** The profile as folded text, lines sorted, zero lines left out; written apart from the real format on purpose. */
export function drawn(profile: Profile, measure = profile.measure): string[] {
  const at = profile.measures.findIndex(each => each.name === measure);
  const sums = new Map<string, bigint>();
  for (let i = 0; i < profile.samples.length; i++) {
    const path: string[] = [];
    for (let node = profile.samples.node[i]!; node !== 0; node = profile.nodes.parent[node]!) {
      const frame = profile.frames[profile.nodes.frame[node]!]!;
      path.unshift(`${frame.kind}:${frame.value}`);
    }
    const value = profile.samples.values[at]![i]!;
    if (value !== 0n) sums.set(path.join(';'), (sums.get(path.join(';')) ?? 0n) + value);
  }
  return [...sums].map(([path, value]) => `${path} ${value}`).sort();
}

export function total(profile: Profile, measure: string): bigint {
  const at = profile.measures.findIndex(each => each.name === measure);
  return profile.samples.values[at]!.reduce((sum, value) => sum + value, 0n);
}
