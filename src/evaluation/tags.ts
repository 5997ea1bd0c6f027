import {
  accuracy,
  adjustedRand,
  cohenKappa,
  type LabelScore,
  labelScores,
  macroF1,
  majorityControl,
  randomControl,
  vMeasure,
} from './labels.ts';

/** A prompt with the tag that a person gave it, and the one that a tagger gave ('unmatched' for none). */
export interface GoldPrompt {
  readonly text: string;
  readonly gold: string;
  readonly given: string;
}

export interface TagScores {
  readonly name: string;
  /** Share of prompts with a tag. */
  readonly coverage: number;
  /** Share of all prompts whose tag is the person's. */
  readonly accuracy: number;
  /** The same of the prompts that have a tag; NaN where none has. */
  readonly accuracyOfTagged: number;
  readonly macroF1: number;
  readonly v: number;
  readonly homogeneity: number;
  readonly completeness: number;
  readonly adjustedRand: number;
  readonly kappa: number;
  /** Share of the most frequent given tag. */
  readonly largest: number;
}

export interface TagReport {
  readonly prompts: number;
  /** The tagger, then the controls. */
  readonly scores: readonly TagScores[];
  /** Prompts with Chinese characters and those without, where there are both. */
  readonly byScript: readonly (TagScores & { readonly prompts: number })[];
  readonly labels: readonly LabelScore[];
}

const UNMATCHED = 'unmatched';
const SEED = 7;
/** A random control is the mean of so many draws. */
const DRAWS = 20;

export function evaluateTags(name: string, prompts: readonly GoldPrompt[]): TagReport {
  const gold = prompts.map(each => each.gold);
  const given = prompts.map(each => each.given);
  const draws = Array.from({ length: DRAWS }, (_, at) =>
    scored('random by shares', gold, randomControl(gold, SEED + at)),
  );
  const scores = [scored(name, gold, given), scored('majority', gold, majorityControl(gold)), meanOf(draws)];
  const chinese = prompts.filter(({ text }) => HAN.test(text));
  const others = prompts.filter(({ text }) => !HAN.test(text));
  const parts =
    chinese.length > 0 && others.length > 0
      ? [['with Chinese', chinese] as const, ['without Chinese', others] as const]
      : [];
  const byScript = parts.map(([title, part]) => ({
    ...scored(
      title,
      part.map(each => each.gold),
      part.map(each => each.given),
    ),
    prompts: part.length,
  }));
  return { prompts: prompts.length, scores, byScript, labels: labelScores(gold, given) };
}

const HAN = /\p{sc=Han}/u;

function scored(name: string, gold: readonly string[], given: readonly string[]): TagScores {
  const tagged = given.flatMap((tag, at) => (tag === UNMATCHED ? [] : [at]));
  const counts = new Map<string, number>();
  for (const tag of given) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  const { v, homogeneity, completeness } = vMeasure(gold, given);
  return {
    name,
    coverage: tagged.length / given.length,
    accuracy: accuracy(gold, given),
    accuracyOfTagged: accuracy(
      tagged.map(at => gold[at] as string),
      tagged.map(at => given[at] as string),
    ),
    macroF1: macroF1(gold, given),
    v,
    homogeneity,
    completeness,
    adjustedRand: adjustedRand(gold, given),
    kappa: cohenKappa(gold, given),
    largest: Math.max(...counts.values()) / given.length,
  };
}

function meanOf(draws: readonly TagScores[]): TagScores {
  const [first] = draws;
  const mean = { ...(first as TagScores) } as Record<string, unknown>;
  for (const [key, value] of Object.entries(first as TagScores)) {
    if (typeof value !== 'number') continue;
    mean[key] = draws.reduce((sum, draw) => sum + (draw[key as keyof TagScores] as number), 0) / draws.length;
  }
  return mean as unknown as TagScores;
}
