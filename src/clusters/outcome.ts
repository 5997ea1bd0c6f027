import type { Predicate } from '../selection/where.ts';
import { Kind } from '../trace/kinds.ts';
import type { Trace } from '../trace/trace.ts';
import type { Unit, UnitKind } from './units.ts';

/** The label that tells how a session ended, where people joined one. */
export const OUTCOME = 'outcome';

/** Values of it that mean failure; every other value means success. */
const FAILED_VALUES: ReadonlySet<string> = new Set([
  'fail',
  'failed',
  'failure',
  'error',
  'false',
  'no',
  '0',
  'unresolved',
  'rejected',
  'abandoned',
]);

const BAD_STATUSES: ReadonlySet<string> = new Set(['error', 'interrupted', 'unanswered']);

export interface OutcomeRule {
  /** What counts as failed, in words, for every report. */
  readonly said: string;
  /** Undefined where nothing tells. */
  failed(unit: Unit): boolean | undefined;
}

/**
 * What counts as failed. `given` are conditions of `--failed-when`: a unit failed if one of its operations meets all of
 * them. Without any: the label `outcome` where sessions have it, else the status of the last operation that has one.
 */
export function outcomeRule(
  trace: Trace,
  kind: UnitKind,
  given: Predicate | undefined,
  conditions: readonly string[],
): OutcomeRule {
  if (given) {
    return { said: conditions.join(' and '), failed: unit => unit.rows.some(row => given(row)) };
  }
  const sessions = trace.ops.sessions.all;
  if (sessions.some(session => session.labels?.has(OUTCOME))) {
    return {
      said: `the label ${OUTCOME} says so (${[...FAILED_VALUES].join(', ')})`,
      failed: unit => {
        const outcome = sessions[unit.session]?.labels?.get(OUTCOME);
        return outcome === undefined ? undefined : FAILED_VALUES.has(outcome.trim().toLowerCase());
      },
    };
  }
  const one = kind === 'call' || kind === 'tool';
  return {
    said: one
      ? 'its status is error, interrupted or unanswered'
      : `the last operation of the ${kind} ended in error, was interrupted or got no answer`,
    failed: unit => lastStatus(trace, unit),
  };
}

function lastStatus({ ops }: Trace, unit: Unit): boolean | undefined {
  for (let at = unit.rows.length - 1; at >= 0; at--) {
    const row = unit.rows[at] as number;
    const kind = ops.kind.get(row);
    if (kind === Kind.tool || kind === Kind.call) return BAD_STATUSES.has(ops.field.status.get(row));
  }
  return undefined;
}
