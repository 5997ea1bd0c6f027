import { displayText } from '../formats/names.ts';
import { counted } from '../trace/counted.ts';
import type { History } from './history.ts';
import { shownPath } from './shown-path.ts';

/** What an empty result says: each place that was looked at and why nothing counted. On standard error. */
export function emptyReport(history: History): string {
  const { ledgers, places } = history;
  const { discovery } = history.histories;
  const lines: string[] = [];
  for (const place of places) {
    const what =
      place.state === 'searched' ? `${counted(place.files, 'file')}, sessions among them: ${place.taken}` : place.state;
    lines.push(
      `  ${shownPath(place.path)} (${[place.agent, place.from].filter(part => part !== '').join(', ')}): ${what}`,
    );
  }
  if (discovery.unknown.length > 0)
    lines.push(
      `  of no known agent: ${counted(discovery.unknown.length, 'file')}, first ${shownPath(discovery.unknown[0] as string)}`,
    );
  if (ledgers.length > 0) {
    const narrowed =
      history.narrowed.length > 0
        ? `the selection (${history.narrowed.join(', ')}) keeps none of them`
        : 'they hold no operations';
    lines.push(
      `  read: ${counted(ledgers.length, 'file')} with ${counted(history.trace.ops.length, 'operation')}; ${narrowed}`,
    );
    const roots = projectsFound(history);
    if (roots.length > 0 && history.narrowed.length > 0)
      lines.push(
        `  projects found: ${roots.slice(0, 12).join(', ')}${roots.length > 12 ? ` and ${roots.length - 12} more` : ''}`,
      );
  }
  if (lines.length === 0) return 'No operations selected.\n';
  return `No operations selected. Looked at:\n${lines.map(line => `  ${displayText(line.trim())}`).join('\n')}\n`;
}

/** For commands whose result says nothing of where it came from. */
export function hintIfEmpty(history: History): void {
  if (history.rows.length === 0) process.stderr.write(emptyReport(history));
}

function projectsFound(history: History): string[] {
  const roots = new Set<string>();
  for (const session of history.trace.ops.sessions.all) if (session.roots?.[0]) roots.add(shownPath(session.roots[0]));
  return [...roots].sort();
}
