/*
 * cudadvise sanitize: runs the program under each tool of compute-sanitizer in
 * turn. The exit status tells what was found, not how the program ended: that
 * may differ between tools.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/launch.h"
#include "cli/recorder.h"
#include "cli/sanitize.h"
#include "cli/view.h"
#include "report/text_util.h"

#include "cli/command.h"

enum { CLEAN = 0, FOUND = 1, INCOMPLETE = 2 };

#define ALL_TOOLS ((1u << TOOL_COUNT) - (1u << TOOL_MEMCHECK))

struct task {
	struct recorder recorder;
	struct sanitize sanitize;
	char program[PATH_MAX];
	struct launch base;
	uint32_t tools;			/* 1 << enum wire_tool */
	off_t input;			/* offset of standard input at the
					 * start; -1: no file */
	struct record_RUN_END end;
	bool complete, stopped;
};

static int
prepare(struct cli *cli, struct task *t, int argc, char **argv,
    struct error *e)
{

	t->tools = cli->opt.tools != 0 ? cli->opt.tools : ALL_TOOLS;
	t->input = lseek(STDIN_FILENO, 0, SEEK_CUR);
	t->complete = true;
	if (launch_find(t->program, argv[0], e) != 0 ||
	    sanitize_find(&t->sanitize, e) != 0 ||
	    recorder_open(cli, &t->recorder, NULL, e) != 0 ||
	    recorder_begin(&t->recorder, argc, argv, LEVEL_TRACE, 0,
	    e) != 0)
		return -1;
	if (recorder_send(&t->recorder, e) != 0 && cli->opt.require_daemon)
		return -1;
	return 0;
}

/* Is there standard input? Each tool reads a file from its start; a pipe or a
 * terminal can be read only once. */
static bool
has_input(const struct task *t, bool first)
{

	return first || (t->input >= 0 &&
	    lseek(STDIN_FILENO, t->input, SEEK_SET) == t->input);
}

static void
say_progress(const struct cli *cli, const struct task *t,
    enum wire_tool tool)
{
	unsigned before = (unsigned)__builtin_popcount(t->tools &
	    ((1u << tool) - 1));

	if (!cli->opt.quiet && isatty(STDERR_FILENO))
		fprintf(stderr, "cudadvise: %s, %u of %d\n",
		    wire_tool_name(tool), before + 1,
		    __builtin_popcount(t->tools));
}

/* Did the user or the system stop it? Then the remaining tools are not run. */
static bool
was_stopped(const struct launched *l)
{

	return !l->timed_out && (l->signal == SIGINT ||
	    l->signal == SIGTERM || l->signal == SIGHUP ||
	    l->signal == SIGQUIT || l->exit_code == 128 + SIGINT ||
	    l->exit_code == 128 + SIGTERM);
}

static int
run_tool(struct cli *cli, struct task *t, enum wire_tool tool, char **argv,
    bool first, struct error *e)
{
	struct sanitize_job job = { .tool = tool, .program = t->program,
		.argv = argv, .base = &t->base,
		.no_input = !has_input(t, first),
		.limit_ns = (uint64_t)cli->opt.timeout * 1000000000u };
	struct sanitized done = { .state = RAN_FAILED };
	struct error trouble = ERROR_INIT;
	struct rusage *u = &done.end.usage;

	say_progress(cli, t, tool);
	fflush(NULL);
	if (sanitize_run(&t->sanitize, &job, t->recorder.stream, &done,
	    e) != 0)
		return -1;
	if (t->end.start_ns == 0)
		t->end.start_ns = done.end.start_ns;
	t->end.end_ns = done.end.end_ns;
	t->end.user_s += (double)u->ru_utime.tv_sec +
	    (double)u->ru_utime.tv_usec / 1e6;
	t->end.system_s += (double)u->ru_stime.tv_sec +
	    (double)u->ru_stime.tv_usec / 1e6;
	if ((uint64_t)u->ru_maxrss * 1024 > t->end.max_rss_bytes)
		t->end.max_rss_bytes = (uint64_t)u->ru_maxrss * 1024;
	t->complete = t->complete && done.state == RAN_DONE;
	t->stopped = was_stopped(&done.end);
	/* So that an interrupted run keeps what it has. */
	(void)recorder_send(&t->recorder, &trouble);
	return 0;
}

static int
run_tools(struct cli *cli, struct task *t, char **argv, struct error *e)
{
	bool first = true;
	int tool;

	for (tool = TOOL_MEMCHECK; tool < TOOL_COUNT && !t->stopped; tool++) {
		if ((t->tools & (1u << tool)) == 0)
			continue;
		if (run_tool(cli, t, (enum wire_tool)tool, argv, first,
		    e) != 0)
			return -1;
		first = false;
	}
	return 0;
}

static int
report(struct cli *cli, struct task *t)
{
	struct view v = { .name = NULL };
	int status = INCOMPLETE;

	recorder_end(cli, &t->recorder, &t->end);
	if (recorder_view(cli, &t->recorder, &v) != 0)
		return status;
	recorder_print(cli, &t->recorder, &v);
	if (field_count(v.run, "worth_it") > 0)
		status = FOUND;
	else if (t->complete && !t->stopped)
		status = CLEAN;
	view_release(&v);
	return status;
}

int
cmd_sanitize(struct cli *cli, int argc, char **argv)
{
	struct task *t = calloc(1, sizeof(*t));
	struct error e = ERROR_INIT;
	int status = INCOMPLETE;

	if (t == NULL) {
		error_memory(&e);
		cli_error(cli, &e);
		return status;
	}
	launch_shield(&t->base);
	if (prepare(cli, t, argc, argv, &e) != 0) {
		cli_error(cli, &e);
		recorder_discard(&t->recorder);
	} else if (run_tools(cli, t, argv, &e) != 0) {
		cli_error(cli, &e);
		/* Keep what earlier tools found. */
		if (t->end.start_ns == 0) {
			recorder_forget(cli, &t->recorder);
		} else {
			t->complete = false;
			status = report(cli, t);
		}
	} else {
		status = report(cli, t);
	}
	fflush(NULL);
	sanitize_release(&t->sanitize);
	recorder_release(&t->recorder);
	free(t);
	return status;
}
