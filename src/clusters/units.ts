import { hashKey, keyText } from '../trace/keys.ts';
import { Kind, NO_ROW } from '../trace/kinds.ts';
import type { Trace } from '../trace/trace.ts';

/**
 * What is put into clusters: whole sessions (subagents belong to their main session), segments (the turn of a prompt, or
 * each task in it where marks name tasks), single model calls, or single tool calls.
 */
export const UNIT_KINDS = ['session', 'segment', 'call', 'tool'] as const;
export type UnitKind = (typeof UNIT_KINDS)[number];

export interface Unit {
  /** Tells the unit from all others, in every run; a hash, of no use without the history. */
  readonly key: string;
  /** Index of the main session. */
  readonly session: number;
  /** Rows of operations and effects, by time. */
  readonly rows: readonly number[];
}

/** The units of the selected rows, by the place of their first row in the files. Rows that belong to none are left out. */
export function unitsOf(trace: Trace, rows: Uint32Array, kind: UnitKind): Unit[] {
  const { ops, links } = trace;
  const keyOf = unitKeys(trace, kind);
  const groups = new Map<string, number[]>();
  for (const row of rows) {
    const key = keyOf(row);
    if (key === '') continue;
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  const rank = (row: number) => ops.fileRank[ops.file.get(row)] ?? 0;
  const before = (a: number, b: number) => rank(a) - rank(b) || ops.offset.get(a) - ops.offset.get(b) || a - b;
  const units = [...groups].map(([key, own]) => {
    const first = own.reduce((least, row) => (before(row, least) < 0 ? row : least));
    // What has no time stays where its file has it.
    own.sort(
      (a, b) => (ops.start.get(a) && ops.start.get(b) ? ops.start.get(a) - ops.start.get(b) : 0) || before(a, b),
    );
    return { unit: { key, session: links.root[ops.session.get(first)] as number, rows: own }, first };
  });
  return units.sort((a, b) => before(a.first, b.first)).map(({ unit }) => unit);
}

/** The key of the unit that each row belongs to; '' for none. */
export function unitKeys(trace: Trace, kind: UnitKind): (row: number) => string {
  const { ops, links } = trace;
  const sessions = ops.sessions.all;
  const known = new Map<string, string>();
  const hashed = (name: string): string => {
    let key = known.get(name);
    if (key === undefined) {
      const { high, low } = hashKey(name);
      known.set(name, (key = keyText(high, low)));
    }
    return key;
  };
  const sessionName = (row: number): string => {
    const session = sessions[links.root[ops.session.get(row)] as number];
    return `${session?.agent}\u0000${session?.id}`;
  };
  const at = (row: number): string => `${sessionName(row)}\u0000${ops.start.get(row)}\u0000${ops.offset.get(row)}`;
  switch (kind) {
    case 'session':
      return row => hashed(sessionName(row));
    case 'segment': {
      const tasks = (trace.field('task') ?? []).length > 0;
      return row => {
        const prompt = links.prompt[row] as number;
        const task = tasks ? trace.value('task', row) : '';
        return prompt === NO_ROW && task === ''
          ? ''
          : hashed(`${prompt === NO_ROW ? sessionName(row) : at(prompt)}\u0000${task}`);
      };
    }
    case 'call':
      return row => {
        const call = links.call[row] as number;
        return ops.kind.get(call) === Kind.call ? hashed(at(call)) : '';
      };
    case 'tool':
      return row => {
        const tool = links.tool[row] as number;
        return ops.kind.get(tool) === Kind.tool ? hashed(at(tool)) : '';
      };
  }
}
