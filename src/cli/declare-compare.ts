import type { Command } from 'commander';
import { historyOptions, list, many, meaningOptions, recordingOptions } from './options.ts';

/** The commands that look at a profile in the terminal, and the one that looks at two. */
export function declareCompare(program: Command): void {
  sideOptions(viewOptions(program.command('diff')))
    .description('what changed between two profiles, two selections or two labelled groups')
    .argument('[a]', 'a profile file: .json, .pb.gz, .pb, .folded')
    .argument('[b]', 'a profile file to compare it with')
    .option('--by <field>', 'compare the two values of a field, for instance an outcome joined with --labels')
    .option('--a <value>', '--by: the value of side A')
    .option('--b <value>', '--by: the value of side B')
    .option('--a-name <text>', 'what to call side A')
    .option('--b-name <text>', 'what to call side B')
    .option('--normalize', 'scale B to the total of A: what is left are shifts of shares')
    .option('--pair <field>', 'compare task by task: only values of this field that both sides have')
    .option('--noise <percent>', 'grey what changed by less than this share of the larger side', '0.1')
    .option('-o, --output <file>', 'html, svg, pb.gz, pb, folded, json or txt, by the extension; - is standard output')
    .option('--format <name>', 'format for standard output')
    .option('--json', 'print as JSON')
    .addHelpText('after', DIFF_EXAMPLES)
    .action(async (a, b, flags) => (await import('./diff.ts')).diff([a, b], flags));

  viewOptions(program.command('top'))
    .description('the frames that took most, as in pprof: flat, sum, cumulative')
    .argument('[profile]', 'a profile file instead of the histories: .json, .pb.gz, .pb, .folded')
    .option('--sort <column>', 'flat, cum or name', 'flat')
    .option('--limit <n>', 'frames to print, 0 for all', '20')
    .option('--json', 'print as JSON')
    .action(async (file, flags) => (await import('./top.ts')).top(file, flags));

  viewOptions(program.command('tree'))
    .description('the call tree, indented; what is small is cut')
    .argument('[profile]', 'a profile file instead of the histories')
    .option('--nodefraction <part>', 'cut nodes below this part of the total', '0.01')
    .option('--sort <column>', 'cum or name', 'cum')
    .option('--limit <n>', 'lines to print, 0 for all', '0')
    .option('--json', 'print as JSON')
    .action(async (file, flags) => (await import('./tree.ts')).tree(file, flags));

  viewOptions(program.command('peek'))
    .description('callers and callees of the frames that match')
    .argument('<frame>', 'a regular expression over kind:value, for instance tool:Bash')
    .argument('[profile]', 'a profile file instead of the histories')
    .option('--sort <column>', 'cum, flat or name', 'cum')
    .option('--limit <n>', 'frames to print, 0 for all', '20')
    .option('--json', 'print as JSON')
    .action(async (frame, file, flags) => (await import('./peek.ts')).peek(frame, file, flags));
}

/** Where histories are, which part counts, and how it is folded: as for `profile`. */
function viewOptions(command: Command): Command {
  return recordingOptions(meaningOptions(historyOptions(command)))
    .option('--view <name>', 'operations, tokens, cost, time, files, network or failures', 'tokens')
    .option('--stack <frames>', 'frames of the stack, outermost first, separated by commas')
    .option('--stack-rule <rule>', 'FRAME:LABEL=REGEX overrides one frame (repeatable)', many, [])
    .option('--mask <frames>', 'replace the names of these frames by pseudonyms (project,branch,domain,...)')
    .option('--measure <name>', 'look at this measure instead of the one of the view or the file');
}

/** The flags of a selection once more for each side. What is common to both is given without a side. */
function sideOptions(command: Command): Command {
  for (const side of ['a', 'b']) {
    const of = `side ${side.toUpperCase()}`;
    command
      .option(`--${side}-since <time>`, `${of}: from this time on`)
      .option(`--${side}-until <time>`, `${of}: up to this time`)
      .option(`--${side}-where <condition>`, `${of}: a condition as in --where (repeatable)`, many, [])
      .option(`--${side}-branch <names>`, `${of}: these git branches`, list, [])
      .option(`--${side}-model <names>`, `${of}: these models`, list, [])
      .option(`--${side}-agent <names>`, `${of}: these agents`, list, [])
      .option(`--${side}-project-root <dir>`, `${of}: this project (repeatable)`, many, [])
      .option(`--${side}-session-id <id>`, `${of}: this session (repeatable)`, many, []);
  }
  return command;
}

const DIFF_EXAMPLES = `
A side that is not narrowed while the other one is holds all the rest.

Examples:
  agentpprof diff --a-until 2026-10-31 --b-since 2026-11-01                 two months, in words
  agentpprof diff --b-since 7d -o week.html                                 this week against all before
  agentpprof diff --labels outcome.csv --by outcome --view cost -o o.svg    failed against successful
  agentpprof diff --a-model opus --b-model sonnet --normalize               where the shares differ
  agentpprof diff october.pb.gz november.pb.gz -o d.pb.gz && go tool pprof -top d.pb.gz`;
