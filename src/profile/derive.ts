import { StringColumn } from '../trace/columns.ts';
import { NO_ROW } from '../trace/kinds.ts';
import { MEASURES } from '../trace/measures.ts';
import type { Trace } from '../trace/trace.ts';
import { UsageError } from '../trace/usage-error.ts';

/** `NAME:LABEL=REGEX`: gives field or frame NAME the value LABEL where REGEX matches one `key=value` of the operation. */
export interface DeriveRule {
  readonly name: string;
  readonly label: string;
  readonly pattern: string;
  readonly flag: string;
}

/** Index of the first of some patterns that matches a text, or -1. */
type FirstMatch = (text: string) => number;

export function parseDeriveRule(text: string, flag: string): DeriveRule {
  const parts = /^([^:=\s]+):([^=]+)=([\s\S]+)$/.exec(text);
  if (!parts)
    throw new UsageError(
      `${flag}: cannot read ${JSON.stringify(text)}. Write NAME:LABEL=REGEX, for instance phase:test=command=.*test.`,
    );
  if (MEASURES.some(({ name }) => name === parts[1]))
    throw new UsageError(`${flag}: ${parts[1]} is a measure, which rules cannot give; name the field otherwise.`);
  return { name: parts[1] as string, label: (parts[2] as string).trim(), pattern: parts[3] as string, flag };
}

/**
 * The derived column of each name: for every row the label of the first rule (in order) that matches any of its
 * `key=value` pairs. Values are matched once each, not once a row.
 */
export function deriveColumns(
  trace: Trace,
  rules: readonly DeriveRule[],
  firstMatch: (rules: readonly DeriveRule[]) => FirstMatch,
): Map<string, StringColumn> {
  const columns = new Map<string, StringColumn>();
  for (const name of new Set(rules.map(rule => rule.name))) {
    const own = rules.filter(rule => rule.name === name);
    columns.set(name, deriveColumn(trace, own, firstMatch(own)));
  }
  return columns;
}

function deriveColumn(trace: Trace, rules: readonly DeriveRule[], match: FirstMatch): StringColumn {
  const sources = trace.names().flatMap(name =>
    (trace.field(name) ?? []).map(field => {
      const hits = field.column.values.map((value, code) => (code === 0 ? -1 : match(`${name}=${value}`)));
      return { field, hits, any: hits.some(hit => hit >= 0) };
    }),
  );
  const useful = sources.filter(source => source.any);
  const column = new StringColumn();
  if (useful.length === 0) return column;
  const codes = rules.map(rule => column.code(rule.label));
  for (let row = 0; row < trace.ops.length; row++) {
    let first = rules.length;
    for (const { field, hits } of useful) {
      const at = trace.reach(field.through, row);
      const hit = at === NO_ROW ? -1 : (hits[field.column.codeAt(at)] ?? -1);
      if (hit >= 0 && hit < first) first = hit;
    }
    if (first < rules.length) column.setCode(row, codes[first] as number);
  }
  return column;
}
