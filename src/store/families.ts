import type { FileRows } from '../sources/gathered.ts';
import type { Cells } from '../trace/cells.ts';
import { hashKey } from '../trace/keys.ts';
import type { Operations } from '../trace/operations.ts';
import type { Session } from '../trace/sessions.ts';
import type { Undo } from './undo.ts';

/**
 * Families of files: all that settling and linking can relate. Two files belong together if they share a session, if a
 * session of one names a session of the other, or the call that spawned it, or if rows of both have equal keys. What
 * is worked out of one family depends on no other, so a change in one leaves all others as they are.
 */
export class Families {
  private readonly up: Uint32Array;

  constructor(count: number) {
    this.up = Uint32Array.from({ length: count }, (_, at) => at);
  }

  /** The family of a file, named by its first member. */
  of(file: number): number {
    const { up } = this;
    let at = file;
    while (up[at] !== at) {
      up[at] = up[up[at] as number] as number;
      at = up[at] as number;
    }
    return at;
  }

  join(a: number, b: number): void {
    const [first, second] = [this.of(a), this.of(b)];
    this.up[Math.max(first, second)] = Math.min(first, second);
  }
}

/** Files that hold a session and files that name it, by agent and id. */
class Names {
  private readonly files = new Map<string, number[]>();

  add(agent: string, id: string, file: number): void {
    const name = nameOf(agent, id);
    const files = this.files.get(name);
    if (files) files.push(file);
    else this.files.set(name, [file]);
  }

  get(agent: string, id: string): readonly number[] {
    return this.files.get(nameOf(agent, id)) ?? [];
  }

  values(): IterableIterator<number[]> {
    return this.files.values();
  }
}

function nameOf(agent: string, id: string): string {
  return `${agent}\u0000${id}`;
}

/** Sessions that a session names. */
function namedBy({ parent, forkedFrom }: Session): string[] {
  return [parent, forkedFrom].filter(id => id !== undefined && id !== '') as string[];
}

/** An open table of 64-bit keys: to each the file that had it first. */
class KeyTable {
  private readonly mask: number;
  private readonly high: Uint32Array;
  private readonly low: Uint32Array;
  private readonly files: Uint32Array;

  constructor(most: number) {
    let size = 16;
    while (size < most * 2) size *= 2;
    this.mask = size - 1;
    this.high = new Uint32Array(size);
    this.low = new Uint32Array(size);
    this.files = new Uint32Array(size);
  }

  /** The file that has the key, -1 if none has; with `file` it is noted as that one's if it is new. */
  find(high: number, low: number, file = -1): number {
    let slot = low & this.mask;
    for (; this.files[slot] !== 0; slot = (slot + 1) & this.mask) {
      if (this.high[slot] === high && this.low[slot] === low) return (this.files[slot] as number) - 1;
    }
    if (file >= 0) {
      this.high[slot] = high;
      this.low[slot] = low;
      this.files[slot] = file + 1;
    }
    return -1;
  }
}

/** Visits every key of the rows `first` to `end`. */
function eachKey(
  ops: Operations,
  first: number,
  end: number,
  visit: (high: number, low: number, row: number) => void,
): void {
  const { high, low } = ops.key;
  for (let row = first; row < Math.min(end, Math.max(high.length, low.length)); row++) {
    const h = high[row] ?? 0;
    const l = low[row] ?? 0;
    if ((h | l) !== 0) visit(h, l, row);
  }
}

/** Keys that rows had before they were settled, with their rows. */
function* keysBefore(ops: Operations, changes: readonly Undo[]): Generator<[high: number, low: number, row: number]> {
  const numbers = (name: string) => changes.find(change => change.name === name);
  const [high, low] = [numbers('key.high'), numbers('key.low')];
  if (!high && !low) return;
  const rows = new Set([...(high?.rows ?? []), ...(low?.rows ?? [])]);
  const before = (change: Undo | undefined) =>
    new Map([...(change?.rows ?? [])].map((row, at) => [row, Number(change?.before.get(at))]));
  const [highs, lows] = [before(high), before(low)];
  for (const row of rows) yield [highs.get(row) ?? ops.key.high[row] ?? 0, lows.get(row) ?? ops.key.low[row] ?? 0, row];
}

/** The families of files whose rows lie in `ops`, settled and linked. */
export function familiesOf(ops: Operations, files: readonly FileRows[], changes: readonly Undo[]): Families {
  const families = new Families(files.length);
  const holders = new Names();
  files.forEach(({ sessions }, file) => {
    for (const { agent, id } of sessions) holders.add(agent, id, file);
  });
  for (const [first, ...others] of holders.values()) for (const other of others) families.join(first as number, other);
  const keys = new KeyTable(ops.length + changes.length);
  const meet = (high: number, low: number, file: number) => {
    const other = keys.find(high, low, file);
    if (other >= 0) families.join(other, file);
  };
  const { cells } = ops.file;
  eachKey(ops, 0, ops.length, (high, low, row) => meet(high, low, cells[row] ?? 0));
  for (const [high, low, row] of keysBefore(ops, changes)) meet(high, low, ops.file.get(row));
  files.forEach(({ sessions }, file) => {
    for (const session of sessions) {
      for (const id of namedBy(session)) for (const other of holders.get(session.agent, id)) families.join(file, other);
      if (session.spawnCall === undefined) continue;
      const call = hashKey(session.spawnCall);
      const other = keys.find(call.high, call.low);
      if (other >= 0) families.join(file, other);
    }
  });
  eachSpawned(ops, 0, ops.length, (agent, id, row) => {
    for (const other of holders.get(agent, id)) families.join(ops.file.get(row), other);
  });
  return families;
}

/** Visits rows that tell the id of the session they spawned. */
function eachSpawned(
  ops: Operations,
  first: number,
  end: number,
  visit: (agent: string, id: string, row: number) => void,
): void {
  const { spawnedId, sessions } = ops;
  if (spawnedId.values.length === 1) return;
  for (let row = first; row < end; row++) {
    if (spawnedId.codeAt(row) !== 0) visit(sessions.all[ops.session.get(row)]?.agent ?? '', spawnedId.get(row), row);
  }
}

/** What an earlier run knows of its files, by their number then. */
export interface Known {
  readonly ops: Operations;
  readonly changes: readonly Undo[];
  readonly sessions: readonly (readonly Session[])[];
  readonly files: readonly { readonly first: number; readonly count: number; readonly family: number }[];
}

/** A block that was read just now. What the rows before `from` relate to is of the family that the file was of. */
export interface New {
  readonly ops: Operations;
  readonly sessions: readonly Session[];
  readonly from: number;
}

/**
 * The files of an earlier run that belong together with what is new: the families of `changed` (files that were read
 * again, or are gone), and those with which the new blocks have something in common. By their number then.
 */
export function touchedBy(known: Known, changed: ReadonlySet<number>, blocks: readonly New[]): Set<number> {
  const { ops, files } = known;
  const touched = new Set<number>();
  const touch = (file: number) => touched.add((files[file] as Known['files'][number]).family);
  for (const file of changed) touch(file);
  const keys = new FewKeys(
    blocks.reduce((sum, block) => sum + block.ops.length - block.from + block.sessions.length, 0),
  );
  const [held, named] = [new Set<string>(), new Set<string>()];
  for (const block of blocks) {
    eachKey(block.ops, block.from, block.ops.length, (high, low) => keys.add(high, low));
    for (const session of block.sessions) {
      const { agent, id, spawnCall } = session;
      for (const other of [id, ...namedBy(session)]) held.add(nameOf(agent, other));
      named.add(nameOf(agent, id));
      if (ops.spawnedId.find(id) !== undefined)
        eachSpawned(ops, 0, ops.length, (_, spawned, row) => spawned === id && touch(ops.file.get(row)));
      const call = spawnCall === undefined ? undefined : hashKey(spawnCall);
      if (call) keys.add(call.high, call.low);
    }
    eachSpawned(block.ops, block.from, block.ops.length, (agent, id) => held.add(nameOf(agent, id)));
  }
  known.sessions.forEach((told, file) => {
    for (const session of told) {
      const { agent, id, spawnCall } = session;
      if (held.has(nameOf(agent, id)) || namedBy(session).some(other => named.has(nameOf(agent, other)))) touch(file);
      const call = spawnCall === undefined ? undefined : hashKey(spawnCall);
      if (call && keys.has(call.high, call.low)) touch(file);
    }
  });
  files.forEach(({ first, count, family }, file) => {
    if (!changed.has(file) && !touched.has(family) && keys.hasOneOf(ops, first, first + count)) touch(file);
  });
  for (const [high, low, row] of keysBefore(ops, known.changes)) if (keys.has(high, low)) touch(ops.file.get(row));
  return new Set(files.flatMap(({ family }, file) => (touched.has(family) ? [file] : [])));
}

/** A few keys, for which many rows are looked through. */
class FewKeys {
  private readonly table: KeyTable;
  /** By the low bits of keys that are here: nearly all rows are told from them by one look. */
  private readonly marks = new Uint8Array(1 << 16);
  private isEmpty = true;

  constructor(most: number) {
    this.table = new KeyTable(most);
  }

  add(high: number, low: number): void {
    this.table.find(high, low, 0);
    this.marks[low & 0xffff] = 1;
    this.isEmpty = false;
  }

  has(high: number, low: number): boolean {
    return this.table.find(high, low) >= 0;
  }

  hasOneOf({ key }: Operations, first: number, end: number): boolean {
    if (this.isEmpty) return false;
    const { low } = key;
    for (let row = marked(low, first, end, this.marks); row < end; row = marked(low, row + 1, end, this.marks))
      if (this.has(key.high[row] ?? 0, low[row] as number)) return true;
    return false;
  }
}

/** The next row from `first` on whose low bits are marked; `end` or a later one if there is none. */
function marked(lows: Cells, first: number, end: number, marks: Uint8Array): number {
  const last = Math.min(end, lows.length);
  let row = first;
  while (row < last && marks[(lows[row] as number) & 0xffff] === 0) row++;
  return row < last ? row : end;
}
