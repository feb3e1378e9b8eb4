#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"

#include "cli/mcp.h"

#define TEXT_BYTES (1u << 20)	/* of each output; more is dropped */
#define PATIENCE_NS 3000000000u	/* between SIGTERM and SIGKILL */

/* In the child: only the two pipes are inherited; it ends when we do. */
static void
become(const struct mcp_job *j, int out, int err)
{
	const char *key;
	json_t *value;
	int null = open("/dev/null", O_RDONLY);

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	signal(SIGPIPE, SIG_DFL);
	if (null < 0 || dup2(null, 0) < 0 || dup2(out, 1) < 0 ||
	    dup2(err, 2) < 0)
		_exit(126);
	if (j->call.cwd != NULL && chdir(j->call.cwd) != 0) {
		dprintf(2, "cannot change to '%s': %s\n", j->call.cwd,
		    strerror(errno));
		_exit(126);
	}
	json_object_foreach((json_t *)j->call.env, key, value)
		setenv(key, json_string_value(value), 1);
	setenv("NO_COLOR", "1", 1);
	setenv("COLUMNS", "120", 1);
	execv("/proc/self/exe", j->call.argv);
	_exit(126);
}

int
mcp_job_start(struct mcp_job *j, struct error *e)
{
	int out[2] = { -1, -1 }, err[2] = { -1, -1 };

	if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0 ||
	    (j->pid = fork()) < 0) {
		j->pid = 0;
		error_set(e, "cannot start cudadvise again:");
		if (out[0] >= 0) {
			close(out[0]);
			close(out[1]);
		}
		if (err[0] >= 0) {
			close(err[0]);
			close(err[1]);
		}
		return -1;
	}
	if (j->pid == 0)
		become(j, out[1], err[1]);
	setpgid(j->pid, j->pid);
	close(out[1]);
	close(err[1]);
	j->fd[0] = out[0];
	j->fd[1] = err[0];
	j->fd[2] = pidfd_open(j->pid, 0);	/* -1: the poller checks from
						 * time to time */
	fcntl(out[0], F_SETFL, O_NONBLOCK);
	fcntl(err[0], F_SETFL, O_NONBLOCK);
	j->start_ns = j->told_ns = clock_mono();
	return 0;
}

static void
read_one(struct mcp_job *j, int which)
{
	char piece[65536], *grown;
	ssize_t n;
	size_t room;

	while (j->fd[which] >= 0) {
		n = read(j->fd[which], piece, sizeof(piece));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n <= 0) {
			close(j->fd[which]);
			j->fd[which] = -1;
			return;
		}
		room = TEXT_BYTES - j->length[which];
		room = room < (size_t)n ? room : (size_t)n;
		grown = realloc(j->text[which], j->length[which] + room + 1);
		if (grown == NULL)
			continue;
		memcpy(grown + j->length[which], piece, room);
		j->text[which] = grown;
		j->length[which] += room;
		grown[j->length[which]] = '\0';
	}
}

void
mcp_job_read(struct mcp_job *j)
{

	read_one(j, 0);
	read_one(j, 1);
}

bool
mcp_job_ended(struct mcp_job *j, int *status)
{
	int s;

	if (waitpid(j->pid, &s, WNOHANG) != j->pid)
		return false;
	*status = WIFEXITED(s) ? WEXITSTATUS(s) : 128 + WTERMSIG(s);
	mcp_job_read(j);
	if (j->killed_ns != 0)		/* also kill what it has left running */
		kill(-j->pid, SIGKILL);
	return true;
}

void
mcp_job_end(struct mcp_job *j)
{

	if (j->killed_ns == 0) {
		j->killed_ns = clock_mono();
		kill(-j->pid, SIGTERM);
	} else if (clock_mono() - j->killed_ns > PATIENCE_NS) {
		kill(-j->pid, SIGKILL);
	}
}

void
mcp_job_release(struct mcp_job *j)
{
	int i;

	for (i = 0; i < MCP_JOB_FDS; i++)
		if (j->fd[i] >= 0)
			close(j->fd[i]);
	free(j->text[0]);
	free(j->text[1]);
	json_decref(j->id);
	json_decref(j->token);
	mcp_call_release(&j->call);
	json_decref(j->arguments);
	memset(j, 0, sizeof(*j));
}
