/* Calls on sockets. Addresses come from the kernel's socket where it has one, else from the call. */
#ifndef AGENTSIGHT_NET_H
#define AGENTSIGHT_NET_H

#define S_IFMT_ 0170000
#define S_IFSOCK_ 0140000
#define EINPROGRESS_ 115
#define TCP_CLOSE_ 7
#define DNS_PORT 53
#define DNS_BYTES 1024 /* enough for a question and the first addresses of an answer */
#define HELLO_BYTES 4096 /* a ClientHello with large keys has about 1,800 */

/* `conn`: the socket's inode number, its name for as long as it lives. */
static __always_inline struct sock *sock_of(struct task_struct *task, int fd, u64 *conn)
{
	struct file *file = file_of(task, fd);
	struct socket *socket;

	if (!file || (BPF_CORE_READ(file, f_inode, i_mode) & S_IFMT_) != S_IFSOCK_)
		return 0;
	*conn = BPF_CORE_READ(file, f_inode, i_ino);
	socket = BPF_CORE_READ(file, private_data);
	return BPF_CORE_READ(socket, sk);
}

#define SOCKADDR 112 /* room for any sockaddr */

/* The name a unix socket is bound to; the end that connected has none of its own. */
static __always_inline struct unix_address *unix_name(struct sock *sk, int peer)
{
	if (!bpf_core_type_exists(struct unix_sock))
		return 0;
	if (peer)
		sk = BPF_CORE_READ((struct unix_sock *)sk, peer);
	return sk ? BPF_CORE_READ((struct unix_sock *)sk, addr) : 0;
}

/* Lays down a sockaddr made from one side of a socket. `to` holds SOCKADDR zero bytes. */
static __always_inline u32 put_sock(unsigned char *to, struct sock *sk, int peer)
{
	u16 family = BPF_CORE_READ(sk, __sk_common.skc_family), port;

	port = peer ? BPF_CORE_READ(sk, __sk_common.skc_dport) : bpf_htons(BPF_CORE_READ(sk, __sk_common.skc_num));
	*(u16 *)to = family;
	if (family == 2) {
		u32 addr = peer ? BPF_CORE_READ(sk, __sk_common.skc_daddr) : BPF_CORE_READ(sk, __sk_common.skc_rcv_saddr);

		*(u16 *)(to + 2) = port;
		*(u32 *)(to + 4) = addr;
		return 16;
	}
	if (family == 10) {
		*(u16 *)(to + 2) = port;
		if (peer)
			BPF_CORE_READ_INTO((struct in6_addr *)(to + 8), sk, __sk_common.skc_v6_daddr);
		else
			BPF_CORE_READ_INTO((struct in6_addr *)(to + 8), sk, __sk_common.skc_v6_rcv_saddr);
		return 28;
	}
	if (family == 1) {
		struct unix_address *addr = unix_name(sk, peer);
		u64 len = addr ? BPF_CORE_READ(addr, len) : 0;

		FENCE(len);
		if (len > 110)
			return 2;
		if (len < 2)
			return 2;
		if (bpf_probe_read_kernel(to, len, &addr->name))
			return 2;
		return len;
	}
	return 2;
}

/* One buffer of a call that sends or receives: the whole one, or the first of message `i`. Not more than was carried. */
static __always_inline void buffer_of(struct pt_regs *regs, long nr, u64 carried, int i, u64 *at, u64 *size)
{
	u64 iov = ARG1(regs);
	struct { u64 base, len; } vec = {};

	*at = iov;
	*size = carried;
	if (nr == NR_sendto || nr == NR_recvfrom || nr == NR_read || nr == NR_write)
		return;
	/* struct mmsghdr is 64 bytes; msg_iov stands at byte 16 of struct msghdr. */
	if (nr != NR_readv && nr != NR_writev)
		bpf_probe_read_user(&iov, sizeof(iov), (void *)(iov + i * 64 + 16));
	bpf_probe_read_user(&vec, sizeof(vec), (void *)iov);
	*at = vec.base;
	if (nr == NR_sendmmsg || vec.len < carried)
		*size = vec.len;
}

/* The address in the call itself, as datagrams may have it, or 0. */
static __always_inline u64 given_name(struct pt_regs *regs, long nr)
{
	u64 name = 0;

	if (nr == NR_sendto || nr == NR_recvfrom)
		return ARG4(regs);
	if (nr == NR_sendmsg || nr == NR_recvmsg || nr == NR_sendmmsg || nr == NR_recvmmsg)
		bpf_probe_read_user(&name, sizeof(name), (void *)ARG1(regs));
	return name;
}

/* Copies up to `most` bytes of the program's buffer behind `off` bytes of the room. Returns how many. */
#define PUT_BYTES(s, off, at, size, most)                                                                \
	({                                                                                               \
		u64 n_ = (size) > (most) ? (most) : (size);                                              \
                                                                                                         \
		FENCE(n_);                                                                               \
		n_ > (most) || bpf_probe_read_user((s)->room + (off), n_, (void *)(at)) ? 0 : n_;        \
	})

/* A ClientHello names the server in clear: a TLS record (22) of version 3.x whose first message is of type 1. */
static __always_inline int hello(struct pt_regs *regs, long ret, long nr, u32 tgid, struct proc *p, struct sock *sk, u64 conn)
{
	u64 at, size;
	unsigned char begins[6] = {};
	struct scratch *s;

	if (BPF_CORE_READ(sk, sk_type) != 1)
		return 0;
	buffer_of(regs, nr, ret, 0, &at, &size);
	if (size < 44 || bpf_probe_read_user(begins, sizeof(begins), (void *)at) || begins[0] != 22 || begins[1] != 3 || begins[5] != 1)
		return 0;
	s = begin(K_HELLO, tgid, p);
	if (!s)
		return 0;
	__builtin_memset(s->room, 0, SOCKADDR);
	put_sock(s->room, sk, 1);
	s->head.a = conn;
	s->head.len[0] = 32; /* any address of the internet, with zeros behind it */
	s->head.len[1] = PUT_BYTES(s, 32, at, size, HELLO_BYTES);
	emit(s, 32 + s->head.len[1]);
	return 0;
}

static __always_inline int sends(long nr)
{
	return nr == NR_sendto || nr == NR_sendmsg || nr == NR_sendmmsg || nr == NR_write || nr == NR_writev;
}

/* A call that carried bytes over a socket: names asked for and names told are taken out of it, all else is left alone. */
static __always_inline int talk(struct pt_regs *regs, long ret, long nr, u32 tgid, struct proc *p, struct sock *sk, u64 conn)
{
	u64 name, count = 1;
	u16 family, port;
	struct scratch *s;

	if (!sk || ret <= 0)
		return 0;
	family = BPF_CORE_READ(sk, __sk_common.skc_family);
	if (family != 2 && family != 10)
		return 0;
	port = bpf_ntohs(BPF_CORE_READ(sk, __sk_common.skc_dport));
	name = given_name(regs, nr);
	if (name && port != DNS_PORT) {
		u16 given[2] = {};

		bpf_probe_read_user(given, sizeof(given), (void *)name);
		port = bpf_ntohs(given[1]);
	}
	if (port != DNS_PORT)
		return sends(nr) ? hello(regs, ret, nr, tgid, p, sk, conn) : 0;
	if (nr == NR_sendmmsg)
		count = ret;
	for (int i = 0; i < 4; i++) { /* a lookup sends two questions at once, A and AAAA */
		u64 at, size;

		if (i >= count)
			break;
		buffer_of(regs, nr, ret, i, &at, &size);
		s = begin(K_DNS, tgid, p);
		if (!s)
			return 0;
		s->head.len[0] = PUT_BYTES(s, 0, at, size, DNS_BYTES);
		if (!sends(nr))
			s->head.flags |= F_RECEIVED;
		if (s->head.len[0])
			emit(s, s->head.len[0]);
	}
	return 0;
}

static __always_inline int net_call(struct pt_regs *regs, long ret, long nr, u32 kind, u32 tgid, struct proc *p,
				    struct task_struct *task)
{
	struct scratch *s;
	struct sock *sk;
	u64 size = 0, conn = 0;

	if (kind != K_CONNECT && ret < 0)
		return 0;
	sk = sock_of(task, kind == K_ACCEPT ? ret : (int)ARG0(regs), &conn);
	if (!sk)
		return 0;
	if (kind == K_DNS)
		return talk(regs, ret, nr, tgid, p, sk, conn);
	s = begin(kind, tgid, p);
	if (!s)
		return 0;
	/* A program that does not wait is told that connecting is under way, though this machine has refused it already. */
	if (kind == K_CONNECT && ret == -EINPROGRESS_ && BPF_CORE_READ(sk, __sk_common.skc_state) == TCP_CLOSE_) {
		int refused = BPF_CORE_READ(sk, sk_err);

		if (refused > 0)
			ret = -refused;
	}
	s->head.ret = ret;
	s->head.a = BPF_CORE_READ(sk, sk_type);
	s->head.b = conn;
	if (kind == K_CONNECT) {
		size = PUT_BYTES(s, 0, ARG1(regs), (u64)ARG2(regs), 128);
	} else {
		__builtin_memset(s->room, 0, SOCKADDR);
		size = put_sock(s->room, sk, kind == K_ACCEPT && BPF_CORE_READ(sk, __sk_common.skc_family) != 1);
	}
	s->head.len[0] = size;
	emit(s, size);
	return 0;
}

#endif
