import type { Command } from 'commander';
import { historyOptions, many, taggerOptions } from './options.ts';

/** `evaluate`: how well what is found by a program agrees with what people found. One subcommand a question. */
export function declareEvaluate(program: Command): void {
  const evaluate = program
    .command('evaluate')
    .description('measure segments, rankings and tags against labels of people, with controls beside');

  historyOptions(evaluate.command('segments'))
    .description('B-cubed and boundary scores of segmenters against a gold field, with controls and intervals')
    .option('--gold <field>', 'the field that has the gold group of each operation; no segmenter sees it')
    .option('--backend <names>', 'segmenters to compare, separated by commas', 'auto,recurrence,recurrence-multi')
    .option('--marks <file>', 'the marks that the segmenter `marks` stands for, made by anybody')
    .option('--verdicts <file>', 'instead of --gold: the verdicts that segment review recorded')
    .option('--hide <field>', 'another field that no segmenter may see (repeatable)', many, [])
    .option('--folds <n>', 'folds over sessions for what must be trained', '5')
    .option('--cluster-by <field>', 'sessions with equal values are resampled and held out together; else each alone')
    .option('--draws <n>', 'resamples for the 95 % intervals', '10000')
    .option('--json', 'print as JSON')
    .addHelpText(
      'after',
      `
Example:
  agentpprof evaluate segments --operation-file runs.jsonl --gold stage --backend auto,recurrence,learned --folds 5`,
    )
    .action(async flags => (await import('./evaluate.ts')).evaluateSegmentsCommand(flags));

  historyOptions(evaluate.command('ranking'))
    .description('mean average precision of rankings over sessions, with ties broken in every way beside')
    .requiredOption('--gold <field>', 'the field that is true (1, true, yes, any text) of what is looked for')
    .option('--score <field>', 'another ranking: a field with a number, the highest first (repeatable)', many, [])
    .option('--group <fields>', 'what is alike for the ranking of `rank`', 'tool,command')
    .option('--draws <n>', 'resamples for the 95 % intervals', '10000')
    .option('--json', 'print as JSON')
    .action(async flags => (await import('./evaluate-ranking.ts')).evaluateRanking(flags));

  taggerOptions(historyOptions(evaluate.command('tags')))
    .description('coverage, accuracy, macro-F1 and V-measure of a tagger against tags of people, with controls')
    .requiredOption(
      '--gold <file>',
      'labelled prompts (tag<TAB>prompt, or JSONL), or a field of the prompts of the history',
    )
    .option('--per-label', 'a line for each label')
    .option('--json', 'print as JSON')
    .action(async flags => (await import('./evaluate-tags.ts')).evaluateTagsCommand(flags));
}
