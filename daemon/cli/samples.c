#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/paths.h"
#include "cli/baseline.h"
#include "cli/self.h"
#include "cli/command.h"
#include "cli/view.h"
#include "compare/conditions.h"
#include "wire/level.h"

#include "cli/samples.h"

#define RUNS_DEFAULT 10
#define RUNS_LEAST 3		/* before --until may end the series */

static void
sample_release(struct sample *x)
{

	json_decref(x->run);
	json_decref(x->findings);
	json_decref(x->kernels);
	json_decref(x->conditions);
}

static int
append(struct sample_set *s, struct sample x, struct error *e)
{
	struct sample *grown = realloc(s->sample, (s->n + 1) *
	    sizeof(*grown));

	if (grown != NULL)
		s->sample = grown;
	if (grown == NULL || x.run == NULL || x.findings == NULL ||
	    x.kernels == NULL || x.conditions == NULL) {
		sample_release(&x);
		return error_memory(e);
	}
	s->sample[s->n++] = x;
	return 0;
}

int
samples_view(struct cli *cli, struct sample_set *s, const struct view *v,
    struct error *e)
{
	json_t *processes = view_document(cli, v, DOCUMENT_processes, NULL);
	json_t *devices = view_document(cli, v, DOCUMENT_devices, NULL);
	struct sample x = { json_incref(v->run), json_incref(v->findings),
		json_incref(v->kernels), conditions_of(v->run, processes,
		devices) };

	json_decref(devices);
	json_decref(processes);
	return append(s, x, e);
}

int
samples_baseline(struct sample_set *s, const char *name, struct error *e)
{
	json_t *j = baseline_load(name, e), *r;
	int rc = j != NULL ? 0 : -1;
	struct sample x;
	size_t i;

	json_array_foreach(json_object_get(j, "runs"), i, r) {
		x.run = json_incref(json_object_get(r, "run"));
		x.findings = json_incref(json_object_get(r, "findings"));
		x.kernels = json_incref(json_object_get(r, "kernels"));
		x.conditions = json_incref(json_object_get(r, "conditions"));
		if (rc == 0)
			rc = append(s, x, e);
	}
	json_decref(j);
	return rc;
}

static bool
is_baseline(const char *ref)
{
	char path[PATH_MAX];
	size_t n = strlen(ref);

	if (n > 5 && strcmp(ref + n - 5, ".json") == 0)
		return true;
	return strchr(ref, '/') == NULL && strspn(ref, "0123456789") != n &&
	    baseline_path(path, ref, NULL) == 0 && access(path, R_OK) == 0;
}

int
samples_load(struct cli *cli, struct sample_set *s, const char *ref,
    struct error *e)
{
	struct view v;
	int rc;

	if (s->n >= TRIAL_RUNS)
		return error_set(e, "more than %d runs", TRIAL_RUNS);
	if (ref != NULL && is_baseline(ref))
		return samples_baseline(s, ref, e);
	if (view_load(cli, ref, &v, e) != 0)
		return -1;
	rc = samples_view(cli, s, &v, e);
	view_release(&v);
	return rc;
}

/* "41", "b5dfad66", "x.cadv": is it no baseline's name? */
static bool
is_run(const char *ref)
{

	return strspn(ref, "0123456789abcdef") == strlen(ref) ||
	    strchr(ref, '.') != NULL || strchr(ref, '/') != NULL;
}

int
samples_against(struct cli *cli, struct sample_set *s, const char *name,
    struct error *e)
{

	return is_run(name) ? samples_load(cli, s, name, e) :
	    samples_baseline(s, name, e);
}

void
samples_release(struct sample_set *s)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		sample_release(&s->sample[i]);
	sample_release(&s->counted);
	free(s->sample);
	free(s->as);
	memset(s, 0, sizeof(*s));
}

static struct trial_run
run_of(const struct sample *x)
{

	return (struct trial_run){ x->run, x->findings, x->kernels,
		x->conditions };
}

struct trial_set
samples_set(struct sample_set *s)
{
	struct trial_run *as = calloc(s->n + 1, sizeof(*as));
	size_t i;

	free(s->as);
	s->as = as;
	if (as == NULL)
		return (struct trial_set){ NULL, 0, NULL };
	for (i = 0; i < s->n; i++)
		as[i] = run_of(&s->sample[i]);
	as[s->n] = run_of(&s->counted);
	return (struct trial_set){ as, s->n, s->has_counted ? &as[s->n] :
		NULL };
}

/* --- repeated runs of a program ------------------------------------------------- */

/* self_run with the variable ${env} (NAME=VALUE) in the environment; NULL:
 * unchanged. */
static int
run_with(char **argv, bool output, const char *env, struct error *e)
{
	char name[ENV_NAME_MAX + 1], *was;
	const char *value;
	int status;

	if (env == NULL)
		return self_run(argv, output, e);
	value = strchr(env, '=') + 1;
	snprintf(name, sizeof(name), "%.*s", (int)(value - 1 - env), env);
	was = getenv(name) != NULL ? strdup(getenv(name)) : NULL;
	if (setenv(name, value, 1) != 0) {
		free(was);
		return error_memory(e);
	}
	status = self_run(argv, output, e);
	if (was != NULL)
		setenv(name, was, 1);
	else
		unsetenv(name);
	free(was);
	return status;
}

/* Runs `cudadvise run` of the program, recording to ${capture}. */
static int
record(struct cli *cli, char **program, const char *env, unsigned level,
    const char *capture, struct error *e)
{
	char *own[] = { "cudadvise", "run", "-q", "--no-daemon", "-o",
		(char *)capture, "--level", (char *)level_word(level),
		"--" };
	size_t n = sizeof(own) / sizeof(own[0]), m = 0;
	char **argv;
	int status;

	while (program[m] != NULL)
		m++;
	if ((argv = calloc(n + m + 1, sizeof(*argv))) == NULL)
		return error_memory(e);
	memcpy(argv, own, sizeof(own));
	memcpy(argv + n, program, m * sizeof(*argv));
	status = run_with(argv, cli->opt.verbose, env, e);
	free(argv);
	if (status < 0)
		return -1;
	if (status >= EXIT_OURS && status <= EXIT_NOT_FOUND)
		return error_set(e, "'%.200s' could not be run", program[0]);
	if (status >= 128)
		return error_set(e, "'%.200s' was ended by signal %d",
		    program[0], status - 128);
	return 0;
}

/* One run of ${program} with ${env} at ${level}, appended to ${s}; ${s} NULL:
 * discarded. */
static int
run_once(struct cli *cli, struct sample_set *s, char **program, const char *env,
    unsigned level, struct error *e)
{
	const char *tmp = getenv("TMPDIR");
	char directory[PATH_MAX], capture[PATH_MAX];
	struct view v;
	int rc;

	snprintf(directory, sizeof(directory), "%.4000s/cudadvise-ab-XXXXXX",
	    tmp != NULL && tmp[0] == '/' ? tmp : "/tmp");
	if (mkdtemp(directory) == NULL)
		return error_set(e, "cannot make '%s':", directory);
	if (paths_join(capture, directory, "run.cadv", e) != 0) {
		rmdir(directory);
		return -1;
	}
	rc = record(cli, program, env, level, capture, e);
	if (rc == 0 && s != NULL && (rc = view_new(cli, capture, &v, e)) == 0) {
		rc = samples_view(cli, s, &v, e);
		view_release(&v);
	}
	unlink(capture);
	rmdir(directory);
	return rc;
}

/* The first run, whose times do not count. Without --level it is kept for its
 * counters. */
static int
run_first(struct cli *cli, struct sample_set *s, char **program, struct error *e)
{
	struct sample_set one = SAMPLES_INIT;
	int rc;

	if (cli->opt.level != 0)
		return run_once(cli, NULL, program, s->env, cli->opt.level, e);
	rc = run_once(cli, &one, program, s->env, LEVEL_DEFAULT, e);
	if (rc == 0) {
		s->counted = one.sample[0];
		s->has_counted = true;
		one.n = 0;
	}
	samples_release(&one);
	return rc;
}

/* Is the interval of the comparison as narrow as --until asks? */
static bool
is_enough(struct cli *cli, struct sample_set side[SIDES])
{
	struct trial_ask ask = TRIAL_ASK_INIT;
	struct trial_set set[SIDES] = { samples_set(&side[BASE]),
		samples_set(&side[TARGET]) };
	json_t *trial;
	bool enough;

	if (!(cli->opt.until > 0) || side[TARGET].n < RUNS_LEAST ||
	    side[BASE].n == 0)
		return false;
	trial = trial_judge(set, &ask);
	enough = trial_half_width(trial) <= cli->opt.until;
	json_decref(trial);
	return enough;
}

/* A run of each side of ${argv}. */
static int
run_turn(struct cli *cli, struct sample_set side[SIDES], char **argv[SIDES],
    int first, struct error *e)
{
	unsigned level = cli->opt.level != 0 ? cli->opt.level : LEVEL_TRACE;
	int turn, which;

	for (turn = 0; turn < SIDES; turn++) {
		which = turn == 0 ? first : BASE + TARGET - first;
		if (argv[which] != NULL && run_once(cli, &side[which],
		    argv[which], side[which].env, level, e) != 0)
			return -1;
	}
	return 0;
}

/* Whether a turn as long as the longest so far would end after --seconds. */
static bool
is_time_up(const struct cli *cli, uint64_t begin_ns, uint64_t longest_ns)
{

	return cli->opt.seconds > 0 && clock_mono() - begin_ns + longest_ns >
	    (uint64_t)cli->opt.seconds * 1000000000u;
}

int
samples_interleave(struct cli *cli, struct sample_set side[SIDES],
    char **argv[SIDES], struct error *e)
{
	long runs = cli->opt.runs > 0 ? cli->opt.runs : RUNS_DEFAULT, i;
	uint64_t begin = clock_mono(), turn, longest = 0;
	int which;

	for (which = 0; which < SIDES; which++)
		if (argv[which] != NULL && run_first(cli, &side[which],
		    argv[which], e) != 0)
			return -1;
	for (i = 0; i < runs && !is_enough(cli, side); i++) {
		if (i > 0 && is_time_up(cli, begin, longest))
			break;
		turn = clock_mono();
		if (run_turn(cli, side, argv, i % 2 == 0 ? BASE : TARGET, e) !=
		    0)
			return -1;
		turn = clock_mono() - turn;
		longest = turn > longest ? turn : longest;
	}
	return 0;
}
