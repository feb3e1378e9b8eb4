#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "workers.h"

#define AGAIN_NS 1000000000ull
#define CHILDREN 64
#define NAME 16			/* of a thread, with its terminator (prctl(2)) */
#define LOADS "pt_data_worker"	/* torch/utils/data/_utils/worker.py, PyTorch 2.6 on */

/* A worker, and the processor time that it and its threads had used, in clock ticks. */
struct used {
	long pid;
	uint64_t ticks;
};

static struct {
	uint64_t at_ns;
	struct used by[CHILDREN];
	uint32_t n;
} last;
static _Atomic bool asked;
static _Atomic uint32_t workers, processors, working;

/* The first bytes of a file in /proc, as text. */
static bool
read_text(const char *path, char *out, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd == -1)
		return false;
	n = read(fd, out, size - 1);
	close(fd);
	out[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* The name of ${pid} and what it has used, from its line in /proc: the name in parentheses,
 * and twelve fields behind that the time in the program and in the kernel (proc(5)). */
static bool
read_used(long pid, char *name, struct used *u)
{
	char path[64], line[512], *from, *to;
	unsigned long user, kernel;

	snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
	if (!read_text(path, line, sizeof(line)) || (from = strchr(line, '(')) == NULL ||
	    (to = strrchr(line, ')')) == NULL || to - from - 1 >= NAME ||
	    sscanf(to + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
	    &kernel) != 2)
		return false;
	*to = '\0';
	memcpy(name, from + 1, (size_t)(to - from));
	*u = (struct used){ pid, user + kernel };
	return true;
}

/* How long ${u} used a processor in the ${ns} since the last count, at most all the time;
 * false: it was not there. */
static bool
used_since(const struct used *u, uint64_t ns, uint64_t *out)
{
	uint64_t tick = 1000000000ull / (uint64_t)sysconf(_SC_CLK_TCK), used;

	for (uint32_t i = 0; i < last.n; i++) {
		if (last.by[i].pid != u->pid || u->ticks < last.by[i].ticks)
			continue;
		used = (u->ticks - last.by[i].ticks) * tick;
		*out = used < ns ? used : ns;
		return true;
	}
	return false;
}

/* Counts the workers, and takes what they use for the next time. */
static void
count_children(uint64_t now)
{
	char path[64], list[CHILDREN * 12], own[NAME], name[NAME], *p, *end;
	uint64_t ns = now - last.at_ns, used, sum = 0;
	struct used u, by[CHILDREN];
	uint32_t n = 0, seen = 0, both = 0;
	long pid = (long)getpid(), child;

	snprintf(path, sizeof(path), "/proc/%ld/task/%ld/children", pid, pid);
	if (!read_text(path, list, sizeof(list)) || !read_used(pid, own, &u))
		list[0] = '\0';
	for (p = list; seen < CHILDREN && (child = strtol(p, &end, 10)) > 0 &&
	    *end == ' '; p = end, seen++) {
		if (!read_used(child, name, &u) || (strcmp(name, own) != 0 &&
		    strcmp(name, LOADS) != 0))
			continue;
		if (used_since(&u, ns, &used)) {
			sum += used;
			both++;
		}
		by[n++] = u;
	}
	memcpy(last.by, by, n * sizeof(*by));
	last.n = n;
	last.at_ns = now;
	atomic_store_explicit(&workers, n, memory_order_relaxed);
	atomic_store_explicit(&working, both > 0 && ns > 0 ?
	    (uint32_t)(sum * 1000 / (both * ns)) : 0, memory_order_relaxed);
}

/* Of the main thread, which forks them: they inherit its. */
static uint32_t
count_processors(void)
{
	cpu_set_t set;

	return sched_getaffinity(getpid(), sizeof(set), &set) == 0 ?
	    (uint32_t)CPU_COUNT(&set) : 0;
}

struct workers
workers_count(void)
{

	if (!atomic_load_explicit(&asked, memory_order_relaxed))
		atomic_store_explicit(&asked, true, memory_order_relaxed);
	return (struct workers){
		.count = atomic_load_explicit(&workers, memory_order_relaxed),
		.processors = atomic_load_explicit(&processors, memory_order_relaxed),
		.working = atomic_load_explicit(&working, memory_order_relaxed)
	};
}

bool
workers_due(uint64_t now)
{

	return (last.at_ns == 0 || now - last.at_ns >= AGAIN_NS) &&
	    atomic_exchange_explicit(&asked, false, memory_order_relaxed);
}

void
workers_look(uint64_t now)
{

	count_children(now);
	atomic_store_explicit(&processors, count_processors(), memory_order_relaxed);
}
