import { Command, CommanderError } from 'commander';
import { UsageError } from '../trace/usage-error.ts';
import { declareLive, liveOptions } from './declare-live.ts';
import { many } from './options.ts';
import { HELP } from './program.ts';
import { inWords } from './said.ts';
import { VERSION } from './version.ts';

const IO =
  'also measure connections: bytes, time to the first byte of each answer, waiting; reads and writes then cost more';

/** The recorder's table of contents: what `agentsight` answers to. Returns the exit code; `record` gives the target's. */
export async function agentsight(argv: readonly string[]): Promise<number> {
  let code = 0;
  const program = new Command('agentsight')
    .description('Records what an agent really did: its processes, files and connections, as the kernel saw them.')
    .version(VERSION)
    .exitOverride()
    .enablePositionalOptions()
    .configureHelp(HELP)
    .showSuggestionAfterError();

  program
    .command('record')
    .description('run a command and record its whole process tree; with --pid, --comm or --cgroup the same as collect')
    .argument('[command...]', 'the command and its arguments, after --')
    .option('--io', IO)
    .option('--pid <n>', 'no command: a process that is running already')
    .option('--comm <name>', 'no command: every process of this name')
    .option('--cgroup <folder>', 'no command: every process of this control group')
    .option('--out <dir>', 'folder for the recording (default: the state folder of this user)')
    .option('--engine <name>', 'auto, bpf, strace or none', 'auto')
    .option('--max-size <size>', 'most that one recording keeps on disk; beyond it the oldest parts go', '1g')
    .option('--cpu-mem', 'look at CPU time and memory of every process once a second')
    .option('--cpu-mem-interval <time>', 'the same this often, such as 250ms or 5s')
    .option('--tls', 'also keep the text of HTTP inside TLS, without credentials; engine bpf')
    .option('--metrics <address>', 'serve OpenMetrics at this loopback address meanwhile: 127.0.0.1:9464')
    .option('-q, --quiet', 'say nothing on standard error')
    .passThroughOptions()
    .addHelpText(
      'after',
      '\nExamples:\n  agentsight record -- claude\n  agentsight record --out /tmp/run -- bash script.sh && agentsight report /tmp/run',
    )
    .action(async (command: string[], flags) => {
      code = await (await import('./record.ts')).recordCommand(command, flags);
    });

  program
    .command('report')
    .description('the newest recording: tool calls and where their time went, process tree, files, network, gaps')
    .argument('[dir]', 'a folder with recordings, or one file of a recording')
    .option('--json', 'print as JSON')
    .option('--all', 'also list files that were only read outside the working directory')
    .option('--home <dir>', "take the agents' histories from this home instead of one's own (repeatable)", many, [])
    .option('--session-file <file>', 'take this session file alone, whatever agent wrote it (repeatable)', many, [])
    .option('--no-histories', 'the recording alone: no tool calls, no tokens')
    .option('--otlp-endpoint <url>', 'send its processes as spans to this OTLP/HTTP receiver instead')
    .option(
      '--otlp-header <header>',
      'NAME=VALUE for the receiver (repeatable); OTEL_EXPORTER_OTLP_HEADERS too',
      many,
      [],
    )
    .option('--otlp-format <name>', 'otlp-proto or otlp-json', 'otlp-proto')
    .option('--include-previews', 'put arguments and folders into the spans, secrets replaced')
    .addHelpText(
      'after',
      '\nExamples:\n  agentsight report\n  agentsight report /tmp/run --json\n  agentsight report --otlp-endpoint http://127.0.0.1:4318',
    )
    .action(async (dir: string | undefined, flags) => {
      const sends = flags.otlpEndpoint !== undefined || flags.otlpHeader.length > 0;
      if (sends) code = await (await import('./recorder-export.ts')).sendRecording(dir, flags);
      else code = await (await import('./recorder-report.ts')).reportCommand(dir, flags);
    });

  program
    .command('stop')
    .description('end the recordings under way; the recorded programs go on')
    .argument('[dir]', 'the folder given to --out')
    .addHelpText('after', '\nExample:\n  agentsight stop')
    .action(async (dir: string | undefined) => {
      code = (await import('./recorder-stop.ts')).stopCommand(dir);
    });

  program
    .command('collect')
    .description('record a process that is running already, and all below it')
    .option('--pid <n>', 'its process number')
    .option('--comm <name>', 'instead: every process of this name, now and later, until Ctrl-C')
    .option(
      '--cgroup <folder>',
      'instead: every process of this control group (version 2) and those below it, until Ctrl-C',
    )
    .option('--io', IO)
    .option('--out <dir>', 'folder for the recording (default: the state folder of this user)')
    .option('--max-size <size>', 'most that one recording keeps on disk', '1g')
    .option('--cpu-mem', 'look at CPU time and memory of every process once a second')
    .option('--cpu-mem-interval <time>', 'the same this often, such as 250ms or 5s')
    .option('--tls', 'also keep the text of HTTP inside TLS, without credentials; engine bpf')
    .option('-q, --quiet', 'say nothing on standard error')
    .addHelpText(
      'after',
      '\nExamples:\n  agentsight collect --pid 4711\n  agentsight collect --comm claude --out /tmp/run',
    )
    .action(async flags => {
      code = await (await import('./record.ts')).collectCommand(flags);
    });

  declareLive(program);

  liveOptions(program.command('top'))
    .description('the sessions under way and the processes of recordings, live')
    .option('--within <time>', 'sessions that were written to within this time', '6h')
    .option('--sort <name>', 'activity, tokens, cost, context or failures', 'activity')
    .option('--filter <text>', 'only sessions with this in project, agent, model, id or running tool', '')
    .option('--once', 'print it once and end; so also where there is no terminal')
    .option('--json', 'print it once as JSON')
    .addHelpText('after', '\nKeys: q quit, s sort, / filter, up and down, enter details\n\nExample:\n  agentsight top')
    .action(async flags => {
      code = await (await import('./agentsight-top.ts')).agentsightTop(flags);
    });

  if (argv.length === 0) {
    process.stdout.write(program.helpInformation());
    return 0;
  }
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    process.stderr.write(`agentsight: ${inWords(error)}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}
