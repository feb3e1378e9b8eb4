#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/paths.h"
#include "cli/client.h"
#include "cli/command.h"
#include "cli/daemon.h"
#include "cli/progress.h"
#include "cli/stream.h"
#include "cli/twice.h"
#include "cli/view.h"

#include "cli/recorder.h"

#define ACK_MS 2000		/* for the daemon to acknowledge what it is sent */
#define FIND_TRIES 3		/* to find a daemon that answers */

static int
make_run_id(char out[33], struct error *e)
{
	unsigned char random[16];
	size_t i;

	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return error_set(e, "no random numbers:");
	for (i = 0; i < sizeof(random); i++)
		snprintf(out + 2 * i, 3, "%02x", random[i]);
	return 0;
}

/* A daemon that answered may have ended before we connect: then another one is
 * started. */
static int
find_daemon(struct recorder *r, struct error *e)
{
	int i;

	for (i = 0; i < FIND_TRIES; i++) {
		*e = (struct error)ERROR_INIT;
		if (daemon_ensure(e) != 0 ||
		    paths_ingest_socket(r->socket, e) != 0 ||
		    paths_spool(r->spool, e) != 0)
			return -1;
		if (stream_connect(r->stream, r->socket, e) == 0)
			return 0;
	}
	return -1;
}

/* Finds the daemon, or a place for the capture; r->daemon says which. */
static int
choose(struct cli *cli, struct recorder *r, const char *mark, struct error *e)
{
	struct error trouble = ERROR_INIT;

	if (!cli->opt.no_daemon) {
		if (find_daemon(r, &trouble) == 0) {
			r->daemon = true;
			return 0;
		}
		if (cli->opt.require_daemon) {
			*e = trouble;
			return -1;
		}
	}
	if (collect_open(&r->collect, cli->opt.no_daemon ? cli->opt.output :
	    NULL, mark, e) != 0)
		return -1;
	snprintf(r->spool, sizeof(r->spool), "%s", r->collect.directory);
	if (!cli->opt.no_daemon)
		cli_note(cli, "no daemon (%s): recording to '%s'",
		    trouble.text, r->collect.capture);
	return 0;
}

int
recorder_open(struct cli *cli, struct recorder *r, const char *mark,
    struct error *e)
{
	const char *label = cli->opt.label;
	char behind[32] = "";

	memset(r, 0, sizeof(*r));
	if (make_run_id(r->run, e) != 0 ||
	    (r->stream = stream_new(r->run, e)) == NULL)
		return -1;
	if (mark != NULL)
		snprintf(behind, sizeof(behind), ".%s", mark);
	snprintf(r->label, sizeof(r->label), "%s%s%s", label != NULL ? label :
	    "", label != NULL && mark != NULL ? ", " : "", mark != NULL ?
	    mark : "");
	return choose(cli, r, behind, e);
}

void
recorder_release(struct recorder *r)
{

	stream_free(r->stream);
	r->stream = NULL;
}

/* The command as the user could type it. */
static char *
join_command(int argc, char **argv)
{
	size_t need = 1;
	char *text, *p;
	const char *s;
	int i;

	for (i = 0; i < argc; i++)
		need += 4 * strlen(argv[i]) + 3;
	if ((p = text = malloc(need)) == NULL)
		return NULL;
	for (i = 0; i < argc; i++) {
		bool plain = argv[i][0] != '\0' && strpbrk(argv[i],
		    " \t\n'\"\\$`|&;<>()*?[]{}~#!") == NULL;

		if (i > 0)
			*p++ = ' ';
		if (!plain)
			*p++ = '\'';
		for (s = argv[i]; *s != '\0'; s++) {
			if (*s == '\'' && !plain) {
				memcpy(p, "'\\''", 4);
				p += 4;
			} else {
				*p++ = *s;
			}
		}
		if (!plain)
			*p++ = '\'';
	}
	*p = '\0';
	return text;
}

int
recorder_begin(struct recorder *r, int argc, char **argv,
    int level, double budget, struct error *e)
{
	char host[256] = "", cwd[PATH_MAX] = "";
	char *command = join_command(argc, argv);
	struct record_RUN_BEGIN b = { .now_ns = 0 };
	struct timespec now;
	int rc;

	if (command == NULL)
		return error_memory(e);
	clock_gettime(CLOCK_REALTIME, &now);
	gethostname(host, sizeof(host) - 1);
	if (getcwd(cwd, sizeof(cwd)) == NULL)
		cwd[0] = '\0';
	b.now_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	b.run = wire_str_of(r->run);
	b.command = wire_str_of(command);
	b.cwd = wire_str_of(cwd);
	b.host = wire_str_of(host);
	b.label = wire_str_of(r->label[0] != '\0' ? r->label : NULL);
	b.version = wire_str_of(CUDADVISE_VERSION);
	b.level = (uint32_t)level;
	b.budget = budget;
	b.uid = (uint32_t)getuid();
	rc = stream_begin(r->stream, &b, e);
	free(command);
	if (rc == 0)
		rc = collect_calibrations(r->stream, e);
	return rc;
}

int
recorder_send(struct recorder *r, struct error *e)
{

	return r->daemon ? stream_send(r->stream, ACK_MS, e) : 0;
}

void
recorder_end(struct cli *cli, struct recorder *r,
    const struct record_RUN_END *end)
{
	struct progress *progress = progress_begin(cli, "handing in the run");
	struct error e = ERROR_INIT;
	int rc;

	rc = stream_end(r->stream, end, &e) != 0 ||
	    ((!r->daemon || stream_send(r->stream, ACK_MS, &e) != 0) &&
	    stream_spool(r->stream, r->spool, &e) != 0);
	progress_end(progress);
	if (rc)
		cli_error(cli, &e);
}

/* The report goes to standard error, or to -o if that is not the capture. */
static void
open_report(struct cli *cli)
{
	struct error e = ERROR_INIT;
	bool file = cli->opt.output != NULL && !cli->opt.no_daemon;

	if (file && (cli->output = fopen(cli->opt.output, "we")) == NULL) {
		error_set(&e, "cannot write '%s':", cli->opt.output);
		cli_error(cli, &e);
		file = false;
	}
	out_setup(&cli->out, file ? cli->output : stderr, cli->opt.color);
}

int
recorder_load(struct cli *cli, struct recorder *r, struct view *v,
    struct error *e)
{
	struct error untold = ERROR_INIT;
	struct progress *progress;
	int rc;

	if (!r->daemon) {
		progress = progress_begin(cli, "analysing");
		rc = collect_finish(&r->collect, e) == 0 ?
		    view_new(cli, r->collect.capture, v, e) : -1;
		progress_end(progress);
		return rc;
	}
	/* If the daemon could not store the run, it may still have parts of it. */
	if ((rc = collect_wait(cli, r->run, &untold)) >= 0)
		return view_load(cli, r->run, v, e);
	*e = untold;
	return rc;
}

int
recorder_view(struct cli *cli, struct recorder *r, struct view *v)
{
	struct error e = ERROR_INIT;
	int rc = recorder_load(cli, r, v, &e);

	open_report(cli);
	if (rc != 0)
		cli_error(cli, &e);
	return rc;
}

void
recorder_print(struct cli *cli, const struct recorder *r,
    const struct view *v)
{

	if (!cli->opt.quiet || cli->output != NULL) {
		view_print(cli, v);
		if (cli->opt.format == SHOWN_text)
			twice_print(cli, v);
	}
	if (!r->daemon)
		cli_note(cli, "the capture is '%s'", r->collect.capture);
}

void
recorder_discard(struct recorder *r)
{

	collect_discard(&r->collect);
}

void
recorder_forget(struct cli *cli, struct recorder *r)
{
	struct record_RUN_END never = { .exit_code = EXIT_NOT_EXECUTABLE };
	char path[64];

	if (!r->daemon) {
		collect_discard(&r->collect);
		return;
	}
	recorder_end(cli, r, &never);
	if (collect_wait(cli, r->run, NULL) != 0)
		return;
	snprintf(path, sizeof(path), "/runs/%s", r->run);
	client_send(cli->client, "DELETE", path, NULL, NULL, NULL);
}
