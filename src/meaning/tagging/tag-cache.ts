import { createHash, randomBytes } from 'node:crypto';
import { closeSync, constants, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import * as z from 'zod';
import { UsageError } from '../../trace/usage-error.ts';
import { tagOf } from './rule.ts';

/**
 * The file of `--tag-cache`: what a model or the clusters decided, so that the next run answers the same. It holds hashes of
 * prompts, tags, and of groups their distinctive words; no prompt. Written whole, readable by its owner alone.
 */
const tag = z.string().refine(text => 'tag' in tagOf(text), 'is no tag');
const FILE = z.object({
  schema: z.literal('agentpprof.tag-cache/1'),
  tagger: z.enum(['cluster', 'llm']),
  model: z.string().optional(),
  vocabulary: z.array(z.object({ tag, description: z.string() })),
  prompts: z.record(z.string(), tag),
  clusters: z.array(
    z.object({
      tag,
      words: z.array(z.string()),
      prompts: z.number(),
      columns: z.array(z.number().int().nonnegative()),
      values: z.array(z.number()),
    }),
  ),
});
export type TagCache = z.infer<typeof FILE>;

/** 64 bits of a prompt's content, in hex; white space around it does not count. */
export function promptKey(text: string): string {
  return createHash('sha256').update(text.normalize('NFC').trim()).digest('hex').slice(0, 16);
}

/** The cache in a file; undefined where there is none yet. Throws UsageError for a file that is something else. */
export function readTagCache(path: string): TagCache | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new UsageError(`--tag-cache ${path}: it cannot be read (${code}).`);
  }
  try {
    return FILE.parse(JSON.parse(text));
  } catch (error) {
    const issue = error instanceof z.ZodError ? error.issues[0] : undefined;
    const what = issue ? `${issue.path.join('.')}: ${issue.message}` : 'it is no JSON';
    throw new UsageError(`--tag-cache ${path}: this is no tag cache (${what}); name another file or remove it.`);
  }
}

/** Writes the cache beside the target and renames it. Keys are sorted, so equal caches are equal bytes. Throws UsageError. */
export function writeTagCache(path: string, cache: TagCache): void {
  const prompts = Object.fromEntries(Object.entries(cache.prompts).sort(([a], [b]) => (a < b ? -1 : 1)));
  const unfinished = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const { O_WRONLY, O_CREAT, O_EXCL } = constants;
    const fd = openSync(unfinished, O_WRONLY | O_CREAT | O_EXCL, 0o600);
    try {
      writeFileSync(fd, `${JSON.stringify({ ...cache, prompts }, null, 1)}\n`);
    } finally {
      closeSync(fd);
    }
    renameSync(unfinished, path);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw new UsageError(`--tag-cache ${path}: it cannot be written (${(error as NodeJS.ErrnoException).code}).`);
  }
}
