/* The loader's side of --tls: puts probes where the reader says and writes what they see.
 *   probe FUNCTION OFFSET START PATH    on standard input: FUNCTION is one of the names below, OFFSET its place in the file
 * in decimal, START the first bytes that must stand there in hex. Answered by {"type":"tls.probed",...}, with "why" if not.
 * Seen bytes are {"type":"tls.bytes",...}, base64. Only the reader knows what may be kept of them. */
#ifndef AGENTSIGHT_TLS_H
#define AGENTSIGHT_TLS_H
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "json.h"
#include "tls-events.h"
#include "tls.skel.h"

struct tls {
	struct tls_bpf *object;
	struct ring_buffer *ring;
	struct bpf_link **links;
	size_t count;
	unsigned long long lost;
};

static const char *const TLS_DIRS[] = { [TLS_SENT] = "sent", [TLS_RECEIVED] = "received", [TLS_FREED] = "freed" };

static void json_base64(FILE *out, const char *key, const unsigned char *s, size_t n)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	fprintf(out, ",\"%s\":\"", key);
	for (size_t i = 0; i < n; i += 3) {
		unsigned v = s[i] << 16 | (i + 1 < n ? s[i + 1] << 8 : 0) | (i + 2 < n ? s[i + 2] : 0);

		putc_unlocked(digits[v >> 18], out);
		putc_unlocked(digits[v >> 12 & 63], out);
		putc_unlocked(i + 1 < n ? digits[v >> 6 & 63] : '=', out);
		putc_unlocked(i + 2 < n ? digits[v & 63] : '=', out);
	}
	putc_unlocked('"', out);
}

static int tls_event(void *context, void *bytes, size_t size)
{
	const struct tls_head *h = bytes;

	(void)context;
	if (size < sizeof(*h) || h->size > size - sizeof(*h) || h->dir > TLS_FREED)
		return 0;
	printf("{\"type\":\"tls.bytes\",\"t_ns\":%llu,\"pid\":%u,\"start_ns\":%llu,\"exec_id\":%u,\"ssl\":\"%llx\",\"dir\":\"%s\"", h->t,
	       h->pid, h->start, h->exec, h->ssl, TLS_DIRS[h->dir]);
	if (h->dir != TLS_FREED) {
		printf(",\"len\":%llu,\"at\":%llu", h->len, h->at);
		json_base64(stdout, "bytes", (unsigned char *)bytes + sizeof(*h), h->size);
	}
	fputs("}\n", stdout);
	return 0;
}

/* Loads the programs onto the engine's tree. Returns why not, or NULL. */
static const char *tls_open(struct tls *tls, int tree)
{
	memset(tls, 0, sizeof(*tls));
	tls->object = tls_bpf__open();
	if (!tls->object)
		return "the TLS programs could not be opened";
	if (bpf_map__reuse_fd(tls->object->maps.tree, tree) || tls_bpf__load(tls->object))
		return "the kernel refused to load the TLS programs";
	tls->ring = ring_buffer__new(bpf_map__fd(tls->object->maps.tls_ring), tls_event, NULL, NULL);
	return tls->ring ? NULL : "the kernel refused a buffer for TLS text";
}

static const char *tls_link(struct tls *tls, struct bpf_program *program, int retprobe, const char *path, unsigned long offset)
{
	LIBBPF_OPTS(bpf_uprobe_opts, opts, .retprobe = retprobe);
	struct bpf_link *link = bpf_program__attach_uprobe_opts(program, -1, path, offset, &opts);
	struct bpf_link **grown;

	if (!link)
		return strerror(errno);
	grown = realloc(tls->links, (tls->count + 1) * sizeof(*grown));
	if (!grown) {
		bpf_link__destroy(link);
		return strerror(ENOMEM);
	}
	tls->links = grown;
	tls->links[tls->count++] = link;
	return NULL;
}

/* The start is compared on the very file that gets the probe: a probe inside an instruction would break the program. */
static const char *tls_probe(struct tls *tls, const char *function, unsigned long offset, const char *start, const char *path)
{
	struct tls_bpf *o = tls->object;
	struct { const char *name; struct bpf_program *entry, *exit; } known[] = {
		{ "SSL_write", o->progs.tls_write, o->progs.tls_returned },
		{ "SSL_read", o->progs.tls_read, o->progs.tls_returned },
		{ "SSL_write_ex", o->progs.tls_write_ex, o->progs.tls_returned_ex },
		{ "SSL_read_ex", o->progs.tls_read_ex, o->progs.tls_returned_ex },
		{ "SSL_free", o->progs.tls_free, NULL },
	};
	unsigned char bytes[32];
	char held[64], hex[65];
	const char *why = "no such function is known";
	size_t n = strlen(start) / 2;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return strerror(errno);
	if (n == 0 || n > sizeof(bytes) || pread(fd, bytes, n, offset) != (ssize_t)n) {
		close(fd);
		return "the file ends before the function";
	}
	for (size_t i = 0; i < n; i++)
		sprintf(hex + 2 * i, "%02x", bytes[i]);
	if (strcmp(hex, start)) {
		close(fd);
		return "the file has changed";
	}
	snprintf(held, sizeof(held), "/proc/self/fd/%d", fd);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(function, known[i].name))
			continue;
		/* The return first: an entry alone would fill the table of calls. */
		why = known[i].exit ? tls_link(tls, known[i].exit, 1, held, offset) : NULL;
		if (!why)
			why = tls_link(tls, known[i].entry, 0, held, offset);
	}
	close(fd);
	return why;
}

/* One line of standard input. */
static void tls_command(struct tls *tls, const char *line)
{
	char function[32], start[65];
	unsigned long offset;
	int at = 0;
	const char *path, *why;

	if (sscanf(line, "probe %31s %lu %64s %n", function, &offset, start, &at) != 3 || !at)
		return;
	path = line + at;
	why = tls->object ? tls_probe(tls, function, offset, start, path) : "TLS is not recorded";
	printf("{\"type\":\"tls.probed\",\"function\":\"%s\"", function);
	json_string(stdout, "path", (unsigned char *)path, strlen(path));
	if (why)
		json_string(stdout, "why", (unsigned char *)why, strlen(why));
	fputs("}\n", stdout);
}

/* How many events found the buffer full since the last call. */
static unsigned long long tls_consume(struct tls *tls)
{
	unsigned long long lost = 0;

	if (!tls->ring)
		return 0;
	ring_buffer__consume(tls->ring);
	lost = tls->object->bss->tls_lost - tls->lost;
	tls->lost += lost;
	return lost;
}

static void tls_close(struct tls *tls)
{
	for (size_t i = 0; i < tls->count; i++)
		bpf_link__destroy(tls->links[i]);
	free(tls->links);
	tls->links = NULL;
	tls->count = 0;
}

static void tls_free(struct tls *tls)
{
	if (tls->ring)
		ring_buffer__free(tls->ring);
	if (tls->object)
		tls_bpf__destroy(tls->object);
}

#endif
