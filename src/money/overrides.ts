import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { LineCounter, ParsedNode } from 'yaml';
import { candidates } from './modelids.ts';
import { type Prices, ratesOf, type Tariff, type Tier } from './rates.ts';

/**
 * A user's own prices (`--prices FILE`, YAML or JSON). They win over the bundled list; a price of 0 is a price.
 *
 *     my-model:                 # exact id, or a pattern with * and ?
 *       input: 1.5              # US dollars per million tokens; input and output are required
 *       output: 6
 *       cache_read: 0.15        # default: the input price
 *       cache_write: 1.875      # default: the input price
 *       cache_write_1h: 3       # default: the cache_write price
 *       reasoning: 6            # default: the output price
 *       tiers:                  # for calls with more input tokens than `above`; what is left out stays
 *         - { above: 200000, input: 3, output: 9 }
 */
export interface Overrides {
  /** Eight hex digits of the content, whatever its layout: same prices, same hash. */
  readonly hash: string;
  /** Exact ids win over patterns, then the first in the file. */
  find(model: string): Tariff | undefined;
}

/** A prices file that cannot be used; the message names the file, the line, the key and the way out. */
export class PricesError extends Error {
  override readonly name = 'PricesError';
  readonly file: string;
  readonly line: number | undefined;
  readonly key: string;

  constructor(file: string, line: number | undefined, key: string, problem: string) {
    super(`${file}${line === undefined ? '' : `:${line}`}: ${key === '' ? '' : `${key}: `}${problem}`);
    this.file = file;
    this.line = line;
    this.key = key;
  }
}

type Yaml = typeof import('yaml');

const EXAMPLE = 'my-model: { input: 1.5, output: 6 }';

/** Reads a prices file. Throws PricesError. */
export async function readPrices(path: string): Promise<Overrides> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const why = code === 'ENOENT' ? 'no such file' : code === 'EISDIR' ? 'is a directory' : `cannot be read (${code})`;
    throw new PricesError(path, undefined, '', `${why}; --prices wants a YAML or JSON file such as "${EXAMPLE}"`);
  }
  return parsePrices(text, path);
}

/** Parses the text of a prices file (JSON is read as the YAML it is). Throws PricesError. */
export async function parsePrices(text: string, file: string): Promise<Overrides> {
  const [yaml, schema] = await Promise.all([import('yaml'), pricesSchema()]);
  const lines = new yaml.LineCounter();
  const document = yaml.parseDocument(text.replace(/^\uFEFF/, ''), { lineCounter: lines, prettyErrors: false });
  const [broken] = document.errors;
  if (broken)
    throw new PricesError(
      file,
      lines.linePos(broken.pos[0]).line,
      '',
      `${broken.message.trim()}; correct the syntax of this line`,
    );
  if (!yaml.isMap(document.contents) || document.contents.items.length === 0) {
    throw new PricesError(file, 1, '', `holds no prices; write one entry a model, such as "${EXAMPLE}"`);
  }
  const models = new Map<string, Listed>();
  for (const { key, value } of document.contents.items) {
    const pattern = String(yaml.isScalar(key) ? key.value : key);
    const refuse = (path: readonly PropertyKey[], problem: string): PricesError => {
      const line = lineOf(yaml, document.contents as ParsedNode, lines, path);
      return new PricesError(file, line, path.join('.'), problem);
    };
    let plain: unknown;
    try {
      plain = yaml.isNode(value) ? value.toJS(document) : value;
    } catch (error) {
      throw refuse([pattern], `${(error as Error).message}; write the prices out`);
    }
    const parsed = schema.safeParse(plain);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const unknown = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
      throw refuse([pattern, ...(issue?.path ?? []), ...unknown], issue?.message ?? 'is not a set of prices');
    }
    models.set(pattern, parsed.data);
  }
  return overridesOf(models);
}

type Kinds = {
  input?: number | undefined;
  output?: number | undefined;
  cache_read?: number | undefined;
  cache_write?: number | undefined;
  cache_write_1h?: number | undefined;
  reasoning?: number | undefined;
};
type Listed = Kinds & { input: number; output: number; tiers?: (Kinds & { above: number })[] | undefined };

/** zod loads here and nowhere earlier: most runs have no prices file. */
async function pricesSchema() {
  const { z } = await import('zod');
  const unknownKey = 'unknown key; known are input, output, cache_read, cache_write, cache_write_1h, reasoning, tiers';
  const usd = z
    .number({
      error: ({ input }) =>
        input === undefined
          ? 'is missing; give US dollars per million tokens, 0 if it is free'
          : 'is not a number; give US dollars per million tokens, such as 1.5',
    })
    .min(0, 'is negative; give US dollars per million tokens, 0 if it is free')
    .max(1e6, 'is more than a dollar a token; give US dollars per million tokens');
  const kinds = {
    cache_read: usd.optional(),
    cache_write: usd.optional(),
    cache_write_1h: usd.optional(),
    reasoning: usd.optional(),
  };
  const shape = (what: string, unknown: string) => ({
    error: ({ code }: { code?: string | undefined }) =>
      code === 'unrecognized_keys' ? unknown : `is not ${what}; write "${EXAMPLE}"`,
  });
  const tier = z.strictObject(
    {
      above: z.number('is not a number of tokens, such as 200000').int().min(1),
      input: usd.optional(),
      output: usd.optional(),
      ...kinds,
    },
    shape('a tier', unknownKey.replace('tiers', 'above')),
  );
  const tiers = z
    .array(tier, 'is not a list; write "- { above: 200000, input: 3, output: 9 }"')
    .refine(
      list => list.every((item, at) => at === 0 || item.above > (list[at - 1]?.above ?? 0)),
      'must be in rising order of "above"',
    );
  return z.strictObject(
    { input: usd, output: usd, ...kinds, tiers: tiers.optional() },
    shape('a set of prices', unknownKey),
  );
}

/** The line of the key that `path` leads to, or of the deepest one on the way that exists. */
function lineOf(
  yaml: Yaml,
  contents: ParsedNode,
  lines: LineCounter,
  path: readonly PropertyKey[],
): number | undefined {
  let node: unknown = contents;
  let at: number | undefined;
  for (const step of path) {
    if (yaml.isMap(node)) {
      const pair = node.items.find(({ key }) => String(yaml.isScalar(key) ? key.value : key) === String(step));
      if (pair === undefined) break;
      at = (pair.key as ParsedNode).range[0];
      node = pair.value;
    } else if (yaml.isSeq(node)) {
      node = node.items[Number(step)];
      if (yaml.isNode(node)) at = node.range?.[0];
    }
  }
  return at === undefined ? undefined : lines.linePos(at).line;
}

function overridesOf(models: ReadonlyMap<string, Listed>): Overrides {
  const exact = new Map<string, Tariff>();
  const patterns: { test: RegExp; tariff: Tariff }[] = [];
  for (const [pattern, listed] of models) {
    const tariff: Tariff = { provider: 'prices file', model: pattern, windows: [{ tiers: tiersOf(listed) }] };
    if (/[*?]/.test(pattern)) patterns.push({ test: glob(pattern), tariff });
    else if (!exact.has(pattern.toLowerCase())) exact.set(pattern.toLowerCase(), tariff);
  }
  return {
    hash: createHash('sha256')
      .update(JSON.stringify([...models]))
      .digest('hex')
      .slice(0, 8),
    find(model) {
      const names = spellings(model);
      for (const name of names) {
        const tariff = exact.get(name);
        if (tariff) return tariff;
      }
      return patterns.find(({ test }) => names.some(name => test.test(name)))?.tariff;
    },
  };
}

/** The id as the agent wrote it first, then without prefixes and suffixes, lower case. */
function spellings(model: string): string[] {
  const written = model.trim().toLowerCase();
  const names = [written, written.replace(/\[[^\]]*\]$/, ''), written.slice(written.lastIndexOf('/') + 1)];
  return [...new Set([...names, ...candidates(model).map(({ id }) => id.toLowerCase())])];
}

function glob(pattern: string): RegExp {
  const source = pattern.toLowerCase().replace(/[.+^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${source.replace(/\*+/g, '.*').replace(/\?/g, '.')}$`, 's');
}

function tiersOf(listed: Listed): Tier[] {
  let prices: Prices = { ...pricesOf(listed), input: listed.input, output: listed.output };
  const tiers: Tier[] = [{ above: -1, rates: ratesOf(prices) }];
  for (const tier of listed.tiers ?? []) {
    prices = { ...prices, ...pricesOf(tier) };
    tiers.push({ above: tier.above, rates: ratesOf(prices) });
  }
  return tiers;
}

/** Only the kinds that are there, so that a tier leaves the others as they were. */
function pricesOf(kinds: Kinds): Partial<Prices> {
  const prices = {
    input: kinds.input,
    output: kinds.output,
    cacheRead: kinds.cache_read,
    cacheWrite: kinds.cache_write,
    cacheWrite1h: kinds.cache_write_1h,
    reasoning: kinds.reasoning,
  };
  return Object.fromEntries(Object.entries(prices).filter(([, price]) => price !== undefined));
}
