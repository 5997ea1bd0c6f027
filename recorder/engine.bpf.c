/* The kernel side of the recorder: follows one tree of processes and tells what it did.
 * Only BTF tracepoints: kprobes, fentry and LSM programs are refused on some kernels this must run on, and
 * tracefs may be absent. All work is done when a call returns, because then its strings are resident.
 * Reads no memory of processes outside the tree and changes nothing anywhere. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_endian.h>
#include "events.h"
#include "calls.bpf.h"
#include "paths.bpf.h"
#include "tree.bpf.h"

char LICENSE[] SEC("license") = "GPL";

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 16 << 20); /* the loader may set another size */
} ring SEC(".maps");

unsigned long long lost = 0; /* events that found the ring full */
unsigned long long untracked = 0; /* processes that found the tree full */

static __always_inline struct scratch *begin(u32 kind, u32 tgid, struct proc *p)
{
	u32 cpu = bpf_get_smp_processor_id();
	struct scratch *s = bpf_map_lookup_elem(&scratches, &cpu);

	if (!s)
		return 0;
	__builtin_memset(&s->head, 0, sizeof(s->head));
	s->head.kind = kind;
	s->head.pid = tgid;
	s->head.tid = (u32)bpf_get_current_pid_tgid();
	s->head.t = bpf_ktime_get_ns();
	s->head.start = p->start;
	s->head.exec = p->exec;
	return s;
}

static __always_inline void emit(struct scratch *s, u32 off)
{
	u64 size = (u64)off + sizeof(s->head);

	FENCE(size);
	if (size > sizeof(s->head) + ROOM + 4096)
		size = sizeof(s->head); /* cannot be: every writer stays below */
	/* The loader looks by itself every few milliseconds: waking it for each event would cost the target more than the event. */
	if (bpf_ringbuf_output(&ring, &s->head, size,
			       bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) > 2 << 20 ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP))
		__sync_fetch_and_add(&lost, 1);
}

#include "join.bpf.h"

SEC("tp_btf/task_newtask")
int BPF_PROG(newtask, struct task_struct *child, u64 clone_flags)
{
	u32 tgid = bpf_get_current_pid_tgid() >> 32, pid;
	struct proc *p, fresh = {};
	struct scratch *s;

	if (clone_flags & 0x10000) /* CLONE_THREAD */
		return 0;
	p = bpf_map_lookup_elem(&tree, &tgid);
	if (!p)
		return 0;
	pid = BPF_CORE_READ(child, tgid);
	fresh.start = BPF_CORE_READ(child, start_boottime);
	if (bpf_map_update_elem(&tree, &pid, &fresh, BPF_ANY))
		__sync_fetch_and_add(&untracked, 1);
	s = begin(K_FORK, tgid, p);
	if (!s)
		return 0;
	s->head.a = pid;
	s->head.b = fresh.start;
	emit(s, 0);
	return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(exec, struct task_struct *task)
{
	u32 tgid = bpf_get_current_pid_tgid() >> 32, off = 0;
	struct proc *p = bpf_map_lookup_elem(&tree, &tgid);
	struct scratch *s;
	struct mm_struct *mm;
	struct file *exe;
	u64 from, size;

	if (!p)
		p = join_by_exec(task, tgid);
	if (!p)
		return 0;
	p->exec++;
	p->said = 0;
	s = begin(K_EXEC, tgid, p);
	if (!s)
		return 0;
	mm = BPF_CORE_READ(task, mm);
	exe = BPF_CORE_READ(mm, exe_file);
	if (exe)
		off = section_path(s, 0, off, BPF_CORE_READ(exe, f_path.dentry), BPF_CORE_READ(exe, f_path.mnt));
	off = put_base(s, 1, off, task, AT_FDCWD_);
	from = BPF_CORE_READ(mm, arg_start);
	size = BPF_CORE_READ(mm, arg_end) - from;
	FENCE(off);
	if (off > ROOM)
		return 0;
	if (size > ROOM - off) {
		size = ROOM - off;
		s->head.flags |= F_CUT_0 << 2;
	}
	FENCE(size);
	if (size > ROOM)
		size = ROOM;
	/* The room is a map value of ROOM + 8192 bytes: the offset is bounded so that offset + size stays inside. */
	u64 at = off;

	FENCE(at);
	if (at > 8192 || bpf_probe_read_user(s->room + at, size, (void *)from)) {
		s->head.flags |= F_CUT_0 << 2;
		size = 0;
	}
	s->head.len[2] = size;
	emit(s, off + size);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(exited, struct task_struct *task)
{
	u32 tgid = bpf_get_current_pid_tgid() >> 32;
	struct proc *p = bpf_map_lookup_elem(&tree, &tgid);
	struct signal_struct *signal;
	struct scratch *s;

	if (!p)
		return 0;
	signal = BPF_CORE_READ(task, signal);
	if (BPF_CORE_READ(signal, live.counter) > 0)
		return 0; /* only a thread ended */
	s = begin(K_EXIT, tgid, p);
	if (s) {
		/* wait() reports the group's code when the whole group was told to end (SIGNAL_GROUP_EXIT), else the leader's. */
		s->head.a = BPF_CORE_READ(signal, flags) & 4 ? BPF_CORE_READ(signal, group_exit_code)
							      : BPF_CORE_READ(task, group_leader, exit_code);
		/* The signal holds what released threads used. The leader stays until it is waited for, also where it ended before
		 * the last thread; what threads that end in this very moment used is not in it yet. */
		s->head.b = BPF_CORE_READ(task, se.sum_exec_runtime) + BPF_CORE_READ(signal, sum_sched_runtime);
		if (BPF_CORE_READ(task, group_leader) != task)
			s->head.b += BPF_CORE_READ(task, group_leader, se.sum_exec_runtime);
		/* Right only here: the last thread of a process has just folded its own high-water mark into it. */
		s->head.c = BPF_CORE_READ(signal, maxrss);
		emit(s, 0);
	}
	bpf_map_delete_elem(&tree, &tgid);
	return 0;
}

#include "files.bpf.h"
#include "net.bpf.h"
#include "io.bpf.h"

SEC("tp_btf/sys_exit")
int BPF_PROG(call_returned, struct pt_regs *regs, long ret)
{
	long nr = CALL_NR(regs);
	u32 kind = kind_of(nr), tgid;
	struct task_struct *task;
	struct proc *p;

	/* The table comes first: all other calls of the whole machine cost only this. */
	if (!kind)
		return 0;
	p = followed(&tgid);
	if (!p)
		return 0;
	task = (struct task_struct *)bpf_get_current_task();
#if defined(__TARGET_ARCH_x86)
	if (BPF_CORE_READ(task, thread_info.status) & 2) { /* TS_COMPAT: 32-bit numbers mean other calls */
		if (!(p->said & 2)) {
			struct scratch *s = begin(K_COMPAT, tgid, p);

			p->said |= 2;
			if (s)
				emit(s, 0);
		}
		return 0;
	}
#endif
	if (kind >= K_CONNECT && kind <= K_DNS)
		return net_call(regs, ret, nr, kind, tgid, p, task);
	return file_call(regs, ret, nr, kind, tgid, p, task);
}
