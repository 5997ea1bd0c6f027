import { seededRandom } from '../../text/hash.ts';
import { words } from '../../text/words.ts';
import { decode } from '../decode.ts';
import { EVIDENCE_KINDS, evidenceOf, type Levels } from '../evidence.ts';
import type { Step } from '../steps.ts';
import type { Cutting } from './auto.ts';

/**
 * A logistic regression over the gaps between steps, trained on labelled sessions. Its features are the levels of the
 * label-free evidence here and at the gaps beside, the actions around, and the first words said. Weights are by the
 * name of the feature, so that a model file can be read by a person.
 */
export interface LearnedModel {
  readonly schema: 'agentpprof.segment-model/1';
  readonly sessions: number;
  readonly gaps: number;
  readonly weights: Readonly<Record<string, number>>;
}

const SAID_WORDS = 8;
const NEAR_KINDS = ['objects', 'action', 'said'].map(kind => EVIDENCE_KINDS.indexOf(kind as never));

/** Names of the features of the gap before each step; none for step 0. */
export function featuresOf(steps: readonly Step[]): string[][] {
  const evidence = evidenceOf(steps);
  return steps.map((step, at) => (at === 0 ? [] : gapFeatures(steps, evidence, step, at)));
}

function gapFeatures(steps: readonly Step[], evidence: readonly Levels[], step: Step, at: number): string[] {
  const before = steps[at - 1] as Step;
  const features = ['bias', `pair=${before.action}>${step.action}`];
  const levels = evidence[at] as Levels;
  for (let kind = 0; kind < levels.length; kind++) features.push(`${EVIDENCE_KINDS[kind]}=${levels[kind]}`);
  for (const offset of [-2, -1, 0, 1]) {
    const near = steps[at + offset];
    features.push(`action${offset}=${near?.action ?? ''}`, `kind${offset}=${near?.category ?? ''}`);
  }
  for (const offset of [-1, 1]) {
    const near = at + offset > 0 ? evidence[at + offset] : undefined;
    for (const kind of near ? NEAR_KINDS : []) features.push(`${EVIDENCE_KINDS[kind]}${offset}=${near?.[kind]}`);
  }
  for (const word of new Set(words(step.said.slice(0, 80)).slice(0, SAID_WORDS))) features.push(`says=${word}`);
  return features;
}

export function probabilitiesBy(model: LearnedModel, steps: readonly Step[]): Float64Array {
  const { weights } = model;
  return Float64Array.from(featuresOf(steps), (features, at) => {
    if (at === 0) return 0;
    let odds = 0;
    for (const feature of features) odds += Object.hasOwn(weights, feature) ? (weights[feature] as number) : 0;
    return logistic(odds);
  });
}

export function learned(model: LearnedModel, steps: readonly Step[]): Required<Cutting> {
  const probability = probabilitiesBy(model, steps);
  return { cuts: decode(probability).cuts, probability };
}

/** A session with its labels: 1 for each step before which something new begins; 2 where nobody said. */
export interface Labelled {
  readonly steps: readonly Step[];
  readonly truth: ArrayLike<number>;
}

const SEED = 5;
const RATE = 0.2;
const SHRINK = 1e-3;
/** Gaps looked at in all: small sets are passed over often, large ones seldom. */
const LOOKS = 100_000;
const LEAST_PASSES = 4;
const MOST_PASSES = 25;
/** Weights smaller than this say nothing and are left out of the file. */
const LEAST_WEIGHT = 0.02;

/** Stochastic gradient descent with a rate of its own for each weight (AdaGrad); the same sessions give the same model. */
export function train(sessions: readonly Labelled[]): LearnedModel {
  const names = new Map<string, number>();
  const gaps: { readonly features: Uint32Array; readonly truth: number }[] = [];
  for (const { steps, truth } of sessions) {
    featuresOf(steps).forEach((features, at) => {
      if (at === 0 || truth[at] === 2) return;
      gaps.push({ features: Uint32Array.from(features, name => idOf(names, name)), truth: truth[at] as number });
    });
  }
  const weights = descend(gaps, names.size);
  const kept = [...names].filter(([, id]) => Math.abs(weights[id] as number) >= LEAST_WEIGHT);
  return {
    schema: 'agentpprof.segment-model/1',
    sessions: sessions.length,
    gaps: gaps.length,
    weights: Object.fromEntries(
      kept
        .map(([name, id]): [string, number] => [name, Math.round((weights[id] as number) * 1e4) / 1e4])
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
  };
}

function idOf(names: Map<string, number>, name: string): number {
  let id = names.get(name);
  if (id === undefined) names.set(name, (id = names.size));
  return id;
}

function descend(
  gaps: readonly { readonly features: Uint32Array; readonly truth: number }[],
  size: number,
): Float64Array {
  const weights = new Float64Array(size);
  const squares = new Float64Array(size).fill(1e-8);
  const random = seededRandom(SEED);
  const order = Uint32Array.from(gaps, (_, at) => at);
  const passes = Math.max(LEAST_PASSES, Math.min(MOST_PASSES, Math.floor(LOOKS / Math.max(1, gaps.length))));
  for (let pass = 0; pass < passes; pass++) {
    shuffle(order, random);
    for (const at of order) {
      const { features, truth } = gaps[at] as (typeof gaps)[number];
      let odds = 0;
      for (const id of features) odds += weights[id] as number;
      const error = logistic(odds) - truth;
      for (const id of features) {
        const gradient = error + SHRINK * (weights[id] as number);
        squares[id] = (squares[id] as number) + gradient * gradient;
        weights[id] = (weights[id] as number) - (RATE * gradient) / Math.sqrt(squares[id] as number);
      }
    }
  }
  return weights;
}

function shuffle(order: Uint32Array, random: () => number): void {
  for (let at = order.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [order[at], order[other]] = [order[other] as number, order[at] as number];
  }
}

function logistic(odds: number): number {
  return 1 / (1 + Math.exp(-odds));
}
