import { Flag } from '../../trace/flags.ts';
import { Kind } from '../../trace/kinds.ts';
import { TOKEN_COLUMNS, type TokenColumn } from '../../trace/measures.ts';
import type { Operations } from '../../trace/operations.ts';

type Tokens = Readonly<Record<TokenColumn, number>>;

/**
 * A stream tells the thread's running total at the end of each turn, also of a thread that was resumed, whose runs are
 * different files. Of all totals of a thread, in the order in which they grow, each turn's own part is what the one
 * before it had not. Equal totals are one (two copies of a stream). A total that is less in some kind than the one
 * before has restarted and stands for itself.
 */
export function settleTurns(out: Operations): void {
  const threads = new Map<number, number[]>();
  for (let row = 0; row < out.length; row++) {
    if (out.kind.get(row) !== Kind.call || !out.has(row, Flag.streamed) || out.has(row, Flag.unknownUsage)) continue;
    const session = out.session.get(row);
    if (out.sessions.all[session]?.agent !== 'codex') continue;
    const rows = threads.get(session);
    if (rows) rows.push(row);
    else threads.set(session, [row]);
  }
  for (const rows of threads.values()) {
    const totals = rows.map(row => ({ row, total: tokensAt(out, row) })).sort((a, b) => sum(a.total) - sum(b.total));
    let before: Tokens | undefined;
    let last: Tokens | undefined;
    for (const { row, total } of totals) {
      if (last === undefined || TOKEN_COLUMNS.some(name => total[name] !== (last as Tokens)[name])) {
        before = last;
        last = total;
      }
      const base = before !== undefined && TOKEN_COLUMNS.every(name => total[name] >= (before as Tokens)[name]);
      for (const name of TOKEN_COLUMNS) {
        out.tokens[name].set(row, base ? total[name] - (before as Tokens)[name] : total[name]);
      }
    }
  }
}

function tokensAt(out: Operations, row: number): Tokens {
  return Object.fromEntries(TOKEN_COLUMNS.map(name => [name, out.tokens[name].get(row)])) as Record<
    TokenColumn,
    number
  >;
}

function sum(tokens: Tokens): number {
  return TOKEN_COLUMNS.reduce((all, name) => all + tokens[name], 0);
}
