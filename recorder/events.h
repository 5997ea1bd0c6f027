/* What the kernel side hands to the loader: one head, then up to four byte sections. */
#ifndef AGENTSIGHT_EVENTS_H
#define AGENTSIGHT_EVENTS_H

enum kind {
	K_FORK = 1, K_EXEC, K_EXIT,
	K_OPEN, K_DELETE, K_RENAME, K_MKDIR, K_LINK, K_SYMLINK, K_TRUNCATE,
	K_CONNECT, K_ACCEPT, K_BIND, K_DNS,
	K_IO_URING, K_COMPAT,
	K_SEEN, K_HELLO, K_IO,
	K_LAST = K_IO,
};

/* What was done on a socket, in K_IO. */
enum io {
	IO_SEND = 1, IO_RECEIVE, IO_WAIT, IO_CONNECT, IO_CLOSE, IO_STOOD, IO_FAILED,
};

/* Bits of head.flags. */
#define F_CUT_0 1u /* section 0 (and so on by shift) was longer than the room for it */
#define F_IS_DIR 16u /* delete: a directory; truncate: by descriptor */
#define F_RECEIVED 32u /* dns: an answer that came in, not a question that went out */
#define F_LAST 64u /* io: nobody else holds the socket that is closed */
#define F_BLOCKED 128u /* io: the thread gave the processor up during the call */
#define IO_SHIFT 8 /* io: which, enum io */
#define SOCKET_SHIFT 16 /* io: the socket's type */

#define SECTIONS 4
#define ROOM 65536u /* bytes of sections in one event; a longer argv is cut and said to be */

struct head {
	unsigned int kind, flags;
	unsigned int pid, tid;
	unsigned long long t, start; /* CLOCK_MONOTONIC now; CLOCK_BOOTTIME when the process began */
	unsigned int exec; /* how many programs this process has become; 0 = still its parent's image */
	unsigned int len[SECTIONS];
	long long ret;
	unsigned long long a, b, c; /* meaning depends on kind, see engine.bpf.c */
};

/* One process that is followed. */
struct proc {
	unsigned long long start;
	unsigned int exec;
	unsigned int said; /* gaps already told once: bit 0 io_uring, bit 1 32-bit calls */
};

#endif
