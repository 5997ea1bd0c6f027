import { type Assignment, clusterName, loadAssignment } from '../clusters/stored.ts';
import { unitKeys } from '../clusters/units.ts';
import { StringColumn } from '../trace/columns.ts';
import type { Trace } from '../trace/trace.ts';

const NONE_STORED =
  'the field cluster is empty: no clusters are stored. Run agentpprof cluster first, with the selection of your choice.';

/**
 * Registers what the last run of `cluster` stored as the field `cluster`. Nothing is read before somebody asks for a value
 * of the field; where nothing is stored, that is said then.
 */
export function registerClusters(trace: Trace, cache: string | undefined, warn: (text: string) => void): void {
  let found: { readonly assignment: Assignment | undefined } | undefined;
  const stored = (): Assignment | undefined => {
    if (!found) {
      found = { assignment: cache === undefined ? undefined : loadAssignment(cache) };
      if (!found.assignment) warn(NONE_STORED);
    }
    return found.assignment;
  };
  let made: Uint32Array | undefined;
  const codes = (): Uint32Array => (made ??= codesOf(trace, stored()));
  const column = StringColumn.stored({ length: trace.ops.length, width: 4, fetch: codes, glance: codes }, () => [
    '',
    ...(stored()?.clusters ?? []).map(clusterName),
  ]);
  trace.register('cluster', { column, through: 'row' });
}

function codesOf(trace: Trace, assignment: Assignment | undefined): Uint32Array {
  if (!assignment) return new Uint32Array(0);
  const codeOf = new Map(assignment.clusters.map(({ id }, at) => [id, at + 1]));
  const keyOf = unitKeys(trace, assignment.unit);
  return Uint32Array.from({ length: trace.ops.length }, (_, row) => {
    const id = assignment.of.get(keyOf(row));
    return id === undefined ? 0 : (codeOf.get(id) ?? 0);
  });
}

/** `cluster=3` and `cluster=pytest Edit` for `cluster=3 pytest Edit`: people know clusters by number or by label. */
export function withClusterNames(conditions: readonly string[], cache: string | undefined): string[] {
  return conditions.map(condition => {
    const parts = /^(\s*cluster\s*!?=)([^~]*)$/.exec(condition);
    const assignment = parts && cache !== undefined ? loadAssignment(cache) : undefined;
    if (!parts || !assignment) return condition;
    const named = (parts[2] as string).split(',').map(text => {
      const asked = text.trim();
      const found = assignment.clusters.find(({ id, label }) => (id > 0 && String(id) === asked) || label === asked);
      return found ? clusterName(found) : asked;
    });
    return `${parts[1]}${named.join(',')}`;
  });
}
