// Samples and their order.

/** The stacks of marked groups, each once; `seen` has a zero byte for each stack. */
export function stacksOf(present: usize, stacks: usize, length: u32, seen: usize, into: usize): u32 {
  let found: u32 = 0;
  for (let i: usize = 0; i < length; i++) {
    if (load<u8>(present + i) === 0) continue;
    const stack = load<u32>(stacks + (i << 2));
    if (load<u8>(seen + stack) !== 0) continue;
    store<u8>(seen + stack, 1);
    store<u32>(into + ((<usize>found) << 2), stack);
    found++;
  }
  return found;
}

/** A sample for each marked group: the node of its stack, and its label set. */
export function emit(
  present: usize,
  stacks: usize,
  sets: usize,
  length: u32,
  nodes: usize,
  node: usize,
  set: usize,
): void {
  for (let i: usize = 0; i < length; i++) {
    if (load<u8>(present + i) === 0) continue;
    store<u32>(node, load<u32>(nodes + ((<usize>load<u32>(stacks + (i << 2))) << 2)));
    store<u32>(set, load<u32>(sets + (i << 2)));
    node += 4;
    set += 4;
  }
}

/**
 * The numbers of `order` by their keys; what has equal keys keeps its order. A counting sort; `next` has a zero for each
 * key and one more.
 */
export function sortBy(order: usize, length: u32, key: usize, keys: u32, next: usize, into: usize): void {
  const end = (<usize>length) << 2;
  for (let i: usize = 0; i < end; i += 4) {
    const at = next + ((<usize>load<u32>(key + ((<usize>load<u32>(order + i)) << 2))) << 2);
    store<u32>(at, load<u32>(at, 4) + 1, 4);
  }
  for (let at: usize = 0; at < (<usize>keys) << 2; at += 4)
    store<u32>(next + at, load<u32>(next + at) + load<u32>(next + at, 4), 4);
  for (let i: usize = 0; i < end; i += 4) {
    const each = load<u32>(order + i);
    const at = next + ((<usize>load<u32>(key + ((<usize>each) << 2))) << 2);
    const place = load<u32>(at);
    store<u32>(into + ((<usize>place) << 2), each);
    store<u32>(at, place + 1);
  }
}

/**
 * Goes along samples in their order: those that are alike in node and set share a place, which is noted for each. Node and
 * set of each place come out; gives how many places there are.
 */
export function places(
  order: usize,
  length: u32,
  node: usize,
  set: usize,
  placeNode: usize,
  placeSet: usize,
  placeOf: usize,
): u32 {
  let count: u32 = 0;
  let lastNode: u32 = 0;
  let lastSet: u32 = 0;
  for (let i: usize = 0, end = (<usize>length) << 2; i < end; i += 4) {
    const sample = (<usize>load<u32>(order + i)) << 2;
    const n = load<u32>(node + sample);
    const s = load<u32>(set + sample);
    if (count === 0 || n !== lastNode || s !== lastSet) {
      store<u32>(placeNode + ((<usize>count) << 2), (lastNode = n));
      store<u32>(placeSet + ((<usize>count) << 2), (lastSet = s));
      count++;
    }
    store<u32>(placeOf + sample, count - 1);
  }
  return count;
}
