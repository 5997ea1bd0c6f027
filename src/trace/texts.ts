/**
 * Free text that only taggers, segmenters and clusters need, kept apart from the numbers. What nobody asked for
 * is dropped at once; prompts are always kept, because the default tagger reads them.
 */
export type TextKind = 'prompt' | 'call' | 'command' | 'result';

/** Texts by row; those of rows `first` to `end` where it is asked for less than all. It may give more. */
export type TextSource = (first?: number, end?: number) => Iterable<readonly [row: number, text: string]>;

export class Texts {
  private readonly wanted: ReadonlySet<TextKind>;
  private readonly texts: Record<TextKind, Map<number, string>> = {
    prompt: new Map(),
    call: new Map(),
    command: new Map(),
    result: new Map(),
  };
  private readonly elsewhere = new Map<TextKind, TextSource>();
  private readonly fetched = new Map<TextKind, Map<number, string>>();
  /** The rows of a kind by rising number, for as many texts as there were. */
  private sorted: { readonly kind: TextKind; readonly size: number; readonly rows: Uint32Array } | undefined;
  private before: ((kind: TextKind, row: number) => string | undefined) | undefined;

  constructor(wanted: Iterable<TextKind> = ['prompt']) {
    this.wanted = new Set(wanted);
  }

  wants(kind: TextKind): boolean {
    return this.wanted.has(kind);
  }

  kinds(): TextKind[] {
    return [...this.wanted];
  }

  /** Texts of a kind that are kept elsewhere: they are fetched when one of the kind is first asked for. */
  stored(kind: TextKind, source: TextSource): void {
    this.elsewhere.set(kind, source);
  }

  /** What rows said that are not here: what is put to one of them is added to that. */
  goOn(before: (kind: TextKind, row: number) => string | undefined): void {
    this.before = before;
  }

  /** Several texts of one row and kind (the blocks of one answer) are joined by a newline. */
  put(kind: TextKind, row: number, text: string): void {
    if (!this.wanted.has(kind) || text === '') return;
    const at = this.texts[kind];
    const before = at.get(row) ?? this.before?.(kind, row);
    at.set(row, before === undefined ? text : `${before}\n${text}`);
  }

  get(kind: TextKind, row: number): string {
    return this.texts[kind].get(row) ?? this.fetch(kind)?.get(row) ?? '';
  }

  private fetch(kind: TextKind): ReadonlyMap<number, string> | undefined {
    const source = this.elsewhere.get(kind);
    let texts = this.fetched.get(kind);
    if (source && !texts) this.fetched.set(kind, (texts = new Map(source())));
    return texts;
  }

  /** The texts of rows `first` to `end`; those kept elsewhere are fetched for them alone. */
  *in(kind: TextKind, first: number, end: number): Generator<readonly [row: number, text: string]> {
    const source = this.elsewhere.get(kind);
    for (const each of source ? source(first, end) : this.texts[kind])
      if (each[0] >= first && each[0] < end) yield each;
  }

  /** The texts that were put here, without those kept elsewhere. */
  here(kind: TextKind): ReadonlyMap<number, string> {
    return this.texts[kind];
  }

  /** The same of rows `first` to `end`, by rising row. */
  *hereIn(kind: TextKind, first: number, end: number): Generator<readonly [row: number, text: string]> {
    const texts = this.texts[kind];
    if (this.sorted?.size !== texts.size || this.sorted.kind !== kind)
      this.sorted = { kind, size: texts.size, rows: Uint32Array.from(texts.keys()).sort() };
    const { rows } = this.sorted;
    for (let at = firstAtOrAfter(rows, first); at < rows.length && (rows[at] as number) < end; at++)
      yield [rows[at] as number, texts.get(rows[at] as number) as string];
  }

  /** Forgets the texts that were put here. */
  clear(): void {
    this.before = undefined;
    this.sorted = undefined;
    for (const kind of this.wanted) this.texts[kind].clear();
  }

  /** Takes over the texts of a block whose first row is `first` here. */
  take(block: Texts, first: number): void {
    for (const kind of this.wanted) for (const [row, text] of block.here(kind)) this.put(kind, first + row, text);
  }
}

/** The first place in rising numbers that has `least` or more. */
export function firstAtOrAfter(numbers: ArrayLike<number>, least: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] as number) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
