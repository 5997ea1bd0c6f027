import type { Command } from 'commander';
import { historyOptions, many, meaningOptions } from './options.ts';

/** Declares `cluster` and what stands under it. Imports nothing that works: `--help` stays quick. */
export function declareCluster(program: Command): void {
  const cluster = clusterOptions(
    program
      .command('cluster')
      .description('group whole sessions by what happened in them: kinds of behaviour, and which kind fails'),
  )
    .option('--by <field>', 'how clusters grow and shrink from one week, version, branch or other field to the next')
    .option('-o, --output <file>', 'write a report: .html (map, table, flame graphs), .md or .json')
    .option('--min-size <n>', 'leave clusters of fewer units out of the report, for sharing', '0')
    .option(
      '--include-previews',
      'put redacted prompt text into the report: words of prompts, central and edge examples',
    )
    .option('--json', 'print as JSON')
    .addHelpText('after', EXAMPLES)
    .action(async flags => (await import('./cluster.ts')).cluster(flags));

  historyOptions(cluster.command('text'))
    .description('print the text that stands for a session when sessions are compared, secrets replaced')
    .argument('<session>', 'id or pseudonym of the session, or a prefix of either')
    .option('--failed-when <condition>', 'what counts as failed, as for --where (repeatable, all must hold)', many, [])
    .option('--json', 'print as JSON')
    .action(async (session, _, command) => (await import('./cluster-text.ts')).clusterText(session, flagsOf(command)));

  clusterOptions(cluster.command('map'))
    .description('lay own categories beside the clusters: which are torn apart, which clusters mix them')
    .argument('<file>', 'categories of sessions: CSV or JSONL with session, field, value')
    .option('--field <name>', 'the field of the file that holds the category; not needed where it has one only')
    .option('--json', 'print as JSON')
    .action(async (file, _, command) => (await import('./cluster-map.ts')).clusterMap(file, flagsOf(command)));

  clusterOptions(cluster.command('compare'))
    .description('two versions of an agent in the same clusters: shares, failures, tokens, with intervals')
    .argument('<a>', 'a value of the field --by, or a condition as for --where')
    .argument('<b>', 'the other')
    .option('--by <field>', 'the field that A and B are values of', 'agent_version')
    .option('--task <field>', 'only tasks that both did, compared in pairs: a field or label that names the task')
    .option('--json', 'print as JSON')
    .action(async (a, b, _, command) => (await import('./cluster-compare.ts')).clusterCompare(a, b, flagsOf(command)));

  clusterOptions(cluster.command('watch'))
    .description('for cron: metrics of each cluster; exit code 3 when a failure rate jumps beyond its interval')
    .option('-o, --output <file>', 'write OpenMetrics text to this file; standard output without it')
    .option('--state <file>', 'what the last run saw; kept in the cache directory without it')
    .option('--json', 'print what jumped as JSON')
    .action(async (_, command) => (await import('./cluster-watch.ts')).clusterWatch(flagsOf(command)));
}

/**
 * What was written counts, wherever it stands: options that `cluster` and a command below it share are taken by `cluster`.
 */
function flagsOf<T>(command: Command): T {
  const flags: Record<string, unknown> = { ...command.parent?.opts(), ...command.opts() };
  for (const name of Object.keys(command.parent?.opts() ?? {})) {
    if (command.parent?.getOptionValueSource(name) === 'cli' && command.getOptionValueSource(name) !== 'cli')
      flags[name] = command.parent.opts()[name];
  }
  return flags as T;
}

/** Flags of every command that makes clusters. */
export function clusterOptions(command: Command): Command {
  return meaningOptions(historyOptions(command))
    .option('--unit <kind>', 'what is put into clusters: session, segment, call or tool', 'session')
    .option('--sample <n>', 'only so many units, drawn at random by the seed, for a first look')
    .option(
      '--keep-odd',
      'cluster units without an id, with too few or too many steps, or with a clock that goes back, too',
    )
    .option('--failed-when <condition>', 'what counts as failed, as for --where (repeatable, all must hold)', many, [])
    .option('--method <name>', 'hdbscan or kmeans', 'hdbscan')
    .option('--min-cluster-size <n>', 'the fewest units of a cluster (2 % of them, at least 5)')
    .option('--min-samples <n>', 'how many units must lie close for a dense place', '5')
    .option('--selection <name>', 'eom (the clusters that last longest) or leaf (the smallest dense ones)', 'eom')
    .option('--clusters <k>', 'how many clusters kmeans makes (8)')
    .option('--neighbors <n>', 'UMAP: neighbours of a unit that count', '30')
    .option('--min-dist <x>', 'UMAP: the least distance of points', '0')
    .option('--components <n>', 'UMAP: dimensions in which clusters are looked for', '10')
    .option('--seed <n>', 'another seed gives another layout; the same one the same bytes', '1')
    .option(
      '--repeats <n>',
      'how often all is repeated to see what is stable: 2 to 10 by the number of units, 0 for never',
    )
    .option(
      '--embed-model-dir <dir>',
      'a model for embeddings on this disk; needs the package @huggingface/transformers',
    );
}

const EXAMPLES = `
Examples:
  agentpprof cluster                                   what kinds of sessions there are, and how each ends
  agentpprof cluster --since 30d -o clusters.html      the same as a page: map, table, a flame graph of each cluster
  agentpprof cluster --unit tool --min-cluster-size 20 which kind of tool call is slow or fails
  agentpprof cluster --labels outcomes.csv --failed-when outcome=rejected
  agentpprof --stack cluster,tool,command -o by-cluster.svg    after a run, the cluster is a frame and a field
  agentpprof --where cluster=3 --view failures`;
