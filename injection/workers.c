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

static uint64_t looked_ns;
static _Atomic bool asked;
static _Atomic uint32_t workers, processors;

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

static bool
read_name(long pid, char *out)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%ld/comm", pid);
	return read_text(path, out, NAME + 1);
}

static uint32_t
count_children(void)
{
	char path[64], list[CHILDREN * 12], own[NAME + 1], name[NAME + 1], *p, *end;
	uint32_t n = 0, seen = 0;
	long pid = (long)getpid(), child;

	snprintf(path, sizeof(path), "/proc/%ld/task/%ld/children", pid, pid);
	if (!read_text(path, list, sizeof(list)) || !read_name(pid, own))
		return 0;
	for (p = list; seen < CHILDREN && (child = strtol(p, &end, 10)) > 0 &&
	    *end == ' '; p = end, seen++)
		if (read_name(child, name) && (strcmp(name, own) == 0 ||
		    strcmp(name, LOADS "\n") == 0))
			n++;
	return n;
}

/* Of the main thread, which forks them: they inherit its. */
static uint32_t
count_processors(void)
{
	cpu_set_t set;

	return sched_getaffinity(getpid(), sizeof(set), &set) == 0 ?
	    (uint32_t)CPU_COUNT(&set) : 0;
}

uint32_t
workers_count(uint32_t *cpus)
{

	if (!atomic_load_explicit(&asked, memory_order_relaxed))
		atomic_store_explicit(&asked, true, memory_order_relaxed);
	*cpus = atomic_load_explicit(&processors, memory_order_relaxed);
	return atomic_load_explicit(&workers, memory_order_relaxed);
}

bool
workers_due(uint64_t now)
{

	return (looked_ns == 0 || now - looked_ns >= AGAIN_NS) &&
	    atomic_exchange_explicit(&asked, false, memory_order_relaxed);
}

void
workers_look(uint64_t now)
{

	looked_ns = now;
	atomic_store_explicit(&workers, count_children(), memory_order_relaxed);
	atomic_store_explicit(&processors, count_processors(), memory_order_relaxed);
}
