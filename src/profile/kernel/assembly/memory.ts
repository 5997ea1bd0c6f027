// One run of addresses that only grows: what a fold needs lives as long as the fold does. Fresh pages are zero.

const PAGE: u64 = 1 << 16;
let top: usize = (__heap_base + 15) & ~15;

/** Room for so many bytes, all zero. Traps where they do not fit the addresses there are, or the machine has no more. */
export function alloc(bytes: u64): usize {
  const at = top;
  const end = (<u64>at + bytes + 15) & ~15;
  const held = <u64>memory.size() * PAGE;
  if (end > held) {
    // In steps, because each makes all views of this memory anew.
    const wanted = (end - held + PAGE - 1) / PAGE;
    const step = max(<u64>memory.size() / 4, 64);
    const most = <u64>0xffff - <u64>memory.size();
    if (wanted > most) unreachable();
    if (memory.grow(<i32>min(max(wanted, step), most)) < 0 && memory.grow(<i32>wanted) < 0) unreachable();
  }
  top = <usize>end;
  return at;
}

/** The same for callers from outside, whose numbers of 64 bits would be objects. */
export function room(bytes: f64): usize {
  return alloc(<u64>bytes);
}
