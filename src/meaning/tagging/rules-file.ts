import type { Document, LineCounter } from 'yaml';
import type { z } from 'zod';
import { UsageError } from '../../trace/usage-error.ts';
import { type Rule, tagOf } from './rule.ts';
import { wordsPattern } from './words.ts';
import { lineOf } from './yaml-lines.ts';

/**
 * Reads a rule file:
 *
 *     version: 1
 *     rules:
 *       - tag: debug
 *         kind: prompt                      # prompt (if left out), llm, session or all
 *         description: something is broken
 *         words: [fix, fixed, 修复]          # whole words in English, substrings in Chinese, case-blind
 *         patterns: ['(?i)stack ?trace']    # RE2; in single quotes, because "\b" in double quotes is a backspace
 *         examples: { match: [fix the build], not: [a prefix tree] }
 *
 * A rule needs `patterns` or `words`. `path` is used in messages only. yaml and zod are loaded here and nowhere else.
 * Throws UsageError with the file, the line, the rule and the way out.
 */
export async function parseRulesFile(source: string, path: string): Promise<Rule[]> {
  const [{ LineCounter, parseDocument }, { RULES_FILE }] = await Promise.all([
    import('yaml'),
    import('./rules-schema.ts'),
  ]);
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines });
  const broken = document.errors[0];
  if (broken)
    throw new UsageError(`${path}:${lines.linePos(broken.pos[0]).line}: not valid YAML: ${firstLine(broken.message)}`);
  const read = RULES_FILE.safeParse(toPlain(document, path));
  if (!read.success) throw schemaError(read.error.issues[0] as z.core.$ZodIssue, document, lines, path);
  return read.data.rules.map((rule, at): Rule => {
    const line = lineOf(document, lines, ['rules', at]);
    const fail = (what: string, key: string): UsageError =>
      new UsageError(`${path}:${lineOf(document, lines, ['rules', at, key])}: rule ${at + 1} (${rule.tag}): ${what}`);
    const found = tagOf(rule.tag);
    if ('wrong' in found) throw fail(found.wrong, 'tag');
    const patterns = [...(rule.patterns ?? []), ...(rule.words ? [wordsPattern(rule.words)] : [])];
    if (patterns.length === 0) throw fail('there is nothing to match; add "patterns" or "words"', 'tag');
    if (patterns.some(pattern => pattern.includes('\b'))) {
      throw fail(
        'a pattern holds a backspace, because YAML reads "\\b" so in double quotes; use single quotes',
        'patterns',
      );
    }
    return {
      kind: rule.kind,
      tag: found.tag,
      patterns,
      ...(rule.description === undefined ? {} : { description: rule.description }),
      ...(rule.examples === undefined ? {} : { examples: rule.examples }),
      origin: { source: path, number: at + 1, line },
    };
  });
}

/** Aliases may not multiply without bound: yaml refuses more than 100 uses, with an error of its own. */
function toPlain(document: Document, path: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    throw new UsageError(`${path}: not usable YAML: ${firstLine((error as Error).message)}`);
  }
}

function schemaError(issue: z.core.$ZodIssue, document: Document, lines: LineCounter, path: string): UsageError {
  const place = issue.path.filter((part): part is string | number => typeof part !== 'symbol');
  const unknown = issue.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
  const line = lineOf(document, lines, unknown === undefined ? place : [...place, unknown]);
  const what = document.hasIn(place) || place.at(-1) !== 'tag' ? whatIsWrong(issue, place) : 'a rule needs a "tag"';
  return new UsageError(`${path}:${line}: ${subjectOf(place, document)}${what}`);
}

/** "rule 3 (debug): " for anything below a rule; nothing for the file's own keys. */
function subjectOf(place: readonly (string | number)[], document: Document): string {
  const at = place[1];
  if (place[0] !== 'rules' || typeof at !== 'number') return '';
  const tag = document.getIn(['rules', at, 'tag']);
  return typeof tag === 'string' ? `rule ${at + 1} (${tag}): ` : `rule ${at + 1}: `;
}

const FILE_KEYS = 'version, rules';
const RULE_KEYS = 'tag, kind, patterns, words, description, examples';
const EXAMPLE_KEYS = 'match, not';

function whatIsWrong(issue: z.core.$ZodIssue, place: readonly (string | number)[]): string {
  const name = place.filter(part => typeof part === 'string').at(-1) ?? '';
  if (issue.code === 'unrecognized_keys') {
    const known = place.length === 0 ? FILE_KEYS : name === 'examples' ? EXAMPLE_KEYS : RULE_KEYS;
    return `unknown key "${issue.keys[0]}"; the keys here are ${known}`;
  }
  if (place.length === 0) return 'a rule file is a map with the keys version and rules; begin it with "version: 1"';
  if (name === 'version') return 'the version of the rule file must be 1; write "version: 1"';
  if (name === 'rules' && place.length === 1) return '"rules" must be a list of rules';
  if (name === 'kind') return 'unknown kind; the kinds are prompt, llm, session, all';
  if (name === 'rules') return 'a rule is a map with a tag and patterns';
  if (issue.code === 'too_small') return `"${name}" is empty, and an empty pattern would match every text`;
  if (issue.code === 'invalid_type' && name === 'tag') return '"tag" must be text; put a number in quotes';
  return `"${name}" is not as it should be: ${issue.message}`;
}

function firstLine(text: string): string {
  return (text.split('\n')[0] as string).replace(/ at line \d+.*$/, '').replace(/:$/, '');
}
