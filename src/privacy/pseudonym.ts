import { idKey } from './id-key.ts';
import { type Keyed, keyed } from './kernel/kernel.ts';

/**
 * Ids and names in the form that may leave: keyed hashes, the same in every run on this machine, of no use without
 * its key. A session is `s-4f3a9c21d0`, a prompt `p-...`, a masked project `project-1a2b3c4d`.
 */
export interface Pseudonyms {
  /** Says why ids of this run are not stable; undefined if they are. */
  readonly warning?: string;
  /** The pseudonym of an id: `session`, `parent_session`, `prompt_id`, or any other kind. '' stays ''. */
  of(kind: string, id: string): string;
  /** The pseudonym that stands for a name of a frame kind, for `--mask`. */
  nameOf(kind: string, name: string): string;
  /** True if `selector` is the id or its session pseudonym, whole or a prefix with at least four telling characters. */
  matches(selector: string, sessionId: string): boolean;
  /**
   * The sessions a selector means: a whole id or pseudonym means that one alone, a prefix all that begin with it.
   * More than one = ambiguous, which the caller tells the user.
   */
  find(selector: string, sessionIds: Iterable<string>): string[];
}

/** 40 bits: that any two of 10,000 sessions share a pseudonym has a probability of 0.00005. */
const ID_DIGITS = 10;
const NAME_DIGITS = 8;
const SHORTEST_PREFIX = 4;

/** Kinds that name the same thing share a pseudonym. */
const ID_KINDS: Readonly<Record<string, readonly [letter: string, kind: string]>> = {
  session: ['s', 'session'],
  parent_session: ['s', 'session'],
  prompt_id: ['p', 'prompt_id'],
};

/** Opens the pseudonyms of this user (see `idKey`); never throws. */
export function openPseudonyms(env: NodeJS.ProcessEnv): Pseudonyms {
  const { key, warning } = idKey(env);
  const pseudonyms = pseudonymsWith(key);
  return warning === undefined ? pseudonyms : { ...pseudonyms, warning };
}

export function pseudonymsWith(key: Buffer): Pseudonyms {
  const known = new Map<string, string>();
  let digitsOf: Keyed | undefined;
  const hash = (kind: string, prefix: string, id: string, digits: number): string => {
    const name = `${prefix}\n${kind}\n${id}`;
    let pseudonym = known.get(name);
    if (pseudonym === undefined) {
      digitsOf ??= keyed(key);
      pseudonym = `${prefix}-${digitsOf(`${kind}\n${id}`, digits)}`;
      known.set(name, pseudonym);
    }
    return pseudonym;
  };
  const of = (kind: string, id: string): string => {
    if (id === '') return '';
    const [letter, shared] = Object.hasOwn(ID_KINDS, kind)
      ? (ID_KINDS[kind] as readonly [string, string])
      : [kind, kind];
    return hash(shared, letter, id, ID_DIGITS);
  };
  const isWhole = (selector: string, id: string): boolean => selector === id || selector === of('session', id);
  const begins = (selector: string, id: string): boolean => {
    if (selector.startsWith('s-')) {
      const telling = selector.length - 2;
      if (telling >= SHORTEST_PREFIX && of('session', id).startsWith(selector)) return true;
    }
    return selector.length >= SHORTEST_PREFIX && id.startsWith(selector);
  };
  return {
    of,
    nameOf: (kind, name) => (name === '' ? '' : hash(`name of ${kind}`, kind, name, NAME_DIGITS)),
    matches: (selector, id) => id !== '' && (isWhole(selector, id) || begins(selector, id)),
    find(selector, sessionIds) {
      const ids = [...new Set(sessionIds)].filter(id => id !== '');
      const whole = ids.filter(id => isWhole(selector, id));
      return whole.length > 0 ? whole : ids.filter(id => begins(selector, id));
    },
  };
}
