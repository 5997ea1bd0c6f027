/* Processes that join the tree by their name or their control group, wherever they came from. */
#ifndef AGENTSIGHT_JOIN_H
#define AGENTSIGHT_JOIN_H

const volatile char wanted_comm[16] = {};
const volatile unsigned long long wanted_cgroup = 0; /* 0: none */
const volatile unsigned int wanted_level = 0; /* how deep that group lies below the root of its hierarchy */

/* `running`: it goes on with the program it runs; else it is just becoming another. */
static __always_inline struct proc *join(struct task_struct *task, u32 tgid, int running)
{
	struct proc *p, fresh = {};
	struct scratch *s;

	fresh.start = BPF_CORE_READ(task, group_leader, start_boottime);
	if (bpf_map_update_elem(&tree, &tgid, &fresh, BPF_NOEXIST)) {
		__sync_fetch_and_add(&untracked, 1);
		return 0;
	}
	p = bpf_map_lookup_elem(&tree, &tgid);
	if (!p)
		return 0;
	s = begin(K_SEEN, tgid, p);
	if (s) {
		s->head.a = BPF_CORE_READ(task, real_parent, tgid);
		s->head.b = running;
		emit(s, 0);
	}
	return p;
}

static __always_inline struct proc *join_by_exec(struct task_struct *task, u32 tgid)
{
	char comm[16] = {};

	if (wanted_cgroup)
		return (u64)bpf_get_current_ancestor_cgroup_id(wanted_level) == wanted_cgroup ? join(task, tgid, 0) : 0;
	if (!wanted_comm[0])
		return 0;
	bpf_get_current_comm(comm, sizeof(comm));
	for (int i = 0; i < 16; i++) {
		if (comm[i] != wanted_comm[i])
			return 0;
		if (!comm[i])
			break;
	}
	return join(task, tgid, 0);
}

/* Up to Linux 6.0 a group holds the numbers of those above it, later the groups themselves. */
struct cgroup___old {
	u64 ancestor_ids[0];
} __attribute__((preserve_access_index));

static __always_inline u64 ancestor_of(struct cgroup *group, u32 level)
{
	struct cgroup *above = 0;
	u64 id = 0;

	if (BPF_CORE_READ(group, level) < level)
		return 0;
	if (bpf_core_field_exists(((struct cgroup___old *)0)->ancestor_ids)) {
		bpf_probe_read_kernel(&id, sizeof(id), (void *)group + bpf_core_field_offset(struct cgroup___old, ancestor_ids) + level * 8);
		return id;
	}
	bpf_probe_read_kernel(&above, sizeof(above), (void *)group + bpf_core_field_offset(struct cgroup, ancestors) + level * 8);
	return above ? BPF_CORE_READ(above, kn, id) : 0;
}

/* Loaded only where a group is followed. */
SEC("tp_btf/cgroup_attach_task")
int BPF_PROG(moved, struct cgroup *group, const char *path, struct task_struct *task, bool threadgroup)
{
	u32 tgid = BPF_CORE_READ(task, tgid);

	/* The one hierarchy of version 2 has number 0; numbers of groups mean something only within theirs. */
	if (BPF_CORE_READ(group, root, hierarchy_id) != 0 || ancestor_of(group, wanted_level) != wanted_cgroup)
		return 0;
	if (!bpf_map_lookup_elem(&tree, &tgid))
		join(task, tgid, 1);
	return 0;
}

#endif
