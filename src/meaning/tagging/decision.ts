/**
 * Who gave a tag:
 *
 * - rule: a rule of the person. preset: the built-in vocabulary. cache: the tag cache. model, cluster: the tagger of that
 *   name. neighbour: the nearest labelled example.
 * - turn: it only goes on, so it has the tag of what it continues (or `continue`).
 * - '': nobody did.
 */
export type DecidedBy = 'rule' | 'preset' | 'cache' | 'model' | 'cluster' | 'neighbour' | 'turn' | '';

export interface Decision {
  /** '' for none. */
  readonly tag: string;
  readonly by: DecidedBy;
}

export const UNDECIDED: Decision = { tag: '', by: '' };

/** What the preset calls a prompt that only goes on; the tag such a prompt has where there is nothing to continue. */
export const CONTINUE = 'continue';
