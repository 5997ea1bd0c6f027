import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { SearchPlan } from '../sources/find.ts';
import type { Whereabouts } from '../sources/reader.ts';
import type { Searched } from './stored.ts';

/**
 * What a plan searches, for the name of its pack. Which agents were asked for does not count: everybody's histories
 * are read, and the selection keeps theirs.
 */
export function searchedBy(
  plan: SearchPlan,
  readers: readonly Whereabouts[],
  operationFiles: readonly string[],
): Searched {
  const named = plan.sessionFiles.length + plan.sessionDirs.length + operationFiles.length > 0;
  const roots = plan.homes.flatMap(home =>
    readers.flatMap(reader =>
      reader.roots(home.path, home.env).map(root => [reader.agent, root.path, home.host ?? ''].join(' ').trimEnd()),
    ),
  );
  return {
    roots: named ? [] : sorted(roots),
    files: sorted(plan.sessionFiles.map(file => resolve(file))),
    directories: sorted(plan.sessionDirs.map(directory => resolve(directory))),
    operations: sorted(operationFiles.map(file => resolve(file))),
    archive: plan.archive ?? '',
    variants: sorted(readers.flatMap(({ agent, variant }) => (variant === undefined ? [] : [`${agent} ${variant}`]))),
  };
}

function sorted(paths: readonly string[]): string[] {
  return [...new Set(paths)].sort();
}

/** The name of the pack of a search: 32 hex digits. */
export function nameOf(searched: Searched): string {
  return createHash('sha256').update(JSON.stringify(searched)).digest('hex').slice(0, 32);
}
