import { AnswerCache } from '../../llm/cache.ts';
import type { Word } from './model.ts';

/**
 * The vocabulary that a model proposed, kept so that later runs tag with the same words: a history that grows does not get
 * other tags every week.
 */
export function keptVocabulary(
  directory: string | undefined,
  model: string,
): { get(): readonly Word[] | undefined; set(words: readonly Word[]): readonly Word[] } {
  const kept = new AnswerCache(directory, 'tag vocabulary', model);
  return {
    get: () => kept.get('words') as Word[] | undefined,
    set: words => {
      kept.add([['words', words]]);
      return words;
    },
  };
}
