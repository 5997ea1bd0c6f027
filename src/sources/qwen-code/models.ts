import { keyText } from '../../trace/keys.ts';
import { Kind } from '../../trace/kinds.ts';
import type { Operations } from '../../trace/operations.ts';

/**
 * Rows of a subagent's own file name no model; the telemetry of the main file tells the same calls with it. Gives each
 * call without a model that of the row with its key.
 */
export function settleModels(out: Operations, agent: string): void {
  const nameless: number[] = [];
  const models = new Map<string, string>();
  const sessions = out.sessions.all;
  for (let row = 0; row < out.length; row++) {
    if (out.kind.get(row) !== Kind.call || sessions[out.session.get(row)]?.agent !== agent || !out.key.has(row))
      continue;
    const model = out.field.model.get(row);
    if (model === '') nameless.push(row);
    else if (sessions[out.session.get(row)]?.parent !== undefined) models.set(keyOf(out, row), model);
  }
  for (const row of nameless) out.field.model.set(row, models.get(keyOf(out, row)) ?? '');
}

function keyOf({ key }: Operations, row: number): string {
  return keyText(key.high[row] ?? 0, key.low[row] ?? 0);
}
