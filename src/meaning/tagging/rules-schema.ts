import * as z from 'zod';

/**
 * The one form of a rule file. zod is slow to load: only `rules-file.ts` imports this, and only when a file is
 * given. Unknown keys are errors, so that a misspelt `pattern:` is not a rule that never matches.
 */
const text = z.string().trim().min(1);

const rule = z.strictObject({
  tag: z.string(),
  kind: z.enum(['prompt', 'llm', 'session', 'all']).default('prompt'),
  patterns: z.array(z.string().min(1)).min(1).optional(),
  words: z.array(text).min(1).optional(),
  description: z.string().optional(),
  examples: z.strictObject({ match: z.array(z.string()).default([]), not: z.array(z.string()).default([]) }).optional(),
});

export const RULES_FILE = z.strictObject({ version: z.literal(1), rules: z.array(rule) });
