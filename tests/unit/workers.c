/* The processes that a program has forked to prepare its data. */
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "unit/test.h"
#include "workers.h"

#define SECOND 1000000000ull
#define MOST 4

static pid_t child[MOST];
static int children;

/* A child called ${name}, by then; NULL: as its parent. ${works}: it uses a processor. */
static void
start_one(const char *name, bool works)
{
	volatile bool more = works;
	char ready = 0;
	int p[2];
	pid_t pid;

	assert_int_equal(pipe(p), 0);
	assert_true((pid = fork()) != -1);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if ((name != NULL && prctl(PR_SET_NAME, name) != 0) ||
		    write(p[1], &ready, 1) != 1)
			_exit(1);
		while (more)
			continue;
		for (;;)
			pause();
	}
	close(p[1]);
	assert_int_equal(read(p[0], &ready, 1), 1);
	close(p[0]);
	child[children++] = pid;
}

static void
start(const char *name)
{

	start_one(name, false);
}

static int
tear_down(void **state)
{

	(void)state;
	while (children > 0) {
		kill(child[--children], SIGKILL);
		waitpid(child[children], NULL, 0);
	}
	return 0;
}

/* What is counted when the sender's thread comes by at ${now}. */
static uint32_t
count_at(uint64_t now)
{

	if (workers_due(now))
		workers_look(now);
	return workers_count().count;
}

/* Forks, and PyTorch's workers, but no other child; where it is asked for them, a second
 * apart. */
TEST_WITH(forks_are_counted, NULL, tear_down)
{
	struct workers w;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)getpid(),
	    (int)getpid());
	if (access(path, R_OK) != 0)
		skip();		/* a kernel without such lists */
	assert_false(workers_due(SECOND));	/* nobody has asked */
	start(NULL);
	start("pt_data_worker");
	start("git");
	assert_int_equal(workers_count().count, 0);	/* not counted yet, nor here */
	assert_int_equal(workers_count().count, 0);
	assert_int_equal(count_at(SECOND), 2);
	w = workers_count();
	assert_true(w.processors >= 1 &&
	    (long)w.processors <= sysconf(_SC_NPROCESSORS_CONF));
	assert_int_equal(w.working, 0);	/* counted once only */
	start(NULL);
	assert_int_equal(count_at(2 * SECOND - 1), 2);
	assert_int_equal(count_at(2 * SECOND), 3);
	assert_false(workers_due(2 * SECOND + 1));
	assert_true(workers_due(3 * SECOND));
	assert_false(workers_due(4 * SECOND));	/* not asked since */
}

static uint64_t
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

/* One of two that works, among names with parentheses: something between idle and all of
 * the time, by how busy the machine is. */
TEST_WITH(working_is_measured, NULL, tear_down)
{
	uint64_t begin = now_ns() + 1000 * SECOND;	/* later than any test before */
	struct workers w;

	prctl(PR_SET_NAME, "a) b (c");
	start_one(NULL, true);
	start(NULL);
	workers_count();
	if (count_at(begin) == 0)
		skip();
	for (int i = 0; i < 50; i++) {
		usleep(100000);
		workers_count();
		if (count_at(now_ns() + 1001 * SECOND) == 2 &&
		    workers_count().working > 0)
			break;
	}
	w = workers_count();
	assert_int_equal(w.count, 2);
	assert_true(w.working > 0 && w.working <= 510);
}
