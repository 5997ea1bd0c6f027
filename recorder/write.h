/* Events of the kernel side as lines of JSON on standard output. */
#ifndef AGENTSIGHT_WRITE_H
#define AGENTSIGHT_WRITE_H
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include "events.h"
#include "json.h"

#define SECTION_ADDR 112 /* bytes of an address */

static unsigned long long events;

static unsigned long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static const char *const NAMES[] = {
	[K_FORK] = "proc.fork", [K_EXEC] = "proc.exec", [K_EXIT] = "proc.exit", [K_OPEN] = "file.open",
	[K_DELETE] = "file.delete", [K_RENAME] = "file.rename", [K_MKDIR] = "file.mkdir", [K_LINK] = "file.link",
	[K_SYMLINK] = "file.link", [K_TRUNCATE] = "file.truncate", [K_CONNECT] = "net.connect", [K_ACCEPT] = "net.accept",
	[K_BIND] = "net.bind", [K_DNS] = "net.dns", [K_IO_URING] = "gap", [K_COMPAT] = "gap",
	[K_SEEN] = "proc.seen", [K_HELLO] = "net.hello",
};

static const char *const OPS[8] = {
	[0] = "", [IO_SEND] = "send", [IO_RECEIVE] = "receive", [IO_WAIT] = "", [IO_CONNECT] = "connect", [IO_CLOSE] = "close",
	[IO_STOOD] = "stood", [IO_FAILED] = "failed",
};

static const char *socket_type(unsigned long long type)
{
	return type == 1 ? "stream" : type == 2 ? "dgram" : "other";
}

/* The most frequent event by far, and read at once: words in a fixed order instead of JSON. */
static int write_io(const struct head *h, const unsigned char *addr)
{
	static const char hex[] = "0123456789abcdef";
	char text[SECTION_ADDR * 2 + 1];
	unsigned n = h->len[0] < SECTION_ADDR ? h->len[0] : SECTION_ADDR;

	for (unsigned i = 0; i < n; i++) {
		text[2 * i] = hex[addr[i] >> 4];
		text[2 * i + 1] = hex[addr[i] & 15];
	}
	text[2 * n] = 0;
	printf("io %s %llu %u %llu %u %u %llu %llu %llu %llu %lld %s %d %d %s\n", OPS[h->flags >> IO_SHIFT & 7], events, h->pid, h->start, h->exec,
	       h->tid, h->a, h->b, h->t, h->c, h->ret, socket_type(h->flags >> SOCKET_SHIFT & 15), !!(h->flags & F_BLOCKED),
	       !!(h->flags & F_LAST), text);
	return 0;
}

/* A C string laid down by the kernel side counts its NUL. */
static void user_string(const char *key, const unsigned char *s, size_t n)
{
	json_string(stdout, key, s, n ? n - 1 : 0);
}

static int write_event(void *context, void *bytes, size_t size)
{
	const struct head *h = bytes;
	const unsigned char *part[SECTIONS], *at = (unsigned char *)bytes + sizeof(*h);
	size_t left = size - sizeof(*h);

	(void)context;
	for (int i = 0; i < SECTIONS; i++) {
		if (h->len[i] > left)
			return 0;
		part[i] = at;
		at += h->len[i];
		left -= h->len[i];
	}
	if (h->kind < K_FORK || h->kind > K_LAST)
		return 0;
	events++;
	if (h->kind == K_IO)
		return write_io(h, part[0]);
	printf("{\"type\":\"%s\",\"seq\":%llu,\"t_ns\":%llu,\"pid\":%u,\"start_ns\":%llu,\"exec_id\":%u", NAMES[h->kind], events, h->t,
	       h->pid, h->start, h->exec);
	switch (h->kind) {
	case K_FORK:
		printf(",\"child_pid\":%llu,\"child_start_ns\":%llu", h->a, h->b);
		break;
	case K_EXEC:
		json_path(stdout, "exe", part[0], h->len[0]);
		json_argv(stdout, part[2], h->len[2]);
		json_path(stdout, "cwd", part[1], h->len[1]);
		fputs(",\"argv_source\":\"bpf\"", stdout);
		if (h->flags & F_CUT_0 << 2)
			fputs(",\"argv_truncated\":true", stdout);
		break;
	case K_EXIT:
		printf(",\"code\":%llu,\"signal\":%llu,\"cpu_ns\":%llu,\"max_rss_kb\":%llu", h->a >> 8 & 255, h->a & 127, h->b,
		       h->c * (sysconf(_SC_PAGESIZE) / 1024));
		break;
	case K_OPEN:
		json_path(stdout, "path", part[0], h->len[0]);
		/* O_PATH opens nothing; FMODE_CREATED is bit 20 of f_mode. */
		printf(",\"path_state\":\"%s\",\"access\":\"%s\",\"creat\":%s,\"trunc\":%s,\"ret\":%lld",
		       h->flags & F_CUT_0 ? "truncated" : "kernel",
		       h->a & 010000000 ? "path" : (h->a & 3) == 0 ? "r" : (h->a & 3) == 1 ? "w" : "rw",
		       h->b & 1 << 20 ? "true" : "false", h->a & 01000 ? "true" : "false", h->ret);
		if ((h->c & 0170000) != 0100000)
			printf(",\"file_kind\":\"%s\"", (h->c & 0170000) == 0040000 ? "dir" : (h->c & 0170000) == 0010000 ? "fifo" : "device");
		break;
	case K_TRUNCATE:
		if (h->flags & F_IS_DIR) {
			json_path(stdout, "path", part[0], h->len[0]);
			printf(",\"path_state\":\"%s\"", h->flags & F_CUT_0 ? "truncated" : "kernel");
			break;
		} /* fall through */
	case K_DELETE:
	case K_MKDIR:
		json_path(stdout, "dir", part[0], h->len[0]);
		user_string("path_raw", part[1], h->len[1]);
		if (h->flags & F_IS_DIR)
			fputs(",\"file_kind\":\"dir\"", stdout);
		break;
	case K_RENAME:
	case K_LINK:
		json_path(stdout, "dir", part[0], h->len[0]);
		user_string("path_raw", part[1], h->len[1]); /* fall through */
	case K_SYMLINK:
		if (h->kind == K_SYMLINK)
			user_string("target", part[1], h->len[1]);
		json_path(stdout, "to_dir", part[2], h->len[2]);
		user_string("to_raw", part[3], h->len[3]);
		if (h->kind == K_LINK || h->kind == K_SYMLINK)
			printf(",\"symbolic\":%s", h->kind == K_SYMLINK ? "true" : "false");
		if (h->a & 2)
			fputs(",\"exchange\":true", stdout);
		break;
	case K_CONNECT:
	case K_ACCEPT:
	case K_BIND:
		json_hex(stdout, "sockaddr", part[0], h->len[0]);
		printf(",\"socket\":\"%s\",\"ret\":%lld,\"conn\":%llu", socket_type(h->a), h->ret, h->b);
		break;
	case K_HELLO:
		json_hex(stdout, "sockaddr", part[0], h->len[0]);
		json_hex(stdout, "message", part[1], h->len[1]);
		printf(",\"conn\":%llu", h->a);
		break;
	case K_SEEN:
		printf(",\"parent_pid\":%llu%s", h->a, h->b ? ",\"running\":true" : "");
		break;
	case K_DNS:
		json_hex(stdout, "message", part[0], h->len[0]);
		if (h->flags & F_RECEIVED)
			fputs(",\"received\":true", stdout);
		break;
	case K_IO_URING:
		fputs(",\"reason\":\"io_uring\",\"count\":1", stdout);
		break;
	case K_COMPAT:
		fputs(",\"reason\":\"32bit\",\"count\":1", stdout);
		break;
	}
	if ((h->flags & 15) && (h->kind == K_DELETE || h->kind == K_MKDIR || h->kind == K_RENAME || h->kind == K_LINK || h->kind == K_SYMLINK))
		fputs(",\"path_state\":\"truncated\"", stdout);
	fputs("}\n", stdout);
	return 0;
}

/* What went missing since the last look, as a gap with the time it lies in. */
static void write_gap(const char *reason, unsigned long long count, unsigned long long from)
{
	printf("{\"type\":\"gap\",\"seq\":%llu,\"t_ns\":%llu,\"reason\":\"%s\",\"count\":%llu,\"from_ns\":%llu,\"to_ns\":%llu}\n", ++events,
	       now_ns(), reason, count, from, now_ns());
}

#endif
