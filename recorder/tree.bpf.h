/* The processes that are followed, by number. Each kernel-side object has this map; the loader lets them share one. */
#ifndef AGENTSIGHT_TREE_H
#define AGENTSIGHT_TREE_H

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 32768);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u32);
	__type(value, struct proc);
} tree SEC(".maps");

/* The followed process that runs now, if it is one: for all others of the machine this look-up is the whole cost. */
static __always_inline struct proc *followed(u32 *tgid)
{
	*tgid = bpf_get_current_pid_tgid() >> 32;
	return bpf_map_lookup_elem(&tree, tgid);
}

#endif
