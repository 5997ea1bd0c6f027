/* Loads the kernel side, follows processes and their descendants, writes one JSON object a line.
 *   agentsight-engine --pid N | --comm NAME | --cgroup FOLDER  [--io yes] [--tls 1] [--ring MB]
 * First line: {"type":"ready",...} when tracing is live, or {"type":"refused","why":...} and exit 3.
 * Ends when standard input closes (its recorder is gone, however it went) or on SIGTERM; then the last line is "end".
 * Paths are as the kernel has them; names given relative to a directory come with that directory, and joining,
 * decoding of addresses and DNS and everything else is the reader's work. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "events.h"
#include "json.h"
#include "seed.h"
#include "write.h"
#include "engine.skel.h"
#include "tls.h"

static volatile sig_atomic_t stopping;

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

static const char USAGE[] = "usage: agentsight-engine --pid N | --comm NAME | --cgroup FOLDER  [--io yes] [--tls 1] [--ring MB, a power of two]\n";

/* Programs and maps that cost something are loaded only where they were asked for. */
static void choose(struct engine_bpf *engine, const struct wanted *w, int io)
{
	bpf_program__set_autoload(engine->progs.io_entered, io);
	bpf_program__set_autoload(engine->progs.io_returned, io);
	bpf_program__set_autoload(engine->progs.io_state, io);
	bpf_program__set_autoload(engine->progs.io_thread_ended, io);
	bpf_map__set_autocreate(engine->maps.threads, io);
	bpf_map__set_autocreate(engine->maps.connecting, io);
	bpf_program__set_autoload(engine->progs.moved, w->cgroup_id != 0);
	if (w->comm)
		strncpy((char *)engine->rodata->wanted_comm, w->comm, sizeof(engine->rodata->wanted_comm) - 1);
	engine->rodata->wanted_cgroup = w->cgroup_id;
	engine->rodata->wanted_level = w->level;
}

int main(int argc, char **argv)
{
	static struct wanted wanted;
	const char *cgroup = NULL;
	int ring_mb = 16, io = 0, want_tls = 0, error;
	struct ring_buffer *ring;
	struct engine_bpf *engine;
	struct stat ns;
	unsigned long long lost = 0, untracked = 0, looked, total = 0;
	static char out[1 << 18];
	struct tls tls = {};

	setvbuf(stdout, out, _IOFBF, sizeof(out));
	for (int i = 1; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--pid"))
			wanted.pid = atoi(argv[i + 1]);
		else if (!strcmp(argv[i], "--comm"))
			wanted.comm = argv[i + 1];
		else if (!strcmp(argv[i], "--cgroup"))
			cgroup = argv[i + 1];
		else if (!strcmp(argv[i], "--io"))
			io = !strcmp(argv[i + 1], "yes");
		else if (!strcmp(argv[i], "--ring"))
			ring_mb = atoi(argv[i + 1]);
		else if (!strcmp(argv[i], "--tls"))
			want_tls = atoi(argv[i + 1]);
	}
	if ((wanted.pid > 0) + (wanted.comm && *wanted.comm) + (cgroup != NULL) != 1 || ring_mb < 1 || ring_mb & (ring_mb - 1)) {
		fputs(USAGE, stderr);
		return 2;
	}
	if (missing_capability())
		return refuse("needs root, or %s in addition to what it has", missing_capability());
	/* The kernel side knows processes by the numbers of the first namespace (its inode is fixed, PROC_PID_INIT_INO). */
	if (stat("/proc/self/ns/pid", &ns) == 0 && ns.st_ino != 0xEFFFFFFCu)
		return refuse("inside a container's process namespace the kernel's process numbers are other ones");
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		return refuse("this kernel has no type information (/sys/kernel/btf/vmlinux)");

	if (cgroup && find_cgroup(&wanted, cgroup))
		return refuse("no control group %s in a mounted hierarchy of version 2", cgroup);

	signal(SIGINT, SIG_IGN); /* Ctrl-C at the terminal is for the program that is recorded */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGTERM, on_signal);
	libbpf_set_print(quiet);
	engine = engine_bpf__open();
	if (!engine)
		return refuse("the kernel program could not be opened: %s", strerror(errno));
	bpf_map__set_max_entries(engine->maps.ring, ring_mb << 20);
	bpf_map__set_max_entries(engine->maps.scratches, libbpf_num_possible_cpus());
	choose(engine, &wanted, io);
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
	if (seed(bpf_map__fd(engine->maps.tree), &wanted)) {
		engine_bpf__destroy(engine);
		return refuse("no process %d", wanted.pid);
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
