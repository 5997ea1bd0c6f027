/** One number of one cluster. */
export interface Gauge {
  readonly name: string;
  readonly help: string;
  readonly unit?: string;
  readonly values: readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[];
}

/**
 * OpenMetrics text 1.0: gauges with help and unit, then `# EOF`. node_exporter's textfile collector reads it as well, since
 * all of it is also valid in the older text format.
 */
export function openMetrics(gauges: readonly Gauge[]): string {
  const lines: string[] = [];
  for (const { name, help, unit, values } of gauges) {
    lines.push(`# TYPE ${name} gauge`);
    if (unit !== undefined) lines.push(`# UNIT ${name} ${unit}`);
    lines.push(`# HELP ${name} ${escaped(help)}`);
    for (const { labels, value } of values) {
      const named = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
      lines.push(
        `${name}${named.length === 0 ? '' : `{${named.join(',')}}`} ${Number.isFinite(value) ? value : 'NaN'}`,
      );
    }
  }
  lines.push('# EOF');
  return `${lines.join('\n')}\n`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}
