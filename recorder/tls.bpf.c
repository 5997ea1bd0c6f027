/* Plaintext at the edge of a TLS library, of processes in the tree only: what a program hands to SSL_write, and what
 * SSL_read hands back. Probes sit on files, so they also fire in programs outside the tree, which pay one look-up.
 * A call's bytes are taken when it returns, because only then it is known how many there were. Nothing is changed. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "events.h"
#include "tls-events.h"
#include "tree.bpf.h"

char LICENSE[] SEC("license") = "GPL";

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 16 << 20);
} tls_ring SEC(".maps");

/* A call under way in a thread. Least recently used ones go: a thread that is killed inside never returns. */
struct call {
	u64 ssl, buffer, size_at;
	u32 dir;
};
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 8192);
	__type(key, u64);
	__type(value, struct call);
} calls SEC(".maps");

unsigned long long tls_lost = 0;

static __always_inline int entered(u64 ssl, u64 buffer, u64 size_at, u32 dir)
{
	u64 id = bpf_get_current_pid_tgid();
	struct call call = { .ssl = ssl, .buffer = buffer, .size_at = size_at, .dir = dir };
	u32 tgid = id >> 32;

	if (bpf_map_lookup_elem(&tree, &tgid))
		bpf_map_update_elem(&calls, &id, &call, BPF_ANY);
	return 0;
}

static __always_inline void describe(struct tls_head *h, struct proc *p, u32 dir, u64 ssl, u64 len, u64 at)
{
	h->t = bpf_ktime_get_ns();
	h->start = p->start;
	h->pid = bpf_get_current_pid_tgid() >> 32;
	h->exec = p->exec;
	h->ssl = ssl;
	h->dir = dir;
	h->len = len;
	h->at = at;
	h->size = 0;
}

/* One piece in a slot of a fixed size: the verifier wants to know it beforehand. */
#define PIECE(NAME, BYTES)                                                                                     \
	static __always_inline void NAME(struct proc *p, struct call *call, u64 len, u64 at, u64 size)         \
	{                                                                                                      \
		struct { struct tls_head head; unsigned char bytes[BYTES]; } *e =                              \
			bpf_ringbuf_reserve(&tls_ring, sizeof(*e), 0);                                         \
		if (!e) {                                                                                      \
			__sync_fetch_and_add(&tls_lost, 1);                                                    \
			return;                                                                                \
		}                                                                                              \
		describe(&e->head, p, call->dir, call->ssl, len, at);                                          \
		asm volatile("" : "+r"(size));                                                                 \
		if (size > BYTES)                                                                              \
			size = BYTES;                                                                          \
		/* A page that is not in memory cannot be read from here: the piece then says size 0. */       \
		if (!bpf_probe_read_user(e->bytes, size, (void *)(call->buffer + at)))                         \
			e->head.size = size;                                                                   \
		bpf_ringbuf_submit(e, BPF_RB_NO_WAKEUP);                                                                    \
	}
PIECE(small_piece, 512)
PIECE(middle_piece, 4096)
PIECE(large_piece, TLS_PIECE)

static __always_inline int returned(struct pt_regs *ctx, int ex)
{
	u64 id = bpf_get_current_pid_tgid(), len = 0, at = 0;
	struct call *found = bpf_map_lookup_elem(&calls, &id), call;
	int ret = PT_REGS_RC(ctx);
	u32 tgid = id >> 32;
	struct proc *p;

	if (!found)
		return 0;
	call = *found;
	bpf_map_delete_elem(&calls, &id);
	p = bpf_map_lookup_elem(&tree, &tgid);
	if (!p || ret <= 0)
		return 0;
	if (ex)
		bpf_probe_read_user(&len, sizeof(len), (void *)call.size_at);
	else
		len = ret;
	for (int i = 0; i < TLS_PIECES && at < len; i++) {
		u64 left = len - at;

		if (left <= 512)
			small_piece(p, &call, len, at, left);
		else if (left <= 4096)
			middle_piece(p, &call, len, at, left);
		else
			large_piece(p, &call, len, at, left);
		at += TLS_PIECE;
	}
	return 0;
}

SEC("uprobe")
int tls_write(struct pt_regs *ctx)
{
	return entered(PT_REGS_PARM1(ctx), PT_REGS_PARM2(ctx), 0, TLS_SENT);
}

SEC("uprobe")
int tls_read(struct pt_regs *ctx)
{
	return entered(PT_REGS_PARM1(ctx), PT_REGS_PARM2(ctx), 0, TLS_RECEIVED);
}

SEC("uprobe")
int tls_write_ex(struct pt_regs *ctx)
{
	return entered(PT_REGS_PARM1(ctx), PT_REGS_PARM2(ctx), PT_REGS_PARM4(ctx), TLS_SENT);
}

SEC("uprobe")
int tls_read_ex(struct pt_regs *ctx)
{
	return entered(PT_REGS_PARM1(ctx), PT_REGS_PARM2(ctx), PT_REGS_PARM4(ctx), TLS_RECEIVED);
}

SEC("uretprobe")
int tls_returned(struct pt_regs *ctx)
{
	return returned(ctx, 0);
}

SEC("uretprobe")
int tls_returned_ex(struct pt_regs *ctx)
{
	return returned(ctx, 1);
}

/* The connection is over; its address may be the next one's. */
SEC("uprobe")
int tls_free(struct pt_regs *ctx)
{
	u32 tgid = bpf_get_current_pid_tgid() >> 32;
	struct proc *p = bpf_map_lookup_elem(&tree, &tgid);
	struct tls_head *h;

	if (!p)
		return 0;
	h = bpf_ringbuf_reserve(&tls_ring, sizeof(*h), 0);
	if (!h) {
		__sync_fetch_and_add(&tls_lost, 1);
		return 0;
	}
	describe(h, p, TLS_FREED, PT_REGS_PARM1(ctx), 0, 0);
	bpf_ringbuf_submit(h, BPF_RB_NO_WAKEUP);
	return 0;
}
