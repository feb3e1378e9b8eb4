/*
 * cudadvise run: the program's life comes first. Whatever fails here before it
 * starts is our failure (125); after that its exit status is ours, and trouble
 * with the report is only said.
 */
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/config.h"
#include "base/paths.h"
#include "cli/client.h"
#include "cli/collect.h"
#include "cli/daemon.h"
#include "cli/launch.h"
#include "cli/stream.h"
#include "cli/view.h"
#include "report/text_util.h"
#include "wire/record.h"

#include "cli/command.h"

#define ACK_MS 2000		/* for the daemon to take RUN_END */
#define VALUE_SIZE 64
#define PREVIOUS_AMONG 100	/* runs, to find the one before */

struct job {
	char run[33];
	char program[PATH_MAX];
	char injection[PATH_MAX], metrics[PATH_MAX], socket[PATH_MAX];
	char spool[PATH_MAX];
	struct collect collect;		/* without a daemon */
	struct stream *stream;
	struct variable env[16];
	struct launch launch;
	char budget[VALUE_SIZE];
	double budget_ratio;
	int level;
	bool daemon;
};

static int
make_run_id(char out[33], struct error *e)
{
	unsigned char random[16];
	size_t i;

	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return (error_set(e, "no random numbers:"));
	for (i = 0; i < sizeof(random); i++)
		snprintf(out + 2 * i, 3, "%02x", random[i]);
	return (0);
}

/* Options, then the configuration, then the defaults it has. */
static int
settle_options(struct cli *cli, struct job *j, struct error *e)
{
	struct config config;
	char path[PATH_MAX];

	config_init(&config);
	if (paths_config(path, NULL) == 0 &&
	    config_load(&config, path, false, e) != 0)
		return (-1);
	j->level = cli->opt.level != 0 ? cli->opt.level : config.level;
	j->budget_ratio = isnan(cli->opt.budget) ? config.overhead_budget :
	    cli->opt.budget;
	snprintf(j->budget, sizeof(j->budget), "%g", j->budget_ratio);
	config_clear(&config);
	return (0);
}

static const char *
level_word(int level)
{

	return (level == LEVEL_TRACE ? "trace" : level == LEVEL_SOURCE ?
	    "source" : "counters");
}

static void
set(struct job *j, const char *name, const char *value)
{

	size_t n = j->launch.variables++;

	j->env[n].name = name;
	j->env[n].value = value;
}

/* The injection library's orders. Without the library the program runs as it
 * is, and the person is told. */
static void
set_environment(struct cli *cli, struct job *j)
{
	const char *other = getenv("CUDA_INJECTION64_PATH");
	struct error e = ERROR_INIT;

	if (paths_injection(j->injection, &e) != 0) {
		cli_note(cli, "%s: the program runs unmeasured (%s)", e.text,
		    e.remedy);
		return;
	}
	if (other != NULL && *other != '\0' &&
	    strcmp(other, j->injection) != 0)
		cli_note(cli, "CUDA_INJECTION64_PATH was set to '%s'; that "
		    "tool is left out of this run", other);
	set(j, "CUDA_INJECTION64_PATH", j->injection);
	set(j, "NVTX_INJECTION64_PATH", j->injection);
	set(j, "CUDADVISE_RUN", j->run);
	set(j, "CUDADVISE_SOCKET", j->daemon ? j->socket : NULL);
	set(j, "CUDADVISE_SPOOL", j->spool);
	set(j, "CUDADVISE_LEVEL", level_word(j->level));
	set(j, "CUDADVISE_BUDGET", j->budget);
	set(j, "CUDADVISE_LABEL", cli->opt.label);
	set(j, "CUDADVISE_COUNTERS", cli->opt.no_counters ? "0" : NULL);
	set(j, "CUDADVISE_REPLAY", cli->opt.replay ? "1" : NULL);
	if (paths_data(j->metrics, &e) == 0 &&
	    strlen(j->metrics) + sizeof("/metrics") <= sizeof(j->metrics)) {
		strcat(j->metrics, "/metrics");
		set(j, "CUDADVISE_METRICS", j->metrics);
	} else {
		cli_note(cli, "%s: no counters are collected", e.text);
	}
}

/* The command as a person could type it again. */
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
		return (NULL);
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
	return (text);
}

static int
announce(struct cli *cli, struct job *j, int argc, char **argv,
    struct error *e)
{
	char host[256] = "", cwd[PATH_MAX] = "";
	char *command = join_command(argc, argv);
	struct record_RUN_BEGIN r = { .now_ns = 0 };
	struct timespec now;
	int rc;

	if (command == NULL)
		return (error_set(e, "out of memory"));
	clock_gettime(CLOCK_REALTIME, &now);
	gethostname(host, sizeof(host) - 1);
	if (getcwd(cwd, sizeof(cwd)) == NULL)
		cwd[0] = '\0';
	r.now_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	r.run = wire_str_of(j->run);
	r.command = wire_str_of(command);
	r.cwd = wire_str_of(cwd);
	r.host = wire_str_of(host);
	r.label = wire_str_of(cli->opt.label);
	r.version = wire_str_of(CUDADVISE_VERSION);
	r.level = (uint32_t)j->level;
	r.budget = j->budget_ratio;
	r.uid = (uint32_t)getuid();
	rc = stream_begin(j->stream, &r, e);
	free(command);
	if (rc == 0)
		rc = collect_calibrations(j->stream, e);
	return (rc);
}

/* Find the daemon, or a place for the capture: j->daemon says which. */
static int
choose_recorder(struct cli *cli, struct job *j, struct error *e)
{
	struct error trouble = ERROR_INIT;

	if (!cli->opt.no_daemon) {
		if (daemon_ensure(&trouble) == 0 &&
		    paths_ingest_socket(j->socket, &trouble) == 0 &&
		    paths_spool(j->spool, &trouble) == 0 &&
		    stream_connect(j->stream, j->socket, &trouble) == 0) {
			j->daemon = true;
			return (0);
		}
		if (cli->opt.require_daemon) {
			*e = trouble;
			return (-1);
		}
	}
	if (collect_open(&j->collect, cli->opt.no_daemon ? cli->opt.output :
	    NULL, e) != 0)
		return (-1);
	snprintf(j->spool, sizeof(j->spool), "%s", j->collect.directory);
	if (!cli->opt.no_daemon)
		cli_note(cli, "no daemon (%s): recording to '%s'",
		    trouble.text, j->collect.capture);
	return (0);
}

static int
prepare(struct cli *cli, struct job *j, int argc, char **argv,
    struct error *e)
{
	int status;

	if ((status = launch_find(j->program, argv[0], e)) != 0)
		return (status);
	if (settle_options(cli, j, e) != 0 || make_run_id(j->run, e) != 0 ||
	    (j->stream = stream_new(j->run, e)) == NULL ||
	    choose_recorder(cli, j, e) != 0 ||
	    announce(cli, j, argc, argv, e) != 0)
		return (EXIT_OURS);
	set_environment(cli, j);
	j->launch.path = j->program;
	j->launch.argv = argv;
	j->launch.env = j->env;
	/* Before the program starts, so that its run exists when it speaks. */
	if (j->daemon && stream_send(j->stream, ACK_MS, e) != 0 &&
	    cli->opt.require_daemon)
		return (EXIT_OURS);
	return (0);
}

static void
record_end(struct cli *cli, struct job *j, const struct launched *l)
{
	struct error e = ERROR_INIT;
	struct record_RUN_END r = {
		.start_ns = l->start_ns,
		.end_ns = l->end_ns,
		.exit_code = l->signal == 0 ? (uint32_t)l->exit_code : 0,
		.signal = (uint32_t)l->signal,
		.user_s = (double)l->usage.ru_utime.tv_sec +
		    (double)l->usage.ru_utime.tv_usec / 1e6,
		.system_s = (double)l->usage.ru_stime.tv_sec +
		    (double)l->usage.ru_stime.tv_usec / 1e6,
		.max_rss_bytes = (uint64_t)l->usage.ru_maxrss * 1024,
	};

	if (stream_end(j->stream, &r, &e) != 0 ||
	    ((!j->daemon || stream_send(j->stream, ACK_MS, &e) != 0) &&
	    stream_spool(j->stream, j->spool, &e) != 0))
		cli_error(cli, &e);
}

/* The report goes to standard error, or to -o if that is not the capture. */
static int
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
	return (0);
}

/* The newest finished run of the same command before ${run}: its number as
 * text in ${ref}. False if there is none among the last ones. */
static bool
find_previous(struct cli *cli, const json_t *run, char ref[32])
{
	json_t *runs = client_items(cli->client, "/runs", PREVIOUS_AMONG, NULL);
	json_int_t number = json_integer_value(json_object_get(run, "number"));
	const json_t *r;
	bool found = false;
	size_t i;

	json_array_foreach(runs, i, r) {
		json_int_t n = json_integer_value(json_object_get(r, "number"));
		const char *state = field_text(r, "state");

		if (found || n <= 0 || n >= number || state == NULL ||
		    strcmp(state, "finished") != 0 ||
		    !json_equal(json_object_get(r, "command"),
		    json_object_get(run, "command")) ||
		    !json_equal(json_object_get(r, "cwd"),
		    json_object_get(run, "cwd")))
			continue;
		snprintf(ref, 32, "%lld", (long long)n);
		found = true;
	}
	json_decref(runs);
	return (found);
}

/* What became of the predictions of the run before this one. That it cannot be
 * said is no trouble worth a word. */
static void
report_outcomes(struct cli *cli, const struct view *v)
{
	struct error e = ERROR_INIT;
	struct view before;
	json_t *compare;
	char ref[32];

	if (cli->opt.json || !find_previous(cli, v->run, ref) ||
	    view_load(cli, ref, &before, &e) != 0)
		return;
	compare = view_compare(&before, v);
	text_outcomes(&cli->out, compare, ref, v->name);
	json_decref(compare);
	view_release(&before);
}

static void
report(struct cli *cli, struct job *j)
{
	struct error e = ERROR_INIT;
	struct view v = { .name = NULL };
	int rc;

	if (j->daemon)
		rc = collect_wait(cli, j->run, &e) == 0 ?
		    view_load(cli, j->run, &v, &e) : -1;
	else
		rc = collect_finish(&j->collect, &e) == 0 ?
		    view_new(cli, j->collect.capture, &v, &e) : -1;
	open_report(cli);
	if (rc != 0) {
		cli_error(cli, &e);
		return;
	}
	if (!cli->opt.quiet || cli->output != NULL)
		view_print(cli, &v);
	if (j->daemon && !cli->opt.quiet)
		report_outcomes(cli, &v);
	if (!j->daemon)
		cli_note(cli, "the capture is '%s'", j->collect.capture);
	view_release(&v);
}

/* The program never ran: leave no trace of the run. */
static void
forget(struct cli *cli, struct job *j)
{
	struct launched never = { .exit_code = EXIT_NOT_EXECUTABLE };
	char path[64];

	if (!j->daemon) {
		collect_discard(&j->collect);
		return;
	}
	record_end(cli, j, &never);
	if (collect_wait(cli, j->run, NULL) != 0)
		return;
	snprintf(path, sizeof(path), "/runs/%s", j->run);
	client_send(cli->client, "DELETE", path, NULL, NULL, NULL);
}

int
cmd_run(struct cli *cli, int argc, char **argv)
{
	struct job *j = calloc(1, sizeof(*j));
	struct error e = ERROR_INIT;
	struct launched l = { .signal = 0 };
	int status;

	if (j == NULL) {
		error_set(&e, "out of memory");
		cli_error(cli, &e);
		return (EXIT_OURS);
	}
	launch_shield(&j->launch);
	if ((status = prepare(cli, j, argc, argv, &e)) != 0) {
		cli_error(cli, &e);
		collect_discard(&j->collect);
		goto out;
	}
	fflush(NULL);
	if ((status = launch_run(&j->launch, &l, &e)) != 0) {
		cli_error(cli, &e);
		forget(cli, j);
		goto out;
	}
	record_end(cli, j, &l);
	report(cli, j);
	fflush(NULL);
	status = launch_status(&l);
out:
	stream_free(j->stream);
	free(j);
	return (status);
}
