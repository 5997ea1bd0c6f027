// One run of addresses that only grows: what a fold needs lives as long as the fold does. Fresh pages are zero.

const PAGE: usize = 1 << 16;
let top: usize = (__heap_base + 15) & ~15;

/** Room for so many bytes, all zero. */
export function alloc(bytes: usize): usize {
  const at = top;
  top = (at + bytes + 15) & ~15;
  const held = <usize>memory.size() * PAGE;
  if (top > held) {
    // In steps, because each makes all views of this memory anew.
    const wanted = (top - held + PAGE - 1) / PAGE;
    const step = max(<usize>memory.size() / 4, 64);
    if (memory.grow(<i32>max(wanted, step)) < 0 && memory.grow(<i32>wanted) < 0) unreachable();
  }
  return at;
}
