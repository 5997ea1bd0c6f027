import { counted } from '../../trace/counted.ts';
import { compileRules } from './engine.ts';
import { placeOf, type Rule, type RuleKind, type Subject } from './rule.ts';

/** Something that `tags test` found in a rule file. An error makes the file wrong; a warning may be meant. */
export interface Finding {
  readonly severity: 'error' | 'warning';
  readonly what: 'example' | 'conflict' | 'dead' | 'shadowed' | 'boundary' | 'repeated';
  readonly tag: string;
  /** "rules.yaml:12: rule 3 (debug)". */
  readonly place: string;
  readonly message: string;
}

export interface RuleUse {
  readonly tag: string;
  readonly place: string;
  /** Prompts of the history that it takes, and that it would take if it stood first. */
  readonly takes: number;
  readonly matches: number;
}

export interface RuleCheck {
  readonly examples: number;
  readonly prompts: number;
  readonly uses: readonly RuleUse[];
  readonly findings: readonly Finding[];
}

/**
 * Tests rules against their own examples and, where one is given, a history: examples that get another tag, rules that never
 * take anything because earlier ones do (shadowed) or that match nothing (dead), `\b` beside Chinese, which matches
 * nothing there. Throws UsageError for a pattern that is not linear.
 */
export async function checkRules(rules: readonly Rule[], prompts: ReadonlyMap<string, number>): Promise<RuleCheck> {
  const findings: Finding[] = rules.flatMap(rule => [...boundaries(rule), ...repeats(rule, rules)]);
  const engine = await compileRules(rules, 'prompt');
  const alone = await Promise.all(engine.rules.map(rule => compileRules([rule], 'prompt')));
  const whole = new Map<RuleKind, (text: string) => Rule | undefined>();
  for (const kind of ['prompt', 'llm', 'session'] as const) whole.set(kind, await first(rules, kind));
  let examples = 0;
  for (const rule of rules) {
    const match = whole.get(rule.kind === 'all' ? 'prompt' : rule.kind) as (text: string) => Rule | undefined;
    for (const text of rule.examples?.match ?? []) {
      examples++;
      findings.push(...wrongMatch(rule, text, match(text)));
    }
    for (const text of rule.examples?.not ?? []) {
      examples++;
      if (match(text)?.tag === rule.tag)
        findings.push(finding(rule, 'error', 'example', `takes ${quoted(text)}, which it must not`));
    }
  }
  const takes = new Array<number>(engine.rules.length).fill(0);
  const matches = new Array<number>(engine.rules.length).fill(0);
  let all = 0;
  for (const [text, count] of prompts) {
    all += count;
    const taken = engine.match(text);
    if (taken < 0) continue;
    takes[taken] = (takes[taken] as number) + count;
    alone.forEach((own, at) => {
      if (own.match(text) >= 0) matches[at] = (matches[at] as number) + count;
    });
  }
  if (all > 0) {
    engine.rules.forEach((rule, at) => {
      if (takes[at] !== 0) return;
      findings.push(
        matches[at] === 0
          ? finding(rule, 'warning', 'dead', `matches none of the ${counted(all, 'prompt')} of this history`)
          : finding(
              rule,
              'warning',
              'shadowed',
              `earlier rules take all ${matches[at]} prompts that it matches; put it before them`,
            ),
      );
    });
  }
  const uses = engine.rules.map((rule, at) => ({
    tag: rule.tag,
    place: placeOf(rule.origin, rule.tag),
    takes: takes[at] as number,
    matches: matches[at] as number,
  }));
  return { examples, prompts: all, uses, findings };
}

async function first(rules: readonly Rule[], subject: Subject): Promise<(text: string) => Rule | undefined> {
  const engine = await compileRules(rules, subject);
  return text => engine.rules[engine.match(text)];
}

function wrongMatch(rule: Rule, text: string, got: Rule | undefined): Finding[] {
  if (got?.tag === rule.tag) return [];
  if (got === undefined) return [finding(rule, 'error', 'example', `does not match ${quoted(text)}, which it must`)];
  const by = placeOf(got.origin, got.tag);
  return [
    finding(
      rule,
      'error',
      'conflict',
      `${quoted(text)} is taken by ${by}; put this rule before that, or narrow that one`,
    ),
  ];
}

const NO_BOUNDARY = /\\[bB](?=[^\x00-\x7f])|[^\x00-\x7f]\\[bB]/;

function boundaries(rule: Rule): Finding[] {
  const pattern = rule.patterns.find(each => NO_BOUNDARY.test(each));
  if (pattern === undefined) return [];
  const message = `"\\b" beside a character that is not ASCII matches only next to an ASCII word; leave it out there: ${quoted(pattern)}`;
  return [finding(rule, 'warning', 'boundary', message)];
}

/** The same pattern in an earlier rule takes everything first. */
function repeats(rule: Rule, rules: readonly Rule[]): Finding[] {
  for (const earlier of rules) {
    if (earlier === rule) return [];
    if (earlier.kind !== rule.kind && earlier.kind !== 'all') continue;
    const pattern = rule.patterns.find(each => earlier.patterns.includes(each));
    if (pattern !== undefined && earlier.tag !== rule.tag)
      return [
        finding(
          rule,
          'warning',
          'repeated',
          `${quoted(pattern)} stands in ${placeOf(earlier.origin, earlier.tag)} already, which comes first`,
        ),
      ];
  }
  return [];
}

function finding(rule: Rule, severity: Finding['severity'], what: Finding['what'], message: string): Finding {
  return { severity, what, tag: rule.tag, place: placeOf(rule.origin, rule.tag), message };
}

const SHOWN = 80;

function quoted(text: string): string {
  const characters = [...text.replace(/\s+/g, ' ')];
  return JSON.stringify(characters.length > SHOWN ? `${characters.slice(0, SHOWN).join('')}…` : characters.join(''));
}
