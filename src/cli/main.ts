import { type Command, CommanderError } from 'commander';
import type { PackError } from '../store/pack.ts';
import { UsageError } from '../trace/usage-error.ts';
import { declareCluster } from './declare-cluster.ts';
import { declareCompare } from './declare-compare.ts';
import { declareEvaluate } from './declare-evaluate.ts';
import { declareExport } from './declare-export.ts';
import { declareKeeping } from './declare-keeping.ts';
import { declareLive } from './declare-live.ts';
import { declareRank } from './declare-rank.ts';
import { declareSegment } from './declare-segment.ts';
import { declareTags } from './declare-tags.ts';
import type { DryRun } from './dry-run.ts';
import { historyOptions, many, meaningOptions, namesModel, recordingOptions } from './options.ts';
import { HELP, Program } from './program.ts';
import { inWords } from './said.ts';
import { applySettings, settingsHint } from './settings.ts';
import { VERSION } from './version.ts';

/** The program's table of contents: each command's work is loaded only when it is asked for. */
export async function main(name: string, argv: readonly string[], again = false): Promise<number> {
  if (!again) endWithThePipe(name);
  if (name === 'agentsight' || argv[0] === 'record') return (await import('./agentsight.ts')).agentsight(argv);
  const program = new Program(name, 'profile', argv)
    .description('A profiler for AI agents: folds their histories by intent into flame graphs, pprof and tables.')
    .version(VERSION)
    .exitOverride()
    .configureHelp(HELP)
    .showSuggestionAfterError();

  recordingOptions(meaningOptions(historyOptions(program.command('profile', { isDefault: true }))))
    .description('profile histories (the default command)')
    .option('--view <name>', 'operations, tokens, cost, time, files, network or failures', 'tokens')
    .option('--stack <frames>', 'frames of the stack, outermost first, separated by commas')
    .option('--stack-rule <rule>', 'FRAME:LABEL=REGEX overrides one frame (repeatable)', many, [])
    .option('-o, --output <file>', 'write a profile; the extension chooses the format; - is standard output')
    .option('--format <name>', 'format for standard output')
    .option('--mask <frames>', 'replace the names of these frames by pseudonyms (project,branch,domain,...)')
    .option(
      '--include-previews',
      'html: put the recorded line of the operations kept as evidence into the page, secrets replaced',
    )
    .option('--json', 'print the summary as JSON')
    .addHelpText('after', EXAMPLES)
    .action(async flags => (await import('./profile.ts')).profile(flags));

  historyOptions(program.command('sessions'))
    .description('list the sessions found, or totals by day, week, month, model, agent, project, tool')
    .option('--by <field>', 'day, week, month, model, agent, project, tool, or any field')
    .option('--prices <file>', 'own prices, YAML or JSON')
    .option('--limit <n>', 'rows to print, 0 for all', '40')
    .option('--json', 'print as JSON')
    .action(async flags => (await import('./sessions.ts')).sessions(flags));

  recordingOptions(historyOptions(program.command('reconcile')))
    .description('the ledger: what was read, counted, dropped as a repeat, not understood')
    .option('--prices <file>', 'own prices, YAML or JSON')
    .option('--json', 'print as JSON')
    .action(async flags => (await import('./reconcile.ts')).reconcileCommand(flags));

  recordingOptions(meaningOptions(historyOptions(program.command('explain'))))
    .description('the operations under a frame, each with its file and byte offset')
    .argument('<frame>', 'a frame path as in folded text, from any frame on: prompt:debug;tool:Bash')
    .option('--view <name>', 'the view whose stack the path follows', 'operations')
    .option('--stack <frames>', 'frames of the stack')
    .option('--limit <n>', 'operations to print, 0 for all', '20')
    .option('--include-previews', 'print the recorded line of each operation, secrets replaced')
    .option('--full-paths', 'print paths whole, not with ~ for your home and * for the names of users')
    .option('--json', 'print as JSON')
    .action(async (frame, flags) => (await import('./explain.ts')).explain(frame, flags));

  declareCompare(program);

  recordingOptions(meaningOptions(historyOptions(program.command('open'))))
    .description('explore histories in the browser: serves the page of -o profile.html on 127.0.0.1')
    .option('--view <name>', 'operations, tokens, cost, time, files, network or failures', 'tokens')
    .option('--stack <frames>', 'frames of the stack, outermost first, separated by commas')
    .option('--stack-rule <rule>', 'FRAME:LABEL=REGEX overrides one frame (repeatable)', many, [])
    .option('--mask <frames>', 'replace the names of these frames by pseudonyms (project,branch,domain,...)')
    .option('--include-previews', 'show the recorded line of the operations kept as evidence, secrets replaced')
    .option('--port <n>', 'port to listen on; 0 takes a free one', '0')
    .option('--no-browser', 'only print the address')
    .action(async flags => (await import('./open.ts')).open(flags));

  program
    .command('receive')
    .description('listen for OTLP/HTTP traces on this machine and append them to a file that the profiler reads')
    .option('--port <n>', 'port on 127.0.0.1; 0 takes a free one', '4318')
    .option('-o, --output <file>', 'append to this file')
    .option('-q, --quiet', 'no messages')
    .action(async flags => (await import('./receive.ts')).receive(flags));

  declareSegment(program);
  declareTags(program);
  declareEvaluate(program);
  declareRank(program);
  declareCluster(program);

  historyOptions(program.command('doctor'))
    .description('every place that was looked at, what was found, and why nothing counted')
    .option('--full-paths', 'print paths whole, not with ~ for your home and * for the names of users')
    .option('--json', 'print as JSON')
    .action(async flags => (await import('./doctor.ts')).doctor(flags));

  declareExport(program);
  declareLive(program);
  declareKeeping(program);

  let running: Command | undefined;
  program.hook('preAction', async (_, command) => {
    running = command;
    await applySettings(command, process.cwd());
    if (namesModel(command)) await (await import('./models.ts')).checkModelFlags(command.opts());
  });

  const [first] = argv;
  const commands = program.commands.map(command => command.name());
  try {
    if (first !== undefined && !first.startsWith('-') && first !== 'help' && !commands.includes(first))
      throw new UsageError(unknownCommand(first, [...commands, 'record']));
    await program.parseAsync([...argv], { from: 'user' });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    // Damage may show as late as in the middle of a fold. Nothing is written yet then.
    if (!again && error instanceof Error && error.name === 'PackError') {
      const { DAMAGED, distrust } = await import('../store/store.ts');
      distrust(error as PackError);
      if (!argv.includes('-q') && !argv.includes('--quiet')) process.stderr.write(`agentpprof: ${DAMAGED}\n`);
      return main(name, argv, true);
    }
    if (error instanceof Error && error.name === 'DryRun') {
      const { message, facts } = error as DryRun;
      process.stdout.write(argv.includes('--json') ? `${JSON.stringify(facts, null, 2)}\n` : message);
      return 0;
    }
    return failure(error, running && settingsHint(running));
  }
}

function unknownCommand(given: string, known: readonly string[]): string {
  const alike = known.filter(name => name.startsWith(given.slice(0, 3)));
  const hint = alike.length > 0 ? `did you mean ${alike.join(' or ')}?` : `the commands are ${known.join(', ')}.`;
  return `there is no command ${JSON.stringify(given)}; ${hint}`;
}

/** Who reads our output may stop at any time (`| head`): that ends the program and is no failure. A full disk is one. */
function endWithThePipe(name: string): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    process.stderr.write(`${name}: cannot write to standard output: ${error.code ?? error.message}\n`);
    process.exit(1);
  });
}

const EXAMPLES = `
Examples:
  agentpprof                                      all agents' histories of this machine, a summary
  agentpprof --since 30d -o tokens.svg            a flame graph of the tokens of the last 30 days
  agentpprof --since 30d -o profile.html          a page to explore them in, one file, no network
  agentpprof --project-root . --view files -o files.pb.gz && go tool pprof -top files.pb.gz
  agentpprof --tag-rule prompt:debug='(?i)fix|error|bug' --view cost -o cost.svg
  agentpprof --view time --where tool=Bash --stack project,command,status`;

const WRONG_USAGE: ReadonlySet<string> = new Set([
  'UsageError',
  'RuleError',
  'PricesError',
  'FormatError',
  'MaskError',
]);

function failure(error: unknown, hint?: string): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof UsageError || (error instanceof Error && WRONG_USAGE.has(error.name))) {
    process.stderr.write(`agentpprof: ${inWords(error)}\n`);
    if (hint !== undefined) process.stderr.write(`agentpprof: ${hint}\n`);
    return 2;
  }
  if ((error as NodeJS.ErrnoException)?.code === 'EPIPE') return 0;
  process.stderr.write(`agentpprof: ${inWords(error)}\n`);
  if (process.env.AGENTPPROF_DEBUG && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  return 1;
}
