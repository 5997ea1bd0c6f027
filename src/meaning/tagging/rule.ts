import { UsageError } from '../../trace/usage-error.ts';

/**
 * A tag rule: a short stable label and the patterns that give it. The order of rules is their priority: the first
 * rule with a matching pattern wins. Patterns are RE2 syntax (linear time, no lookaround, no backreferences).
 */
export const RULE_KINDS = ['prompt', 'llm', 'session', 'all'] as const;
export type RuleKind = (typeof RULE_KINDS)[number];

/** What a text is: the prompt of a person, the text of a model call, or the first prompt of a session. */
export type Subject = Exclude<RuleKind, 'all'>;

export interface Rule {
  /** `all` stands for each of the other three. */
  readonly kind: RuleKind;
  readonly tag: string;
  /** At least one; any of them gives the tag. */
  readonly patterns: readonly string[];
  readonly description?: string;
  readonly examples?: Examples;
  readonly origin: Origin;
}

/** Texts that must and must not get the rule's tag. */
export interface Examples {
  readonly match: readonly string[];
  readonly not: readonly string[];
}

/** Where a rule was written, for error messages. */
export interface Origin {
  /** `--tag-rule`, the path of a rule file as it was given, or `preset 1`. */
  readonly source: string;
  /** Place of the rule in its source, from 1. */
  readonly number: number;
  /** Line of the rule in a file, from 1. */
  readonly line?: number;
}

/** What no rule matched, and what had no prompt at all. Rules may not give these tags. */
export const UNMATCHED = 'unmatched';
export const NONE = 'none';

/** "rules.yaml:12: rule 3 (debug)", "--tag-rule 2 (debug)". */
export function placeOf(origin: Origin, tag = ''): string {
  const named = tag === '' ? '' : ` (${tag})`;
  const { source, line, number } = origin;
  return line === undefined ? `${source} ${number}${named}` : `${source}:${line}: rule ${number}${named}`;
}

const LONGEST_TAG = 64;

/**
 * A tag in the one form in which equal tags are equal strings: trimmed, NFC, inner white space as single spaces.
 * Case and script stay as the author wrote them. Returns what is wrong with it as `{ wrong }`.
 *
 * Not allowed: the characters that separate frames, kinds and values wherever tags are written and addressed
 * (`;` `:` `=` `,`), control characters, more than 64 characters, and the two reserved tags.
 */
export function tagOf(text: string): { tag: string } | { wrong: string } {
  const tag = text.normalize('NFC').trim().replace(/ +/g, ' ');
  if (tag === '') return { wrong: 'a tag needs at least one character' };
  const bad = /[;:=,\p{C}\p{Zl}\p{Zp}]/u.exec(tag);
  if (bad)
    return {
      wrong: `${JSON.stringify(bad[0])} is not allowed in a tag; use letters of any script, digits, "-", "/" or spaces`,
    };
  if ([...tag].length > LONGEST_TAG) return { wrong: `a tag has at most ${LONGEST_TAG} characters` };
  if (tag === UNMATCHED || tag === NONE)
    return { wrong: `"${tag}" is reserved for what no rule matched; choose another tag` };
  return { tag };
}

const FORM = "write KIND:TAG=REGEX, for example prompt:debug='(?i)fix|error|bug'";

/**
 * Reads `KIND:TAG=REGEX` as `--tag-rule` takes it; `number` counts the flag's uses from 1. KIND may be left out and
 * is `prompt` then. The first `=` ends the tag, so the pattern may hold `:` and `=`. Throws UsageError.
 */
export function parseTagRule(text: string, number: number): Rule {
  const origin: Origin = { source: '--tag-rule', number };
  const fail = (what: string): UsageError => new UsageError(`--tag-rule ${JSON.stringify(text)}: ${what}`);
  const equals = text.indexOf('=');
  if (equals < 0) throw fail(`there is no "="; ${FORM}`);
  const head = text.slice(0, equals);
  const pattern = text.slice(equals + 1);
  const colon = head.indexOf(':');
  const kind = colon < 0 ? 'prompt' : head.slice(0, colon).trim();
  if (!isRuleKind(kind)) throw fail(`unknown kind ${JSON.stringify(kind)}; the kinds are ${RULE_KINDS.join(', ')}`);
  const found = tagOf(head.slice(colon + 1));
  if ('wrong' in found) throw fail(`${found.wrong}; ${FORM}`);
  if (pattern === '') throw fail(`the pattern is empty and would match every text; ${FORM}`);
  return { kind, tag: found.tag, patterns: [pattern], origin };
}

function isRuleKind(kind: string): kind is RuleKind {
  return (RULE_KINDS as readonly string[]).includes(kind);
}
