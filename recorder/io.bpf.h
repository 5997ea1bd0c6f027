/* --io: what goes over the sockets of the tree and how long its threads stand still. Programs of their own, not loaded
 * otherwise: they look at each read, write and wait of the machine. Every call becomes one small event; questions, answers
 * and sums are made of them by the reader. Standing still is counted for each thread and handed along with its next
 * event, so that waiting needs no events of its own. */
#ifndef AGENTSIGHT_IO_H
#define AGENTSIGHT_IO_H

struct standing {
	u64 waited; /* ns in waits and socket calls that gave the processor up */
	u64 entered, switches, sk, conn; /* of the call under way */
	u32 nr, what;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u32);
	__type(value, struct standing);
} threads SEC(".maps");

struct dialling {
	u64 conn, entered, start;
	u32 pid, exec;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 8192);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u64);
	__type(value, struct dialling);
} connecting SEC(".maps");

struct socket_event {
	struct head head;
	unsigned char addr[SOCKADDR];
};

static __always_inline u32 io_of(long nr)
{
	switch (nr) {
	case NR_read:
	case NR_readv:
	case NR_recvfrom:
	case NR_recvmsg:
	case NR_recvmmsg:
		return IO_RECEIVE;
	case NR_write:
	case NR_writev:
	case NR_sendto:
	case NR_sendmsg:
	case NR_sendmmsg:
	case NR_sendfile:
		return IO_SEND;
#ifdef NR_poll
	case NR_poll:
	case NR_select:
	case NR_epoll_wait:
#endif
	case NR_ppoll:
	case NR_pselect6:
	case NR_epoll_pwait:
	case NR_epoll_pwait2:
	case NR_accept:
	case NR_accept4:
		return IO_WAIT;
	case NR_connect:
		return IO_CONNECT;
	case NR_close:
		return IO_CLOSE;
	}
	return 0;
}

/* Internet sockets, and unix sockets with a name on either end: the nameless ones are pipes between parent and child. */
static __always_inline int measured(struct sock *sk)
{
	u16 family = BPF_CORE_READ(sk, __sk_common.skc_family);

	if (family == 1)
		return unix_name(sk, 0) || unix_name(sk, 1);
	return family == 2 || family == 10;
}

/* From the stack, not from the scratch: connections come to stand in interrupts, which may break into another program. */
static __always_inline void emit_io(struct socket_event *e, int unix)
{
	u64 flags = bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) > 2 << 20 ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP;
	long failed;

	e->head.kind = K_IO;
	e->head.len[0] = unix ? SOCKADDR : 28;
	failed = unix ? bpf_ringbuf_output(&ring, e, sizeof(*e), flags)
		      : bpf_ringbuf_output(&ring, e, sizeof(e->head) + 28, flags);
	if (failed)
		__sync_fetch_and_add(&lost, 1);
}

static __always_inline void tell_io(u32 what, u32 tgid, struct proc *p, struct standing *t, struct sock *sk, u64 name, long bytes, u32 flags)
{
	struct socket_event e = {};
	u16 family = BPF_CORE_READ(sk, __sk_common.skc_family);

	e.head.flags = flags | what << IO_SHIFT | (u32)BPF_CORE_READ(sk, sk_type) << SOCKET_SHIFT;
	e.head.pid = tgid;
	e.head.tid = (u32)bpf_get_current_pid_tgid();
	e.head.t = bpf_ktime_get_ns();
	e.head.start = p->start;
	e.head.exec = p->exec;
	e.head.ret = bytes;
	e.head.a = t->conn;
	e.head.b = t->entered;
	e.head.c = t->waited;
	if (family == 1)
		put_sock(e.addr, sk, !unix_name(sk, 0));
	else if (name && !BPF_CORE_READ(sk, __sk_common.skc_dport))
		bpf_probe_read_user(e.addr, 28, (void *)name);
	else
		put_sock(e.addr, sk, 1);
	emit_io(&e, family == 1);
}

/* Kernels before 6.13 count holders of a file in f_count, from 1; later ones in f_ref, from 0. */
struct file___counted {
	struct { long counter; } f_count;
} __attribute__((preserve_access_index));
struct file_ref___now {
	struct { long counter; } refcnt;
} __attribute__((preserve_access_index));
struct file___now {
	struct file_ref___now f_ref;
} __attribute__((preserve_access_index));

static __always_inline int held_once(struct file *file)
{
	if (bpf_core_field_exists(((struct file___counted *)0)->f_count))
		return BPF_CORE_READ((struct file___counted *)file, f_count.counter) == 1;
	if (bpf_core_field_exists(((struct file___now *)0)->f_ref))
		return BPF_CORE_READ((struct file___now *)file, f_ref.refcnt.counter) == 0;
	return 0;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(io_entered, struct pt_regs *regs, long nr)
{
	u32 what = io_of(nr), tgid, tid;
	struct task_struct *task;
	struct standing *t, fresh = {};
	struct sock *sk = 0;
	struct proc *p;
	u64 conn = 0;

	if (!what)
		return 0;
	p = followed(&tgid);
	if (!p)
		return 0;
	task = (struct task_struct *)bpf_get_current_task();
#if defined(__TARGET_ARCH_x86)
	if (BPF_CORE_READ(task, thread_info.status) & 2)
		return 0;
#endif
	tid = (u32)bpf_get_current_pid_tgid();
	t = bpf_map_lookup_elem(&threads, &tid);
	if (t)
		t->nr = -1;
	if (what != IO_WAIT) {
		sk = sock_of(task, ARG0(regs), &conn);
		if (!sk || (what != IO_CONNECT && !measured(sk)))
			return 0;
	}
	if (!t) {
		fresh.nr = -1;
		bpf_map_update_elem(&threads, &tid, &fresh, BPF_ANY);
		t = bpf_map_lookup_elem(&threads, &tid);
		if (!t)
			return 0;
	}
	t->entered = bpf_ktime_get_ns();
	t->sk = (u64)sk;
	t->conn = conn;
	if (what == IO_CLOSE) {
		u64 key = t->sk;

		bpf_map_delete_elem(&connecting, &key);
		tell_io(what, tgid, p, t, sk, 0, 0, held_once(file_of(task, ARG0(regs))) ? F_LAST : 0);
		return 0;
	}
	if (what == IO_CONNECT) {
		struct dialling c = { .conn = conn, .entered = t->entered, .start = p->start, .pid = tgid, .exec = p->exec };
		u64 key = t->sk;

		if (BPF_CORE_READ(sk, sk_type) == 1 && BPF_CORE_READ(sk, __sk_common.skc_family) != 1)
			bpf_map_update_elem(&connecting, &key, &c, BPF_ANY);
	}
	t->switches = BPF_CORE_READ(task, nvcsw);
	t->what = what;
	t->nr = nr;
	return 0;
}

/* Messages of recvmmsg and sendmmsg: each has its length at byte 56. */
static __always_inline long bytes_of_messages(u64 at, long count)
{
	long sum = 0;

	for (int i = 0; i < 64; i++) {
		u32 n = 0;

		if (i >= count)
			break;
		bpf_probe_read_user(&n, sizeof(n), (void *)(at + i * 64 + 56));
		sum += n;
	}
	return sum;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(io_returned, struct pt_regs *regs, long ret)
{
	long nr = CALL_NR(regs);
	u32 what = io_of(nr), tgid, tid, flags = 0;
	struct task_struct *task;
	struct standing *t;
	struct sock *sk;
	struct proc *p;

	if (!what)
		return 0;
	p = followed(&tgid);
	if (!p)
		return 0;
	tid = (u32)bpf_get_current_pid_tgid();
	t = bpf_map_lookup_elem(&threads, &tid);
	if (!t || t->nr != (u32)nr)
		return 0;
	t->nr = -1;
	task = (struct task_struct *)bpf_get_current_task();
	if (BPF_CORE_READ(task, nvcsw) != t->switches) {
		t->waited += bpf_ktime_get_ns() - t->entered;
		flags = F_BLOCKED;
	}
	sk = (struct sock *)t->sk;
	if (!sk)
		return 0;
	if (what == IO_CONNECT) {
		if (ret == 0 && measured(sk))
			tell_io(what, tgid, p, t, sk, 0, 0, flags);
		return 0;
	}
	if (ret < 0 || (what == IO_SEND && ret == 0))
		return 0;
	/* A look that leaves the bytes where they are (MSG_PEEK). */
	if ((nr == NR_recvfrom && ARG3(regs) & 2) || (nr == NR_recvmsg && ARG2(regs) & 2))
		return 0;
	/* The other calls that carry bytes have been listened to by the program that always runs. */
	if (nr == NR_read || nr == NR_write || nr == NR_readv || nr == NR_writev)
		talk(regs, ret, nr, tgid, p, sk, t->conn);
	if (nr == NR_sendmmsg || nr == NR_recvmmsg)
		ret = bytes_of_messages(ARG1(regs), ret);
	tell_io(what, tgid, p, t, sk, given_name(regs, nr), ret, flags);
	return 0;
}

SEC("tp_btf/inet_sock_set_state")
int BPF_PROG(io_state, const struct sock *sk, int before, int now)
{
	u64 key = (u64)sk;
	struct socket_event e = {};
	struct dialling *c;

	if (before != 2) /* TCP_SYN_SENT */
		return 0;
	c = bpf_map_lookup_elem(&connecting, &key);
	if (!c)
		return 0;
	e.head.flags = (now == 1 ? IO_STOOD : IO_FAILED) << IO_SHIFT | 1 << SOCKET_SHIFT;
	e.head.pid = c->pid;
	e.head.t = bpf_ktime_get_ns();
	e.head.start = c->start;
	e.head.exec = c->exec;
	e.head.a = c->conn;
	e.head.b = c->entered;
	put_sock(e.addr, (struct sock *)sk, 1);
	emit_io(&e, 0);
	bpf_map_delete_elem(&connecting, &key);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(io_thread_ended, struct task_struct *task)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();

	bpf_map_delete_elem(&threads, &tid);
	return 0;
}

#endif
