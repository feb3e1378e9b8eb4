#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "capture/proc.h"

#define S 1000000000ull		/* ns */
#define SLACK (S / 2)		/* a tick is 10 ms, and on a busy machine time passes
				 * between reading two clocks; a pid is reused after
				 * seconds at the earliest */
#define STARTTIME 20		/* index of the start time in /proc/PID/stat, after
				 * the name */

/* The state letter and the start time of a process. -1: /proc has no such process, or
 * there is no /proc. */
static int
look(pid_t pid, char *state, uint64_t *start)
{
	char path[64], line[1024], *p;
	FILE *f;
	int i;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if ((f = fopen(path, "re")) == NULL)
		return -1;
	if (fgets(line, sizeof(line), f) == NULL)
		line[0] = '\0';
	fclose(f);
	/* "12 (name) S …": the name may contain any character. */
	if ((p = strrchr(line, ')')) == NULL || p[1] != ' ')
		return -1;
	*state = p[2];
	for (i = 0; i < STARTTIME && p != NULL; i++)
		p = strchr(p + 1, ' ');
	*start = p != NULL ? strtoull(p, NULL, 10) : 0;
	return 0;
}

struct proc
proc_of(pid_t pid)
{
	struct proc p = { pid, 0, false };
	char state;

	if (pid > 0)
		look(pid, &state, &p.start);
	return p;
}

static bool
near(uint64_t a, uint64_t least, uint64_t most)
{

	return a + SLACK >= least && a <= most + SLACK;
}

/* Whether a process that started ${start} ns after boot is the one that sent ${b}. */
static bool
is_born(uint64_t start, const struct proc_birth *b)
{
	uint64_t boot = clock_at(CLOCK_BOOTTIME), age, then;
	uint64_t mono = clock_mono(), asleep;

	if (near(clock_real() - boot + start, b->start_ns,
	    b->start_ns))
		return true;
	if (b->now_mono_ns == 0 || b->now_ns < b->start_ns)
		return false;
	/* The start as time since boot. CLOCK_MONOTONIC omits suspends; how much of
	 * them was before the start is not known, only their sum until now: so it is a
	 * range. */
	age = b->now_ns - b->start_ns;
	asleep = boot > mono ? boot - mono : 0;
	if (b->now_mono_ns + asleep < age)
		return false;
	then = b->now_mono_ns > age ? b->now_mono_ns - age : 0;
	return near(start, then, b->now_mono_ns + asleep - age);
}

struct proc
proc_born(pid_t pid, const struct proc_birth *b)
{
	struct proc p = proc_of(pid);
	uint64_t tick = S / (uint64_t)sysconf(_SC_CLK_TCK);

	if (pid > 0 && b->start_ns != 0 && p.start != 0)
		p.gone = !is_born(p.start * tick, b);
	return p;
}

int
proc_alive(const struct proc *p)
{
	uint64_t start;
	char state;

	if (p->pid <= 0)
		return -1;
	if (p->gone)
		return 0;
	if (look(p->pid, &state, &start) != 0)
		return kill(p->pid, 0) == 0 || errno == EPERM;
	return state != 'Z' && state != 'X' &&
	    (p->start == 0 || start == 0 || start == p->start);
}
