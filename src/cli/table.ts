import { cellsOf, padToCells } from '../formats/cells.ts';
import { displayText } from '../formats/names.ts';

export interface Column {
  readonly title: string;
  readonly right?: boolean;
  /** Widest it may become, in terminal cells. */
  readonly widest?: number;
}

/** A table for the terminal: columns as wide as their cells need, East-Asian width right, two spaces between. */
export function drawTable(columns: readonly Column[], given: readonly (readonly string[])[]): string {
  const rows = given.map(row => row.map(displayText));
  const widths = columns.map((column, at) =>
    Math.min(column.widest ?? 60, Math.max(cellsOf(column.title), ...rows.map(row => cellsOf(row[at] ?? '')))),
  );
  const draw = (cells: readonly string[]) =>
    columns
      .map((column, at) => {
        const cell = padToCells(cells[at] ?? '', widths[at] as number);
        return column.right ? ' '.repeat(cell.length - cell.trimEnd().length) + cell.trimEnd() : cell;
      })
      .join('  ')
      .trimEnd();
  return `${[draw(columns.map(column => column.title)), ...rows.map(draw)].join('\n')}\n`;
}

/** A number of bytes as people say it: 940 B, 1.2 MB. */
export function bytesInWords(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let at = 0;
  while (value >= 999.5 && at < units.length - 1) {
    value /= 1000;
    at++;
  }
  return `${at === 0 || value >= 99.95 ? Math.round(value) : value.toFixed(1)} ${units[at]}`;
}
