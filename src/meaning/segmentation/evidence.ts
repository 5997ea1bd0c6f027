import { cohesionOf } from './cohesion.ts';
import { directoryOf } from './objects.ts';
import type { Step } from './steps.ts';
import { toneOf } from './tone.ts';

/**
 * What speaks for and against a change of responsibility before a step, seen from inside its session alone: a session
 * needs no other to be cut, and what is cut stays cut whatever else is read later.
 *
 * Each kind of evidence takes one of a few levels, and each level has a weight in log-odds. The weights are round
 * numbers set by reason, not fitted to any labels: about 1 for what by itself makes a change nearly three times as
 * likely, a few tenths for a hint. docs/segmentation.md says what each was worth when it was left out.
 */
export const EVIDENCE = {
  /** Objects of this step and those before it. Work on one thing is one work; a thing never seen opens something. */
  objects: {
    shared: -1,
    recent: -0.3,
    none: -0.7,
    'known after none': 0.7,
    'new after none': 1,
    'none after some': 0.5,
    known: 0.3,
    new: 1,
  },
  /** The same action goes on; another kind of action may begin something. */
  action: { same: -0.7, 'same program': -0.2, 'same kind': -0.2, 'other kind': 0.5 },
  /** A pair of actions that alternates all along is a routine; one that stands alone here is none. */
  habit: { 'same action': 0, once: 0.4, twice: 0.1, often: -0.2, routine: -0.5 },
  /** The agent's own words before the step. */
  said: { nothing: 0, plain: -0.2, mending: -0.8, 'mending and moving on': 0, 'moving on': 0.8 },
  /** After a failure comes the next attempt at the same thing. */
  failure: { none: 0, 'step before failed': -0.8 },
  /** A file that was not there before this step. */
  creation: { none: 0, 'new file': 0.9 },
  /** Something ran well and now something is read or changed: what was being verified is done. */
  verified: { no: 0, 'after a good run': 0.5 },
  directory: { unknown: 0, same: -0.2, other: 0.3 },
  /** Words left and right of the gap: how alike they are, and how deep the dip is. */
  cohesion: { unknown: 0, none: 0.6, low: 0.3, middling: 0, high: -0.3, 'very high': -0.6 },
  dip: { unknown: 0, none: -0.2, slight: -0.1, small: 0, clear: 0.2, deep: 0.4 },
  /** A person's prompt opens new work, unless it only says to go on. */
  turn: { none: 0, opens: 3, 'goes on': -1, 'after a prompt': -3 },
  /** The agent turns to its plan: an item was finished or begun. */
  plan: { none: 0, 'plan touched': 1.5, 'after the plan': -1.5 },
} as const;

export type EvidenceKind = keyof typeof EVIDENCE;
export const EVIDENCE_KINDS = Object.keys(EVIDENCE) as EvidenceKind[];

/** Levels of each kind of evidence at one gap, as indexes into the keys of EVIDENCE. */
export type Levels = Uint8Array;

const LEVEL_NAMES: readonly (readonly string[])[] = EVIDENCE_KINDS.map(kind => Object.keys(EVIDENCE[kind]));
const LEVEL_WEIGHTS: readonly (readonly number[])[] = EVIDENCE_KINDS.map(kind => Object.values(EVIDENCE[kind]));

/** Where nothing speaks for or against it, a stretch of work is this many steps long. */
const TYPICAL_LENGTH = 7;
const PRIOR = -Math.log(TYPICAL_LENGTH - 1);

/** Steps back in which an object counts as one still worked on. */
const RECENT = 8;
/** Steps to either side in which pairs of actions are counted. */
const NEIGHBOURHOOD = 32;

/** Levels before each step; those of step 0 are all 0 and mean nothing. Linear in the steps. */
export function evidenceOf(steps: readonly Step[]): Levels[] {
  const habits = habitsOf(steps);
  const cohesion = cohesionOf(steps);
  const lastSeen = new Map<string, number>();
  const remember = (step: Step, at: number) => {
    for (const object of step.objects) lastSeen.set(object, at);
  };
  return steps.map((step, at) => {
    const levels = new Uint8Array(EVIDENCE_KINDS.length);
    const before = steps[at - 1];
    if (before !== undefined) {
      let kind = 0;
      for (const level of [
        objectsLevel(before, step, at, lastSeen),
        actionLevel(before, step),
        habits[at] as number,
        step.opensTurn ? 0 : toneOf(step.said),
        before.failed ? 1 : 0,
        step.category === 'edit' && step.objects.length > 0 && !lastSeen.has(step.objects[0] as string) ? 1 : 0,
        verifiedLevel(before, step),
        directoryLevel(before, step),
        cohesion[at]?.level ?? 0,
        cohesion[at]?.dip ?? 0,
        step.opensTurn ? (step.continues ? 2 : 1) : before.opensTurn ? 3 : 0,
        planLevel(before, step),
      ])
        levels[kind++] = level;
    }
    remember(step, at);
    return levels;
  });
}

/** Probability that something new begins, before each step. */
export function probabilities(levels: readonly Levels[]): Float64Array {
  return Float64Array.from(levels, (each, at) => {
    if (at === 0) return 0;
    let odds = PRIOR;
    for (let kind = 0; kind < each.length; kind++) odds += LEVEL_WEIGHTS[kind]?.[each[kind] as number] ?? 0;
    return 1 / (1 + Math.exp(-odds));
  });
}

/** The evidence at a gap in words, the weightiest first; what weighs nothing is left out. */
export function inWords(
  levels: Levels,
): { readonly kind: EvidenceKind; readonly level: string; readonly weight: number }[] {
  return EVIDENCE_KINDS.map((kind, at) => ({
    kind,
    level: LEVEL_NAMES[at]?.[levels[at] as number] ?? '',
    weight: LEVEL_WEIGHTS[at]?.[levels[at] as number] ?? 0,
  }))
    .filter(({ weight }) => weight !== 0)
    .sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight));
}

function objectsLevel(before: Step, step: Step, at: number, lastSeen: ReadonlyMap<string, number>): number {
  let latest = -1;
  for (const object of step.objects) latest = Math.max(latest, lastSeen.get(object) ?? -1);
  if (latest === at - 1 && step.objects.length > 0) return 0;
  if (latest >= at - RECENT && latest >= 0) return 1;
  if (step.objects.length === 0) return before.objects.length === 0 || isTalk(step) ? 2 : 5;
  if (before.objects.length === 0) return latest >= 0 ? 3 : 4;
  return latest >= 0 ? 6 : 7;
}

function actionLevel(before: Step, step: Step): number {
  if (before.detail === step.detail) return 0;
  if (before.action === step.action) return 1;
  return before.category === step.category || isTalk(step) ? 2 : 3;
}

/** An answer without any action closes or comments on what is open. */
function isTalk(step: Step): boolean {
  return step.category === 'analysis' || step.category === 'usage';
}

function verifiedLevel(before: Step, step: Step): number {
  const ran = (before.category === 'test' || before.category === 'run') && !before.failed;
  return ran && (step.category === 'edit' || step.category === 'read') ? 1 : 0;
}

function directoryLevel(before: Step, step: Step): number {
  if (before.cwd !== '' && step.cwd !== '' && before.cwd !== step.cwd) return 2;
  if (before.objects.length === 0 || step.objects.length === 0) return 0;
  const directories = new Set(before.objects.map(directoryOf));
  return step.objects.some(object => directories.has(directoryOf(object))) ? 1 : 2;
}

/** The plan is looked at once where several steps in a row touch it; what follows it is the item it named. */
function planLevel(before: Step, step: Step): number {
  if (before.category === 'plan') return 2;
  return step.category === 'plan' ? 1 : 0;
}

/** How often the pair of actions before each step stands elsewhere in the neighbourhood, in either order. */
function habitsOf(steps: readonly Step[]): Uint8Array {
  const pairs = steps.map((step, at) => {
    const [a, b] = [steps[at - 1]?.action ?? '', step.action];
    return at === 0 ? '' : a < b ? `${a}\u0000${b}` : `${b}\u0000${a}`;
  });
  const counts = new Map<string, number>();
  const count = (at: number, by: number) => {
    const pair = pairs[at];
    if (pair) counts.set(pair, (counts.get(pair) ?? 0) + by);
  };
  const levels = new Uint8Array(steps.length);
  for (let at = 0; at < Math.min(NEIGHBOURHOOD, steps.length); at++) count(at, 1);
  for (let at = 1; at < steps.length; at++) {
    count(at + NEIGHBOURHOOD - 1 < steps.length ? at + NEIGHBOURHOOD - 1 : 0, 1);
    count(Math.max(at - NEIGHBOURHOOD - 1, 0), -1);
    const others = (counts.get(pairs[at] as string) ?? 1) - 1;
    levels[at] =
      steps[at - 1]?.action === steps[at]?.action ? 0 : others === 0 ? 1 : others === 1 ? 2 : others < 4 ? 3 : 4;
  }
  return levels;
}
