import { homedir } from 'node:os';
import type { Report } from '../clusters/report.ts';
import { saveAssignment } from '../clusters/stored.ts';
import { cacheDirectory } from '../store/place.ts';
import { counted } from '../trace/counted.ts';
import { UsageError } from '../trace/usage-error.ts';
import { type ClusterFlags, whole } from './cluster-flags.ts';
import { checkField, reportOf } from './cluster-report.ts';
import { type ClusterRun, runClusters } from './cluster-run.ts';
import { terminalReport } from './cluster-words.ts';
import { checkOutput, writeOutput } from './output.ts';
import { warn } from './terminal.ts';

export interface ClusterCommandFlags extends ClusterFlags {
  by?: string;
  output?: string;
  minSize: string;
  includePreviews?: boolean;
  json?: boolean;
}

const FORMATS = ['.html', '.md', '.json'] as const;

/** Kinds of behaviour: a table, a report, and the cluster of each unit kept as a field for every other command. */
export async function cluster(flags: ClusterCommandFlags): Promise<void> {
  const { output } = flags;
  const minSize = whole(flags.minSize, 0, '--min-size');
  const ending =
    output === undefined || output === '-' ? '.json' : FORMATS.find(each => output.toLowerCase().endsWith(each));
  if (output !== undefined) {
    if (!ending)
      throw new UsageError(`-o: no report for ${JSON.stringify(output)}: its name must end in ${FORMATS.join(', ')}.`);
    checkOutput(output);
  }
  if (flags.dryRun) return (await import('./cluster-dry-run.ts')).dryRun(flags, flags.json === true);
  const previews = flags.includePreviews === true;
  const run = await runClusters(flags, {
    includePreviews: previews,
    prepare: async history => {
      if (flags.by !== undefined) checkField(history, flags.by, '--by');
    },
  });
  const report = reportOf(run, { minSize, previews, by: flags.by, keptOdd: flags.keepOdd === true });
  keep(run, flags);
  if (output !== undefined) {
    const text = await written(ending as (typeof FORMATS)[number], run, report);
    writeOutput(output, sink => sink(text));
    if (output === '-') return;
    if (!flags.quiet)
      process.stderr.write(
        `${output}: ${counted(report.clusters.filter(({ id }) => id !== 0).length, 'cluster')} of ${counted(report.units, report.unit)}\n`,
      );
  }
  process.stdout.write(flags.json ? `${JSON.stringify(report, null, 2)}\n` : terminalReport(report));
}

async function written(ending: (typeof FORMATS)[number], run: ClusterRun, report: Report): Promise<string> {
  switch (ending) {
    case '.md':
      return (await import('./cluster-markdown.ts')).markdownReport(report);
    case '.html':
      return (await import('./cluster-page.ts')).pageReport(run, report);
    case '.json':
      return `${JSON.stringify(report, null, 2)}\n`;
  }
}

/** Every cluster is kept, also those that a shared report leaves out: this stays on the own machine. */
export function keep(run: ClusterRun, flags: ClusterFlags): void {
  if (flags.cache === false) {
    if (!flags.quiet) warn('--no-cache: the clusters are not kept, so the field cluster stays as it was');
    return;
  }
  const named = [...run.clusters, run.noise];
  const of = new Map(named.flatMap(({ id, units }) => units.map(unit => [run.units[unit]?.key ?? '', id] as const)));
  try {
    saveAssignment(cacheDirectory(process.env, homedir()), { unit: run.kind, clusters: named, of });
  } catch (error) {
    warn(`the clusters cannot be kept (${(error as NodeJS.ErrnoException).code}): the field cluster stays as it was`);
  }
}
