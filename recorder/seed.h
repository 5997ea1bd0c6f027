/* Which processes are followed from the start, and which are left at the end. */
#ifndef AGENTSIGHT_SEED_H
#define AGENTSIGHT_SEED_H
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include "write.h"

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
	printf("{\"type\":\"proc.seen\",\"seq\":%llu,\"t_ns\":%llu,\"pid\":%u,\"start_ns\":%llu,\"exec_id\":0,\"parent_pid\":%d,\"running\":true}\n", ++events,
	       now_ns(), pid, start, parent);
	return 1;
}

/* Who is followed: one process, or all of a name, or all of a control group; with whatever lives below them. */
struct wanted {
	int pid;
	const char *comm;
	char cgroup[4096]; /* as /proc/N/cgroup has it, from the root of the hierarchy */
	unsigned long long cgroup_id;
	unsigned level;
};

static int first_line(unsigned pid, const char *file, const char *prefix, char *line, int size)
{
	char path[64];
	size_t n = strlen(prefix);
	int found = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, file);
	f = fopen(path, "r");
	while (f && !found && fgets(line, size, f))
		found = !strncmp(line, prefix, n);
	if (f)
		fclose(f);
	if (found)
		line[strcspn(line, "\n")] = 0;
	return found;
}

static int is_wanted(const struct wanted *w, unsigned pid)
{
	char line[8192];
	size_t n = strlen(w->cgroup);

	if (pid == (unsigned)getpid() || pid == (unsigned)getppid())
		return 0;
	if (w->comm)
		return first_line(pid, "comm", "", line, sizeof(line)) && !strncmp(line, w->comm, 15);
	if (w->cgroup_id) /* the whole hierarchy, this group, or one below it */
		return first_line(pid, "cgroup", "0::", line, sizeof(line)) && (!w->level || (!strncmp(line + 3, w->cgroup, n) && (!line[3 + n] || line[3 + n] == '/')));
	return pid == (unsigned)w->pid;
}

/* Finds the group in the mounted hierarchy of version 2: its number is the inode of its folder. */
static int find_cgroup(struct wanted *w, const char *given)
{
	char line[8192], mount[4096], type[64], path[8192], real[4096];
	FILE *f = fopen("/proc/self/mounts", "r");
	struct stat s;

	while (f && fgets(line, sizeof(line), f)) {
		size_t n;

		if (sscanf(line, "%*s %4095s %63s", mount, type) != 2 || strcmp(type, "cgroup2"))
			continue;
		n = strlen(mount);
		snprintf(path, sizeof(path), "%s/%s", mount, given);
		if (strncmp(given, mount, n) == 0 && realpath(given, real) == NULL)
			continue;
		if (strncmp(given, mount, n) != 0 && realpath(path, real) == NULL)
			continue;
		if (strncmp(real, mount, n) || (real[n] && real[n] != '/') || stat(real, &s) || !S_ISDIR(s.st_mode))
			continue;
		snprintf(w->cgroup, sizeof(w->cgroup), "%s", real + n);
		w->cgroup_id = s.st_ino;
		for (char *c = w->cgroup; *c; c++)
			w->level += *c == '/';
		break;
	}
	if (f)
		fclose(f);
	return w->cgroup_id ? 0 : -1;
}

/* Those who are there already and whatever lives under them; repeated until a pass finds nobody new, because forks race with the scan. */
static int seed(int map, const struct wanted *w)
{
	unsigned long long start;
	int parent, found;

	if (w->pid) {
		if (stat_of(w->pid, &parent, &start))
			return -1;
		follow(map, w->pid, parent, start);
	}
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
			if (bpf_map_lookup_elem(map, &up, &p) == 0 || is_wanted(w, pid))
				found += follow(map, pid, parent, start);
		}
		if (proc)
			closedir(proc);
	} while (found);
	return 0;
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

#endif
