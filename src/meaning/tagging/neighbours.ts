import type { TfIdf } from '../text/tfidf.ts';
import { type Decision, UNDECIDED } from './decision.ts';
import { builtIn, type Labelled } from './examples.ts';
import { type Fitted, fitted, READ, spaceOf } from './fitted.ts';
import { fittedExamples } from './fitted-examples.ts';
import { ownWords } from './intent.ts';
import type { Rule } from './rule.ts';
import type { Step } from './tagger.ts';

export interface Neighbour {
  readonly tag: string;
  /** 0 to 1: the share of its tag among the nearest examples, by their similarity. */
  readonly confidence: number;
  /** Cosine of the nearest example of that tag. */
  readonly similarity: number;
}

/** So many of the nearest examples vote. */
const VOTERS = 5;

/**
 * The tag of the labelled examples that a text is most similar to. It depends on the text and the examples alone, never
 * on the other prompts of a history, so a prompt has the same tag whatever else was read and in whatever order.
 */
export class Neighbours {
  private readonly tags: readonly string[];
  private readonly space: TfIdf;
  /** The examples by feature: a prompt meets only those that it has a word or a gram in common with. */
  private readonly examples: Fitted;
  /** Where the entries of a feature begin and end; both 0 where no example has it. */
  private readonly starts: Uint32Array;
  private readonly ends: Uint32Array;
  private readonly sums: Float64Array;

  /** `examples` may have been fitted before. */
  constructor(examples: readonly Labelled[], before?: Fitted) {
    this.tags = examples.map(({ tag }) => tag);
    this.sums = new Float64Array(examples.length);
    this.examples = before ?? fitted(examples.map(({ text }) => text));
    const { features, counts } = this.examples;
    this.space = spaceOf(this.examples);
    const { dimensions } = this.space.features;
    this.starts = new Uint32Array(dimensions);
    this.ends = new Uint32Array(dimensions);
    for (let i = 0, at = 0; i < features.length; i++) {
      const feature = features[i] as number;
      this.starts[feature] = at;
      this.ends[feature] = at += counts[i] as number;
    }
  }

  /** Undefined where nothing is similar at all. `without` leaves one example out, to measure. */
  nearest(text: string, without = -1): Neighbour | undefined {
    const own = ownWords(text);
    const near = nearestOf(this.similarities((own === '' ? text : own).slice(0, READ)), without);
    if (near.length === 0) return undefined;
    const votes = new Map<string, number>();
    for (const { at, similarity } of near) {
      const tag = this.tags[at] as string;
      votes.set(tag, (votes.get(tag) ?? 0) + similarity ** 2);
    }
    const all = [...votes.values()].reduce((sum, vote) => sum + vote, 0);
    const [tag, vote] = [...votes].reduce((best, each) => (each[1] > best[1] ? each : best));
    const similarity = (near.find(({ at }) => this.tags[at] === tag) as { similarity: number }).similarity;
    return { tag, confidence: vote / all, similarity };
  }

  /** The cosine with each example, summed feature by feature in ascending order, as `dot` sums two rows. */
  private similarities(text: string): Float64Array {
    const own = this.space.rows([text]);
    const { rows, values } = this.examples;
    const { starts, ends, sums } = this;
    sums.fill(0);
    for (let at = 0; at < own.columns.length; at++) {
      const column = own.columns[at] as number;
      const value = own.values[at] as number;
      const end = ends[column] as number;
      for (let entry = starts[column] as number; entry < end; entry++) {
        const row = rows[entry] as number;
        sums[row] = (sums[row] as number) + value * (values[entry] as number);
      }
    }
    return sums;
  }
}

interface Near {
  readonly at: number;
  readonly similarity: number;
}

/** The most similar first, of equal ones the first; what is not similar at all is none of them. */
function nearestOf(similarities: Float64Array, without: number): Near[] {
  const near: Near[] = [];
  let least = 0;
  for (let at = 0; at < similarities.length; at++) {
    const similarity = similarities[at] as number;
    if (!(similarity > least) || at === without) continue;
    let place = near.length;
    while (place > 0 && (near[place - 1] as Near).similarity < similarity) place--;
    near.splice(place, 0, { at, similarity });
    if (near.length > VOTERS) near.pop();
    if (near.length === VOTERS) least = (near[VOTERS - 1] as Near).similarity;
  }
  return near;
}

/** One rare word in common is no likeness. */
const LEAST_SIMILARITY = 0.3;

/**
 * The step that asks the nearest labelled examples: those of the rules (what must match them), and the built-in ones
 * where the preset is used. Nothing is prepared before a prompt needs it. Undefined where there are no examples.
 */
export function neighbourStep(rules: readonly Rule[], preset: boolean, confidence: number): Step | undefined {
  const own = rules.flatMap(({ kind, tag, examples }) =>
    kind === 'prompt' || kind === 'all' ? (examples?.match ?? []).map(text => ({ text, tag })) : [],
  );
  if (own.length === 0 && !preset) return undefined;
  let neighbours: Neighbours | undefined;
  const known = new Map<string, Decision>();
  return text => {
    let decision = known.get(text);
    if (!decision) {
      neighbours ??= new Neighbours(
        [...own, ...(preset ? builtIn() : [])],
        own.length === 0 ? fittedExamples() : undefined,
      );
      const found = neighbours.nearest(text);
      const sure = found && found.confidence >= confidence && found.similarity >= LEAST_SIMILARITY;
      known.set(text, (decision = sure ? { tag: found.tag, by: 'neighbour' } : UNDECIDED));
    }
    return decision;
  };
}
