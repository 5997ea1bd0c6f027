/**
 * One tag of the preset. Fragments of regular expressions for lower-case text; English ones are matched as whole words
 * (see preset.ts), Chinese ones as substrings. Each list is one alternation, broken into lines.
 */
export interface Vocabulary {
  readonly tag: string;
  readonly description: string;
  /** How an English request for this begins, where the beginning alone tells ("refactor", "find out"). */
  readonly asks: readonly string[];
  /**
   * A beginning, and objects of which one follows within four words, where the verb alone tells nothing: "add a few
   * tests" is a test, "add a test button" is not.
   */
  readonly asksWith: readonly (readonly [verbs: string, ...objects: string[]])[];
  /** How a Chinese request says it, anywhere in its sentence: the verb often stands last. */
  readonly zhAsks: readonly string[];
  /** The last resort: anywhere in a text of which no sentence begins like a request. */
  readonly words: readonly string[];
  readonly zhWords: readonly string[];
}

/** Verbs that bring something about and say nothing of its kind. */
export const MAKE =
  'add|write|create|make|generate|build|implement|include|insert|put|set(?: ?up)?|extend|improve|update|' +
  'change|edit|adjust|modify|remove|delete|drop|expand|complete|finish|prepare|provide|open|use|switch|' +
  'enable|disable|turn|show|hide|move|align|center|replace';
