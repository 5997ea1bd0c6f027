/* Absolute paths, read in the kernel by walking from a dentry to the root of its mounts.
 * bpf_d_path is not allowed in these programs; names are laid down leaf first, each with its NUL,
 * and the loader turns them round. */
#ifndef AGENTSIGHT_PATHS_H
#define AGENTSIGHT_PATHS_H

#define DEPTH 200 /* components; a deeper path is cut and said to be */
#define NAME 256

struct scratch {
	u32 cursor, path_cut; /* of the walk under way */
	struct head head; /* from here on is what the loader gets */
	unsigned char room[ROOM + 8192]; /* the slack lets a checked offset be followed by one whole read */
};

/* One slot a CPU. Not a per-CPU array: those stop at 32 KB an entry, less than a long argv. Tracepoints run with
 * preemption off, so nobody else on this CPU writes between the begin and the emit of an event. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct scratch);
} scratches SEC(".maps");

/* Keeps the compiler from proving away a bound that the verifier still wants to see. */
#define FENCE(x) asm volatile("" : "+r"(x))

/* A function of its own for the verifier (not static), so that it is checked once and not at each use. The cursor lives in
 * map memory, where the verifier forgets its bounds: each turn of the loop then looks like the one before. */
int put_path(u32 off, u64 dentry_at, u64 vfs_at)
{
	struct dentry *dentry = (struct dentry *)dentry_at;
	struct mount *mnt = container_of((struct vfsmount *)vfs_at, struct mount, mnt);
	u32 cpu = bpf_get_smp_processor_id();
	struct scratch *s = bpf_map_lookup_elem(&scratches, &cpu);

	if (!s)
		return off;
	s->cursor = off;
	for (int i = 0; i < DEPTH; i++) {
		struct dentry *parent = BPF_CORE_READ(dentry, d_parent);
		struct dentry *top = BPF_CORE_READ(mnt, mnt.mnt_root);
		u32 at;
		long n;

		if (dentry == top || dentry == parent) {
			struct mount *above = BPF_CORE_READ(mnt, mnt_parent);

			if (above == mnt || dentry != top)
				return s->cursor;
			dentry = BPF_CORE_READ(mnt, mnt_mountpoint);
			mnt = above;
			continue;
		}
		at = *(volatile u32 *)&s->cursor;
		if (at > ROOM - NAME)
			break;
		n = bpf_probe_read_kernel_str(s->room + at, NAME, BPF_CORE_READ(dentry, d_name.name));
		if (n <= 0)
			break;
		s->cursor += n;
		dentry = parent;
	}
	s->path_cut = 1;
	return s->cursor;
}

static __always_inline u32 section_path(struct scratch *s, int i, u32 off, struct dentry *dentry, struct vfsmount *vfs)
{
	u32 end;

	s->path_cut = 0;
	end = put_path(off, (u64)dentry, (u64)vfs);
	s->head.len[i] = end - off;
	if (s->path_cut)
		s->head.flags |= F_CUT_0 << i;
	return end;
}

static __always_inline u32 put_user_str(struct scratch *s, int i, u32 off, const char *from)
{
	u64 at = off;
	long n;

	FENCE(at);
	if (at > ROOM)
		return off;
	n = bpf_probe_read_user_str(s->room + at, 4096, from);
	if (n <= 0) {
		s->head.flags |= F_CUT_0 << i;
		n = 0;
	}
	s->head.len[i] = n;
	return off + n;
}

static __always_inline struct file *file_of(struct task_struct *task, int fd)
{
	struct fdtable *table = BPF_CORE_READ(task, files, fdt);
	struct file **slots = BPF_CORE_READ(table, fd);
	struct file *file = 0;

	if (fd < 0 || (u32)fd >= BPF_CORE_READ(table, max_fds))
		return 0;
	bpf_probe_read_kernel(&file, sizeof(file), slots + fd);
	return file;
}

/* Where a relative name starts: the working directory, or the directory behind a descriptor. */
static __always_inline u32 put_base(struct scratch *s, int i, u32 off, struct task_struct *task, int dirfd)
{
	if (dirfd == AT_FDCWD_) {
		struct fs_struct *fs = BPF_CORE_READ(task, fs);

		return section_path(s, i, off, BPF_CORE_READ(fs, pwd.dentry), BPF_CORE_READ(fs, pwd.mnt));
	}
	struct file *file = file_of(task, dirfd);

	if (!file)
		return off;
	return section_path(s, i, off, BPF_CORE_READ(file, f_path.dentry), BPF_CORE_READ(file, f_path.mnt));
}

#endif
