import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { EngineName } from '../../../src/recorder/events.ts';

/** One tool call of the agent that tests play; those of one turn run at the same time. */
export interface Step {
  readonly tool: string;
  readonly input: Readonly<Record<string, string>>;
  /** In the shell that lives as long as the agent. */
  readonly persistent?: boolean;
}

export interface Play {
  readonly session?: string;
  readonly servers?: Readonly<Record<string, readonly string[]>>;
  readonly turns: readonly (readonly Step[])[];
  /** Milliseconds between turns. */
  readonly pause?: number;
  /** Files that must be there before the agent ends. */
  readonly wait?: readonly { readonly until: string }[];
  /** Files of the project before the agent begins. */
  readonly files?: Readonly<Record<string, string>>;
}

export const bash = (command: string): Step => ({ tool: 'Bash', input: { command } });
export const fed = (command: string): Step => ({ tool: 'Bash', input: { command }, persistent: true });
export const file = (tool: 'Read' | 'Write' | 'Edit', file_path: string, more: Record<string, string> = {}): Step => ({
  tool,
  input: { file_path, ...more },
});
export const asks = (server: string, query: string): Step => ({ tool: `mcp__${server}__query`, input: { query } });

/** Where one play lies: a home with histories and recordings, and the project in it. */
export interface Stage {
  readonly home: string;
  readonly project: string;
  readonly recordings: string;
}

export function stageIn(dir: string, name: string): Stage {
  const home = join(dir, name);
  const project = join(home, 'shop');
  mkdirSync(project, { recursive: true });
  mkdirSync(join(project, '.git'), { recursive: true });
  return { home, project, recordings: join(home, '.local', 'state', 'agentpprof', 'recordings') };
}

interface Played {
  readonly status: number | null;
  readonly stderr: string;
}

/** Plays it under the recorder. `program` is the recorder's. */
export function play(
  stage: Stage,
  script: Play,
  engine: EngineName,
  program: string,
  options: readonly string[] = [],
): Played {
  return record(stage, [process.execPath, AGENT, scripted(stage, script)], engine, program, options);
}

/** Several agents at once, below one shell. */
export function playTogether(stage: Stage, scripts: readonly Play[], engine: EngineName, program: string): Played {
  const each = scripts.map(script => `'${process.execPath}' '${AGENT}' '${scripted(stage, script)}' &`);
  return record(stage, ['bash', '-c', `${each.join(' ')} wait`], engine, program);
}

const AGENT = join(import.meta.dirname, 'fake-agent.mjs');

/** Writes the files and the script of a play; `@` in a path is the project, `%` its home. */
function scripted(stage: Stage, { files = {}, session = 'played', ...script }: Play): string {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(stage.project, name)), { recursive: true });
    writeFileSync(join(stage.project, name), text);
  }
  const told = join(stage.home, `${session}.json`);
  const text = JSON.stringify({ session, prompt: 'fix the shop', ...script });
  writeFileSync(told, text.replaceAll('"@/', `"${stage.project}/`).replaceAll('"%/', `"${stage.home}/`));
  return told;
}

function record(
  stage: Stage,
  command: readonly string[],
  engine: EngineName,
  program: string,
  options: readonly string[] = [],
): Played {
  const ran = spawnSync(process.execPath, [program, 'record', '--engine', engine, ...options, '--', ...command], {
    cwd: stage.project,
    env: environment(stage),
    encoding: 'utf8',
    timeout: 100_000,
    killSignal: 'SIGKILL',
  });
  if (!existsSync(join(stage.home, '.claude'))) throw new Error(`the agent did not play: ${ran.stderr}`);
  return ran;
}

export function environment({ home }: Stage): NodeJS.ProcessEnv {
  const { PATH } = process.env;
  return {
    PATH,
    HOME: home,
    XDG_STATE_HOME: join(home, '.local', 'state'),
    XDG_CACHE_HOME: join(home, '.cache'),
    CLAUDE_CONFIG_DIR: join(home, '.claude'),
    TZ: 'UTC',
    NO_COLOR: '1',
    AGENTPPROF_ID_KEY: '00'.repeat(32),
    SUDO_UID: '',
  };
}
