#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/orphans.h"

#define ROUNDS 200		/* of 10 ms: two seconds */

void
orphans_adopt(bool on)
{

	prctl(PR_SET_CHILD_SUBREAPER, on ? 1 : 0, 0, 0, 0);
}

/* One of our children, or 0. */
static pid_t
child(void)
{
	char path[64];
	long pid = 0;
	FILE *f;

	/* We have one thread: its children are all of ours. */
	snprintf(path, sizeof(path), "/proc/self/task/%d/children",
	    (int)getpid());
	if ((f = fopen(path, "re")) == NULL)
		return 0;
	if (fscanf(f, "%ld", &pid) != 1)
		pid = 0;
	fclose(f);
	return (pid_t)pid;
}

void
orphans_kill(void)
{
	const struct timespec step = { 0, 10000000 };
	pid_t pid;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		while (waitpid(-1, NULL, WNOHANG) > 0)
			continue;
		if ((pid = child()) <= 0)
			return;
		/* Its children become ours, and are next. */
		kill(pid, SIGKILL);
		nanosleep(&step, NULL);
	}
}
