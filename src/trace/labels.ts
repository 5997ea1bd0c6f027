import type { Sessions } from './sessions.ts';
import { UsageError } from './usage-error.ts';

/** One fact from outside: `field` of a session is `value`. */
export interface LabelFact {
  readonly session: string;
  readonly field: string;
  readonly value: string;
}

/**
 * Reads labels, CSV (a header with session, field, value; quotes as usual) or JSONL (objects with these keys). Throws
 * UsageError, which begins with `given`: the flag or the command that named the file.
 */
export function parseLabels(text: string, file: string, given = '--labels'): LabelFact[] {
  const body = text.replace(/^\uFEFF/, '');
  const place = `${given}: ${file}`;
  return body.trimStart().startsWith('{') ? fromLines(body, place) : fromTable(body, place);
}

function fromLines(text: string, place: string): LabelFact[] {
  const facts: LabelFact[] = [];
  text.split('\n').forEach((line, at) => {
    if (line.trim() === '') return;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      throw new UsageError(
        `${place}:${at + 1}: this line is not JSON. Write {"session":"...","field":"...","value":"..."}.`,
      );
    }
    facts.push(factOf(value as Record<string, unknown>, place, at + 1));
  });
  return facts;
}

function fromTable(text: string, place: string): LabelFact[] {
  const rows = parseCsv(text);
  const header = rows[0]?.cells.map(cell => cell.trim().toLowerCase()) ?? [];
  const at = ['session', 'field', 'value'].map(name => header.indexOf(name));
  if (at.includes(-1))
    throw new UsageError(
      `${place}:1: the header must name session, field and value; it says ${JSON.stringify(header.join(','))}.`,
    );
  return rows
    .slice(1)
    .map(row =>
      factOf(
        { session: row.cells[at[0] as number], field: row.cells[at[1] as number], value: row.cells[at[2] as number] },
        place,
        row.line,
      ),
    );
}

function factOf(value: Record<string, unknown> | null, place: string, line: number): LabelFact {
  const { session, field, value: fact } = value ?? {};
  if (
    typeof session !== 'string' ||
    session === '' ||
    typeof field !== 'string' ||
    !/^[\p{L}_][\p{L}\p{N}_.-]*$/u.test(field) ||
    fact === undefined ||
    fact === null
  ) {
    throw new UsageError(`${place}:${line}: wants a session, a field name and a value.`);
  }
  return { session, field, value: String(fact) };
}

function parseCsv(text: string): { cells: string[]; line: number }[] {
  const rows: { cells: string[]; line: number }[] = [];
  let cells: string[] = [];
  let cell = '';
  let quoted = false;
  let line = 1;
  let started = 1;
  const endRow = () => {
    cells.push(cell);
    if (cells.length > 1 || cells[0]?.trim() !== '') rows.push({ cells, line: started });
    cells = [];
    cell = '';
  };
  for (let i = 0; i < text.length; i++) {
    const c = text[i] as string;
    if (c === '\n') line++;
    if (quoted) {
      if (c !== '"') cell += c;
      else if (text[i + 1] === '"') cell += text[i++];
      else quoted = false;
    } else if (c === '"' && cell === '') quoted = true;
    else if (c === ',') {
      cells.push(cell);
      cell = '';
    } else if (c === '\n') {
      endRow();
      started = line;
    } else if (c !== '\r') cell += c;
  }
  endRow();
  return rows;
}

/** Joins facts to sessions; gives the selectors that fit no session. A fact of a main session holds for its subagents. */
export function joinLabels(
  sessions: Sessions,
  facts: readonly LabelFact[],
  matches: (selector: string, id: string) => boolean,
): string[] {
  const lost = new Set<string>();
  const bySelector = new Map<string, LabelFact[]>();
  for (const fact of facts) bySelector.set(fact.session, [...(bySelector.get(fact.session) ?? []), fact]);
  for (const [selector, own] of bySelector) {
    const exact = sessions.all.filter(session => session.id === selector);
    const found = exact.length > 0 ? exact : sessions.all.filter(session => matches(selector, session.id));
    if (found.length === 0) lost.add(selector);
    for (const session of found) {
      session.labels ??= new Map();
      for (const fact of own) session.labels.set(fact.field, fact.value);
    }
  }
  return [...lost];
}
