/*
 * exec_child: works, then starts itself as a child process (fork, exec), then
 * replaces itself by exec.
 */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static void
run_self(const char *as)
{
	char *argv[] = { strdup("exec_child"), strdup(as), NULL };

	execv("/proc/self/exe", argv);
	perror("exec");
	_exit(127);
}

int
main(int argc, char **argv)
{
	pid_t pid;
	int status;

	need_gpu();
	if (argc > 1) {
		printf("%s: %08x\n", argv[1], work(0, 200));
		return strcmp(argv[1], "child") ? 7 : 5;
	}
	printf("first: %08x\n", work(0, 100));
	fflush(stdout);
	pid = fork();
	if (pid < 0)
		return 1;
	if (!pid)
		run_self("child");
	if (waitpid(pid, &status, 0) != pid)
		return 1;
	printf("child ended with %d\n", WEXITSTATUS(status));
	fflush(stdout);
	run_self("replaced");
}
