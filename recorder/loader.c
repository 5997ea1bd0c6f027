/* Loads the kernel side, follows one process and its descendants, writes one JSON object a line.
 *   agentsight-engine --pid N [--ring MB] [--tls 1]
 * First line: {"type":"ready",...} when tracing is live, or {"type":"refused","why":...} and exit 3.
 * Ends when standard input closes (its recorder is gone, however it went) or on SIGTERM; then the last line is "end".
 * Paths are as the kernel has them; names given relative to a directory come with that directory, and joining,
 * decoding of addresses and DNS and everything else is the reader's work. */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "events.h"
#include "json.h"
#include "engine.skel.h"
#include "tls.h"

static volatile sig_atomic_t stopping;
static unsigned long long events;

static void on_signal(int sig)
{
	(void)sig;
	stopping = 1;
}

static int refuse(const char *format, ...)
{
	char why[512];
	va_list ap;

	va_start(ap, format);
	vsnprintf(why, sizeof(why), format, ap);
	va_end(ap);
	printf("{\"type\":\"refused\"");
	json_string(stdout, "why", (unsigned char *)why, strlen(why));
	printf("}\n");
	return 3;
}

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
};

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
	if (h->kind < K_FORK || h->kind > K_COMPAT)
		return 0;
	events++;
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
		printf(",\"socket\":\"%s\",\"ret\":%lld", h->a == 1 ? "stream" : h->a == 2 ? "dgram" : "other", h->ret);
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

/* Parent and start of a process, from /proc/N/stat: fields 4 and 22 counted after the name's closing bracket. */
static int stat_of(int pid, int *parent, unsigned long long *start)
{
	char path[64], line[1024], *p;
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "r");
	if (!f)
		return -1;
	n = fread(line, 1, sizeof(line) - 1, f);
	fclose(f);
	line[n] = 0;
	p = strrchr(line, ')');
	if (!p || sscanf(p + 1, " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu", parent, start) != 2)
		return -1;
	*start *= 1000000000ull / sysconf(_SC_CLK_TCK);
	return 0;
}

static int follow(int map, unsigned pid, int parent, unsigned long long start)
{
	struct proc p = { .start = start };

	if (pid == (unsigned)getpid() || bpf_map_update_elem(map, &pid, &p, BPF_NOEXIST))
		return 0;
	printf("{\"type\":\"proc.seen\",\"seq\":%llu,\"t_ns\":%llu,\"pid\":%u,\"start_ns\":%llu,\"exec_id\":0,\"parent_pid\":%d}\n", ++events,
	       now_ns(), pid, start, parent);
	return 1;
}

/* The root and whatever already lives under it; repeated until a pass finds nobody new, because forks race with the scan. */
static int seed(int map, int root)
{
	unsigned long long start;
	int parent, found;

	if (stat_of(root, &parent, &start))
		return -1;
	follow(map, root, parent, start);
	do {
		DIR *proc = opendir("/proc");
		struct dirent *e;

		found = 0;
		while (proc && (e = readdir(proc))) {
			struct proc p;
			unsigned pid, up;

			if (!isdigit((unsigned char)e->d_name[0]))
				continue;
			pid = atoi(e->d_name);
			if (bpf_map_lookup_elem(map, &pid, &p) == 0 || stat_of(pid, &parent, &start))
				continue;
			up = parent;
			if (bpf_map_lookup_elem(map, &up, &p) == 0)
				found += follow(map, pid, parent, start);
		}
		if (proc)
			closedir(proc);
	} while (found);
	return 0;
}

/* Which of the needed capabilities is missing, or NULL. */
static const char *missing_capability(void)
{
	char line[256];
	unsigned long long caps = 0;
	FILE *f = fopen("/proc/self/status", "r");

	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "CapEff: %llx", &caps);
	if (f)
		fclose(f);
	if (caps >> 21 & 1) /* CAP_SYS_ADMIN holds both */
		return NULL;
	if (!(caps >> 39 & 1))
		return caps >> 38 & 1 ? "CAP_BPF" : "CAP_BPF and CAP_PERFMON";
	return caps >> 38 & 1 ? NULL : "CAP_PERFMON";
}

/* Who is still there when the recording ends: what they do next is not in it. */
static void write_alive(int map)
{
	unsigned pid, *last = NULL, next;
	struct proc p;

	while (bpf_map_get_next_key(map, last, &next) == 0) {
		pid = next;
		last = &pid;
		if (bpf_map_lookup_elem(map, &pid, &p) == 0)
			printf("{\"type\":\"proc.alive\",\"seq\":%llu,\"t_ns\":%llu,\"pid\":%u,\"start_ns\":%llu,\"exec_id\":%u}\n", ++events,
			       now_ns(), pid, p.start, p.exec);
	}
}

static int quiet(enum libbpf_print_level level, const char *format, va_list ap)
{
	return level == LIBBPF_WARN && getenv("AGENTSIGHT_DEBUG") ? vfprintf(stderr, format, ap) : 0;
}

/* What has arrived on standard input, a line a command. False when it is closed: the recorder is gone. */
static int read_commands(struct tls *tls)
{
	static char line[8192];
	static size_t held;
	char bytes[4096];
	ssize_t n = read(0, bytes, sizeof(bytes));

	for (ssize_t i = 0; i < n; i++) {
		if (bytes[i] != '\n') {
			if (held < sizeof(line) - 1)
				line[held++] = bytes[i];
			continue;
		}
		line[held] = 0;
		held = 0;
		tls_command(tls, line);
	}
	return n > 0;
}

int main(int argc, char **argv)
{
	int root = 0, ring_mb = 16, want_tls = 0, error;
	struct ring_buffer *ring;
	struct engine_bpf *engine;
	struct stat ns;
	unsigned long long lost = 0, untracked = 0, looked, total = 0;
	static char out[1 << 18];
	struct tls tls = {};

	setvbuf(stdout, out, _IOFBF, sizeof(out));
	for (int i = 1; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--pid"))
			root = atoi(argv[i + 1]);
		else if (!strcmp(argv[i], "--ring"))
			ring_mb = atoi(argv[i + 1]);
		else if (!strcmp(argv[i], "--tls"))
			want_tls = atoi(argv[i + 1]);
	}
	if (root <= 0 || ring_mb < 1 || ring_mb & (ring_mb - 1)) {
		fprintf(stderr, "usage: agentsight-engine --pid N [--ring MB, a power of two] [--tls 1]\n");
		return 2;
	}
	if (missing_capability())
		return refuse("needs root, or %s in addition to what it has", missing_capability());
	/* The kernel side knows processes by the numbers of the first namespace (its inode is fixed, PROC_PID_INIT_INO). */
	if (stat("/proc/self/ns/pid", &ns) == 0 && ns.st_ino != 0xEFFFFFFCu)
		return refuse("inside a container's process namespace the kernel's process numbers are other ones");
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		return refuse("this kernel has no type information (/sys/kernel/btf/vmlinux)");

	signal(SIGINT, SIG_IGN); /* Ctrl-C at the terminal is for the program that is recorded */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGTERM, on_signal);
	libbpf_set_print(quiet);
	engine = engine_bpf__open();
	if (!engine)
		return refuse("the kernel program could not be opened: %s", strerror(errno));
	bpf_map__set_max_entries(engine->maps.ring, ring_mb << 20);
	bpf_map__set_max_entries(engine->maps.scratches, libbpf_num_possible_cpus());
	error = engine_bpf__load(engine);
	if (error)
		return refuse("the kernel refused to load the program: %s", strerror(-error));
	ring = ring_buffer__new(bpf_map__fd(engine->maps.ring), write_event, NULL, NULL);
	if (!ring || (error = engine_bpf__attach(engine)))
		return refuse("the kernel refused to attach the program: %s", strerror(ring ? -error : errno));
	if (want_tls) {
		const char *why = tls_open(&tls, bpf_map__fd(engine->maps.tree));

		printf("{\"type\":\"tls.open\"");
		if (why)
			json_string(stdout, "why", (unsigned char *)why, strlen(why));
		fputs("}\n", stdout);
	}
	printf("{\"type\":\"ready\",\"t_ns\":%llu,\"ring_mb\":%d}\n", now_ns(), ring_mb);
	if (seed(bpf_map__fd(engine->maps.tree), root)) {
		engine_bpf__destroy(engine);
		return refuse("no process %d", root);
	}
	printf("{\"type\":\"seeded\"}\n");
	fflush(stdout);

	looked = now_ns();
	while (!stopping && !ferror(stdout)) {
		struct pollfd in = { .fd = 0, .events = POLLIN };
		unsigned long long unheard = tls_consume(&tls);

		if (unheard)
			write_gap("tls_lost", unheard, looked);
		ring_buffer__poll(ring, 20);
		ring_buffer__consume(ring); /* events come without a wake-up, see emit() */
		if (engine->bss->lost != lost) {
			write_gap("lost", engine->bss->lost - lost, looked);
			total += engine->bss->lost - lost;
			lost += engine->bss->lost - lost;
		}
		if (engine->bss->untracked != untracked) {
			write_gap("untracked", engine->bss->untracked - untracked, looked);
			untracked = engine->bss->untracked;
		}
		looked = now_ns();
		fflush(stdout);
		if (poll(&in, 1, 0) > 0 && !read_commands(&tls))
			stopping = 1;
	}
	tls_close(&tls);
	tls_consume(&tls);
	engine_bpf__detach(engine);
	ring_buffer__consume(ring);
	write_alive(bpf_map__fd(engine->maps.tree));
	printf("{\"type\":\"end\",\"events\":%llu,\"lost\":%llu}\n", events, total);
	fflush(stdout);
	tls_free(&tls);
	ring_buffer__free(ring);
	engine_bpf__destroy(engine);
	return 0;
}
