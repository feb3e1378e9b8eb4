/*
 * instance.c: see instance.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>

#include "base/error.h"
#include "base/paths.h"
#include "base/text.h"
#include "instance.h"

#define FIRST_FD 3		/* the first descriptor that systemd passes */
#define BUSY "busy\n"		/* goes before the error through the pipe */

/* Set ${e}, with the pid of the process that holds the lock from the file's text. */
static int
report_other(int fd, const char *path, struct error *e)
{
	char text[32] = "";
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	error_code(e, ERROR_BUSY, "another cudadvised (pid %s) runs already: "
	    "it holds '%s'", text[0] != '\0' ? text : "unknown", path);
	return error_remedy(e, "use that one, or end it with "
	    "`cudadvise daemon stop`");
}

/* Lock ${path} and write our pid into it; the fd, or -1. */
static int
lock_file(const char *path, struct error *e)
{
	char text[32];
	int fd, n;

	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return error_set(e, "cannot open '%s':", path);
	if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
		if (errno == EWOULDBLOCK)
			report_other(fd, path, e);
		else
			error_set(e, "cannot lock '%s':", path);
		close(fd);
		return -1;
	}
	n = snprintf(text, sizeof(text), "%ld\n", (long)getpid());
	if (ftruncate(fd, 0) != 0 || pwrite(fd, text, (size_t)n, 0) != n) {
		error_set(e, "cannot write '%s':", path);
		close(fd);
		return -1;
	}
	return fd;
}

int
instance_lock(struct instance *i, const char *runtime, const char *state,
    struct error *e)
{
	char path[PATH_MAX];
	int fd;

	if (paths_join(path, runtime, "cudadvised.pid", e) != 0 ||
	    (fd = lock_file(path, e)) < 0)
		return -1;
	i->pid_fd = fd + 1;
	text_copy(i->pid_path, sizeof(i->pid_path), path);
	/* Two runtime directories must not share one database. */
	if (paths_join(path, state, "cudadvised.lock", e) != 0 ||
	    (fd = lock_file(path, e)) < 0)
		return -1;
	i->state_fd = fd + 1;
	return 0;
}

void
instance_unlock(struct instance *i)
{

	/* Unlink before unlocking: afterwards it may be another daemon's. */
	if (i->pid_fd > 0) {
		unlink(i->pid_path);
		close(i->pid_fd - 1);
	}
	if (i->state_fd > 0)
		close(i->state_fd - 1);
	i->pid_fd = i->state_fd = 0;
}

static bool
ends_in(const char *text, const char *tail)
{
	size_t n = strlen(text), m = strlen(tail);

	return n >= m && strcmp(text + n - m, tail) == 0;
}

void
instance_sockets(int *ingest, int *api)
{
	const char *pid = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS");
	struct sockaddr_un a;
	uint64_t v, n;
	socklen_t len;
	int fd;

	*ingest = *api = -1;
	if (pid == NULL || count == NULL ||
	    text_u64(pid, 1, INT32_MAX, &v) != 0 || (pid_t)v != getpid() ||
	    text_u64(count, 1, 16, &n) != 0)
		return;
	for (fd = FIRST_FD; fd < FIRST_FD + (int)n; fd++) {
		fcntl(fd, F_SETFD, FD_CLOEXEC);
		memset(&a, 0, sizeof(a));
		len = sizeof(a) - 1;
		if (getsockname(fd, (struct sockaddr *)&a, &len) != 0 ||
		    a.sun_family != AF_UNIX)
			continue;
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
		if (ends_in(a.sun_path, "/ingest.sock"))
			*ingest = fd;
		else if (ends_in(a.sun_path, "/api.sock"))
			*api = fd;
	}
	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	unsetenv("LISTEN_FDNAMES");
}

void
instance_notify(const char *text)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	socklen_t len;
	int fd;

	if (path == NULL || (path[0] != '/' && path[0] != '@') ||
	    text_copy(a.sun_path, sizeof(a.sun_path), path) != 0)
		return;
	len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) +
	    strlen(path));
	if (path[0] == '@')
		a.sun_path[0] = '\0';
	if ((fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) < 0)
		return;
	sendto(fd, text, strlen(text), MSG_NOSIGNAL, (struct sockaddr *)&a,
	    len);
	close(fd);
}

int
background_enter(struct background *b, const char *log, struct error *e)
{
	int end[2];
	pid_t pid;

	b->log = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC |
	    O_NOFOLLOW, 0600);
	if (b->log < 0)
		return error_set(e, "cannot open '%s':", log);
	if (pipe2(end, O_CLOEXEC) != 0)
		return error_set(e, "cannot make a pipe:");
	if ((pid = fork()) < 0)
		return error_set(e, "cannot fork:");
	if (pid > 0) {
		close(end[1]);
		b->pipe = end[0];
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			continue;
		return 1;
	}
	setsid();
	if ((pid = fork()) != 0)
		_exit(pid < 0);
	close(end[0]);
	b->pipe = end[1];
	if (chdir("/") != 0)
		return error_set(e, "cannot go to '/':");
	return 0;
}

int
background_wait(struct background *b)
{
	char text[1024];
	size_t len = 0, skip;
	ssize_t n;

	while (len < sizeof(text) - 1 &&
	    ((n = read(b->pipe, text + len, sizeof(text) - 1 - len)) > 0 ||
	    (n < 0 && errno == EINTR)))
		len += n > 0 ? (size_t)n : 0;
	text[len] = '\0';
	close(b->pipe);
	close(b->log);
	if (strcmp(text, "ready\n") == 0)
		return EXIT_SUCCESS;
	skip = strncmp(text, BUSY, sizeof(BUSY) - 1) == 0 ? sizeof(BUSY) - 1 : 0;
	fputs(len > 0 ? text + skip : "cudadvised: died while it started\n",
	    stderr);
	return skip > 0 ? EX_TEMPFAIL : EXIT_FAILURE;
}

/* Replace standard input by /dev/null, output and error by the log. */
static void
detach(struct background *b)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		close(null);
	}
	dup2(b->log, STDOUT_FILENO);
	dup2(b->log, STDERR_FILENO);
	close(b->log);
}

void
background_ready(struct background *b)
{
	static const char text[] = "ready\n";

	if (b->pipe < 0)
		return;
	detach(b);
	/* It does not matter if the caller no longer waits. */
	if (write(b->pipe, text, sizeof(text) - 1) < 0)
		errno = 0;
	close(b->pipe);
	b->pipe = -1;
}

void
background_failed(struct background *b, const struct error *e)
{
	char text[900];
	int n;

	n = snprintf(text, sizeof(text), "%scudadvised: %s%s%s%s\n",
	    b->pipe >= 0 && e->code == ERROR_BUSY ? BUSY : "", e->text,
	    e->remedy[0] != '\0' ? " (" : "", e->remedy,
	    e->remedy[0] != '\0' ? ")" : "");
	if (n >= (int)sizeof(text))
		n = (int)sizeof(text) - 1;
	if (write(b->pipe >= 0 ? b->pipe : STDERR_FILENO, text, (size_t)n) < 0)
		errno = 0;
	if (b->pipe >= 0)
		close(b->pipe);
	b->pipe = -1;
}
