import { UsageError } from '../trace/usage-error.ts';

/** Tells which of several patterns match a text: the smallest index, or -1. Linear in the text whatever the patterns. */
export type PatternSet = (text: string) => number;

/**
 * Compiles people's patterns (RE2 syntax: `(?i)` works, no lookaround, no back references). `flag` names where each
 * came from, for the message. The library is loaded only when there is a pattern.
 */
export async function compilePatterns(
  patterns: readonly { readonly pattern: string; readonly flag: string }[],
): Promise<PatternSet> {
  if (patterns.length === 0) return () => -1;
  const { RE2JS, RE2Set } = await import('re2js');
  const set = new RE2Set();
  for (const { pattern, flag } of patterns) {
    try {
      RE2JS.compile(pattern);
    } catch (error) {
      throw new UsageError(
        `${flag}: cannot use the pattern ${JSON.stringify(pattern)}: ${reason(error)}. Patterns are RE2 syntax: no lookaround, no back references.`,
      );
    }
    set.add(pattern);
  }
  set.compile();
  return text => {
    const found = set.match(text);
    let first = -1;
    for (const index of found) if (first < 0 || index < first) first = index;
    return first;
  };
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message.split('\n')[0] || 'not a regular expression' : String(error);
}
