import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeWhole } from '../store/place.ts';
import { UNIT_KINDS, type UnitKind } from './units.ts';

/**
 * What the last run of `cluster` found, so that the cluster is a field and a frame of every command: the cluster of each
 * unit by the unit's key. Keys are hashes and labels are what reports show, so the file tells nothing of prompts.
 */
export interface Assignment {
  readonly unit: UnitKind;
  /** Noise has id 0. */
  readonly clusters: readonly { readonly id: number; readonly label: string }[];
  /** Id of the cluster by unit. */
  readonly of: ReadonlyMap<string, number>;
}

const SCHEMA = 'agentpprof.cluster-assignment/1';
const FILE = 'assignment.json';

/** Where it lies below the program's cache directory. */
export function assignmentDirectory(cache: string): string {
  return join(cache, 'clusters');
}

/** Throws the system's error. */
export function saveAssignment(cache: string, assignment: Assignment): void {
  const { unit, clusters, of } = assignment;
  const text = JSON.stringify({ schema: SCHEMA, unit, clusters, units: Object.fromEntries(of) });
  writeWhole(assignmentDirectory(cache), FILE, sink => sink(Buffer.from(`${text}\n`)));
}

/** Undefined where no run stored one, or what is there is not of this version. */
export function loadAssignment(cache: string): Assignment | undefined {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(join(assignmentDirectory(cache), FILE), 'utf8'));
  } catch {
    return undefined;
  }
  const { schema, unit, clusters, units } = value as Record<string, unknown>;
  if (schema !== SCHEMA || !UNIT_KINDS.includes(unit as UnitKind) || !Array.isArray(clusters)) return undefined;
  if (typeof units !== 'object' || units === null) return undefined;
  const named = clusters.filter(
    (each): each is { id: number; label: string } => typeof each?.id === 'number' && typeof each?.label === 'string',
  );
  const numbers = Object.entries(units).filter((entry): entry is [string, number] => typeof entry[1] === 'number');
  return { unit: unit as UnitKind, clusters: named, of: new Map(numbers) };
}

/** The value of the field `cluster`: `3 pytest Edit`; noise is `noise`. */
export function clusterName({ id, label }: { readonly id: number; readonly label: string }): string {
  return id === 0 ? label : `${id} ${label}`;
}
