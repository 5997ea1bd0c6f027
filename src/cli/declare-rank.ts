import type { Command } from 'commander';
import { historyOptions, meaningOptions } from './options.ts';

/** `rank`: where to look first. */
export function declareRank(program: Command): void {
  meaningOptions(historyOptions(program.command('rank')))
    .description('operations in the order in which to look at them: what failed, then what its like surely does')
    .option('--group <fields>', 'operations with equal values of these fields are alike', 'prompt,task,tool,command')
    .option('--limit <n>', 'operations to print, 0 for all', '20')
    .option('--guided <n>', 'print the skeleton of the work and the N groups to open, with their part of the source')
    .option('--json', 'print as JSON')
    .action(async flags => (await import('./rank.ts')).rankCommand(flags));
}
