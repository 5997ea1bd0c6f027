/**
 * The identifiers met in a file, as 64-bit hashes in an open table of two words a slot; (0, 0) is a free slot. Plain
 * data: the state of a file that grows is kept, and a row that is written again later must still be known.
 */
export interface Seen {
  size: number;
  table: Uint32Array;
}

/** Kept with each file that may grow, and most are small. */
const SMALLEST = 16;

export function nothingSeen(): Seen {
  return { size: 0, table: new Uint32Array(SMALLEST * 2) };
}

/** Notes an identifier; false if it was there already. An empty one is always new. */
export function firstSight(seen: Seen, id: string): boolean {
  if (id === '') return true;
  const { high, low } = hashOf(id);
  if (!insert(seen.table, high, low)) return false;
  seen.size++;
  // Three quarters full: twice the room.
  if (seen.size * 8 > seen.table.length * 3) seen.table = doubled(seen.table);
  return true;
}

/** What the id of an answer is noted as: gateways give a row or a tool the same one. */
export const answerKey = (id: string): string => `answer ${id}`;

/** Whether an identifier was noted; an empty one never is. */
export function wasSeen({ table }: Seen, id: string): boolean {
  if (id === '') return false;
  const { high, low } = hashOf(id);
  return table[slotOf(table, high, low) + 1] === low;
}

const hash = { high: 0, low: 0 };

/** Two lanes that take turns, two characters at a time: this is done for every row. To be used at once. */
function hashOf(id: string): { readonly high: number; readonly low: number } {
  let high = 0x811c9dc5 ^ id.length;
  let low = 0x9747b28c;
  let at = 0;
  for (; at + 3 < id.length; at += 4) {
    high = Math.imul(high ^ (id.charCodeAt(at) | (id.charCodeAt(at + 1) << 16)), 0x01000193) ^ (high >>> 15);
    low = Math.imul(low ^ (id.charCodeAt(at + 2) | (id.charCodeAt(at + 3) << 16)), 0x5bd1e995) ^ (low >>> 13);
  }
  for (; at < id.length; at++) {
    high = Math.imul(high ^ id.charCodeAt(at), 0x01000193);
    low = Math.imul(low ^ id.charCodeAt(at), 0x5bd1e995);
  }
  hash.high = mixed(high);
  hash.low = mixed(low) || 1;
  return hash;
}

function mixed(lane: number): number {
  let h = Math.imul(lane ^ (lane >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** Where these lanes stand in the table, or the free slot that is theirs: the index of its first word. */
function slotOf(table: Uint32Array, high: number, low: number): number {
  const mask = table.length / 2 - 1;
  for (let slot = low & mask; ; slot = (slot + 1) & mask) {
    const at = slot * 2;
    const h = table[at] as number;
    const l = table[at + 1] as number;
    if ((h === high && l === low) || (h | l) === 0) return at;
  }
}

function insert(table: Uint32Array, high: number, low: number): boolean {
  const at = slotOf(table, high, low);
  if (table[at + 1] === low) return false;
  table[at] = high;
  table[at + 1] = low;
  return true;
}

function doubled(table: Uint32Array): Uint32Array {
  const larger = new Uint32Array(table.length * 2);
  for (let at = 0; at < table.length; at += 2) {
    if (((table[at] as number) | (table[at + 1] as number)) !== 0)
      insert(larger, table[at] as number, table[at + 1] as number);
  }
  return larger;
}
