/**
 * What a tool call's input says it touched, in the agent's own words. `effects/` turns these into effect operations
 * after reading (shell syntax needs a parser that loads once); nothing here is shown.
 *
 * - `read`, `write`, `create`, `delete`, `move`: a path as the tool was given it (relative to the row's cwd);
 *   `move` has the target in `other`.
 * - `url`: a full URL; `host`: a bare host name; `search`: a web search (no host known: the provider's).
 * - `shell`: a command line for a POSIX-like shell; `other` is its working directory if not the row's cwd.
 */
export type TouchKind = 'read' | 'write' | 'create' | 'delete' | 'move' | 'url' | 'host' | 'search' | 'shell';

export class Touches {
  readonly rows: number[] = [];
  readonly kinds: TouchKind[] = [];
  readonly values: string[] = [];
  readonly others: string[] = [];
  /** One string of all equal ones: an agent reads the same files and runs the same commands over and over. */
  private words = new Map<string, string>();
  private shared = false;

  /** Without touches, beside others that it will be taken over by: both keep the same strings. */
  static beside(whole: Touches): Touches {
    const touches = new Touches();
    touches.words = whole.words;
    touches.shared = true;
    return touches;
  }

  get length(): number {
    return this.rows.length;
  }

  add(row: number, kind: TouchKind, value: string, other = ''): void {
    if (value === '') return;
    this.rows.push(row);
    this.kinds.push(kind);
    this.values.push(this.word(value));
    this.others.push(other === '' ? other : this.word(other));
  }

  private word(value: string): string {
    const known = this.words.get(value);
    if (known !== undefined) return known;
    this.words.set(value, value);
    return value;
  }

  /** Takes over the touches of a block whose first row is `first` here. */
  take(block: Touches, first: number): void {
    this.takePart(block, 0, block.length, first);
  }

  /** Takes over touches `from` to `to` of others, whose rows are `by` further on here. */
  takePart(block: Touches, from: number, to: number, by: number): void {
    for (let i = from; i < to; i++) {
      this.add(
        by + (block.rows[i] as number),
        block.kinds[i] as TouchKind,
        block.values[i] as string,
        block.others[i] as string,
      );
    }
  }

  clear(): void {
    this.rows.length = this.kinds.length = this.values.length = this.others.length = 0;
    if (!this.shared) this.words = new Map();
  }
}
