#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/paths.h"
#include "cli/client.h"

#include "cli/daemon.h"

#define START_MS 5000		/* a first start opens and recovers the store */
#define START_STEP_MS 10

int
daemon_sibling(char *out, const char *name, struct error *e)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	if (n <= 0)
		return (error_set(e, "cannot read /proc/self/exe:"));
	self[n] = '\0';
	if ((slash = strrchr(self, '/')) == NULL)
		return (error_set(e, "strange executable path '%s'", self));
	*slash = '\0';
	if (paths_join(out, self, name, e) != 0)
		return (-1);
	if (access(out, X_OK) == 0)
		return (0);
	error_set(e, "cannot execute '%s':", out);
	return (error_remedy(e, "reinstall cudadvise"));
}

/* A connection says that somebody listens there; whether it is well is for the
 * first request to find out. */
static bool
listens(const char *path)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	bool yes;
	int fd;

	if (strlen(path) >= sizeof(sun.sun_path))
		return (false);
	memcpy(sun.sun_path, path, strlen(path) + 1);
	if ((fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) < 0)
		return (false);
	yes = connect(fd, (struct sockaddr *)&sun, sizeof(sun)) == 0;
	close(fd);
	return (yes);
}

bool
daemon_answers(struct error *e)
{
	char path[PATH_MAX];

	if (paths_api_socket(path, e) != 0)
		return (false);
	if (listens(path))
		return (true);
	error_set(e, "no daemon listens on '%s'", path);
	error_remedy(e, "cudadvise daemon start");
	return (false);
}

/* In the grandchild: nothing of the caller's terminal stays with it. */
static void
become_daemon(const char *program, const char *log)
{
	sigset_t none;
	int fd;

	setsid();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	if ((fd = open("/dev/null", O_RDONLY)) >= 0)
		dup2(fd, STDIN_FILENO);
	fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0600);
	if (fd < 0)
		fd = open("/dev/null", O_WRONLY);
	if (fd >= 0) {
		dup2(fd, STDOUT_FILENO);
		dup2(fd, STDERR_FILENO);
	}
	/* Nothing else is inherited: a pipe of the caller that the daemon
	 * holds open would hang the caller's reader. */
	if (close_range(3, ~0u, 0) != 0)
		for (fd = 3; fd < 256; fd++)
			close(fd);
	if (chdir("/") != 0)
		_exit(127);
	execl(program, "cudadvised", (char *)NULL);
	_exit(127);
}

static int
start(struct error *e)
{
	char program[PATH_MAX], state[PATH_MAX], log[PATH_MAX];
	pid_t pid;

	if (daemon_sibling(program, "cudadvised", e) != 0 ||
	    paths_state(state, e) != 0 ||
	    paths_join(log, state, "cudadvised.log", e) != 0)
		return (-1);
	if ((pid = fork()) < 0)
		return (error_set(e, "cannot fork:"));
	if (pid == 0) {
		/* Twice, so that init and not we must wait for it. */
		if ((pid = fork()) == 0)
			become_daemon(program, log);
		_exit(pid < 0);
	}
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	return (0);
}

int
daemon_ensure(struct error *e)
{
	const struct timespec step = { 0, START_STEP_MS * 1000000L };
	char path[PATH_MAX], state[PATH_MAX];
	int waited;

	if (paths_api_socket(path, e) != 0)
		return (-1);
	if (listens(path))
		return (0);
	if (start(e) != 0)
		return (-1);
	for (waited = 0; waited < START_MS; waited += START_STEP_MS) {
		if (listens(path))
			return (0);
		nanosleep(&step, NULL);
	}
	error_set(e, "the daemon did not start within %d s", START_MS / 1000);
	if (paths_state(state, NULL) == 0)
		error_remedy(e, "see %.200s/cudadvised.log", state);
	return (-1);
}

struct client *
daemon_client(struct error *e)
{
	char path[PATH_MAX];

	if (paths_api_socket(path, e) != 0)
		return (NULL);
	return (client_new(path, e));
}

struct client *
daemon_connect(struct error *e)
{

	return (daemon_ensure(e) == 0 ? daemon_client(e) : NULL);
}
