import { basename } from 'node:path';
import { CONTINUE, type DecidedBy, type Decision, UNDECIDED } from './decision.ts';
import { compileRules, fingerprint } from './engine.ts';
import { onlyContinues } from './phrases.ts';
import { PRESET, presetFingerprint, presetTag } from './preset.ts';
import { parseTagRule, type Rule, type Subject } from './rule.ts';
import { parseRulesFile } from './rules-file.ts';
import type { TaggerSources } from './tagger-sources.ts';

/** What assigns tags. Once loaded it answers at once, so that the loop over operations need not wait. */
export interface Tagger {
  /** What is decided about a text by itself. Reads the whole text; time is linear in its length. */
  decide(subject: Subject, text: string): Decision;
  /** Whether it can tag a subject at all; the texts of calls need to be kept only if it can tag `llm`. */
  tags(subject: Subject): boolean;
  /** For comments and summaries: "3 rules from --tag-rule, 12 rules from rules.yaml, preset 1". No paths. */
  readonly description: string;
  /** Equal fingerprints give equal tags. */
  readonly fingerprint: string;
  /** True if no tagger option was given, so that the preset was used unasked. */
  readonly byDefault: boolean;
}

/** Further steps for prompts that no rule knows, in their order: the tag cache, a model, clusters, neighbours. */
export type Step = (text: string) => Decision;

/**
 * The tagger of the sources: `--tag-rule` first, then the rule files, then the preset, then the further steps, which are
 * told the rules. Throws UsageError.
 */
export async function loadTagger(
  sources: TaggerSources,
  steps: (rules: readonly Rule[]) => readonly Step[] = () => [],
): Promise<Tagger> {
  const flags = sources.tagRules.map((text, at) => parseTagRule(text, at + 1));
  const files: { path: string; rules: Rule[] }[] = [];
  for (const { path, text } of sources.files) files.push({ path, rules: await parseRulesFile(text, path) });
  const rules = [...flags, ...files.flatMap(file => file.rules)];
  const further = steps(rules);
  const engines = {
    prompt: await compileRules(rules, 'prompt'),
    llm: await compileRules(rules, 'llm'),
    session: await compileRules(rules, 'session'),
  };
  const origins = [
    ...(flags.length > 0 ? [`${counted(flags.length)} from --tag-rule`] : []),
    ...files.map(file => `${counted(file.rules.length)} from ${basename(file.path)}`),
    ...(sources.preset ? [PRESET] : []),
  ];
  const decisions = new Map<string, Decision>();
  const decided = (tag: string, by: DecidedBy): Decision => {
    let decision = decisions.get(`${by}:${tag}`);
    if (!decision) decisions.set(`${by}:${tag}`, (decision = { tag, by }));
    return decision;
  };
  return {
    decide: (subject, text) => {
      const { match, rules: own } = engines[subject];
      const found = match(text);
      if (found >= 0) return decided((own[found] as Rule).tag, 'rule');
      if (subject !== 'prompt') return UNDECIDED;
      if (onlyContinues(text) !== '') return decided(CONTINUE, 'turn');
      const preset = sources.preset ? presetTag(text.normalize('NFC')) : '';
      if (preset !== '') return decided(preset, 'preset');
      for (const step of further) {
        const decision = step(text);
        if (decision.tag !== '') return decision;
      }
      return UNDECIDED;
    },
    tags: subject => engines[subject].rules.length > 0 || (subject === 'prompt' && sources.preset),
    description: origins.length === 0 ? 'no rules' : origins.join(', '),
    fingerprint: sources.preset ? `${fingerprint(rules)}-${presetFingerprint()}` : fingerprint(rules),
    byDefault: sources.byDefault,
  };
}

function counted(rules: number): string {
  return rules === 1 ? '1 rule' : `${rules} rules`;
}
