#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "cli/command.h"
#include "cli/orphans.h"

#include "cli/launch.h"

/* Signals whose handling we change while the program runs. */
static const int watched[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGCHLD };
#define WATCHED (sizeof(watched) / sizeof(watched[0]))

struct signals {
	struct sigaction old[WATCHED];
	sigset_t mask;
};

/* A signal handler can only access a global. */
static volatile sig_atomic_t child_pid;

static void
hand_on(int sig)
{
	int saved = errno;

	if (child_pid > 0)
		kill((pid_t)child_pid, sig);
	errno = saved;
}

static void
signals_take(struct signals *s)
{
	struct sigaction sa;
	sigset_t all;
	size_t i;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &s->mask);
	for (i = 0; i < WATCHED; i++) {
		memset(&sa, 0, sizeof(sa));
		sigfillset(&sa.sa_mask);
		sa.sa_flags = SA_RESTART;
		if (watched[i] == SIGTERM || watched[i] == SIGHUP)
			sa.sa_handler = hand_on;
		else if (watched[i] == SIGCHLD)
			/* If inherited as ignored, wait4 would fail. */
			sa.sa_handler = SIG_DFL;
		else
			sa.sa_handler = SIG_IGN;
		sigaction(watched[i], NULL, &s->old[i]);
		/* Signals that nohup(1) made us ignore stay ignored. */
		if (sa.sa_handler == hand_on &&
		    s->old[i].sa_handler == SIG_IGN)
			continue;
		sigaction(watched[i], &sa, NULL);
	}
}

static void
signals_give_back(const struct signals *s)
{
	size_t i;

	for (i = 0; i < WATCHED; i++)
		sigaction(watched[i], &s->old[i], NULL);
	sigprocmask(SIG_SETMASK, &s->mask, NULL);
}

void
launch_shield(struct launch *l)
{
	struct sigaction sa = { .sa_handler = SIG_IGN };

	sigemptyset(&sa.sa_mask);
	sigaction(SIGPIPE, &sa, &l->pipe);
}

static int
not_started(int error, const char *name, struct error *e)
{

	errno = error;
	if (error == ENOENT || error == ENOTDIR) {
		error_set(e, "'%s':", name);
		return EXIT_NOT_FOUND;
	}
	error_set(e, "cannot execute '%s':", name);
	return EXIT_NOT_EXECUTABLE;
}

/* Returns 0 if ${path} can be executed, else an errno. */
static int
check(const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return errno;
	if (S_ISDIR(st.st_mode))
		return EISDIR;
	return access(path, X_OK) == 0 ? 0 : errno;
}

int
launch_find(char *out, const char *name, struct error *e)
{
	const char *path = getenv("PATH"), *end;
	int reason, worst = ENOENT, n;

	if (strchr(name, '/') != NULL || *name == '\0') {
		if ((n = snprintf(out, PATH_MAX, "%s", name)) >= PATH_MAX)
			return not_started(ENAMETOOLONG, name, e);
		reason = check(name);
		return reason != 0 ? not_started(reason, name, e) : 0;
	}
	if (path == NULL)
		path = "/bin:/usr/bin";
	for (;; path = end + 1) {
		end = strchrnul(path, ':');
		n = snprintf(out, PATH_MAX, "%.*s%s%s", (int)(end - path),
		    path, end > path ? "/" : "./", name);
		if (n > 0 && n < PATH_MAX) {
			if ((reason = check(out)) == 0)
				return 0;
			if (reason == EACCES)
				worst = EACCES;
		}
		if (*end == '\0')
			break;
	}
	if (worst == ENOENT) {
		error_set(e, "'%s': no such program in PATH", name);
		return EXIT_NOT_FOUND;
	}
	return not_started(worst, name, e);
}

/* A file that the kernel cannot execute is run by the shell, unless it is not
 * text: a program for another machine. */
static bool
is_text(const char *path)
{
	char head[128];
	ssize_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return true;
	n = read(fd, head, sizeof(head));
	close(fd);
	return n < 0 || (memchr(head, '\0', (size_t)n) == NULL &&
	    memchr(head, '\177', (size_t)n) == NULL);
}

static void
exec_child(const struct launch *l, int report)
{
	const struct variable *v;
	size_t i;
	int error, null;

	sigaction(SIGPIPE, &l->pipe, NULL);
	if (l->no_input && (null = open("/dev/null", O_RDONLY)) > 0) {
		dup2(null, STDIN_FILENO);
		close(null);
	}
	if (l->no_output && (null = open("/dev/null", O_WRONLY)) >= 0) {
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		if (null > STDERR_FILENO)
			close(null);
	}
	for (i = 0; i < l->variables; i++) {
		v = &l->env[i];
		if (v->value == NULL)
			unsetenv(v->name);
		else
			setenv(v->name, v->value, 1);
	}
	execv(l->path, l->argv);
	if (errno == ENOEXEC && is_text(l->path))
		execvp(l->path, l->argv);
	error = errno;
	while (write(report, &error, sizeof(error)) < 0 && errno == EINTR)
		continue;
	_exit(EXIT_NOT_EXECUTABLE);
}

/* End of file on the pipe: exec succeeded; an errno: it failed. */
static int
exec_result(int fd)
{
	int error = 0;
	ssize_t n;

	while ((n = read(fd, &error, sizeof(error))) < 0 && errno == EINTR)
		continue;
	return n == (ssize_t)sizeof(error) ? error : 0;
}

#define PATIENCE_NS 2000000000u	/* between SIGTERM and SIGKILL */
#define STEP_NS 20000000	/* between two checks */

/* Waits for the end of ${pid}; at the limit sends SIGTERM, then SIGKILL to it
 * and all that it has left. */
static int
await(const struct launch *l, pid_t pid, struct launched *end)
{
	const struct timespec step = { 0, STEP_NS };
	uint64_t start = clock_mono(), gone;
	int status = 0;
	pid_t got;

	while ((got = wait4(pid, &status, l->limit_ns > 0 ? WNOHANG : 0,
	    &end->usage)) != pid) {
		if (got < 0 && errno != EINTR)
			break;
		if (l->limit_ns == 0)
			continue;
		gone = clock_mono() - start;
		if (gone > l->limit_ns + PATIENCE_NS)
			kill(pid, SIGKILL);
		else if (gone > l->limit_ns && !end->timed_out)
			kill(pid, SIGTERM);
		end->timed_out = gone > l->limit_ns;
		nanosleep(&step, NULL);
	}
	if (l->ends_all && (end->timed_out || WIFSIGNALED(status)))
		orphans_kill();
	return status;
}

int
launch_run(const struct launch *l, struct launched *end, struct error *e)
{
	struct signals signals;
	int report[2], status = 0, error = 0;
	pid_t pid;

	memset(end, 0, sizeof(*end));
	if (pipe2(report, O_CLOEXEC) != 0) {
		error_set(e, "cannot make a pipe:");
		return EXIT_OURS;
	}
	signals_take(&signals);
	if (l->ends_all)
		orphans_adopt(true);
	end->start_ns = clock_real();
	if ((pid = fork()) == 0) {
		signals_give_back(&signals);
		exec_child(l, report[1]);
	}
	close(report[1]);
	if (pid < 0) {
		error_set(e, "cannot fork:");
		close(report[0]);
		if (l->ends_all)
			orphans_adopt(false);
		signals_give_back(&signals);
		return EXIT_OURS;
	}
	/* Pass on signals that came since the fork. */
	child_pid = pid;
	sigprocmask(SIG_SETMASK, &signals.mask, NULL);
	error = exec_result(report[0]);
	close(report[0]);
	status = await(l, pid, end);
	end->end_ns = clock_real();
	if (l->ends_all)
		orphans_adopt(false);
	child_pid = 0;
	signals_give_back(&signals);
	if (error == ENOENT && check(l->path) == 0) {
		error_set(e, "cannot execute '%s': the interpreter that it "
		    "names is not there", l->path);
		return EXIT_NOT_FOUND;
	}
	if (error != 0)
		return not_started(error, l->path, e);
	end->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	end->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	return 0;
}

int
launch_status(const struct launched *l)
{
	struct rlimit none = { 0, 0 };
	sigset_t set;

	if (l->signal == 0)
		return l->exit_code;
	/* The program has dumped its core; ours would be of no use. */
	setrlimit(RLIMIT_CORE, &none);
	prctl(PR_SET_DUMPABLE, 0);
	fflush(NULL);
	signal(l->signal, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, l->signal);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(l->signal);
	return 128 + l->signal;	/* not reached for fatal signals */
}
