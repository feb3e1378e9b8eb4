/*
 * cudadvise run: the program comes first. If we fail before it starts, that is
 * our failure (125); after that its exit status is ours, and trouble with the
 * report is only printed.
 */
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "base/paths.h"
#include "cli/calibration.h"
#include "cli/client.h"
#include "cli/launch.h"
#include "cli/previous.h"
#include "cli/progress.h"
#include "cli/recorder.h"
#include "cli/surroundings.h"
#include "cli/twice.h"
#include "cli/view.h"
#include "cli/watch.h"
#include "report/text_util.h"
#include "wire/record.h"

#include "cli/command.h"

#define VALUE_SIZE 64

struct run_job {
	struct recorder recorder;
	bool traced, again;		/* the first, the second run of --twice */
	char program[PATH_MAX];
	char injection[PATH_MAX], metrics[PATH_MAX];
	struct variable env[16];
	struct launch launch;
	char budget[VALUE_SIZE], max_stall[VALUE_SIZE];
	double budget_ratio;
	unsigned level;			/* enum wire_level */
	char *conditions;		/* surroundings_text, or NULL */
};

/* Options first, then the configuration, then its defaults. */
static int
settle_options(struct cli *cli, struct run_job *j, struct error *e)
{
	struct config config;
	char path[PATH_MAX];

	config_init(&config);
	if (paths_config(path, NULL) == 0 &&
	    config_load(&config, path, false, e) != 0)
		return -1;
	j->level = cli->opt.level != 0 ? cli->opt.level : config.level;
	j->budget_ratio = isnan(cli->opt.budget) ? config.overhead_budget :
	    cli->opt.budget;
	snprintf(j->budget, sizeof(j->budget), "%g", j->budget_ratio);
	snprintf(j->max_stall, sizeof(j->max_stall), "%lu",
	    cli->opt.max_stall != 0 ? (unsigned long)cli->opt.max_stall :
	    (unsigned long)config.max_stall_ms);
	config_clear(&config);
	if (cli->opt.twice && !level_profiles(j->level))
		return error_set(e, "--level %s measures no kernel: --twice "
		    "would be tracing twice", level_word(j->level));
	if (cli->opt.no_counters && !level_samples(j->level))
		return error_set(e, "--no-counters is for --level source");
	if (!level_profiles(j->level) &&
	    (cli->opt.kernel != NULL || cli->opt.launches != NULL))
		return error_set(e, "--level %s measures no kernel: --%s "
		    "has nothing to choose", level_word(j->level),
		    cli->opt.kernel != NULL ? "kernel" : "launches");
	return 0;
}

static void
set(struct run_job *j, const char *name, const char *value)
{

	size_t n = j->launch.variables++;

	j->env[n].name = name;
	j->env[n].value = value;
}

/* Sets the injection library's variables. Without the library the program runs
 * unmeasured, and the user is told. */
static void
set_environment(struct cli *cli, struct run_job *j)
{
	const char *other = getenv("CUDA_INJECTION64_PATH"),
	    *nvtx = getenv("NVTX_INJECTION64_PATH");
	struct error e = ERROR_INIT;

	if (paths_injection(j->injection, &e) != 0) {
		if (!j->again)
			cli_note(cli, "%s: the program runs unmeasured (%s)",
			    e.text, e.remedy);
		return;
	}
	if (other != NULL && *other != '\0' && !j->again &&
	    strcmp(other, j->injection) != 0)
		cli_note(cli, "CUDA_INJECTION64_PATH was set to '%s'; that "
		    "tool is left out of this run", other);
	set(j, "CUDA_INJECTION64_PATH", j->injection);
	/* A tool that the user has set for NVTX stays: then there are no ranges. */
	if (nvtx == NULL || *nvtx == '\0')
		set(j, "NVTX_INJECTION64_PATH", j->injection);
	else if (!j->again && strcmp(nvtx, j->injection) != 0)
		cli_note(cli, "NVTX_INJECTION64_PATH is set to '%s', which stays: "
		    "this run has NVTX ranges only if that is CUPTI", nvtx);
	set(j, "CUDADVISE_RUN", j->recorder.run);
	set(j, "CUDADVISE_SOCKET", j->recorder.daemon ? j->recorder.socket :
	    NULL);
	set(j, "CUDADVISE_SPOOL", j->recorder.spool);
	set(j, "CUDADVISE_LEVEL", level_word(j->level));
	set(j, "CUDADVISE_BUDGET", j->budget);
	set(j, "CUDADVISE_MAX_STALL", j->max_stall);
	set(j, "CUDADVISE_KERNEL", cli->opt.kernel);
	set(j, "CUDADVISE_LAUNCHES", cli->opt.launches);
	set(j, "CUDADVISE_LABEL", j->recorder.label[0] != '\0' ?
	    j->recorder.label : NULL);
	set(j, "CUDADVISE_COUNTERS", cli->opt.no_counters ? "0" : NULL);
	set(j, "CUDADVISE_REPLAY", cli->opt.replay ? "1" : NULL);
	if (paths_data(j->metrics, &e) == 0 &&
	    strlen(j->metrics) + sizeof("/metrics") <= sizeof(j->metrics)) {
		strcat(j->metrics, "/metrics");
		set(j, "CUDADVISE_METRICS", j->metrics);
	} else if (!j->again) {
		cli_note(cli, "%s: no counters are collected", e.text);
	}
}

static int
prepare(struct cli *cli, struct run_job *j, int argc, char **argv,
    struct error *e)
{
	int status;

	if ((status = launch_find(j->program, argv[0], e)) != 0)
		return status;
	if (settle_options(cli, j, e) != 0)
		return EXIT_OURS;
	if (j->traced)
		j->level = LEVEL_TRACE;
	if (recorder_open(cli, &j->recorder, j->traced ? TWICE_MARK : NULL,
	    e) != 0 ||
	    recorder_begin(&j->recorder, argc, argv, (int)j->level,
	    j->budget_ratio, e) != 0)
		return EXIT_OURS;
	set_environment(cli, j);
	j->launch.path = j->program;
	j->launch.argv = argv;
	j->launch.env = j->env;
	/* Before the program starts, so that its run exists when its first
	 * record arrives. */
	if (recorder_send(&j->recorder, e) != 0 && cli->opt.require_daemon)
		return EXIT_OURS;
	return 0;
}

static void
record_end(struct cli *cli, struct run_job *j, const struct launched *l)
{
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
		.conditions = { (const uint8_t *)j->conditions,
		    j->conditions != NULL ? (uint32_t)strlen(j->conditions) :
		    0 },
	};

	recorder_end(cli, &j->recorder, &r);
}

/* Compares the predictions of the previous run with this one, if both ended
 * alike. If that is impossible, it is not worth a message. */
static void
report_outcomes(struct cli *cli, const struct view *v)
{
	struct error e = ERROR_INIT;
	struct view before;
	json_t *compare;
	const char *state = field_text(v->run, "state");
	char ref[32];

	if (cli->opt.json || state == NULL || strcmp(state, "finished") != 0 ||
	    !previous_run(cli, v->run, v->traced, ref) ||
	    view_load(cli, ref, &before, &e) != 0)
		return;
	compare = view_compare(&before, v);
	text_outcomes(&cli->out, compare, ref, v->name);
	json_decref(compare);
	view_release(&before);
}

/* ${first}: the traced run of --twice, or NULL. */
static void
report(struct cli *cli, struct run_job *j, const struct view *first)
{
	struct view v = { .name = NULL };

	if (recorder_view(cli, &j->recorder, &v) != 0)
		return;
	if (first != NULL && first->name != NULL)
		twice_join(first, &v);
	recorder_print(cli, &j->recorder, &v);
	if (j->recorder.daemon && !cli->opt.quiet)
		report_outcomes(cli, &v);
	view_release(&v);
}

/* Runs the program from its preparation to its end, ${l}. 0; or the exit status
 * if it could not be started, after a message. */
static int
run_program(struct cli *cli, struct run_job *j, int argc, char **argv,
    struct launched *l)
{
	struct error e = ERROR_INIT;
	struct watch *watch;
	json_t *watched;
	int status;

	if ((status = prepare(cli, j, argc, argv, &e)) != 0) {
		cli_error(cli, &e);
		recorder_discard(&j->recorder);
		return status;
	}
	fflush(NULL);
	watch = watch_begin();
	status = launch_run(&j->launch, l, &e);
	watched = watch_end(watch);
	if (status != 0) {
		json_decref(watched);
		cli_error(cli, &e);
		recorder_forget(cli, &j->recorder);
		return status;
	}
	/* Its analysis uses the ceilings of the GPU that it ran on. Not if the
	 * user ended the program by a signal. */
	if (level_profiles(j->level) && l->signal == 0 &&
	    calibration_first(cli) &&
	    collect_calibrations(j->recorder.stream, &e) != 0)
		cli_error(cli, &e);
	j->conditions = surroundings_text(watched, j->program);
	record_end(cli, j, l);
	return 0;
}

static int
run_once(struct cli *cli, struct run_job *j, int argc, char **argv,
    struct launched *l)
{
	int status = run_program(cli, j, argc, argv, l);

	if (status == 0)
		report(cli, j, NULL);
	return status;
}

/* The second run, after a first one that ended normally. The first one's
 * analysis must be over: it would compete with the program for processors. */
static void
run_again(struct cli *cli, const struct twice *t, struct run_job *j, int argc,
    char **argv, const struct launched *first)
{
	struct error e = ERROR_INIT;
	struct view traced = { .name = NULL };
	struct launched l = { .signal = 0 };
	struct progress *progress;
	int status;

	if (recorder_load(cli, &j[0].recorder, &traced, &e) != 0)
		cli_error(cli, &e);
	else if (!j[0].recorder.daemon)
		cli_note(cli, "the traced run is '%s'",
		    j[0].recorder.collect.capture);
	j[1].launch.pipe = j[0].launch.pipe;
	twice_second(t, &j[1].launch);
	j[1].again = true;	/* notes were printed before */
	progress = progress_begin(cli, "the second run, which prints nothing");
	status = run_program(cli, &j[1], argc, argv, &l);
	progress_end(progress);
	if (status == 0) {
		twice_differs(cli, first, &l);
		report(cli, &j[1], &traced);
	}
	view_release(&traced);
}

static int
run_twice(struct cli *cli, struct run_job *j, int argc, char **argv,
    struct launched *l)
{
	struct error e = ERROR_INIT;
	struct twice t;
	int status;

	if (twice_check(&t, &e) != 0) {
		cli_error(cli, &e);
		return EXIT_OURS;
	}
	j[0].traced = true;
	if ((status = run_program(cli, &j[0], argc, argv, l)) != 0)
		return status;
	if (l->signal == 0 && l->exit_code == 0) {
		run_again(cli, &t, j, argc, argv, l);
		return 0;
	}
	cli_note(cli, "the program failed: it is not run a second time");
	report(cli, &j[0], NULL);
	return 0;
}

int
cmd_run(struct cli *cli, int argc, char **argv)
{
	struct run_job *j = calloc(2, sizeof(*j));	/* the second for --twice */
	struct error e = ERROR_INIT;
	struct launched l = { .signal = 0 };
	int status;

	if (j == NULL) {
		error_memory(&e);
		cli_error(cli, &e);
		return EXIT_OURS;
	}
	launch_shield(&j[0].launch);
	status = (cli->opt.twice ? run_twice : run_once)(cli, j, argc, argv,
	    &l);
	fflush(NULL);
	if (status == 0)
		status = launch_status(&l);
	recorder_release(&j[0].recorder);
	recorder_release(&j[1].recorder);
	free(j[0].conditions);
	free(j[1].conditions);
	free(j);
	return status;
}
