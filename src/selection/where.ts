import { amountsOf } from '../trace/amounts.ts';
import { MEASURES } from '../trace/measures.ts';
import type { Trace } from '../trace/trace.ts';
import { UsageError } from '../trace/usage-error.ts';
import { compilePatterns } from './patterns.ts';

/** True for rows to keep. */
export type Predicate = (row: number) => boolean;

type Operator = '=' | '!=' | '~' | '!~' | '>';

interface Condition {
  readonly text: string;
  readonly field: string;
  readonly operator: Operator;
  readonly operand: string;
}

/** `FIELD=VALUE[,VALUE]`, `FIELD!=VALUE`, `FIELD~REGEX`, `FIELD!~REGEX`, `MEASURE>N`. */
export function parseCondition(text: string, flag: string): Condition {
  const parts = /^\s*([^\s=!~>]+)\s*(!=|!~|=|~|>)([\s\S]*)$/.exec(text);
  if (!parts) {
    throw new UsageError(
      `${flag}: cannot read ${JSON.stringify(text)}. Write FIELD=VALUE[,VALUE], FIELD!=VALUE, FIELD~REGEX, FIELD!~REGEX or MEASURE>N.`,
    );
  }
  if (parts[2] === '=' && (parts[3] as string).startsWith('~'))
    throw new UsageError(
      `${flag}: ${JSON.stringify(text)} asks for a value that begins with "~"; a pattern is written ${parts[1]}~${(parts[3] as string).slice(1)}.`,
    );
  return { text, field: parts[1] as string, operator: parts[2] as Operator, operand: (parts[3] as string).trim() };
}

/**
 * Compiles `--where` conditions; all must hold. An absent field equals no value, so `!=VALUE` and `!~` keep it; it is what `FIELD=`
 * alone keeps and `FIELD!=` alone does not.
 */
export async function compileConditions(
  trace: Trace,
  texts: readonly string[],
  flag = '--where',
): Promise<Predicate | undefined> {
  const predicates: Predicate[] = [];
  for (const text of texts) predicates.push(await compileCondition(trace, parseCondition(text, flag), flag));
  if (predicates.length === 0) return undefined;
  return row => predicates.every(predicate => predicate(row));
}

async function compileCondition(trace: Trace, condition: Condition, flag: string): Promise<Predicate> {
  const { field, operator, operand } = condition;
  if (operator === '>') return measureAbove(trace, condition, flag);
  const fields = trace.field(field);
  if (!fields)
    throw new UsageError(
      `${flag}: there is no field ${JSON.stringify(field)}. Known fields: ${trace.names().join(', ')}.`,
    );
  const accepts = operator.endsWith('~') ? await matcher(operand, flag) : oneOf(operand);
  const wanted = !operator.startsWith('!');
  const absent = operand === '' && operator.endsWith('=');
  const known = new Map<string, boolean>();
  return row => {
    const value = trace.value(field, row);
    let accepted = known.get(value);
    if (accepted === undefined) known.set(value, (accepted = value === '' ? absent : accepts(value)));
    return accepted === wanted;
  };
}

async function matcher(pattern: string, flag: string): Promise<(value: string) => boolean> {
  const set = await compilePatterns([{ pattern, flag }]);
  return value => set(value) >= 0;
}

function oneOf(operand: string): (value: string) => boolean {
  const values = new Set([operand, ...operand.split(',').map(value => value.trim())]);
  return value => values.has(value);
}

function measureAbove(trace: Trace, condition: Condition, flag: string): Predicate {
  const at = MEASURES.findIndex(measure => measure.name === condition.field);
  if (at < 0) {
    throw new UsageError(
      `${flag}: ${JSON.stringify(condition.field)} is not a measure. Measures: ${MEASURES.map(measure => measure.name).join(', ')}.`,
    );
  }
  const limit = Number(condition.operand);
  if (condition.operand === '' || Number.isNaN(limit))
    throw new UsageError(`${flag}: ${JSON.stringify(condition.text)} wants a number after ">".`);
  const scale = condition.field === 'cost' ? 1000 : 1;
  const amounts = amountsOf(trace);
  const spread = condition.field === 'time' ? trace.spread : undefined;
  return row => {
    const whole = spread?.get(row);
    if (whole !== undefined) return whole > limit;
    let sum = 0;
    amounts(row, (_, values) => {
      sum += values[at] as number;
    });
    return sum > limit * scale;
  };
}
