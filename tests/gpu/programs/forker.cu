/*
 * forker: children that use the GPU (forked before any CUDA call), and one that
 * is forked later and must not use it; each ends in a different way.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

#define CHILDREN 3

static int
status_of(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid)
		exit(1);
	return WIFEXITED(status) ? WEXITSTATUS(status) :
	    128 + WTERMSIG(status);
}

static void
child(int i)
{
	need_gpu();
	printf("child %d: %08x\n", i, work(0, 100 * (i + 1)));
	fflush(stdout);
	if (i == 1)
		_exit(10 + i);
	exit(10 + i);
}

int
main(void)
{
	pid_t pid;

	for (int i = 0; i < CHILDREN; i++) {
		pid = fork();
		if (pid < 0)
			return 1;
		if (!pid)
			child(i);
		int status = status_of(pid);

		if (status == SKIP)
			return SKIP;
		printf("child %d ended with %d\n", i, status);
		fflush(stdout);
	}
	need_gpu();
	printf("parent: %08x\n", work(0, 50));
	fflush(stdout);
	/* A child of a process with a context: CUDA cannot be used in it, but
	 * its exit handlers run. */
	pid = fork();
	if (pid < 0)
		return 1;
	if (!pid)
		exit(42);
	printf("late child ended with %d\n", status_of(pid));
	printf("parent again: %08x\n", work(0, 50));
	return 0;
}
