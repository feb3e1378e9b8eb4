#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/mcp.h"

#include "cli/command.h"

#define LINE_BYTES (1u << 20)
#define TICK_MS 50		/* between checks of how long a tool has run */

static bool gone;		/* the client reads no more */

static void
send_line(struct mcp *m, json_t *message)
{

	(void)m;
	if (message == NULL)
		return;
	if (!gone && (json_dumpf(message, stdout, JSON_COMPACT | JSON_ENSURE_ASCII) != 0 ||
	    putc('\n', stdout) == EOF || fflush(stdout) != 0))
		gone = true;
	json_decref(message);
}

/* Input that is not a complete line yet. */
struct input {
	char *p;
	size_t length;
	bool skip;			/* skip the rest of a line that is too long */
};

static void
take_lines(struct mcp *m, struct input *in)
{
	char *start = in->p, *end;
	size_t left = in->length;

	while ((end = memchr(start, '\n', left)) != NULL) {
		if (!in->skip && end > start)
			mcp_line(m, start, (size_t)(end - start));
		in->skip = false;
		left -= (size_t)(end - start) + 1;
		start = end + 1;
	}
	if (left == LINE_BYTES) {
		if (!in->skip)
			mcp_too_long(m);
		in->skip = true;
		left = 0;
	}
	memmove(in->p, start, left);
	in->length = left;
}

/* False: the client has closed its side. */
static bool
take_input(struct mcp *m, struct input *in)
{
	ssize_t n = read(STDIN_FILENO, in->p + in->length, LINE_BYTES -
	    in->length);

	if (n < 0)
		return errno == EINTR || errno == EAGAIN;
	if (n == 0)
		return false;
	in->length += (size_t)n;
	take_lines(m, in);
	return true;
}

/* After the client has closed its side, tools that only read still answer: the requests
 * may come from a pipe whose other end has finished. Programs are not left running. */
static size_t
tend(struct mcp *m, bool open)
{
	struct mcp_job *j;
	size_t i, running = 0;
	int status;

	for (i = 0; i < MCP_JOBS; i++) {
		j = &m->job[i];
		if (j->pid == 0)
			continue;
		mcp_job_read(j);
		if (mcp_job_ended(j, &status)) {
			mcp_job_done(m, j, status);
			continue;
		}
		running++;
		mcp_job_tell(m, j);
		j->cancelled = j->cancelled || gone || (!open &&
		    mcp_tool_runs(j->call.tool));
		if (j->cancelled || clock_mono() - j->start_ns >
		    (uint64_t)j->call.limit_s * 1000000000u)
			mcp_job_end(j);
	}
	return running;
}

/* Serves until the client has closed its side, and no tool is left. */
static void
serve(struct mcp *m, struct input *in)
{
	struct pollfd wait[1 + MCP_JOBS * MCP_JOB_FDS];
	const struct mcp_job *j;
	bool open = true;
	size_t i, running = 0;

	while (open || running > 0) {
		wait[0] = (struct pollfd){ open ? STDIN_FILENO : -1, POLLIN, 0 };
		for (i = 0; i < MCP_JOBS * MCP_JOB_FDS; i++) {
			j = &m->job[i / MCP_JOB_FDS];
			wait[1 + i] = (struct pollfd){ j->pid != 0 ?
			    j->fd[i % MCP_JOB_FDS] : -1, POLLIN, 0 };
		}
		poll(wait, sizeof(wait) / sizeof(wait[0]), running > 0 ?
		    TICK_MS : -1);
		if (open && wait[0].revents != 0)
			open = take_input(m, in);
		open = open && !gone;
		running = tend(m, open);
	}
}

int
cmd_mcp(struct cli *cli, int argc, char **argv)
{
	struct mcp m = { .send = send_line };
	struct input in = { malloc(LINE_BYTES), 0, false };
	struct error e = ERROR_INIT;

	(void)argc;
	(void)argv;
	if (in.p == NULL) {
		error_memory(&e);
		return cli_error(cli, &e);
	}
	signal(SIGPIPE, SIG_IGN);
	serve(&m, &in);
	free(in.p);
	return 0;
}
