import type { Command } from 'commander';
import { list, many } from './options.ts';

/** Commands about what is kept between runs: copies of histories, and the store of what was read. */
export function declareKeeping(program: Command): void {
  program
    .command('archive')
    .description(
      'keep compressed copies of session files before their agents delete them; they are read like live ones',
    )
    .option('--older-than <time>', 'only files last changed before this time: 20d, 12h, 2026-11-03')
    .option('--home <dir>', "keep the histories below this home directory instead of one's own (repeatable)", many, [])
    .option('--agent <names>', 'only these agents, separated by commas', list, [])
    .option('--dry-run', 'say what would be copied and write nothing')
    .option('--json', 'print as JSON')
    .option('-q, --quiet', 'no progress, and no table where all went well')
    .addHelpText('after', ARCHIVE_EXAMPLES)
    .action(async flags => (await import('./archive.ts')).archiveCommand(flags));

  const cache = program
    .command('cache')
    .description('the store of what was read: what it holds, and how to empty it')
    .addHelpText('after', CACHE_EXAMPLES);
  cache
    .command('status', { isDefault: true })
    .description('size, operations, files, age and damage of each stored history')
    .option('--json', 'print as JSON')
    .action(async flags => (await import('./cache.ts')).cacheStatus(flags));
  cache
    .command('clear')
    .description('remove all stored histories; the next run reads all session files again')
    .option('--json', 'print as JSON')
    .action(async flags => (await import('./cache.ts')).cacheClear(flags));
}

const ARCHIVE_EXAMPLES = `
Examples:
  agentpprof archive --dry-run            what would be copied
  agentpprof archive                      every session file, as it is now; again, only what has changed
  agentpprof archive --older-than 20d     only what nobody touched for 20 days (for a daily job)`;

const CACHE_EXAMPLES = `
Examples:
  agentpprof cache status
  agentpprof cache clear`;
