import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import type { Script, Word } from '../../src/effects/shell/syntax.ts';
import { PROCESS_SEPARATOR, type ShellReading } from '../../src/effects/shell.ts';

const HERE = dirname(fileURLToPath(import.meta.url));
/** The corpus of real histories; tests that need it are skipped where it is absent. */
export const CORPUS = join(process.env.AGENTPPROF_SHARED ?? resolve(HERE, '../../../shared'), 'corpus');
export const HAS_CORPUS = existsSync(CORPUS);

/** A reading in one line: `cat: read a @cat, write b @bash>tee`. */
export function readingText({ command, effects, destructive, partial }: ShellReading): string {
  const marks = `${destructive ? ' (destructive)' : ''}${partial ? ' (partial)' : ''}`;
  const parts = effects.map(({ kind, value, process }) => {
    const by = process === '' ? '' : ` @${process.replaceAll(PROCESS_SEPARATOR, '>')}`;
    return `${kind} ${value.replaceAll('\u0001', '?')}${by}`;
  });
  return `${command}${marks}: ${parts.join(', ')}`.trim();
}

/** A script in one line, for comparing the two parsers; what stands inside `[ ]` is shown only where it runs something. */
export function scriptText(script: Script): string {
  return script.map(commandText).join('; ');
}

function commandText(command: Script[number]): string {
  switch (command.kind) {
    case 'simple': {
      const redirects = command.redirects
        .map(r => ` ${r.op}:${wordText(r.target)}${r.body && JSON.stringify(r.body)}`)
        .join('');
      const [first] = command.words;
      if (first === '[' || first === '[[') return `[${command.words.flatMap(insideTest).join(' ')}]${redirects}`;
      const assigns = command.assigns.map(a => `${a.name}${a.append ? '+' : ''}=${wordText(a.value)} `).join('');
      return `${assigns}${command.words.map(wordText).join(' ')}${redirects}`;
    }
    case 'pipeline':
      return `(${command.commands.map(commandText).join(' | ')})`;
    case 'otherwise':
      return `<${commandText(command.first)} || ${commandText(command.second)}>`;
    case 'definition':
      return `${command.name}() {${scriptText(command.body)}}`;
    case 'branch':
      return `if {${command.bodies.map(scriptText).join(' / ')}}${redirectsText(command.redirects)}`;
    case 'loop': {
      const head = command.name === '' ? 'while' : `for ${command.name} in ${command.values.map(wordText).join(' ')}`;
      return `${head} {${scriptText(command.body)}}${redirectsText(command.redirects)}`;
    }
    default:
      return `${command.subshell ? 'sub' : 'group'} {${scriptText(command.body)}}${redirectsText(command.redirects)}`;
  }
}

function redirectsText(redirects: readonly { op: string; target: Word }[]): string {
  return redirects.map(r => ` ${r.op}:${wordText(r.target)}`).join('');
}

function insideTest(word: Word): string[] {
  if (typeof word === 'string') return [];
  return word.flatMap(part => (typeof part === 'object' && 'script' in part ? [`$(${scriptText(part.script)})`] : []));
}

function wordText(word: Word): string {
  if (typeof word === 'string') return JSON.stringify(word);
  const parts = word.map(part => {
    if (typeof part === 'string') return JSON.stringify(part);
    return 'name' in part ? `$${part.name}` : `$(${scriptText(part.script)})`;
  });
  return parts.join('+');
}

const SHELL_TOOLS = new Set([
  'Bash',
  'bash',
  'PowerShell',
  'shell',
  'shell_command',
  'exec_command',
  'local_shell',
  'run_shell_command',
  'execute_command',
  'container.exec',
]);

/** Every distinct command line in the session files below the given corpus folders. */
export function corpusCommands(...folders: string[]): string[] {
  const found = new Set<string>();
  for (const folder of folders) collectFrom(join(CORPUS, folder), found);
  return [...found];
}

function collectFrom(path: string, found: Set<string>): void {
  if (statSync(path).isDirectory()) {
    for (const name of readdirSync(path).sort()) collectFrom(join(path, name), found);
    return;
  }
  if (!/\.jsonl?(\.gz)?$/.test(path) || path.endsWith('truth.json')) return;
  const bytes = readFileSync(path);
  const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  for (const line of path.includes('.jsonl') ? text.split('\n') : [text]) {
    try {
      collect(JSON.parse(line), found);
    } catch {
      // Torn lines are part of the corpus.
    }
  }
}

function collect(value: unknown, found: Set<string>): void {
  if (Array.isArray(value)) for (const item of value) collect(item, found);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  const record = value as Record<string, unknown>;
  if (typeof record.name === 'string' && SHELL_TOOLS.has(record.name)) {
    const input = inputOf(record.input ?? record.arguments ?? record.args);
    const command = input?.command ?? input?.cmd;
    if (typeof command === 'string' && command !== '') found.add(command);
    else if (Array.isArray(command) && command.length === 3 && typeof command[2] === 'string') found.add(command[2]);
  }
  for (const item of Object.values(record)) if (typeof item === 'object') collect(item, found);
}

function inputOf(input: unknown): Record<string, unknown> | undefined {
  if (typeof input !== 'string') return input as Record<string, unknown> | undefined;
  try {
    return JSON.parse(input) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
