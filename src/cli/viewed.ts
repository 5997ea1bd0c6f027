import { maskerFor } from '../privacy/mask.ts';
import { parseDeriveRule } from '../profile/derive.ts';
import type { Shown } from '../profile/fold.ts';
import type { View } from '../profile/views.ts';
import { UsageError } from '../trace/usage-error.ts';
import { derived, type History, readHistory } from './history.ts';
import { ID_FRAMES } from './ids.ts';
import type { HistoryFlags, MeaningFlags } from './options.ts';
import { viewOf } from './view.ts';

/** What every command that folds is told. */
export interface ViewFlags extends HistoryFlags, MeaningFlags {
  view: string;
  stack?: string;
  stackRule: string[];
  mask?: string;
}

export interface Viewed {
  readonly view: View;
  readonly history: History;
  /** The form in which values may leave: pseudonyms for ids and masked frames, secrets replaced. */
  readonly shown: Shown;
}

/** Reads what the flags select and readies it for folding: rules applied, masks checked. */
export async function readForView(flags: ViewFlags): Promise<Viewed> {
  const view = viewOf(flags.view, flags.stack);
  const masked = (flags.mask ?? '')
    .split(',')
    .map(kind => kind.trim())
    .filter(kind => kind !== '');
  if (flags.mask !== undefined && masked.length === 0)
    throw new UsageError('--mask: is empty, so nothing would be masked; name frames, for instance project,branch.');
  const rules = flags.stackRule.map(rule => parseDeriveRule(rule, '--stack-rule'));
  const history = await readHistory(flags, { meaning: flags, prices: flags.prices ?? true });
  for (const rule of rules) {
    if (!view.stack.includes(rule.name))
      throw new UsageError(
        `--stack-rule: the frame ${JSON.stringify(rule.name)} is not in the stack ${view.stack.join(',')}.`,
      );
    if (rule.name === 'token')
      throw new UsageError('--stack-rule: token frames are kinds of measure and cannot be renamed.');
  }
  const { trace, pseudonyms, redactor } = history;
  for (const [name, column] of await derived(trace, rules)) trace.override(name, { column, through: 'row' });
  for (const kind of masked) {
    if (!trace.field(kind))
      throw new UsageError(
        `--mask: there is no frame ${JSON.stringify(kind)}. Known frames: ${trace.names().join(', ')}.`,
      );
  }
  const mask = maskerFor(masked, pseudonyms);
  return {
    view,
    history,
    shown: (kind, value) =>
      ID_FRAMES.has(kind) ? pseudonyms.of(kind, value) : mask(kind, redactor.frame(kind, value)),
  };
}
