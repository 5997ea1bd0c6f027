/** One name of OpenMetrics text with its samples: by labels a sum of whole units. */
export class MetricFamily {
  readonly name: string;
  private readonly type: 'counter' | 'gauge';
  private readonly nanos: boolean;
  private readonly head: string;
  private readonly sums = new Map<string, bigint>();

  /** `nanos`: the sums are billionths of the unit. */
  constructor(name: string, unit: string, help: string, type: 'counter' | 'gauge' = 'counter', nanos = false) {
    this.name = name;
    this.type = type;
    this.nanos = nanos;
    this.head = `# TYPE ${name} ${type}\n${unit === '' ? '' : `# UNIT ${name} ${unit}\n`}# HELP ${name} ${help}\n`;
  }

  add(labels: Readonly<Record<string, string>>, value: bigint): void {
    const text = Object.entries(labels)
      .map(([key, label]) => `${key}="${escaped(label)}"`)
      .join(',');
    this.put(text, (this.sums.get(text) ?? 0n) + value);
  }

  /** Adds the sums of the same family of something else. */
  include(other: MetricFamily): void {
    for (const [labels, sum] of other.sums) this.put(labels, (this.sums.get(labels) ?? 0n) + sum);
  }

  /** A counter that was told may not go down, nor go: where it would, it stays. */
  neverBelow(before: MetricFamily): void {
    for (const [labels, sum] of before.sums) if (sum > (this.sums.get(labels) ?? -1n)) this.put(labels, sum);
  }

  toString(): string {
    const suffix = this.type === 'counter' ? '_total' : '';
    const lines = [...this.sums].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    return this.head + lines.map(([labels, sum]) => `${this.name}${suffix}{${labels}} ${this.number(sum)}\n`).join('');
  }

  private put(labels: string, sum: bigint): void {
    this.sums.set(labels, sum);
  }

  private number(sum: bigint): string {
    if (!this.nanos) return String(sum);
    const text = String(sum).padStart(10, '0');
    return `${text.slice(0, -9)}.${text.slice(-9)}`;
  }
}

/** The name of anything may stand in a label. What is no text (half a surrogate pair) becomes U+FFFD. */
function escaped(label: string): string {
  return Buffer.from(label).toString().replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
