/* Calls on sockets. Addresses come from the kernel's socket where it has one, else from the call. */
#ifndef AGENTSIGHT_NET_H
#define AGENTSIGHT_NET_H

#define S_IFMT_ 0170000
#define S_IFSOCK_ 0140000
#define DNS_PORT 53
#define DNS_BYTES 1024 /* enough for a question and the first addresses of an answer */

static __always_inline struct sock *sock_of(struct task_struct *task, int fd)
{
	struct file *file = file_of(task, fd);
	struct socket *socket;

	if (!file || (BPF_CORE_READ(file, f_inode, i_mode) & S_IFMT_) != S_IFSOCK_)
		return 0;
	socket = BPF_CORE_READ(file, private_data);
	return BPF_CORE_READ(socket, sk);
}

/* Lays down a sockaddr made from one side of a socket. */
static __always_inline u32 put_sock(struct scratch *s, struct sock *sk, int peer)
{
	u16 family = BPF_CORE_READ(sk, __sk_common.skc_family), port;

	port = peer ? BPF_CORE_READ(sk, __sk_common.skc_dport) : bpf_htons(BPF_CORE_READ(sk, __sk_common.skc_num));
	__builtin_memset(s->room, 0, 32);
	*(u16 *)s->room = family;
	if (family == 2) {
		u32 addr = peer ? BPF_CORE_READ(sk, __sk_common.skc_daddr) : BPF_CORE_READ(sk, __sk_common.skc_rcv_saddr);

		*(u16 *)(s->room + 2) = port;
		*(u32 *)(s->room + 4) = addr;
		return 16;
	}
	if (family == 10) {
		*(u16 *)(s->room + 2) = port;
		if (peer)
			BPF_CORE_READ_INTO((struct in6_addr *)(s->room + 8), sk, __sk_common.skc_v6_daddr);
		else
			BPF_CORE_READ_INTO((struct in6_addr *)(s->room + 8), sk, __sk_common.skc_v6_rcv_saddr);
		return 28;
	}
	if (family == 1 && bpf_core_type_exists(struct unix_sock)) {
		struct unix_address *addr = BPF_CORE_READ((struct unix_sock *)sk, addr);
		u64 len = addr ? BPF_CORE_READ(addr, len) : 0;

		FENCE(len);
		if (len > 110)
			return 2;
		if (len < 2)
			return 2;
		if (bpf_probe_read_kernel(s->room, len, &addr->name))
			return 2;
		return len;
	}
	return 2;
}

static __always_inline int dns_call(struct pt_regs *regs, long ret, long nr, u32 tgid, struct proc *p,
				    struct task_struct *task)
{
	struct sock *sk = sock_of(task, ARG0(regs));
	u64 buffer = ARG1(regs), name = 0, count = 1;
	u16 family, port;
	struct scratch *s;

	if (!sk || ret <= 0)
		return 0;
	family = BPF_CORE_READ(sk, __sk_common.skc_family);
	if (family != 2 && family != 10)
		return 0;
	port = bpf_ntohs(BPF_CORE_READ(sk, __sk_common.skc_dport));
	if (nr == NR_sendto)
		name = ARG4(regs);
	else if (nr == NR_recvfrom)
		name = ARG4(regs);
	else
		bpf_probe_read_user(&name, sizeof(name), (void *)buffer);
	if (name && port != DNS_PORT) {
		u16 given[2] = {};

		bpf_probe_read_user(given, sizeof(given), (void *)name);
		port = bpf_ntohs(given[1]);
	}
	if (port != DNS_PORT)
		return 0;
	if (nr == NR_sendmmsg)
		count = ret;
	for (int i = 0; i < 4; i++) { /* a lookup sends two questions at once, A and AAAA */
		u64 at = buffer, size = ret;
		struct { u64 base, len; } vec = {};

		if (i >= count)
			break;
		if (nr != NR_sendto && nr != NR_recvfrom) {
			u64 iov = 0;

			/* struct mmsghdr is 64 bytes; msg_iov stands at byte 16 of struct msghdr. */
			bpf_probe_read_user(&iov, sizeof(iov), (void *)(buffer + i * 64 + 16));
			bpf_probe_read_user(&vec, sizeof(vec), (void *)iov);
			at = vec.base;
			size = nr == NR_sendmmsg || vec.len < size ? vec.len : size;
		}
		s = begin(K_DNS, tgid, p);
		if (!s)
			return 0;
		if (size > DNS_BYTES)
			size = DNS_BYTES;
		FENCE(size);
		if (size > DNS_BYTES || bpf_probe_read_user(s->room, size, (void *)at))
			return 0;
		s->head.len[0] = size;
		if (nr == NR_recvfrom || nr == NR_recvmsg)
			s->head.flags |= F_RECEIVED;
		emit(s, size);
	}
	return 0;
}

static __always_inline int net_call(struct pt_regs *regs, long ret, long nr, u32 kind, u32 tgid, struct proc *p,
				    struct task_struct *task)
{
	struct scratch *s;
	struct sock *sk;
	u64 size = 0;

	if (kind == K_DNS)
		return dns_call(regs, ret, nr, tgid, p, task);
	if (kind != K_CONNECT && ret < 0)
		return 0;
	sk = sock_of(task, kind == K_ACCEPT ? ret : (int)ARG0(regs));
	if (!sk)
		return 0;
	s = begin(kind, tgid, p);
	if (!s)
		return 0;
	s->head.ret = ret;
	s->head.a = BPF_CORE_READ(sk, sk_type);
	if (kind == K_CONNECT) {
		size = ARG2(regs);
		if (size > 128)
			size = 128;
		FENCE(size);
		if (size > 128 || bpf_probe_read_user(s->room, size, (void *)ARG1(regs)))
			size = 0;
	} else {
		size = put_sock(s, sk, kind == K_ACCEPT && BPF_CORE_READ(sk, __sk_common.skc_family) != 1);
	}
	s->head.len[0] = size;
	emit(s, size);
	return 0;
}

#endif
