import { Flag } from '../../trace/flags.ts';
import { Kind } from '../../trace/kinds.ts';
import type { Operations } from '../../trace/operations.ts';
import { isToldElsewhere } from '../streams.ts';
import { AGENT } from './context.ts';
import { COUNTER } from './counters.ts';

/** A main session that holds running totals, with all that its subagents did. */
export interface Family {
  readonly session: number;
  /** Rows of running totals, one a model. */
  readonly counters: number[];
  /** Calls by key: the one with the largest output of equal ones. */
  readonly calls: Map<number, number>;
  /** Residual calls that an earlier settling made. */
  readonly inferred: number[];
  /** The latest compaction; -1 if there was none. */
  compaction: number;
  /** Its history is another session's, or another's is its own and nothing tells which came first. */
  forked: boolean;
}

/** Families of all sessions with running totals; empty, and cheap, where no session has any. */
export function families(out: Operations): Family[] {
  const code = out.field.event.find(COUNTER);
  if (code === undefined) return [];
  const roots = rootSessions(out);
  const found = new Map<number, Family>();
  for (let row = 0; row < out.length; row++) {
    if (out.field.event.codeAt(row) !== code || out.kind.get(row) !== Kind.event) continue;
    if (isToldElsewhere(out, row)) continue;
    const root = roots[out.session.get(row)] as number;
    if (root < 0) continue;
    let family = found.get(root);
    if (family === undefined) {
      const forked = out.sessions.all[root]?.forkedFrom !== undefined;
      family = { session: root, counters: [], calls: new Map(), inferred: [], compaction: -1, forked };
      found.set(root, family);
    }
    family.counters.push(row);
  }
  gather(out, roots, found);
  return [...found.values()];
}

function gather(out: Operations, roots: Int32Array, found: Map<number, Family>): void {
  const compaction = out.field.event.find('compaction');
  const first = new Map<number, number>();
  for (let row = 0; row < out.length; row++) {
    const kind = out.kind.get(row);
    if (kind !== Kind.call && kind !== Kind.event) continue;
    if (isToldElsewhere(out, row)) continue;
    const root = roots[out.session.get(row)] as number;
    if (root < 0) continue;
    const family = found.get(root);
    if (kind === Kind.event) {
      if (family && out.field.event.codeAt(row) === compaction && out.session.get(row) === root)
        family.compaction = row;
    } else if (out.has(row, Flag.inferred)) family?.inferred.push(row);
    else if (out.key.has(row)) {
      const key = (out.key.high[row] as number) * 0x200000 + ((out.key.low[row] as number) >>> 11);
      meet(out, roots, found, first, key, row, root);
      const before = family?.calls.get(key);
      if (family && (before === undefined || outputAt(out, row) > outputAt(out, before))) family.calls.set(key, row);
    }
  }
}

/** Two sessions hold one call: the later one, by its time, or by what its file says, repeats the other's history. */
function meet(
  out: Operations,
  roots: Int32Array,
  found: Map<number, Family>,
  first: Map<number, number>,
  key: number,
  row: number,
  root: number,
): void {
  const other = first.get(key);
  if (other === undefined) {
    first.set(key, row);
    return;
  }
  const otherRoot = roots[out.session.get(other)] as number;
  if (otherRoot === root) return;
  const mine = out.sessions.all[root];
  const theirs = out.sessions.all[otherRoot];
  const later = out.start.get(row) - out.start.get(other);
  const mineRepeats = later > 0 || mine?.forkedFrom !== undefined;
  const theirsRepeats = later < 0 || theirs?.forkedFrom !== undefined;
  if (mineRepeats || !theirsRepeats) markForked(found, root);
  if (theirsRepeats || !mineRepeats) markForked(found, otherRoot);
}

function markForked(found: Map<number, Family>, root: number): void {
  const family = found.get(root);
  if (family) family.forked = true;
}

export function outputAt(out: Operations, row: number): number {
  return out.tokens.output_tokens.get(row) + out.tokens.reasoning_tokens.get(row);
}

/** By session: the main session above it; -1 for other agents. Deeper nests and cycles of parents are cut. */
function rootSessions(out: Operations): Int32Array {
  const { all } = out.sessions;
  return Int32Array.from(all, (session, at) => {
    if (session.agent !== AGENT) return -1;
    let top = at;
    for (let steps = 0; steps < 64; steps++) {
      const parent = all[top]?.parent;
      const up = parent === undefined ? undefined : out.sessions.find(AGENT, parent);
      if (up === undefined || up === at) break;
      top = up;
    }
    return top;
  });
}
