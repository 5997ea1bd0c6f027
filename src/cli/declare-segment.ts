import type { Command } from 'commander';
import { historyOptions, llmOptions, many } from './options.ts';

const WORKSPACE = 'directory of trace.jsonl, annotation.json and stacks.folded';
const MARKS = "keep marks in this file instead of this user's own";

/** `segment`: marks on a history, by any segmenter, and what follows from them. */
export function declareSegment(program: Command): void {
  const segment = program
    .command('segment')
    .description('find nested stretches of work inside sessions; their names become the task frames of every view');

  llmOptions(historyOptions(segment.command('run')))
    .description('mark sessions that are new or have grown, and keep the marks')
    .option('--backend <name>', 'auto, native, rules, recurrence, recurrence-multi, learned, llm or exec', 'auto')
    .option('--model-file <file>', 'learned: the model that segment train wrote')
    .option('--exec <command>', 'exec: a program that reads trace.jsonl and writes annotation.json in its directory')
    .option('--protocol <name>', 'llm: pass (one request a session) or recursive (stop or split)', 'pass')
    .option('--workspace <dir>', `also write the ${WORKSPACE}`)
    .option('--marks <file>', MARKS)
    .option('--all', 'mark sessions again that have not changed')
    .option('--hide <field>', 'a field that the segmenter may not see (repeatable)', many, [])
    .option('--json', 'print as JSON')
    .addHelpText(
      'after',
      `
Examples:
  agentpprof segment run --since 30d && agentpprof --view time --stack task,tool
  agentpprof segment run --backend exec --exec './mark.py' --workspace work`,
    )
    .action(async flags => (await import('./segment-run.ts')).segmentRun(flags));

  historyOptions(segment.command('export'))
    .description('write trace.jsonl, and the marks there are as annotation.json and stacks.folded')
    .requiredOption('--workspace <dir>', WORKSPACE)
    .option('--marks <file>', MARKS)
    .option('--hide <field>', 'a field that nobody may see there (repeatable)', many, [])
    .option('--json', 'print as JSON')
    .action(async flags => (await import('./segment.ts')).segmentExport(flags));

  segment
    .command('apply')
    .description('check annotation.json against trace.jsonl, keep its marks, write stacks.folded')
    .requiredOption('--workspace <dir>', WORKSPACE)
    .option('--marks <file>', MARKS)
    .option('--rename <names>', 'OLD=NEW shows a name as another, OLD=OLD never as another (repeatable)', many, [])
    .option('--json', 'print as JSON')
    .action(async flags => (await import('./segment.ts')).segmentApply(flags));

  historyOptions(segment.command('status'))
    .description('facts about the marks: names used again or once, near names, depth, pieces too coarse, idle nesting')
    .option('--workspace <dir>', 'of the annotation.json there, instead of the marks that are kept')
    .option('--marks <file>', MARKS)
    .option('--known <file>', 'leave out facts of this earlier status (its --json)')
    .option('--json', 'print as JSON')
    .action(async flags => (await import('./segment.ts')).segmentStatus(flags));

  historyOptions(segment.command('review'))
    .description('show cuts beside their evidence, chance ones and the least sure, and record verdicts')
    .option('--sample <n>', 'how many', '10')
    .option('--verdict <verdict>', 'NODE=yes or NODE=no: whether something new begins there (repeatable)', many, [])
    .option('--verdicts <file>', 'where verdicts are kept, a line each', 'verdicts.jsonl')
    .option('--marks <file>', MARKS)
    .option('--json', 'print as JSON')
    .action(async flags => (await import('./segment-review.ts')).segmentReview(flags));

  historyOptions(segment.command('train'))
    .description('learn from labelled sessions; the model is a JSON file of weights')
    .requiredOption('--gold <field>', 'the field that has the gold group of each operation')
    .option('--hide <field>', 'another field that the model may not see (repeatable)', many, [])
    .requiredOption('-o, --output <file>', 'write the model here')
    .action(async flags => (await import('./segment-train.ts')).segmentTrain(flags));
}
