/** Ends a command before its work: what it would have sent to a model is all that is to be printed. */
export class DryRun extends Error {
  override readonly name = 'DryRun';
  readonly facts: Record<string, unknown>;
  /** In words, and as facts for `--json`. */
  constructor(text: string, facts: Record<string, unknown>) {
    super(text);
    this.facts = facts;
  }
}
