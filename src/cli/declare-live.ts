import type { Command } from 'commander';
import { many } from './options.ts';

/** Options of what goes on looking: `metrics`, and `agentsight top`. */
export function liveOptions(command: Command): Command {
  return command
    .option('--home <dir>', "read the histories below this home directory instead of one's own (repeatable)", many, [])
    .option('--session-dir <dir>', 'read every session file below this directory (repeatable)', many, [])
    .option('--recordings <dir>', 'folder of the recordings under way (default: the state folder of this user)')
    .option('--prices <file>', 'own prices, YAML or JSON')
    .option('--no-cache', 'keep nothing in the cache directory');
}

/** `metrics`: totals for Prometheus. */
export function declareLive(program: Command): void {
  liveOptions(program.command('metrics'))
    .description('serve totals of all histories and recordings under way to Prometheus, on this machine alone')
    .option('--listen <address>', 'HOST:PORT or PORT; a loopback address', '127.0.0.1:9464')
    .option('--anywhere', 'allow an address that other machines reach')
    .option('--every <seconds>', 'read what is new at most so often', '10')
    .option('-q, --quiet', 'no messages')
    .addHelpText('after', EXAMPLES)
    .action(async flags => (await import('./metrics.ts')).metricsCommand(flags));
}

const EXAMPLES = `
Examples:
  agentpprof metrics                           http://127.0.0.1:9464/metrics until Ctrl-C
  agentpprof metrics --listen 127.0.0.1:0      on a free port, which is printed`;
