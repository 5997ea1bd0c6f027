import type { Profile } from '../profile/profile.ts';
import { measureIndex, selfOf } from '../profile/tree.ts';
import { foldedName, NO_FRAME } from './names.ts';
import { type Sink, TextChunks } from './sink.ts';

export interface FoldedOptions {
  /** The measure to write; the profile's own when absent. */
  readonly measure?: string | undefined;
}

/**
 * Writes folded stacks, one a line, root first: `agent:codex;prompt:debug 12`. Lines are sorted by UTF-16 units;
 * stacks that read alike are one line; zero lines are left out; a difference has negative ones. The value is an
 * exact integer in the measure's unit. Names keep their spaces: the value follows the last one.
 */
export function writeFolded(profile: Profile, sink: Sink, options: FoldedOptions = {}): void {
  const self = selfOf(profile, measureIndex(profile, options.measure));
  const { nodes } = profile;
  const names = profile.frames.map(foldedName);
  const paths: string[] = [''];
  const values = new Map<string, bigint>();
  for (let n = 0; n < nodes.parent.length; n++) {
    if (n > 0) {
      const name = names[nodes.frame[n]!]!;
      const up = nodes.parent[n]!;
      paths.push(up === 0 ? name : `${paths[up]!};${name}`);
    }
    const value = self[n]!;
    if (value === 0n) continue;
    const path = n === 0 ? NO_FRAME : paths[n]!;
    values.set(path, (values.get(path) ?? 0n) + value);
  }

  const out = new TextChunks(sink);
  for (const path of [...values.keys()].sort()) {
    const value = values.get(path)!;
    if (value !== 0n) out.add(`${path} ${value}\n`);
  }
  out.flush();
}
