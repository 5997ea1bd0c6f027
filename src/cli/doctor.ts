import { homedir } from 'node:os';
import { archiveDirectory } from '../sources/archived.ts';
import { discover } from '../sources/discover.ts';
import { READERS } from '../sources/registry.ts';
import { counted } from '../trace/counted.ts';
import { homesToSearch } from './homes.ts';
import type { HistoryFlags } from './options.ts';
import { shownPath } from './shown-path.ts';
import { drawTable } from './table.ts';
import { VERSION } from './version.ts';

/** Every place that was looked at, and what came of it. */
export async function doctor(flags: HistoryFlags & { fullPaths?: boolean; json?: boolean }): Promise<void> {
  const found = discover(
    {
      homes: homesToSearch(flags.home),
      sessionFiles: flags.sessionFile,
      sessionDirs: flags.sessionDir,
      agents: flags.agent,
      archive: archiveDirectory(process.env, homedir()),
    },
    READERS,
    flags.operationFile,
  );
  const shown = flags.fullPaths ? (path: string) => path : shownPath;
  const settings = typeof flags.settings === 'object' ? flags.settings : undefined;
  if (flags.json) {
    const report = {
      schema: 'agentpprof.doctor/1',
      version: VERSION,
      node: process.versions.node,
      places: found.places.map(place => ({ ...place, path: shown(place.path) })),
      files: found.files.length,
      bytes: found.files.reduce((sum, file) => sum + file.size, 0),
      unknown: found.unknown.map(shown),
      problems: found.problems.map(shown),
      settings: settings && { file: shown(settings.file), flags: settings.flags },
    };
    process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
    return;
  }
  const lines = [`agentpprof ${VERSION} on Node ${process.versions.node}`, ''];
  const several = found.places.some(({ host }) => host !== undefined);
  const rows = found.places.map(place => [
    ...(several ? [place.host ?? ''] : []),
    place.agent || 'any',
    shown(place.path),
    place.from,
    place.state === 'searched' ? (place.taken > 0 ? 'found' : 'no sessions') : place.state,
    place.state === 'searched' ? `${place.taken} of ${place.files}` : '',
  ]);
  lines.push(
    drawTable(
      [
        ...(several ? [{ title: 'host' }] : []),
        { title: 'agent' },
        { title: 'place', widest: 70 },
        { title: 'from' },
        { title: 'state' },
        { title: 'sessions', right: true },
      ],
      rows,
    ),
  );
  lines.push(
    `${counted(found.files.length, 'session file')}, ${Math.round(found.files.reduce((sum, file) => sum + file.size, 0) / 1e5) / 10} MB`,
  );
  if (settings)
    lines.push(`settings: ${shown(settings.file)} (${settings.flags.join(', ') || 'nothing for this command'})`);
  if (found.unknown.length > 0) {
    lines.push('', `unknown source: ${counted(found.unknown.length, 'file')} that no reader knows`);
    for (const path of found.unknown.slice(0, 10)) lines.push(`  ${shown(path)}`);
  }
  for (const problem of found.problems) lines.push(`problem: ${shown(problem)}`);
  process.stdout.write(`${lines.join('\n')}\n`);
}
