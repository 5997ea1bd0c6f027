import { createHash } from 'node:crypto';
import { UsageError } from '../../trace/usage-error.ts';
import { placeOf, type Rule, type Subject } from './rule.ts';

/**
 * All rules for one subject as one RE2 set: a single automaton that reads a text once, whatever the number of rules,
 * and tells every pattern that matched. The rule of the smallest pattern number is the first in priority.
 */
export interface Engine {
  readonly rules: readonly Rule[];
  /** Index into `rules` of the first rule that matches, -1 for none. Reads the whole text. */
  match(text: string): number;
}

/** Matches nothing; what a subject without rules gets, so that no regex engine need be loaded for it. */
const EMPTY: Engine = { rules: [], match: () => -1 };

/**
 * Compiles the rules of `subject` (and of kind `all`) in their order. Loads re2js (15 ms) when there is at least one.
 * Throws UsageError for a pattern that RE2 refuses.
 */
export async function compileRules(rules: readonly Rule[], subject: Subject): Promise<Engine> {
  const chosen = rules.filter(rule => rule.kind === subject || rule.kind === 'all');
  if (chosen.length === 0) return EMPTY;
  const { RE2Set } = await import('re2js');
  const set = new RE2Set();
  const ruleOfPattern: number[] = [];
  chosen.forEach((rule, at) => {
    for (const pattern of rule.patterns) {
      refusing(rule, pattern, () => set.add(pattern.normalize('NFC')));
      ruleOfPattern.push(at);
    }
  });
  const last = chosen.at(-1) as Rule;
  refusing(last, last.patterns.at(-1) as string, () => set.compile());
  return {
    rules: chosen,
    match: text => {
      const first = set.match(text.normalize('NFC'))[0];
      return first === undefined ? -1 : (ruleOfPattern[first] as number);
    },
  };
}

function refusing(rule: Rule, pattern: string, step: () => void): void {
  try {
    step();
  } catch (error) {
    const said = (error as Error).message.replace(/^error parsing regexp: /, '');
    throw new UsageError(
      `${placeOf(rule.origin, rule.tag)}: pattern ${JSON.stringify(pattern)}: ${said}; ${wayOut(pattern, said)}`,
    );
  }
}

/** What to write instead, for the constructs of other regex dialects that RE2 leaves out to stay linear. */
function wayOut(pattern: string, said: string): string {
  if (/\(\?<?[=!]/.test(pattern)) {
    return 'lookahead and lookbehind are not possible in linear time; match the neighbouring text itself, or put a rule for the exception before this one';
  }
  if (/\\[1-9]|\\k</.test(pattern)) return 'backreferences are not possible in linear time; write the alternatives out';
  if (/\(\?>|[*+?}]\+/.test(pattern))
    return 'atomic groups and possessive quantifiers are not needed here; write them as plain ones';
  if (/\\u/.test(pattern)) return 'write the character itself, or \\x{4E00}';
  if (/repeat count|too large|instructions/.test(said))
    return 'a repetition counts to 1000 at most; use * or + instead';
  return 'patterns are RE2 syntax: https://github.com/google/re2/wiki/Syntax';
}

/**
 * Content hash of what rules do: kinds, tags and patterns in their order. Descriptions, examples and where a rule
 * was written do not count. 16 hex digits, for caches and comments.
 */
export function fingerprint(rules: readonly Rule[]): string {
  const hash = createHash('sha256');
  for (const { kind, tag, patterns } of rules) hash.update(`${JSON.stringify([kind, tag, patterns])}\n`);
  return hash.digest('hex').slice(0, 16);
}
