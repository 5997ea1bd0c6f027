import { type Reported, sumOf, type UsageRule } from '../usage.ts';
import type { Span } from './span.ts';

/**
 * How exporters count. The conventions say that cached input is a part of the input and reasoning a part of the output,
 * but exporters differ, also between versions. What a span's own numbers prove (its total, or more cached input than
 * input) holds for all spans of the exporter, unless another span proves the opposite: then each stands for itself.
 */
export class Habits {
  private readonly proofs = new Map<string, { cache: Proof; reasoning: Proof }>();

  constructor(spans: Iterable<Span>) {
    for (const { exporter, used } of spans) {
      if (used === undefined) continue;
      const proofs = this.proofs.get(exporter) ?? { cache: {}, reasoning: {} };
      this.proofs.set(exporter, proofs);
      const proved = provedBy(used);
      if (proved.cache !== undefined) proofs.cache[proved.cache ? 'inside' : 'beside'] = true;
      if (proved.reasoning !== undefined) proofs.reasoning[proved.reasoning ? 'inside' : 'beside'] = true;
    }
  }

  rule(exporter: string, used: Reported): UsageRule {
    const own = provedBy(used);
    const proofs = this.proofs.get(exporter);
    return {
      inputIncludesCache: own.cache ?? habit(proofs?.cache),
      outputIncludesReasoning: own.reasoning ?? habit(proofs?.reasoning),
    };
  }
}

interface Proof {
  inside?: boolean;
  beside?: boolean;
}

/** The conventions' rule, unless it is proved that this exporter has another one throughout. */
function habit(proof: Proof | undefined): boolean {
  return !(proof?.beside === true && proof.inside !== true);
}

/** Most usual first. */
const RULES: readonly UsageRule[] = [
  { inputIncludesCache: true, outputIncludesReasoning: true },
  { inputIncludesCache: false, outputIncludesReasoning: true },
  { inputIncludesCache: true, outputIncludesReasoning: false },
  { inputIncludesCache: false, outputIncludesReasoning: false },
];

/** What one span's numbers prove: true for inside, false for beside, undefined where they fit both. */
function provedBy(used: Reported): { cache: boolean | undefined; reasoning: boolean | undefined } {
  const cached = used.cacheRead + used.cacheWrite;
  const possible = RULES.filter(
    rule =>
      !(rule.inputIncludesCache && cached > used.input) &&
      !(rule.outputIncludesReasoning && used.reasoning > used.output),
  );
  const fitting = used.total === undefined ? [] : possible.filter(rule => sumOf(used, rule) === used.total);
  const left = fitting.length > 0 ? fitting : possible;
  return {
    cache: cached === 0 ? undefined : agreed(left.map(rule => rule.inputIncludesCache)),
    reasoning: used.reasoning === 0 ? undefined : agreed(left.map(rule => rule.outputIncludesReasoning)),
  };
}

function agreed(all: readonly boolean[]): boolean | undefined {
  return all.every(each => each === all[0]) ? all[0] : undefined;
}
