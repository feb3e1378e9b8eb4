#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"

#include "cli/self.h"

extern char **environ;

/* Starts the child with the two signals' handling as it was before. */
static int
spawn(pid_t *pid, char **argv, bool output, const struct sigaction was[2])
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t how;
	sigset_t usual;
	int rc;

	sigemptyset(&usual);
	if (was[0].sa_handler != SIG_IGN)
		sigaddset(&usual, SIGINT);
	if (was[1].sa_handler != SIG_IGN)
		sigaddset(&usual, SIGQUIT);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null",
	    O_RDONLY, 0);
	if (!output)
		posix_spawn_file_actions_addopen(&files, STDOUT_FILENO,
		    "/dev/null", O_WRONLY, 0);
	posix_spawnattr_init(&how);
	posix_spawnattr_setsigdefault(&how, &usual);
	posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGDEF);
	rc = posix_spawn(pid, "/proc/self/exe", &files, &how, argv, environ);
	posix_spawnattr_destroy(&how);
	posix_spawn_file_actions_destroy(&files);
	return rc;
}

int
self_run(char **argv, bool output, struct error *e)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, was[2];
	int rc, status = 0;
	pid_t pid;

	sigaction(SIGINT, &ignore, &was[0]);
	sigaction(SIGQUIT, &ignore, &was[1]);
	if ((rc = spawn(&pid, argv, output, was)) == 0)
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	sigaction(SIGINT, &was[0], NULL);
	sigaction(SIGQUIT, &was[1], NULL);
	if (rc != 0) {
		errno = rc;
		return error_set(e, "cannot start cudadvise again:");
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) :
	    128 + WTERMSIG(status);
}
