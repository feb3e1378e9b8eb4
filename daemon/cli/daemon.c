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
#include <sysexits.h>
#include <time.h>
#include <unistd.h>

#include "base/build.h"
#include "base/error.h"
#include "base/paths.h"
#include "cli/client.h"

#include "cli/daemon.h"

#define START_MS 5000		/* a first start opens and recovers the store */
#define START_STEP_MS 10
#define AGAIN_MS 50		/* between attempts, while another daemon has
				 * the lock */
#define OTHER_TRIES 50		/* about 3 s: chosen, not measured */

int
daemon_sibling(char *out, const char *name, struct error *e)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	if (n <= 0)
		return error_set(e, "cannot read /proc/self/exe:");
	self[n] = '\0';
	if ((slash = strrchr(self, '/')) == NULL)
		return error_set(e, "strange executable path '%s'", self);
	*slash = '\0';
	if (paths_join(out, self, name, e) != 0)
		return -1;
	if (access(out, X_OK) == 0)
		return 0;
	error_set(e, "cannot execute '%s':", out);
	return error_remedy(e, "reinstall cudadvise");
}

/* Does a process listen at ${path}? Whether it is healthy shows at the first
 * request. */
static bool
listens(const char *path)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	bool yes;
	int fd;

	if (strlen(path) >= sizeof(sun.sun_path))
		return false;
	memcpy(sun.sun_path, path, strlen(path) + 1);
	if ((fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) < 0)
		return false;
	yes = connect(fd, (struct sockaddr *)&sun, sizeof(sun)) == 0;
	close(fd);
	return yes;
}

pid_t
daemon_pid(void)
{
	char dir[PATH_MAX], path[PATH_MAX];
	FILE *f;
	int pid = 0;

	if (paths_runtime(dir, NULL) != 0 ||
	    paths_join(path, dir, "cudadvised.pid", NULL) != 0 ||
	    (f = fopen(path, "re")) == NULL)
		return 0;
	if (fscanf(f, "%d", &pid) != 1 || pid < 0)
		pid = 0;
	fclose(f);
	return pid;
}

/* Waits up to AGAIN_MS: does another command's daemon get ready? */
static bool
wait_listens(const char *path)
{
	const struct timespec step = { 0, START_STEP_MS * 1000000L };
	int waited;

	for (waited = 0; waited < AGAIN_MS; waited += START_STEP_MS) {
		if (listens(path))
			return true;
		nanosleep(&step, NULL);
	}
	return false;
}

bool
daemon_answers(struct error *e)
{
	char path[PATH_MAX];

	if (paths_api_socket(path, e) != 0)
		return false;
	if (listens(path))
		return true;
	error_set(e, "no daemon listens on '%s'", path);
	error_remedy(e, "cudadvise daemon start");
	return false;
}

/* In the child: the daemon inherits nothing from the caller except the pipe as
 * standard error, which it closes when it is ready. */
static void
become_daemon(const char *program, int out)
{
	sigset_t none;
	int fd;

	setsid();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	if ((fd = open("/dev/null", O_RDWR)) >= 0) {
		dup2(fd, STDIN_FILENO);
		dup2(fd, STDOUT_FILENO);
	}
	dup2(out, STDERR_FILENO);
	/* A caller's pipe held open by the daemon would make its reader hang. */
	if (close_range(3, ~0u, 0) != 0)
		for (fd = 3; fd < 1024; fd++)
			close(fd);
	execl(program, "cudadvised", (char *)NULL);
	_exit(127);
}

/* Waits up to ${ms} for the started process to end, which it does when the
 * daemon in the background is ready, failed or died. -1: it has not ended. */
static int
wait_started(pid_t pid, int ms)
{
	const struct timespec step = { 0, START_STEP_MS * 1000000L };
	int status;
	pid_t got;

	for (;; ms -= START_STEP_MS) {
		got = waitpid(pid, &status, ms > 0 ? WNOHANG : 0);
		if (got == pid)
			return ms > 0 ? status : -1;
		if (got < 0 && errno != EINTR)
			return -1;
		if (ms <= 0)
			return -1;
		if (ms == START_STEP_MS)
			kill(pid, SIGKILL);
		nanosleep(&step, NULL);
	}
}

/* Its message as one line, without its name. */
static void
read_reason(int fd, char *out, size_t cap)
{
	ssize_t n = read(fd, out, cap - 1);
	size_t i;

	out[n > 0 ? n : 0] = '\0';
	for (i = strlen(out); i > 0 && out[i - 1] == '\n'; i--)
		out[i - 1] = '\0';
	if (strncmp(out, "cudadvised: ", 12) == 0)
		memmove(out, out + 12, strlen(out + 12) + 1);
	for (i = 0; out[i] != '\0'; i++)
		if ((unsigned char)out[i] < ' ')
			out[i] = ' ';
}

int
daemon_failed(struct error *e, const char *what, const char *reason)
{
	char state[PATH_MAX], log[PATH_MAX];

	error_set(e, "%s%s%s", what, reason[0] != '\0' ? ": " : "", reason);
	if (paths_state(state, NULL) != 0 || paths_join(log, state,
	    "cudadvised.log", NULL) != 0)
		return error_remedy(e, "cudadvised --foreground shows more");
	return error_remedy(e, "cudadvised --foreground shows more; its log "
	    "is %s", log);
}

/* *${busy}: does another daemon have the lock? */
static int
start(bool *busy, struct error *e)
{
	char program[PATH_MAX], reason[400] = "";
	int out[2], status;
	pid_t pid;

	if (daemon_sibling(program, "cudadvised", e) != 0)
		return -1;
	if (pipe2(out, O_CLOEXEC | O_NONBLOCK) != 0)
		return error_set(e, "cannot make a pipe:");
	if ((pid = fork()) == 0)
		become_daemon(program, out[1]);
	close(out[1]);
	if (pid < 0) {
		close(out[0]);
		return error_set(e, "cannot fork:");
	}
	status = wait_started(pid, START_MS);
	read_reason(out[0], reason, sizeof(reason));
	close(out[0]);
	if (status == 0)
		return 0;
	*busy = status != -1 && WIFEXITED(status) &&
	    WEXITSTATUS(status) == EX_TEMPFAIL;
	return daemon_failed(e, status == -1 ?
	    "the daemon is not ready after 5 s" : "the daemon did not start",
	    reason);
}

/*
 * Another daemon that has the lock may be about to get ready, because another
 * command has started it: then that one is used. Or it may be about to end:
 * then starting ours is tried again until the lock is free.
 */
int
daemon_ensure(struct error *e)
{
	struct error trouble = ERROR_INIT;
	char path[PATH_MAX];
	bool busy = true;
	int i;

	if (paths_api_socket(path, e) != 0)
		return -1;
	for (i = 0; i < OTHER_TRIES && busy; i++) {
		busy = false;
		trouble = (struct error)ERROR_INIT;
		if (listens(path) || start(&busy, &trouble) == 0 ||
		    (busy && wait_listens(path)))
			return 0;
	}
	if (e != NULL)
		*e = trouble;
	return -1;
}

struct client *
daemon_client(struct error *e)
{
	char path[PATH_MAX];

	if (paths_api_socket(path, e) != 0)
		return NULL;
	return client_new(path, e);
}

struct client *
daemon_connect(struct error *e)
{

	return daemon_ensure(e) == 0 ? daemon_client(e) : NULL;
}

bool
daemon_is_ours(struct client *c, struct error *e)
{
	char program[PATH_MAX], ours[BUILD_SIZE];
	json_t *version = NULL;
	const char *number, *build;
	bool same;

	if (daemon_sibling(program, "cudadvised", NULL) != 0 ||
	    client_get(c, "/version", &version, NULL) < 0)
		return true;
	build_of(program, ours);
	number = json_string_value(json_object_get(version, "version"));
	build = json_string_value(json_object_get(version, "build"));
	/* Only older daemons do not report their build. */
	same = build != NULL && (ours[0] == '\0' || build[0] == '\0' ||
	    strcmp(build, ours) == 0);
	if (!same) {
		error_set(e, "the daemon that runs (%.40s) is of another build "
		    "than this command (" CUDADVISE_VERSION "): it analyses and "
		    "answers as that one does", number != NULL ? number : "?");
		error_remedy(e, "cudadvise daemon stop; the next command "
		    "starts the one of this build");
	}
	json_decref(version);
	return same;
}
