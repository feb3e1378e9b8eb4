/* The processes that a program has forked to prepare its data. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/test.h"
#include "workers.h"

#define SECOND 1000000000ull
#define MOST 4

static pid_t child[MOST];
static int children;

/* A child called ${name}, by then; NULL: as its parent. */
static void
start(const char *name)
{
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
		for (;;)
			pause();
	}
	close(p[1]);
	assert_int_equal(read(p[0], &ready, 1), 1);
	close(p[0]);
	child[children++] = pid;
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
	uint32_t cpus;

	if (workers_due(now))
		workers_look(now);
	return workers_count(&cpus);
}

/* Forks, and PyTorch's workers, but no other child; where it is asked for them, a second
 * apart. */
TEST_WITH(forks_are_counted, NULL, tear_down)
{
	char path[64];
	uint32_t cpus;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)getpid(),
	    (int)getpid());
	if (access(path, R_OK) != 0)
		skip();		/* a kernel without such lists */
	assert_false(workers_due(SECOND));	/* nobody has asked */
	start(NULL);
	start("pt_data_worker");
	start("git");
	assert_int_equal(workers_count(&cpus), 0);	/* not counted yet, nor here */
	assert_int_equal(workers_count(&cpus), 0);
	assert_int_equal(count_at(SECOND), 2);
	workers_count(&cpus);
	assert_true(cpus >= 1 && cpus <= sysconf(_SC_NPROCESSORS_CONF));
	start(NULL);
	assert_int_equal(count_at(2 * SECOND - 1), 2);
	assert_int_equal(count_at(2 * SECOND), 3);
	assert_false(workers_due(2 * SECOND + 1));
	assert_true(workers_due(3 * SECOND));
	assert_false(workers_due(4 * SECOND));	/* not asked since */
}
