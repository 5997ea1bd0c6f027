/**
 * Free text that only taggers, segmenters and clusters need, kept apart from the numbers. What nobody asked for
 * is dropped at once; prompts are always kept, because the default tagger reads them.
 */
export type TextKind = 'prompt' | 'call' | 'command' | 'result';

export class Texts {
  private readonly wanted: ReadonlySet<TextKind>;
  private readonly texts: Record<TextKind, Map<number, string>> = {
    prompt: new Map(),
    call: new Map(),
    command: new Map(),
    result: new Map(),
  };

  constructor(wanted: Iterable<TextKind> = ['prompt']) {
    this.wanted = new Set(wanted);
  }

  wants(kind: TextKind): boolean {
    return this.wanted.has(kind);
  }

  /** Several texts of one row and kind (the blocks of one answer) are joined by a newline. */
  put(kind: TextKind, row: number, text: string): void {
    if (!this.wanted.has(kind) || text === '') return;
    const at = this.texts[kind];
    const before = at.get(row);
    at.set(row, before === undefined ? text : `${before}\n${text}`);
  }

  get(kind: TextKind, row: number): string {
    return this.texts[kind].get(row) ?? '';
  }
}
