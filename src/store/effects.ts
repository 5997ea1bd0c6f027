import type { Gathered } from '../sources/gathered.ts';
import { beside, copyRows, copyStretches, placeRows } from '../trace/blocks.ts';
import { Kind } from '../trace/kinds.ts';
import type { Operations } from '../trace/operations.ts';
import { Texts } from '../trace/texts.ts';
import type { EarlierHistory } from './earlier.ts';
import { PackError } from './pack.ts';

/**
 * Attaches the effects of what was just read and takes over those of an earlier run, in the order in which one
 * attaching of everything has them: by the tool call they belong to.
 */
export async function attach(gathered: Gathered, earlier: EarlierHistory | undefined): Promise<void> {
  const { ops } = gathered;
  const first = ops.length;
  const before = earlier ? rowsWithEffects(gathered, earlier) : undefined;
  if (earlier) keepEffects(gathered, earlier);
  const kept = ops.length;
  const roots = (session: number) => ({ roots: ops.sessions.all[session]?.roots ?? [] });
  if (mayHaveEffects(ops)) {
    const { attachEffects } = await import('../effects/attach.ts');
    await attachEffects(ops, roots, before ? { attached: before } : {});
  }
  if (!merge(ops, first, kept)) throw new PackError(earlier?.stored.path ?? '', 'has effects in no order');
}

/** Without touches, calls and servers of tools there is nothing to attach, and what would do it is slow to load. */
function mayHaveEffects(ops: Operations): boolean {
  return ops.touches.length > 0 || ops.field.mcp_server.values.length > 1 || ops.hasKind(Kind.call);
}

/** 1 for rows that an earlier run has seen. */
function rowsWithEffects({ discovery, files, ops }: Gathered, earlier: EarlierHistory): Uint8Array {
  const rows = new Uint8Array(ops.length);
  discovery.files.forEach((file, at) => {
    const entry = earlier.usedOf(file);
    const first = files[at]?.first ?? 0;
    if (entry) rows.fill(1, first, first + entry.made[1]);
  });
  return rows;
}

/** Copies the effect rows of files that were taken over; parents, sessions and files become those of today. */
function keepEffects({ discovery, files, ops }: Gathered, earlier: EarlierHistory): void {
  const kept = discovery.files.flatMap((file, at) => {
    const entry = earlier.usedOf(file);
    const block = files[at];
    if (!entry || !block || entry.effects[1] === 0) return [];
    const [first, count] = entry.effects;
    return { at, by: block.first - entry.made[0], first, end: first + count };
  });
  let row = copyStretches(ops, earlier.ops, kept);
  for (const { at, by, first, end } of kept) {
    for (const behind = row + end - first; row < behind; row++) {
      const tool = ops.parentOf(row) + by;
      ops.setParent(row, tool);
      ops.session.set(row, ops.session.get(tool));
      ops.file.set(row, at);
    }
  }
}

/**
 * Two stretches of rows, each in the order of its parents and none with a parent of the other: from `first` and from `second` on. Makes
 * them one; false if they are not such.
 */
function merge(ops: Operations, first: number, second: number): boolean {
  const end = ops.length;
  if (second === first || second === end || ops.parentOf(second - 1) <= ops.parentOf(second)) return true;
  const rows = beside(ops, new Texts([]));
  copyRows(rows, ops, first, end);
  let at = first;
  let [a, b] = [first, second];
  const take = (from: number, to: number): void => {
    placeRows(ops, at, rows, from - first, to - first);
    at += to - from;
  };
  while (a < second && b < end) {
    const before = a + b;
    const parent = rows.parentOf(b - first);
    let until = a;
    while (until < second && rows.parentOf(until - first) < parent) until++;
    take(a, until);
    a = until;
    const limit = a < second ? rows.parentOf(a - first) : Number.POSITIVE_INFINITY;
    until = b;
    while (until < end && rows.parentOf(until - first) < limit) until++;
    take(b, until);
    b = until;
    if (a + b === before) return false;
  }
  take(a, second);
  take(b, end);
  return true;
}
