import type { Report } from '../clusters/report.ts';
import { displayText } from '../formats/names.ts';
import { counted } from '../trace/counted.ts';
import { filledColumns, notesOf, percent } from './cluster-words.ts';

/** The report as Markdown: the table, then each cluster with what speaks for it. */
export function markdownReport(report: Report): string {
  const { titles, rows } = filledColumns(report);
  const lines = [
    `# Clusters of ${report.units.toLocaleString('en-US')} ${report.unit}s`,
    '',
    ...table(titles, rows),
    '',
    ...notesOf(report).map(note => `- ${plain(note)}`),
    '',
  ];
  for (const cluster of report.clusters) {
    if (cluster.id === 0) continue;
    lines.push(`## ${cluster.id} ${plain(cluster.label)}`, '');
    if (cluster.terms.length > 0) lines.push(`- Telling: ${cluster.terms.map(plain).join(', ')}`);
    for (const [title, list] of [
      ['Tools', cluster.tools],
      ['Files', cluster.files],
    ] as const) {
      const said = list.map(
        ({ name, units, times }) => `${plain(name)} (${counted(times, 'time')} in ${percent(units / cluster.units)})`,
      );
      if (said.length > 0) lines.push(`- ${title}: ${said.join(', ')}`);
    }
    for (const [title, examples] of [
      ['Typical', cluster.central],
      ['At the edge', cluster.edge],
    ] as const) {
      const said = examples.map(({ session, text }) => (text === undefined ? session : `${session}: ${plain(text)}`));
      if (said.length > 0)
        lines.push(`- ${title}: ${said.join(examples.some(({ text }) => text !== undefined) ? '; ' : ', ')}`);
    }
    lines.push('');
  }
  if (report.by) {
    const { by } = report;
    lines.push(
      `## By ${plain(by.field)}`,
      '',
      ...table(
        ['#', 'cluster', ...by.periods.map(({ period, units }) => `${period} (${units})`)],
        by.clusters.map(({ id, label, periods }) => [
          id === 0 ? '' : String(id),
          label,
          ...periods.map(
            ({ share, change }) => `${change === 'same' || change === '' ? '' : `${change} `}${percent(share)}`,
          ),
        ]),
      ),
      '',
    );
  }
  return lines.join('\n');
}

function table(titles: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.map(plain).join(' | ')} |`;
  return [line(titles), `|${titles.map(() => '---').join('|')}|`, ...rows.map(line)];
}

/** Names are data: nothing in them is markup. */
function plain(text: string): string {
  return displayText(text).replace(/[\\`*_{}[\]<>|#]/g, '\\$&');
}
