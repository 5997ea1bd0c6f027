/** The numbers of `order` by their keys, all below `keys`; what has equal keys keeps its order. A counting sort. */
export function sortedBy(order: Uint32Array, key: Uint32Array, keys: number): Uint32Array {
  const next = new Uint32Array(keys + 1);
  for (let i = 0; i < order.length; i++) {
    const after = (key[order[i] as number] as number) + 1;
    next[after] = (next[after] as number) + 1;
  }
  for (let at = 0; at < keys; at++) next[at + 1] = (next[at + 1] as number) + (next[at] as number);
  const into = new Uint32Array(order.length);
  for (let i = 0; i < order.length; i++) {
    const each = order[i] as number;
    const at = key[each] as number;
    into[next[at] as number] = each;
    next[at] = (next[at] as number) + 1;
  }
  return into;
}
