import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { UsageError } from '../trace/usage-error.ts';

export const SETTINGS = '.agentpprof.yaml';

/** What a project's settings gave a command; stands among its flags. */
export interface SettingsTaken {
  readonly file: string;
  /** Flags that were not given, and are what the file says: `--since`. */
  readonly flags: readonly string[];
  /** Some of them select. */
  readonly narrowed: boolean;
}

/** By the path of a key in the file: the option it stands for, and whether its value is a path (from the file's folder). */
const KEYS: readonly { readonly key: readonly string[]; readonly option: string; readonly path?: true }[] = [
  { key: ['tag_rules'], option: 'tagRules', path: true },
  { key: ['preset'], option: 'preset' },
  { key: ['prices'], option: 'prices', path: true },
  { key: ['session_gap'], option: 'sessionGap' },
  { key: ['selection', 'project_root'], option: 'projectRoot', path: true },
  { key: ['selection', 'agent'], option: 'agent' },
  { key: ['selection', 'since'], option: 'since' },
  { key: ['selection', 'until'], option: 'until' },
  { key: ['selection', 'branch'], option: 'branch' },
  { key: ['selection', 'where'], option: 'where' },
];

/**
 * Gives `command` what the nearest settings file in `folder` or above it says, for every option it has and was not given.
 * Does nothing for a command that reads no histories, and under `--no-settings`. Throws UsageError with file and line.
 */
export async function applySettings(command: Command, folder: string): Promise<void> {
  if (command.getOptionValue('settings') !== true) return;
  const found = nearest(folder);
  if (found === undefined) return;
  const values = await settingsIn(found.text, found.file);
  const taken: string[] = [];
  let narrowed = false;
  for (const { key, option, path } of KEYS) {
    const value = key.reduce<unknown>(
      (within, name) => (within as Record<string, unknown> | undefined)?.[name],
      values,
    );
    const declared = command.options.find(each => each.attributeName() === option);
    if (value === undefined || declared === undefined || isGiven(command, option)) continue;
    const several = Array.isArray(declared.defaultValue);
    const given = several && !Array.isArray(value) ? [value] : value;
    command.setOptionValueWithSource(option, path ? below(found.file, given) : given, 'config');
    taken.push(declared.long ?? option);
    narrowed ||= key[0] === 'selection';
  }
  command.setOptionValueWithSource('settings', { file: found.file, flags: taken, narrowed }, 'config');
}

/** For below a message of wrong usage: what of the command's flags nobody typed. */
export function settingsHint(command: Command): string | undefined {
  const taken = command.getOptionValue('settings') as SettingsTaken | boolean | undefined;
  if (typeof taken !== 'object' || taken.flags.length === 0) return undefined;
  return `${taken.file} gave ${taken.flags.join(', ')}; --no-settings leaves it out.`;
}

function isGiven(command: Command, option: string): boolean {
  const source = command.getOptionValueSource(option);
  return source !== undefined && source !== 'default';
}

function below(file: string, value: unknown): unknown {
  const at = (path: unknown) => resolve(dirname(file), String(path));
  return Array.isArray(value) ? value.map(at) : at(value);
}

function nearest(folder: string): { readonly file: string; readonly text: string } | undefined {
  for (let at = resolve(folder), last = ''; at !== last; last = at, at = dirname(at)) {
    const file = resolve(at, SETTINGS);
    try {
      return { file, text: readFileSync(file, 'utf8') };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' && code !== 'ENOTDIR' && code !== 'EACCES')
        throw new UsageError(`cannot read ${file}: ${code ?? 'unknown reason'}; --no-settings leaves it out.`);
    }
  }
  return undefined;
}

/** What a settings file says, by its keys. An empty file says nothing. */
async function settingsIn(text: string, file: string): Promise<Record<string, unknown>> {
  const [{ LineCounter, parseDocument }, { SETTINGS_FILE, wrongIn }, { lineOf }] = await Promise.all([
    import('yaml'),
    import('./settings-schema.ts'),
    import('../meaning/tagging/yaml-lines.ts'),
  ]);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [broken] = document.errors;
  if (broken)
    throw new UsageError(
      `${file}:${lines.linePos(broken.pos[0]).line}: not valid YAML: ${broken.message.split('\n')[0]}`,
    );
  let plain: unknown;
  try {
    plain = document.toJS({ maxAliasCount: 100 }) ?? {};
  } catch (error) {
    throw new UsageError(`${file}: not usable YAML: ${(error as Error).message}`);
  }
  const parsed = SETTINGS_FILE.safeParse(plain);
  if (parsed.success) return parsed.data;
  const { place, what } = wrongIn(parsed.error);
  throw new UsageError(`${file}:${lineOf(document, lines, place)}: ${what}`);
}
