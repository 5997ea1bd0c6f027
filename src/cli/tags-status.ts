import { displayText } from '../formats/names.ts';
import { share } from '../formats/units.ts';
import { counted, grouped } from '../trace/counted.ts';
import { UsageError } from '../trace/usage-error.ts';
import type { History } from './history.ts';
import { drawTable } from './table.ts';
import { groupsOfUnmatched, preview, type TagLoopFlags, type Weighed, weighedPrompts } from './tag-loop.ts';
import { sharesOf } from './tags.ts';

interface StatusFlags extends TagLoopFlags {
  minCoverage?: string;
}

/** Groups of unmatched prompts that are told; JSON has all. */
const MOST_GROUPS = 12;

interface Sum {
  readonly prompts: number;
  readonly tokens: number;
}

/** How far the tags go, by prompts and by the tokens spent on them. Sets exit code 1 below --min-coverage. */
export async function tagsStatus(flags: StatusFlags): Promise<void> {
  const least = flags.minCoverage === undefined ? undefined : percentOf(flags.minCoverage);
  const { prompts, history } = await weighedPrompts(flags);
  const all = sum(prompts);
  const tagged = sum(prompts.filter(({ tag }) => tag !== 'unmatched'));
  const byTag = tags(prompts);
  const largest = byTag.filter(([tag]) => tag !== 'unmatched')[0];
  const groups = groupsOf(prompts, history);
  const coverage = { prompts: portion(tagged.prompts, all.prompts), tokens: portion(tagged.tokens, all.tokens) };
  const enough = least === undefined || Math.min(coverage.prompts, coverage.tokens) * 100 >= least;
  if (flags.json) {
    const facts = {
      schema: 'agentpprof.tags-status/1',
      prompts: all.prompts,
      tagged: tagged.prompts,
      tokens: all.tokens,
      tagged_tokens: tagged.tokens,
      coverage,
      largest: largest ? { tag: largest[0], ...largest[1], share: portion(largest[1].prompts, all.prompts) } : null,
      tags: byTag.map(([tag, count]) => ({ tag, ...count })),
      decided_by: history.tags?.steps ?? {},
      source: history.tags?.source ?? '',
      unmatched: groups.map(({ tag, texts, ...count }) => ({
        group: tag,
        ...count,
        ...(flags.includePreviews ? { examples: texts.map(text => preview(text, history)) } : {}),
      })),
      min_coverage: least ?? null,
      enough,
    };
    process.stdout.write(`${JSON.stringify(facts, null, 2)}\n`);
  } else {
    const percent = (part: number, whole: number) => share(BigInt(part), BigInt(whole)) || '–';
    const lines = [
      `tagged ${percent(tagged.prompts, all.prompts)} of ${counted(all.prompts, 'prompt')}, ${percent(tagged.tokens, all.tokens)} of the ${counted(all.tokens, 'token')} spent on them`,
      ...(history.tags && tagged.prompts > 0 ? [`by ${history.tags.source}: ${sharesOf(history.tags)}`] : []),
      ...(largest
        ? [`largest tag: ${displayText(largest[0])}, ${percent(largest[1].prompts, all.prompts)} of the prompts`]
        : []),
      '',
    ];
    const rows = byTag.map(([tag, n]) => [
      tag,
      grouped(n.prompts),
      percent(n.prompts, all.prompts),
      percent(n.tokens, all.tokens),
    ]);
    process.stdout.write(`${lines.join('\n')}\n`);
    process.stdout.write(
      drawTable(
        [
          { title: 'tag' },
          { title: 'prompts', right: true },
          { title: '', right: true },
          { title: 'tokens', right: true },
        ],
        rows,
      ),
    );
    if (groups.length > 0) process.stdout.write('\nunmatched, in groups of similar ones:\n');
    for (const { tag, prompts: n, tokens, texts } of groups.slice(0, MOST_GROUPS)) {
      process.stdout.write(
        `  ${displayText(tag || '(no words)')}: ${counted(n, 'prompt')}, ${counted(tokens, 'token')}\n`,
      );
      if (process.stdout.isTTY || flags.includePreviews)
        for (const text of texts) process.stdout.write(`    ${displayText(preview(text, history))}\n`);
    }
    if (groups.length > MOST_GROUPS)
      process.stdout.write(`  ... and ${counted(groups.length - MOST_GROUPS, 'more group')} (--json shows all)\n`);
  }
  if (!enough) {
    if (!flags.quiet)
      process.stderr.write(
        `agentpprof: --min-coverage: ${(100 * Math.min(coverage.prompts, coverage.tokens)).toFixed(1)} % is below ${least} %; agentpprof tags suggest proposes rules for the rest\n`,
      );
    process.exitCode = 1;
  }
}

function percentOf(text: string): number {
  const percent = Number(text);
  if (!(percent >= 0 && percent <= 100))
    throw new UsageError(`--min-coverage: ${JSON.stringify(text)} is no number from 0 to 100.`);
  return percent;
}

/** Nothing to tag is all tagged. */
function portion(part: number, whole: number): number {
  return whole === 0 ? 1 : part / whole;
}

function sum(prompts: readonly Weighed[]): Sum {
  return { prompts: prompts.length, tokens: prompts.reduce((total, { tokens }) => total + tokens, 0) };
}

function tags(prompts: readonly Weighed[]): [string, Sum][] {
  const found = new Map<string, { prompts: number; tokens: number }>();
  for (const { tag, tokens } of prompts) {
    const own = found.get(tag) ?? { prompts: 0, tokens: 0 };
    own.prompts++;
    own.tokens += tokens;
    found.set(tag, own);
  }
  return [...found].sort(([a, m], [b, n]) => n.prompts - m.prompts || n.tokens - m.tokens || (a < b ? -1 : 1));
}

interface Group extends Sum {
  readonly tag: string;
  readonly texts: readonly string[];
}

function groupsOf(prompts: readonly Weighed[], history: History): Group[] {
  const found = new Map<string, { tag: string; prompts: number; tokens: number; texts: string[] }>();
  for (const { tag, text, prompts: n, tokens } of groupsOfUnmatched(prompts, history)) {
    const own = found.get(tag) ?? { tag, prompts: 0, tokens: 0, texts: [] };
    own.prompts += n;
    own.tokens += tokens;
    if (own.texts.length < 3) own.texts.push(text);
    found.set(tag, own);
  }
  return [...found.values()].sort((a, b) => b.tokens - a.tokens || b.prompts - a.prompts || (a.tag < b.tag ? -1 : 1));
}
