import type { StringColumn } from '../../trace/columns.ts';
import { Flag } from '../../trace/flags.ts';
import { Kind } from '../../trace/kinds.ts';
import type { Operations } from '../../trace/operations.ts';
import { UNMATCHED } from './rule.ts';

export interface UnmatchedSample {
  /** The prompt on one line, at most 200 characters of it. */
  readonly text: string;
  readonly prompts: number;
}

const SAMPLE = 200;

/** The most frequent prompts without a tag. `prompt` is the column of a report. */
export function unmatchedSamples(ops: Operations, prompt: StringColumn, most: number): UnmatchedSample[] {
  const counts = new Map<string, number>();
  const unmatched = prompt.find(UNMATCHED) ?? -1;
  for (let row = 0; row < ops.length; row++) {
    if (prompt.codeAt(row) !== unmatched || ops.kind.get(row) !== Kind.prompt || ops.has(row, Flag.copy)) continue;
    const text = ops.texts
      .get('prompt', row)
      .slice(0, 4 * SAMPLE)
      .replace(/\s+/g, ' ')
      .trim();
    const line = [...text].slice(0, SAMPLE).join('');
    if (line !== '') counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  const ranked = [...counts].sort(([, m], [, n]) => n - m);
  return ranked.slice(0, most).map(([text, prompts]) => ({ text, prompts }));
}
