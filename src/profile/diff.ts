import type { Measure } from '../trace/measures.ts';
import { type Aligned, align, scaled } from './diff-align.ts';
import { bootstrap, type Intervals, outermost } from './diff-bootstrap.ts';
import { isLabelled, paired, sessionUnits, sumOfSamples, sumOfUnits, taskUnits, type Units } from './diff-units.ts';
import type { Profile } from './profile.ts';
import { UnknownMeasureError } from './tree.ts';

/** What goes into one side. */
export interface SideInput {
  /** How the side is called on the picture. */
  readonly name: string;
  readonly profile: Profile;
  /** Key of the label that says which session a sample is of; without it, or without it in a sample, there is no interval. */
  readonly session?: string | undefined;
}

export interface DiffOptions {
  /** The measure that is looked at; that of side A when absent. Throws UnknownMeasureError where neither has it. */
  readonly measure?: string | undefined;
  /** Express side B in the mass of A, measure by measure: what is left are shifts between frames. */
  readonly normalize?: boolean | undefined;
  /** Key of the label that names the task: only tasks that both sides have are compared, one by one. */
  readonly pair?: string | undefined;
  /** What the pairing field is called, for the output. */
  readonly pairName?: string | undefined;
  /** Changes below this part of the larger side are noise; 0.001 when absent. */
  readonly noise?: number | undefined;
}

export interface Side {
  readonly name: string;
  /** Sessions; undefined where the profile does not tell them apart. */
  readonly sessions: number | undefined;
  /** Each measure by node, what ended there. After pairing and normalising. */
  readonly self: readonly BigInt64Array[];
  /** Each measure over the side as it was given, before pairing and normalising. */
  readonly given: readonly bigint[];
}

/**
 * Two sides on one tree. For each measure: the sum over `b.self - a.self` = the total of B minus the total of A.
 * Paired, both are sums over the tasks of the mean of a task's sessions; divided by `paired.tasks` they are means.
 */
export interface Comparison extends Pick<Aligned, 'frames' | 'nodes' | 'measures'> {
  readonly view: string;
  /** Index of the measure that is looked at. */
  readonly at: number;
  readonly measure: Measure;
  readonly a: Side;
  readonly b: Side;
  readonly normalized: boolean;
  /** Why it is not normalised although that was asked for: the measures that could not be. */
  readonly notNormalized: readonly string[];
  readonly paired: Paired | undefined;
  readonly noise: number;
  readonly intervals: Intervals | undefined;
  /** Why there is no interval. */
  readonly noInterval: NoInterval | undefined;
  readonly comments: readonly string[];
  readonly timeNanos: bigint;
}

export interface Paired {
  readonly field: string;
  readonly tasks: number;
  /** Tasks that only one side has, and that are therefore left out. */
  readonly onlyA: number;
  readonly onlyB: number;
}

/** `bare`: a side does not tell its sessions apart; `few`: there are too few to draw from; `empty`: it has nothing. */
export interface NoInterval {
  readonly reason: 'bare' | 'few' | 'empty';
  /** The side's name, or where tasks are drawn the field that names them. */
  readonly of: string;
  /** How many there would have to be. */
  readonly least?: number;
}

/**
 * With fewer units a bootstrap calls far too much certain: of two groups of three sessions, all of one lie above all of
 * the other in a tenth of all cases by chance alone, and three tasks go the same way in a quarter of them. With these
 * numbers that is below one in twenty.
 */
const FEWEST_SESSIONS = 4;
const FEWEST_TASKS = 6;

const NOISE = 0.001;

export function compare(a: SideInput, b: SideInput, options: DiffOptions = {}): Comparison {
  const aligned = align(a.profile, b.profile);
  const at = measureAt(aligned, options.measure ?? a.profile.measure);
  const noise = options.noise ?? NOISE;
  const units = [unitsOf(aligned, 0, a, options.pair), unitsOf(aligned, 1, b, options.pair)] as const;
  const given = [sumOfSamples(aligned, 0, a.profile), sumOfSamples(aligned, 1, b.profile)] as const;

  let selves: readonly (readonly BigInt64Array[])[] = given;
  let both = units;
  let pairs: Paired | undefined;
  if (options.pair !== undefined && units[0] !== undefined && units[1] !== undefined) {
    both = paired(units[0], units[1]);
    const tasks = both[0]?.names.length ?? 0;
    pairs = {
      field: options.pairName ?? options.pair,
      tasks,
      onlyA: units[0].names.length - tasks,
      onlyB: units[1].names.length - tasks,
    };
    selves = both.map(each => sumOfUnits(aligned, each as Units));
  }
  const [before, after] = selves as [BigInt64Array[], BigInt64Array[]];
  const normal = options.normalize ? inMassOf(aligned, before, after) : undefined;

  const sessions = ([a, b] as const).map((side, s) => sessionsOf(aligned, s as 0 | 1, side));
  const noInterval = whyNone(a, b, both, pairs);
  const made: Comparison = {
    frames: aligned.frames,
    nodes: aligned.nodes,
    measures: aligned.measures,
    view: a.profile.view,
    at,
    measure: aligned.measures[at] as Measure,
    a: { name: a.name, sessions: sessions[0], self: before, given: given[0].map(total) },
    b: { name: b.name, sessions: sessions[1], self: normal?.values ?? after, given: given[1].map(total) },
    normalized: options.normalize === true,
    notNormalized: normal?.not ?? [],
    paired: pairs,
    noise,
    intervals: undefined,
    noInterval,
    comments: [...a.profile.comments.map(text => `A: ${text}`), ...b.profile.comments.map(text => `B: ${text}`)],
    timeNanos: larger(a.profile.timeNanos, b.profile.timeNanos),
  };
  if (noInterval !== undefined) return made;
  const intervals = bootstrap(aligned, both[0] as Units, both[1] as Units, {
    measure: at,
    over: pairs === undefined ? 'sessions' : 'tasks',
    normalize: made.normalized,
    wanted: largeEnough(made),
  });
  return { ...made, intervals };
}

function measureAt({ measures }: Aligned, name: string): number {
  const at = measures.findIndex(measure => measure.name === name);
  if (at >= 0) return at;
  throw new UnknownMeasureError(
    name,
    measures.map(measure => measure.name),
  );
}

function unitsOf(aligned: Aligned, at: 0 | 1, side: SideInput, pair: string | undefined): Units | undefined {
  const session = side.session !== undefined && isLabelled(side.profile, side.session) ? side.session : undefined;
  if (pair !== undefined) return taskUnits(aligned, at, side.profile, pair, session);
  return session === undefined ? undefined : sessionUnits(aligned, at, side.profile, session);
}

function sessionsOf(aligned: Aligned, at: 0 | 1, side: SideInput): number | undefined {
  return unitsOf(aligned, at, side, undefined)?.names.length;
}

function whyNone(
  a: SideInput,
  b: SideInput,
  units: readonly [Units | undefined, Units | undefined],
  pairs: Paired | undefined,
): NoInterval | undefined {
  const sides = [a, b] as const;
  for (const [s, side] of sides.entries())
    if (side.profile.samples.length === 0) return { reason: 'empty', of: sides[s]?.name ?? '' };
  if (pairs !== undefined)
    return pairs.tasks < FEWEST_TASKS ? { reason: 'few', of: pairs.field, least: FEWEST_TASKS } : undefined;
  for (const [s, side] of sides.entries()) if (units[s] === undefined) return { reason: 'bare', of: side.name };
  for (const [s, side] of sides.entries())
    if ((units[s]?.names.length ?? 0) < FEWEST_SESSIONS)
      return { reason: 'few', of: side.name, least: FEWEST_SESSIONS };
  return undefined;
}

/**
 * B times (mass of A / mass of B), measure by measure, as `go tool pprof -normalize -diff_base A B` does. A measure
 * that a side has nothing of, or less than nothing somewhere, has no shares: its values become A's, so that it shows
 * no change, and it is named.
 */
function inMassOf(
  { measures }: Aligned,
  a: readonly BigInt64Array[],
  b: readonly BigInt64Array[],
): { values: BigInt64Array[]; not: string[] } {
  const not: string[] = [];
  const values = measures.map(({ name }, m) => {
    const before = a[m] as BigInt64Array;
    const after = b[m] as BigInt64Array;
    const [mass, other] = [total(before), total(after)];
    const whole = before.every(value => value >= 0n) && after.every(value => value >= 0n);
    if (whole && mass > 0n && other > 0n) return scaled(after, mass, other);
    if (mass !== 0n || other !== 0n || !whole) not.push(name);
    return before.slice();
  });
  return { values, not };
}

/** Frames whose larger side reaches the threshold of noise; the others are noise without a look. */
function largeEnough(made: Comparison): { nodes: Uint8Array; frames: Uint8Array } {
  const a = totals(made, made.a.self[made.at] as BigInt64Array);
  const b = totals(made, made.b.self[made.at] as BigInt64Array);
  const least = threshold(made, a[0] as bigint, b[0] as bigint);
  const outer = outermost(made);
  const sums = made.frames.map(() => [0n, 0n] as [bigint, bigint]);
  const nodes = a.map((before, n) => {
    const after = b[n] as bigint;
    if (outer[n] === 1) {
      const sum = sums[made.nodes.frame[n] as number] as [bigint, bigint];
      sum[0] += before;
      sum[1] += after;
    }
    return larger(before, after) >= least ? 1n : 0n;
  });
  return {
    nodes: Uint8Array.from(nodes, Number),
    frames: Uint8Array.from(sums, ([before, after]) => (larger(before, after) >= least ? 1 : 0)),
  };
}

/** The smallest change that is not noise by its size alone; at least 1. */
export function threshold({ noise }: Comparison, a: bigint, b: bigint): bigint {
  const least = BigInt(Math.ceil(Number(larger(a, b)) * noise));
  return least < 1n ? 1n : least;
}

/** The larger magnitude. */
export function larger(a: bigint, b: bigint): bigint {
  const [x, y] = [a < 0n ? -a : a, b < 0n ? -b : b];
  return x > y ? x : y;
}

/** By node, what passed through it. */
export function totals({ nodes }: Pick<Comparison, 'nodes'>, self: BigInt64Array): BigInt64Array {
  const sums = self.slice();
  for (let n = sums.length - 1; n > 0; n--) {
    const up = nodes.parent[n] as number;
    sums[up] = (sums[up] as bigint) + (sums[n] as bigint);
  }
  return sums;
}

function total(values: BigInt64Array): bigint {
  return values.reduce((sum, value) => sum + value, 0n);
}
