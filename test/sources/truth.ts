import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CORPUS, filesBelow } from './reading.ts';

/** What the scripted model of a run kept. `output` is the provider's field: reasoning is in it, or beside it as thoughts. */
export interface Truth {
  readonly prompts: readonly { readonly prompt: string }[];
  readonly toolCalls: readonly { readonly op: { readonly op: string; readonly expect?: string } }[];
  readonly usageByModel: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

export interface Run {
  readonly name: string;
  /** The one right total of all tokens. */
  readonly total: number;
  /** False where the client does not write down all that it used. */
  readonly tellsAll: boolean;
  readonly truth: Truth;
  readonly home: string;
  /** The files of the agent that its reader takes. */
  readonly paths: string[];
}

/** What the real client wrote against a provider that kept its own count; none where the corpus is not there. */
export function runsOf(agent: string, accepts: (path: string) => boolean): Run[] {
  if (CORPUS === undefined) return [];
  const folder = join(CORPUS, 'real-agents');
  const expected: Record<string, { agent: string; total: number; files_tell_all: boolean }> = JSON.parse(
    readFileSync(join(folder, 'expected.json'), 'utf8'),
  );
  return Object.entries(expected)
    .filter(([, run]) => run.agent === agent)
    .map(([name, run]) => {
      const home = join(folder, name, 'home');
      const truth = JSON.parse(readFileSync(join(folder, name, 'truth.json'), 'utf8')) as Truth;
      return { name, total: run.total, tellsAll: run.files_tell_all, truth, home, paths: filesBelow(home, accepts) };
    });
}

/** The truth of a run by model, in the form of `tokensByModel`; with all reasoning as output where files do not tell it. */
export function toldByModel(truth: Truth, noReasoning = false): Record<string, object> {
  return Object.fromEntries(
    Object.entries(truth.usageByModel).map(([model, told]) => {
      const inside = noReasoning ? 0 : (told.reasoning_in_output ?? 0);
      return [
        model,
        {
          calls: told.requests,
          input: told.input,
          cache_read: told.cache_read,
          cache_write: told.cache_write,
          output: (told.output as number) - inside,
          reasoning: told.thoughts_outside_output ?? inside,
          total: told.total,
        },
      ];
    }),
  );
}
