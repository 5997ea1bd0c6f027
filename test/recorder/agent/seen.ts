import type { RecordingLedger } from '../../../src/recorder/ledger.ts';
import { agentpprof } from '../../cli/program.ts';
import { environment, type Stage } from './play.ts';

/** A play, recorded, as the profiler then sees it. */
export function seen(stage: Stage) {
  const run = (...args: string[]) => {
    const ran = agentpprof(args, { cwd: stage.project, env: environment(stage) as Record<string, string> });
    if (ran.code !== 0) throw new Error(ran.err);
    return ran.out;
  };
  const folded = (view: string, stack: string, ...more: string[]): string[] =>
    run('--view', view, '--stack', stack, '-o', '-', '-q', ...more)
      .trim()
      .split('\n')
      .filter(line => line !== '')
      .map(short)
      .sort();
  return {
    folded,
    run,
    totals: (...more: string[]) => JSON.parse(run('--json', '-q', ...more)).totals as Record<string, number>,
    ledgers: (...more: string[]): RecordingLedger[] =>
      JSON.parse(run('reconcile', '--json', '-q', ...more)).recordings.ledgers,
  };
}

/** Frames without their kinds, in one line: `Bash cat a.txt read measured 1`. */
const short = (line: string): string =>
  line
    .split(';')
    .map(frame => frame.slice(frame.indexOf(':') + 1))
    .join(' ');
