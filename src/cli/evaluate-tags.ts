import { readFileSync, statSync } from 'node:fs';
import { accuracy, cohenKappa } from '../evaluation/labels.ts';
import { evaluateTags, type GoldPrompt, type TagScores } from '../evaluation/tags.ts';
import { redactorFor } from '../privacy/redact.ts';
import { counted } from '../trace/counted.ts';
import { Kind, NO_ROW } from '../trace/kinds.ts';
import { Operations } from '../trace/operations.ts';
import { Texts } from '../trace/texts.ts';
import { Trace } from '../trace/trace.ts';
import { UsageError } from '../trace/usage-error.ts';
import { readHistory } from './history.ts';
import { drawTable } from './table.ts';
import type { TagLoopFlags } from './tag-loop.ts';
import type { Taggable } from './tagged.ts';
import { Tagging } from './tags.ts';

interface EvaluateTagsFlags extends TagLoopFlags {
  gold: string;
  perLabel?: boolean;
}

interface Labelled {
  readonly text: string;
  readonly gold: string;
  /** A second person's label, or a second pass. */
  readonly second?: string;
}

/** Tags of a tagger beside those that people gave: of a file of prompts, or of a field of the history. */
export async function evaluateTagsCommand(flags: EvaluateTagsFlags): Promise<void> {
  const all = isFile(flags.gold) ? readGold(flags.gold) : await goldOfHistory(flags);
  const twice = all.filter(({ second }) => second !== undefined);
  // Where two labels differ nobody knows better; such prompts measure people, not taggers.
  const prompts = all.filter(({ gold, second }) => second === undefined || second === gold);
  if (prompts.length === 0) throw new UsageError(`--gold ${flags.gold}: there is no prompt with a label.`);
  const tags = await tagsOf(
    prompts.map(({ text }) => text),
    flags,
  );
  const half = everyOther(prompts.map(({ text }) => text));
  const again = await tagsOf(half, flags);
  const name = flags.tagger ?? 'hybrid';
  const report = evaluateTags(
    name,
    prompts.map(({ text, gold }, at): GoldPrompt => ({ text, gold, given: tags[at] as string })),
  );
  const given = new Map(prompts.map(({ text }, at) => [text, tags[at] as string]));
  const agreement = accuracy(
    half.map(text => given.get(text) as string),
    again,
  );
  const passes =
    twice.length === 0
      ? undefined
      : {
          prompts: twice.length,
          agreement: accuracy(
            twice.map(({ gold }) => gold),
            twice.map(({ second }) => second as string),
          ),
          kappa: cohenKappa(
            twice.map(({ gold }) => gold),
            twice.map(({ second }) => second as string),
          ),
        };
  if (flags.json) {
    const facts = {
      schema: 'agentpprof.evaluate-tags/1',
      tagger: name,
      ...report,
      agreement_of_runs: agreement,
      passes: passes ?? null,
    };
    process.stdout.write(`${JSON.stringify(facts, null, 2)}\n`);
    return;
  }
  process.stdout.write(`${counted(report.prompts, 'labelled prompt')}\n\n`);
  process.stdout.write(
    scoreTable([
      ...report.scores,
      ...report.byScript.map(part => ({ ...part, name: `${name}, ${part.name} (${part.prompts})` })),
    ]),
  );
  process.stdout.write(`\na run over every other prompt alone gives ${percent(agreement)} of them the same tag\n`);
  if (passes)
    process.stdout.write(
      `two labels for ${counted(passes.prompts, 'prompt')} agree on ${percent(passes.agreement)} (kappa ${passes.kappa.toFixed(3)}); only those are counted\n`,
    );
  if (flags.perLabel) {
    const rows = report.labels.map(({ label, gold, given: n, right, f1 }) => [
      label,
      String(gold),
      String(n),
      String(right),
      f1.toFixed(2),
    ]);
    const columns = ['label', 'gold', 'given', 'right', 'F1'].map((title, at) => ({ title, right: at > 0 }));
    process.stdout.write(`\n${drawTable(columns, rows)}`);
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/**
 * Labelled prompts: JSONL of `{"prompt","tag"}` with an optional `second`, or lines `tag<TAB>prompt`, or `tag<TAB>second<TAB>prompt`;
 * `\n` stands for a newline in the latter two, and `#` begins a comment. Throws UsageError with file and line.
 */
function readGold(path: string): Labelled[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line, at): Labelled[] => {
      if (line.trim() === '' || line.startsWith('#')) return [];
      const read = line.startsWith('{') ? fromJson(line) : fromTabs(line);
      if (!read)
        throw new UsageError(
          `--gold ${path}:${at + 1}: no labelled prompt; write tag<TAB>prompt or {"prompt":"...","tag":"..."}.`,
        );
      return [read];
    });
}

function fromTabs(line: string): Labelled | undefined {
  const parts = line.split('\t');
  const text = parts.at(-1)?.replaceAll('\\n', '\n');
  const [gold, second] = parts;
  if (text === undefined || !gold || parts.length < 2 || parts.length > 3) return undefined;
  return parts.length === 3 && second !== undefined ? { text, gold, second } : { text, gold };
}

function fromJson(line: string): Labelled | undefined {
  try {
    const { prompt, tag, second } = JSON.parse(line) as Record<string, unknown>;
    if (typeof prompt !== 'string' || typeof tag !== 'string') return undefined;
    return typeof second === 'string' ? { text: prompt, gold: tag, second } : { text: prompt, gold: tag };
  } catch {
    return undefined;
  }
}

/** Prompts of the selected history that have a value of the field. */
async function goldOfHistory(flags: EvaluateTagsFlags): Promise<Labelled[]> {
  const { trace, rows } = await readHistory(flags, {});
  if (!trace.field(flags.gold))
    throw new UsageError(
      `--gold: there is no file and no field ${JSON.stringify(flags.gold)}. Known fields: ${trace.names().join(', ')}.`,
    );
  return [...rows].flatMap((row): Labelled[] => {
    if (trace.ops.kind.get(row) !== Kind.prompt) return [];
    const [gold, text] = [trace.value(flags.gold, row), trace.ops.texts.get('prompt', row)];
    return gold === '' || text === '' ? [] : [{ gold, text }];
  });
}

/** What the tagger of the flags says of texts, each alone in a session of its own. */
async function tagsOf(texts: readonly string[], flags: EvaluateTagsFlags): Promise<string[]> {
  const ops = new Operations(new Texts(['prompt']));
  texts.forEach((text, at) => {
    const session = ops.sessions.of('operations', String(at), 0);
    ops.texts.put('prompt', ops.add(Kind.prompt, session, NO_ROW, at + 1, 0, at, 1), text);
  });
  const trace = new Trace(ops);
  const tagging = await Tagging.of({ ...flags, opMap: [], opMapFile: [] });
  const history: Taggable = {
    trace,
    part: () => undefined,
    missing: () => ({ trace, complete: made => made, facts: undefined }),
    keep: () => {},
  };
  const context = { redactor: () => redactorFor([]), quiet: flags.quiet === true, cache: flags.cache !== false };
  await tagging.tag(history, context);
  return texts.map((_, row) => trace.value('prompt', row) || 'unmatched');
}

function everyOther(texts: readonly string[]): string[] {
  return [...new Set(texts)].filter((_, at) => at % 2 === 0).reverse();
}

function percent(share: number): string {
  return Number.isNaN(share) ? '–' : `${(100 * share).toFixed(1)} %`;
}

function scoreTable(scores: readonly TagScores[]): string {
  const columns = [
    'tagger',
    'coverage',
    'accuracy',
    'of tagged',
    'macro-F1',
    'V',
    'homog.',
    'compl.',
    'Rand',
    'kappa',
    'largest',
  ];
  return drawTable(
    columns.map((title, at) => ({ title, right: at > 0 })),
    scores.map(each => [
      each.name,
      percent(each.coverage),
      percent(each.accuracy),
      percent(each.accuracyOfTagged),
      ...[each.macroF1, each.v, each.homogeneity, each.completeness, each.adjustedRand, each.kappa].map(n =>
        n.toFixed(3),
      ),
      percent(each.largest),
    ]),
  );
}
