import type { StoredHistory } from '../store/history.ts';

export const TAGGERS = ['hybrid', 'regex', 'llm', 'cluster'] as const;
export type TaggerName = (typeof TAGGERS)[number];

/** How far the tags go, for summaries and comments. */
export interface TagSummary {
  readonly prompts: number;
  readonly tagged: number;
  /** Prompts by who decided their tag: rule, preset, cache, model, cluster, neighbour, turn. */
  readonly steps: Readonly<Record<string, number>>;
  readonly source: string;
  readonly fingerprint: string;
  /** The most frequent prompts without a tag: text of the person, for their terminal only. */
  samples(most: number): string[];
}

export type TagFacts = Omit<TagSummary, 'samples'>;

/** A history that keeps tags, or texts that stand for one. */
export type Taggable = Pick<StoredHistory, 'trace' | 'part' | 'missing' | 'keep'>;
