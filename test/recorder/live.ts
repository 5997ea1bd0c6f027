import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import type { EngineName, RecordedEvent, RecordingHeader } from '../../src/recorder/events.ts';
import { findEngine } from '../../src/recorder/find-engine.ts';
import { readRecording, recordingsIn } from '../../src/recorder/reader.ts';
import { type RecordingSummary, Summarizer } from '../../src/recorder/summary.ts';

/** The recorder as a program of its own, bundled once for a test file, and a folder that goes with it. */
export function liveRecorder() {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'agentsight-test-')));
  const program = join(process.cwd(), 'node_modules', '.cache', `agentsight-test-${process.pid}.mjs`);
  buildSync({
    stdin: {
      contents:
        "import { agentsight } from './src/cli/agentsight.ts'; process.exitCode = await agentsight(process.argv.slice(2));",
      resolveDir: process.cwd(),
    },
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    outfile: program,
    logLevel: 'error',
  });
  const env = { ...process.env, HOME: dir, XDG_STATE_HOME: join(dir, 'state'), SUDO_UID: '' };
  const run = (args: readonly string[], cwd = dir, own: NodeJS.ProcessEnv = env) =>
    spawnSync(process.execPath, [program, ...args], {
      cwd,
      env: own,
      encoding: 'utf8',
      timeout: 100_000,
      killSignal: 'SIGKILL',
    });
  return {
    dir,
    env,
    program,
    run,
    remove: () => {
      rmSync(dir, { recursive: true, force: true });
      rmSync(program, { force: true });
    },
  };
}

export interface Read {
  header: RecordingHeader;
  events: RecordedEvent[];
  summary: RecordingSummary;
}

export async function readBack(dir: string): Promise<Read> {
  const summarizer = new Summarizer();
  const events: RecordedEvent[] = [];
  await readRecording(recordingsIn(dir)[0]!.parts, event => {
    summarizer.take(event);
    if (event.type !== 'recording') events.push(event);
  });
  const summary = summarizer.end();
  return { header: summary.header!, events, summary };
}

/** Why an engine cannot be tried here, or undefined. The kernel engine is built where its tools are installed. */
export function unusable(engine: EngineName): string | undefined {
  if (process.platform !== 'linux') return 'not Linux';
  try {
    if (engine === 'strace') {
      execFileSync('strace', ['-f', '--seccomp-bpf', '-o', '/dev/null', 'true'], { stdio: 'pipe' });
      return undefined;
    }
    // Takes no time where the engine is that of today's sources already.
    if (!process.env.AGENTSIGHT_ENGINE)
      execFileSync(process.execPath, ['scripts/build-recorder.mjs'], { stdio: 'pipe' });
    const probe = spawnSync(findEngine(process.env)!, ['--pid', String(process.pid)], {
      stdio: ['ignore', 'pipe', 'pipe'],
      encoding: 'utf8',
      timeout: 30_000,
    });
    if (probe.stdout.includes('"seeded"')) return undefined;
    return /"why":"([^"]*)/.exec(probe.stdout)?.[1] ?? `the engine said nothing (${probe.stderr})`;
  } catch (error) {
    const said = String((error as { stderr?: Buffer }).stderr ?? '').trim();
    return said || (error as Error).message;
  }
}
