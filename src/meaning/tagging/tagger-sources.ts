import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { UsageError } from '../../trace/usage-error.ts';
import { PRESET_FINGERPRINT } from './versions.ts';

/** The tagger options of the command line. */
export interface TaggerOptions {
  /** Values of `--tag-rule`, in order. */
  readonly tagRules?: readonly string[];
  /** Paths of `--tag-rules`, in order. */
  readonly ruleFiles?: readonly string[];
  /** `--preset`, or `--tagger regex`. */
  readonly preset?: boolean;
  /** Another tagger speaks where no rules are given: the preset is used only if asked for. */
  readonly bare?: boolean;
}

/** The options with the rule files read but not parsed. */
export interface TaggerSources {
  readonly tagRules: readonly string[];
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** Asked for, or nothing else was given. */
  readonly preset: boolean;
  readonly byDefault: boolean;
}

/** Reads what the options name. Throws UsageError for a file that cannot be read. */
export async function readTaggerSources(options: TaggerOptions): Promise<TaggerSources> {
  const { tagRules = [], ruleFiles = [], preset = false, bare = false } = options;
  const files = ruleFiles.map(path => ({ path, text: readRules(path) }));
  const none = tagRules.length === 0 && files.length === 0 && !bare;
  return { tagRules, files, preset: preset || none, byDefault: none && !preset };
}

function readRules(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason =
      code === 'ENOENT'
        ? 'there is no such file'
        : code === 'EISDIR'
          ? 'it is a directory; name the file'
          : `it cannot be read (${code})`;
    throw new UsageError(`--tag-rules ${path}: ${reason}`);
  }
}

/**
 * Hash of the sources as written. Equal keys give equal tags, so a run that has the tags of this key needs neither to
 * parse the rules nor to compile them.
 */
export function sourcesKey(sources: TaggerSources): string {
  const parts = [sources.tagRules, sources.files.map(file => file.text), sources.preset ? PRESET_FINGERPRINT : ''];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}
