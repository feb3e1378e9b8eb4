/*
 * source/child.c: see child.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/number.h"
#include "base/stop.h"
#include "base/text.h"
#include "source/child.h"
#include "source/confine.h"

#define TASKS 64			/* processes of this user: a margin
					 * above those that run now, so that a
					 * child cannot fork without end (root's
					 * are not limited) */
#define FILE_BYTES (1u << 20)	/* bytes of a file that it may write */
#define LOOK_MS 200		/* interval to check whether this process has to
				 * end */

struct child {
	pid_t pid;
	int out, err;		/* this side of its pipes; -1 closed */
	uint64_t deadline;
	const struct child_limits *limits;
	struct child_output *output;
	size_t cap, complained;
	const char *path;
};

static void
limit(int resource, uint64_t value)
{
	struct rlimit r = { .rlim_cur = value, .rlim_max = value };

	setrlimit(resource, &r);
}

/* In the child between fork and exec: system calls only, because another thread
 * may have held any lock at the fork. */
static void
child_exec(const char *path, char *const argv[], const struct child_limits *l,
    int null, int out, int err)
{
	static char *const environment[] = { NULL };
	struct sigaction dfl;
	struct sysinfo now_there;
	sigset_t none;
	int i;

	memset(&dfl, 0, sizeof(dfl));
	dfl.sa_handler = SIG_DFL;
	for (i = 1; i < NSIG; i++)
		sigaction(i, &dfl, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (dup2(null, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0 ||
	    chdir("/") != 0)
		_exit(126);
	/* The daemon's descriptors are all close-on-exec; a library's may not
	 * be. */
	if (close_range(3, ~0u, 0) != 0)
		for (i = 3; i < 1024; i++)
			close(i);
	limit(RLIMIT_CPU, l->cpu_seconds);
	limit(RLIMIT_AS, l->memory);
	limit(RLIMIT_FSIZE, FILE_BYTES);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_NOFILE, 64);
	if (sysinfo(&now_there) == 0)
		limit(RLIMIT_NPROC, now_there.procs + TASKS);
	setpriority(PRIO_PROCESS, 0, 10);
	confine(l->writable);
	execve(path, argv, environment);
	_exit(127);
}

static void
close_pair(int fd[2])
{

	if (fd[0] >= 0)
		close(fd[0]);
	if (fd[1] >= 0)
		close(fd[1]);
}

static int
child_start(struct child *c, char *const argv[], struct error *e)
{
	int out[2] = { -1, -1 }, err[2] = { -1, -1 }, null;

	null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (null < 0 || pipe2(out, O_CLOEXEC) != 0 ||
	    pipe2(err, O_CLOEXEC) != 0 || (c->pid = fork()) < 0) {
		error_set(e, "cannot start '%s':", c->path);
		c->pid = -1;
	} else if (c->pid == 0)
		child_exec(c->path, argv, c->limits, null, out[1], err[1]);
	if (null >= 0)
		close(null);
	if (c->pid < 0) {
		close_pair(out);
		close_pair(err);
		return -1;
	}
	close(out[1]);
	close(err[1]);
	c->out = out[0];
	c->err = err[0];
	return 0;
}

/* Reads from one pipe once. 0 at its end, -1 over the limit. */
static int
read_output(struct child *c, struct error *e)
{
	struct child_output *o = c->output;
	size_t cap;
	ssize_t n;
	char *p;

	if (o->len + 1 >= c->cap) {
		cap = c->cap == 0 ? 64u << 10 : 2 * c->cap;
		if ((p = realloc(o->text, cap)) == NULL)
			return error_memory(e);
		o->text = p;
		c->cap = cap;
	}
	n = read(c->out, o->text + o->len, c->cap - o->len - 1);
	if (n < 0)
		return errno == EINTR ? 1 :
		    error_set(e, "cannot read from '%s':", c->path);
	o->len += (size_t)n;
	if (o->len > c->limits->output)
		return error_set(e, "'%s' printed more than %zu MiB", c->path,
		    c->limits->output >> 20);
	return n > 0;
}

static int
read_complaint(struct child *c)
{
	struct child_output *o = c->output;
	char buf[512];
	size_t room = sizeof(o->complaint) - 1 - c->complained;
	ssize_t n = read(c->err, buf, sizeof(buf));

	if (n < 0)
		return errno == EINTR;
	if ((size_t)n < room)
		room = (size_t)n;
	memcpy(o->complaint + c->complained, buf, room);
	c->complained += room;
	return n > 0;
}

static int
time_over(const struct child *c, struct error *e)
{
	char a[NUMBER_SIZE];

	return error_set(e, "'%s' took longer than %s", c->path,
	    number_seconds(a, (double)c->limits->ns / 1e9));
}

static int
child_listen(struct child *c, struct error *e)
{
	struct pollfd p[2];
	uint64_t t;
	int rc;

	while (c->out >= 0 || c->err >= 0) {
		if ((t = clock_mono()) >= c->deadline)
			return time_over(c, e);
		if (stop_asked())
			return stop_error(e);
		p[0] = (struct pollfd){ .fd = c->out, .events = POLLIN };
		p[1] = (struct pollfd){ .fd = c->err, .events = POLLIN };
		t = (c->deadline - t) / 1000000u + 1;
		rc = poll(p, 2, t < LOOK_MS ? (int)t : LOOK_MS);
		if (rc < 0 && errno != EINTR)
			return error_set(e, "cannot wait for '%s':",
			    c->path);
		if (rc <= 0)
			continue;
		if (p[0].revents != 0) {
			if ((rc = read_output(c, e)) < 0)
				return -1;
			if (rc == 0) {
				close(c->out);
				c->out = -1;
			}
		}
		if (p[1].revents != 0 && read_complaint(c) == 0) {
			close(c->err);
			c->err = -1;
		}
	}
	return 0;
}

/* It has closed its pipes and is about to exit. */
static int
child_wait(struct child *c, struct error *e)
{
	struct timespec nap = { 0, 200000 };
	siginfo_t info;
	int rc;

	/* WNOWAIT: its pid, and its group's, stay reserved until child_end. */
	for (;;) {
		info.si_pid = 0;
		rc = waitid(P_PID, (id_t)c->pid, &info,
		    WEXITED | WNOHANG | WNOWAIT);
		if (rc == 0 ? info.si_pid != 0 : errno != EINTR)
			break;
		if (clock_mono() >= c->deadline)
			return time_over(c, e);
		if (stop_asked())
			return stop_error(e);
		nanosleep(&nap, NULL);
		if (nap.tv_nsec < 10000000)
			nap.tv_nsec *= 2;
	}
	if (rc != 0)
		return error_set(e, "cannot wait for '%s':", c->path);
	return 0;
}

/* Kills its process group; returns its status. */
static int
child_end(struct child *c)
{
	int status = 0;

	kill(-c->pid, SIGKILL);
	kill(c->pid, SIGKILL);
	while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

static int
how_it_ended(struct child *c, int status, struct error *e)
{

	c->output->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	if (WIFSIGNALED(status))
		return error_set(e, "'%s' was ended by signal %d", c->path,
		    WTERMSIG(status));
	if (c->output->status == 127 || c->output->status == 126)
		return error_set(e, "'%s' cannot be run", c->path);
	return 0;
}

int
child_run(const char *path, char *const argv[], const struct child_limits *l,
    struct child_output *o, struct error *e)
{
	struct child c = { .pid = -1, .out = -1, .err = -1,
	    .deadline = clock_mono() + l->ns, .limits = l, .output = o,
	    .path = path };
	int status, rc;

	memset(o, 0, sizeof(*o));
	if (child_start(&c, argv, e) != 0)
		return -1;
	rc = child_listen(&c, e);
	if (rc == 0)
		rc = child_wait(&c, e);
	status = child_end(&c);
	if (c.out >= 0)
		close(c.out);
	if (c.err >= 0)
		close(c.err);
	text_clean(o->complaint, strlen(o->complaint));
	if (rc == 0)
		rc = how_it_ended(&c, status, e);
	if (rc == 0 && o->text != NULL)
		o->text[o->len] = '\0';
	else {
		free(o->text);
		o->text = NULL;
		o->len = 0;
		rc = rc == 0 && (o->text = calloc(1, 1)) != NULL ? 0 : -1;
	}
	return rc;
}
