import { Kind } from '../trace/kinds.ts';
import type { Trace } from '../trace/trace.ts';
import type { Unit, UnitKind } from './units.ts';

/** Why a unit says little about an agent's behaviour. */
export type Oddity = 'no id' | 'too few steps' | 'too many steps' | 'clock goes back';

/** Model and tool calls. Below the first a session was opened and left; above the second it is a log of something else. */
const FEWEST_STEPS = 2;
const MOST_STEPS = 10_000;
/** Parallel calls are written when they end and clocks are corrected by little: that much is no fault. Microseconds. */
const CLOCK_SLACK = 60e6;

export interface Quality {
  readonly kept: readonly Unit[];
  /** How many units have each oddity; a unit counts for the first it has. */
  readonly odd: ReadonlyMap<Oddity, number>;
}

/** Sorts out what would only blur the clusters. With `keepOdd` all are kept and only counted. */
export function sortOut(trace: Trace, units: readonly Unit[], kind: UnitKind, keepOdd: boolean): Quality {
  const odd = new Map<Oddity, number>();
  const backwards = sessionsThatGoBack(trace);
  const kept = units.filter(unit => {
    const why = oddityOf(trace, unit, kind, backwards);
    if (why !== undefined) odd.set(why, (odd.get(why) ?? 0) + 1);
    return why === undefined || keepOdd;
  });
  return { kept, odd };
}

function oddityOf(trace: Trace, unit: Unit, kind: UnitKind, backwards: ReadonlySet<number>): Oddity | undefined {
  const { ops } = trace;
  const id = ops.sessions.all[unit.session]?.id ?? '';
  if (id === '' || id.startsWith('file:')) return 'no id';
  if (kind === 'session') {
    let steps = 0;
    for (const row of unit.rows) if (isStep(ops.kind.get(row))) steps++;
    if (steps < FEWEST_STEPS) return 'too few steps';
    if (steps > MOST_STEPS) return 'too many steps';
  }
  return unit.rows.some(row => backwards.has(ops.session.get(row))) ? 'clock goes back' : undefined;
}

function isStep(kind: number): boolean {
  return kind === Kind.call || kind === Kind.tool;
}

/** Sessions in whose own file an operation is dated well before one that stands above it, or ends before it starts. */
function sessionsThatGoBack(trace: Trace): Set<number> {
  const { ops } = trace;
  const latest = new Map<string, number>();
  const found = new Set<number>();
  for (let row = 0; row < ops.length; row++) {
    const start = ops.start.get(row);
    if (start === 0 || !(isStep(ops.kind.get(row)) || ops.kind.get(row) === Kind.prompt)) continue;
    const session = ops.session.get(row);
    // A resumed session goes on in another file, which may be read first.
    const place = `${session} ${ops.file.get(row)}`;
    const before = latest.get(place) ?? 0;
    if (start < before - CLOCK_SLACK || ops.end.get(row) < start - CLOCK_SLACK) found.add(session);
    if (start > before) latest.set(place, start);
  }
  return found;
}
