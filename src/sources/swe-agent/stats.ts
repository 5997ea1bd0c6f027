import { Flag } from '../../trace/flags.ts';
import type { Scribe } from '../scribe.ts';
import { countOf, type Obj } from '../shapes.ts';
import type { Strand } from '../strand.ts';
import { NO_USAGE, setUsage } from '../usage.ts';

/**
 * Usage is told for the whole run only: one row of usage alone, which no step can claim. Input is all that was sent,
 * whatever a cache served.
 */
export function spend(scribe: Scribe, strand: Strand, key: string, stats: Obj): void {
  const input = countOf(stats.tokens_sent);
  const output = countOf(stats.tokens_received);
  if (input + output === 0) return;
  const row = scribe.call(strand, key, '', 0);
  scribe.out.flag(row, Flag.usageOnly | Flag.inferred);
  setUsage(
    scribe.out,
    row,
    { ...NO_USAGE, input, output },
    { inputIncludesCache: true, outputIncludesReasoning: true },
  );
}
