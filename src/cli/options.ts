import { type Command, InvalidArgumentError } from 'commander';
import type { SettingsTaken } from './settings.ts';

/** Flags that say where histories are and which part of them counts; the same for every command. */
export interface HistoryFlags {
  home: string[];
  sessionFile: string[];
  sessionDir: string[];
  operationFile: string[];
  projectRoot: string[];
  agent: string[];
  sessionId: string[];
  since?: string;
  until?: string;
  branch: string[];
  model: string[];
  where: string[];
  labels: string[];
  sessionGap?: string;
  /** Folders of recordings; none named: where the recorder puts them; false or absent: no recordings. */
  recordings?: string[] | false;
  cache?: boolean;
  /** Beside the first; undefined for as many as pay. */
  threads?: number;
  quiet?: boolean;
  /** What the project's settings gave; false: they are left out; true: there were none. */
  settings?: SettingsTaken | boolean;
}

/** An option that may be repeated. */
export const many = (value: string, before: string[]): string[] => [...before, value];
/** The same, with several values separated by commas. */
export function list(value: string, before: string[]): string[] {
  const parts = value
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '');
  // An empty variable of a shell would select everything.
  if (parts.length === 0) throw new InvalidArgumentError('It is empty; leave the option out to narrow nothing.');
  return [...before, ...parts];
}

export function historyOptions(command: Command): Command {
  return command
    .option('--home <dir>', "read the histories below this home directory instead of one's own (repeatable)", many, [])
    .option('--session-file <file>', 'read this session file, whatever agent wrote it (repeatable)', many, [])
    .option('--session-dir <dir>', 'read every session file below this directory (repeatable)', many, [])
    .option('--operation-file <file>', 'read operations from this JSONL file (repeatable)', many, [])
    .option('--project-root <dir>', 'only sessions of this project, its worktrees included (repeatable)', many, [])
    .option('--agent <names>', 'only these agents, separated by commas', list, [])
    .option('--session-id <id>', 'only this session, by its id or pseudonym or a prefix (repeatable)', many, [])
    .option('--since <time>', 'from this time on: 2026-11-03, 30d, 12h, today')
    .option('--until <time>', 'up to this time; a date includes its whole day')
    .option('--branch <names>', 'only work on these git branches', list, [])
    .option('--model <names>', 'only calls of these models and what they asked for', list, [])
    .option(
      '--where <condition>',
      'FIELD=VALUE[,VALUE], FIELD!=VALUE, FIELD~REGEX, FIELD!~REGEX, MEASURE>N (repeatable, all must hold)',
      many,
      [],
    )
    .option('--labels <file>', 'join facts to sessions: CSV or JSONL with session, field, value (repeatable)', many, [])
    .option('--session-gap <time>', 'pause that ends a session of traces without session and trace ids (30m)')
    .option('--no-settings', 'leave out what .agentpprof.yaml in this folder or above it says')
    .option('--no-cache', 'read all files again; keep nothing of it in the cache directory')
    .option('--threads <n>', 'threads that read beside the first; without it none below 2 GB to read', threads)
    .option('-q, --quiet', 'no progress, no hints');
}

/** Threads are the machine's to give, and each has memory of its own. */
const MOST_THREADS = 64;

function threads(value: string): number {
  const count = Number(value);
  if (!/^\d+$/.test(value) || count > MOST_THREADS)
    throw new InvalidArgumentError(`It must be a whole number from 0 to ${MOST_THREADS}.`);
  return count;
}

/** For commands that show what tool calls did: what was recorded of it. */
export function recordingOptions(command: Command): Command {
  return command
    .option(
      '--recordings <dir>',
      'take what agentsight record wrote from this folder instead of its own (repeatable)',
      many,
      [],
    )
    .option('--no-recordings', 'leave recordings out: only what histories tell');
}

/** Flags that say how prompts and calls get their tags, and what they cost. */
export interface MeaningFlags extends LlmFlags {
  tagger?: string;
  preset?: boolean;
  tagRule: string[];
  tagRules: string[];
  tagCache?: string;
  tagConfidence?: string;
  inherit?: boolean;
  prices?: string;
  opMap: string[];
  opMapFile: string[];
  /** A file of marks; false for none. */
  marks?: string | false;
}

/** Includes the flags of llmOptions. */
export function meaningOptions(command: Command): Command {
  return taggerOptions(command)
    .option('--prices <file>', 'own prices, YAML or JSON; they win over the built-in table')
    .option(
      '--op-map <rule>',
      'FIELD:LABEL=REGEX derives a field from the key=value pairs of an operation (repeatable)',
      many,
      [],
    )
    .option('--op-map-file <file>', 'a file of such rules, one a line (repeatable)', many, [])
    .option('--marks <file>', "show the segments of this file as task frames instead of this user's own marks")
    .option('--no-marks', 'show no segments');
}

/** Flags that say how prompts get tags; includes those of llmOptions. */
export function taggerOptions(command: Command): Command {
  const tagger = command
    .option('--tagger <name>', 'how prompts get tags: hybrid, regex (rules alone), cluster, llm', 'hybrid')
    .option('--preset', 'use the built-in rules after the given ones')
    .option(
      '--tag-rule <rule>',
      '[KIND:]TAG=REGEX; kinds are prompt, llm, session, all; first match wins (repeatable)',
      many,
      [],
    )
    .option('--tag-rules <file>', 'a YAML file of rules (repeatable)', many, [])
    .option('--tag-cache <file>', 'tags that clusters or a model gave: those two write it, hybrid reads it')
    .option('--tag-confidence <share>', 'hybrid: how sure the nearest example must be, 0 to 1 (0.7)')
    .option(
      '--no-inherit',
      'prompts that only go on ("ok") stay prompt:continue, without the tag of what they continue',
    );
  return llmOptions(tagger);
}

/** Flags that name a model server and bound what it may cost; the same for every command that can ask a model. */
export interface LlmFlags {
  llmUrl?: string;
  llmModel?: string;
  embedUrl?: string;
  embedModel?: string;
  llmBudget?: string;
  llmTimeout?: string;
  dryRun?: boolean;
}

/** Whether a flag was typed that says which model to ask, and how. */
export function namesModel(command: Command): boolean {
  return ['llmUrl', 'embedUrl', 'llmBudget', 'llmTimeout'].some(name => command.getOptionValueSource(name) === 'cli');
}

export function llmOptions(command: Command): Command {
  return command
    .option('--llm-url <url>', 'a server with an OpenAI-compatible API (llama.cpp, Ollama, vLLM, hosted)')
    .option('--llm-model <name>', 'the model to use there; not needed where the server has only one')
    .option('--embed-url <url>', 'a server of embeddings, if not the same')
    .option('--embed-model <name>', 'the embedding model to use there')
    .option('--llm-budget <tokens>', 'stop before the model has used more tokens than this in one run')
    .option('--llm-timeout <seconds>', 'how long one request may take', '120')
    .option('--dry-run', 'print what would be sent to the model, redacted, with tokens and cost, and send nothing');
}
