import { Kind } from '../../trace/kinds.ts';
import type { TextKind } from '../../trace/texts.ts';
import type { Trace } from '../../trace/trace.ts';
import type { Unit } from '../units.ts';
import { roughCount, roughTime } from './rounded.ts';

/** Raised when the same operations give another text, so that vectors of two templates never mix. */
export const TEMPLATE_VERSION = 1;

/** The texts that must be kept while reading. */
export const TEMPLATE_TEXTS: readonly TextKind[] = ['prompt', 'command'];

const MOST_PARAMETERS = 3;
const LONGEST_PARAMETER = 50;

/** What a unit amounted to, as the text says it. */
export interface Totals {
  /** Undefined where nothing tells. */
  readonly failed: boolean | undefined;
  /** First start to last end; 0 where the agent wrote no times. */
  readonly micros: number;
  readonly tokens: number;
}

/**
 * The text that stands for a unit when units are compared: what people asked, whole; each tool call as a step with at
 * most three parameters of 50 characters; outcome, duration and tokens, roughly. No results, no logs, nothing that the
 * agent said. Equal steps behind each other are said once with their number.
 */
export function textOf(trace: Trace, unit: Unit, totals: Totals): string {
  const { ops } = trace;
  const effects = effectsOf(trace, unit);
  const lines: string[] = [];
  let last = '';
  let times = 0;
  const endSteps = (): void => {
    if (times > 0) lines.push(times > 1 ? `${last} x${times}` : last);
    times = 0;
  };
  for (const row of unit.rows) {
    const kind = ops.kind.get(row);
    if (kind === Kind.prompt) {
      const text = ops.texts.get('prompt', row).trim();
      if (text === '') continue;
      endSteps();
      lines.push(`user: ${text}`);
    } else if (kind === Kind.tool) {
      const step = stepOf(trace, row, effects.get(row) ?? []);
      if (step !== last) endSteps();
      last = step;
      times++;
    }
  }
  endSteps();
  if (totals.failed !== undefined) lines.push(`outcome: ${totals.failed ? 'failed' : 'ok'}`);
  if (totals.micros > 0) lines.push(`duration: about ${roughTime(totals.micros)}`);
  if (totals.tokens > 0) lines.push(`tokens: about ${roughCount(totals.tokens)}`);
  return lines.join('\n');
}

/** `Bash(npm test)`, `Edit(src/a.ts) error`. */
export function stepOf(trace: Trace, row: number, effects: readonly number[]): string {
  const { ops } = trace;
  const { field } = ops;
  const parameters = new Set<string>();
  const add = (text: string): void => {
    const line = cut(text);
    if (line !== '' && parameters.size < MOST_PARAMETERS) parameters.add(line);
  };
  add(ops.texts.get('command', row) || field.command.get(row));
  for (const each of [row, ...effects]) add(field.file.get(each));
  for (const each of [row, ...effects]) add(field.domain.get(each));
  const status = field.status.get(row);
  const end = status === '' || status === 'ok' ? '' : ` ${status}`;
  return `${field.tool.get(row) || 'tool'}(${[...parameters].join(', ')})${end}`;
}

function cut(text: string): string {
  const line = text
    .slice(0, 4 * LONGEST_PARAMETER)
    .replace(/\s+/g, ' ')
    .trim();
  return [...line].slice(0, LONGEST_PARAMETER).join('');
}

/** Effect rows of the unit by the tool call that had them. */
function effectsOf(trace: Trace, unit: Unit): Map<number, number[]> {
  const effects = new Map<number, number[]>();
  for (const row of unit.rows) {
    if (trace.ops.kind.get(row) !== Kind.effect) continue;
    const tool = trace.links.tool[row] as number;
    const own = effects.get(tool);
    if (own) own.push(row);
    else effects.set(tool, [row]);
  }
  return effects;
}
