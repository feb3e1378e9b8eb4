/*
 * compare/trial.c: judges a trial; see trial.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "compare/conditions.h"
#include "compare/statistics.h"
#include "compare/trial_parts.h"
#include "report/compare.h"
#include "report/json_util.h"
#include "report/text_util.h"

#include "compare/trial.h"

/* The noise of one binary from run to run that is assumed before any run (struct
 * variance_prior): the standard deviation of the logarithm of a time, and the degrees of
 * freedom that it counts as. */
#define KERNEL_DEVIATION 0.001	/* measured: 0.03 to 0.08 % of 48 runs on an H200 */
#define COPY_DEVIATION 0.2	/* measured on an H200: of four programs' copies of pageable
				 * memory 0.04, 0.05, 0.12, 0.19, of pinned 0.01 */
#define WORK_DEVIATION 0.03	/* measured: 3 to 5 % of the wall time of the same */
#define START_DEVIATION_S 0.005	/* measured: starting and ending a process */
#define HOST_DEVIATION 0.25	/* of the time at work in which the GPU is idle.
				 * Measured on H200s: of four programs, 4 to 22 runs a
				 * session, 0.08 to 0.39, half of them above 0.17 */
#define HOST_FREEDOM 12		/* the means of four programs are 0.17 to 0.24: they
				 * differ less than estimates from five runs do */
#define PRIOR_FREEDOM 4		/* as many as five runs have */

/* The noise between sessions: runs of one binary on another GPU of the same model, or on
 * another day. More runs do not reduce it. Measured on three H200s: of 54 kernels three
 * quarters differed by less than 1.6 %, 95 % by less than 3.1 %, as normal values of
 * this deviation do; but one that gathers from memory always by 7.2 %. All kernels of a
 * GPU share its memory, so there are no more independent values than GPUs. */
#define SESSION_DEVIATION 0.015
#define SESSION_FREEDOM 4
#define SESSION_S 3600.0	/* runs further apart are not of one session */

#define SHARE_LEAST 0.01	/* of the kernels' time: with less it is not judged */
#define JUDGED_MOST 64
#define NOTE_SIZE 256

/* --- one time ----------------------------------------------------------------- */

static enum trial_verdict
verdict_of(const struct difference *d, double margin)
{
	double most = log1p(margin);

	if (!(d->low <= d->high))
		return VERDICT_INCONCLUSIVE;
	return d->low > most ? VERDICT_SLOWER : d->high < -most ?
	    VERDICT_FASTER : d->low >= -most && d->high <= most ?
	    VERDICT_SAME : VERDICT_INCONCLUSIVE;
}

/* The two sources of error are independent: their squares add up. */
static void
difference_widen(struct difference *d, double half)
{

	d->low = d->about - hypot(d->about - d->low, half);
	d->high = d->about + hypot(d->high - d->about, half);
}

static void
measure_make(struct measure *m, const struct trial *t, const double *base,
    size_t n, const double *target, size_t runs, struct variance_prior prior)
{

	statistics_difference(&m->by, base, n, target, runs, prior, t->error);
	if (t->apart)
		difference_widen(&m->by, statistics_t(1 - t->error / 2,
		    SESSION_FREEDOM) * SESSION_DEVIATION);
	m->verdict = verdict_of(&m->by, t->ask->margin);
}

/* gpu_s: seconds of a run in which the GPU was busy. active_s: seconds in which program
 * and GPU were at work, without start-up, end and our own measuring. */
static double
gpu_s(const json_t *run)
{

	return field_number(run, "wall_ns") * 1e-9 *
	    field_number(json_object_get(run, "summary"), "gpu_busy_ratio");
}

static double
active_s(const json_t *run)
{

	return field_number(run, "active_s");
}

/* Seconds of the GPU's time in which no kernel ran, on the side that has more: copies,
 * whose speed differs from run to run with the state of the host's memory. */
static double
copies_s(const struct trial *t)
{
	double most = 0, s, of_run;
	size_t i;
	int side;

	for (side = 0; side < SIDES; side++) {
		s = 0;
		for (i = 0; i < t->set[side].runs; i++) {
			of_run = gpu_s(t->set[side].run[i].run);
			s += of_run > 0 ? of_run : 0;
		}
		most = fmax(most, s / (double)t->set[side].runs -
		    t->kernels.total_s[side]);
	}
	return most;
}

/* The variance of the logarithm of the time at work that is due to the host: it
 * launches, loads code at its first use, reads files while the GPU waits. */
static double
host_variance(const struct trial *t)
{
	double variance = 0, active, host;
	size_t i;
	int side;

	for (side = 0; side < SIDES; side++) {
		active = host = 0;
		for (i = 0; i < t->set[side].runs; i++) {
			active += active_s(t->set[side].run[i].run);
			host += active_s(t->set[side].run[i].run) -
			    gpu_s(t->set[side].run[i].run);
		}
		if (active > 0 && host > 0)
			variance += pow(HOST_DEVIATION * host / active, 2) / SIDES;
	}
	return variance;
}

/* The part of the variance of the logarithm of all kernels' time that differences
 * between launches explain. */
static double
within_all(const struct trial *t)
{
	const struct taken *k;
	double variance = 0;
	size_t i;
	int side;

	for (side = 0; side < SIDES; side++) {
		for (i = 0; i < t->kernels.kernels; i++) {
			k = &t->kernels.kernel[i].side[side];
			if (t->kernels.total_s[side] > 0)
				variance += k->within * pow(k->total_s /
				    t->kernels.total_s[side], 2) / SIDES;
		}
	}
	return variance;
}

static void
whole_make(struct measure *m, const struct trial *t,
    double (*value)(const json_t *), struct variance_prior prior,
    double absolute_s)
{
	double v[SIDES][TRIAL_RUNS], sum[SIDES] = { 0, 0 }, s;
	size_t n[SIDES] = { 0, 0 }, i;
	int side;

	for (side = 0; side < SIDES; side++) {
		for (i = 0; i < t->set[side].runs; i++) {
			s = value(t->set[side].run[i].run);
			if (!(s > 0))
				continue;
			sum[side] += s;
			v[side][n[side]++] = log(s);
		}
	}
	m->base_s = sum[BASE] / (double)n[BASE];
	m->target_s = sum[TARGET] / (double)n[TARGET];
	prior.variance += pow(absolute_s / fmin(m->base_s, m->target_s), 2);
	measure_make(m, t, v[BASE], n[BASE], v[TARGET], n[TARGET], prior);
}

/* --- kernels ------------------------------------------------------------------ */

static bool
is_judged(const struct trial *t, const struct trial_kernel *k)
{

	return k->match != MATCH_NONE && trial_share(t, k) >= SHARE_LEAST;
}

static int
kernels_judge(struct trial *t)
{
	const struct taken *b, *a;
	struct judged *j;
	size_t i, n = 0;

	for (i = 0; i < t->kernels.kernels; i++)
		n += is_judged(t, &t->kernels.kernel[i]);
	n = n < JUDGED_MOST ? n : JUDGED_MOST;
	t->error = t->ask->error / (double)(n + 2);	/* 2: gpu and active */
	t->judged = calloc(t->kernels.kernels + 1, sizeof(*t->judged));
	if (t->judged == NULL)
		return -1;
	for (i = 0; i < t->kernels.kernels; i++) {
		j = &t->judged[i];
		j->k = &t->kernels.kernel[i];
		b = &j->k->side[BASE];
		a = &j->k->side[TARGET];
		j->counts = n > 0 && is_judged(t, j->k);
		n -= j->counts;
		j->m.base_s = b->total_s;
		j->m.target_s = a->total_s;
		j->m.by = (struct difference){ NAN, NAN, NAN, NAN };
		j->m.verdict = VERDICT_INCONCLUSIVE;
		if (j->k->match != MATCH_NONE)
			measure_make(&j->m, t, b->log_s, b->runs, a->log_s,
			    a->runs, (struct variance_prior){ KERNEL_DEVIATION *
			    KERNEL_DEVIATION + (b->within + a->within) / 2,
			    PRIOR_FREEDOM });
	}
	return 0;
}

/* --- the verdict ---------------------------------------------------------------- */

static bool
any_kernel(const struct trial *t, enum trial_verdict v)
{
	size_t i;

	for (i = 0; i < t->kernels.kernels; i++)
		if (t->judged[i].counts && t->judged[i].m.verdict == v)
			return true;
	return false;
}

static bool
is_opposite(enum trial_verdict a, enum trial_verdict b)
{

	return (a == VERDICT_SLOWER && b == VERDICT_FASTER) ||
	    (a == VERDICT_FASTER && b == VERDICT_SLOWER);
}

/* The GPU's total time decides before single kernels, since a kernel that does the work
 * of two takes longer than either. If the time at work changed in the opposite direction
 * it decides instead, since that is what the user waits for. If the GPU's time shows no
 * change: slower if a kernel or the time at work is slower, else faster if one of them
 * is faster. */
static enum trial_verdict
whole_verdict(const struct trial *t)
{

	if (json_array_size(t->reasons) > 0)
		return VERDICT_INCONCLUSIVE;
	if (is_opposite(t->active.verdict, t->gpu.verdict))
		return t->active.verdict;
	if (t->gpu.verdict == VERDICT_SLOWER || t->gpu.verdict ==
	    VERDICT_FASTER)
		return t->gpu.verdict;
	if (any_kernel(t, VERDICT_SLOWER))
		return VERDICT_SLOWER;
	if (t->active.verdict == VERDICT_SLOWER)
		return VERDICT_SLOWER;
	if (any_kernel(t, VERDICT_FASTER) || t->active.verdict ==
	    VERDICT_FASTER)
		return VERDICT_FASTER;
	return t->gpu.verdict;
}

static void
reason(struct trial *t, const char *code, const char *text)
{

	json_array_append_new(t->reasons, json_pack("{s:s, s:s}", "code", code,
	    "text", text));
}

static bool
are_one_program(const struct trial_set set[SIDES], uint32_t allowed)
{

	return conditions_one_program(set[BASE].run[0].conditions,
	    set[TARGET].run[0].conditions, allowed);
}

static void
conditions_judge(struct trial *t)
{
	const json_t *first = t->set[BASE].run[0].conditions, *c;
	bool common = kinship_any(&t->kernels.kin);
	size_t i;
	int side;

	for (side = 0; side < SIDES; side++) {
		for (i = 0; i < t->set[side].runs; i++) {
			c = t->set[side].run[i].conditions;
			conditions_check(t->reasons, c, t->ask->allowed);
			conditions_differ(t->reasons, first, c,
			    t->ask->allowed, common);
		}
	}
	if (!common)
		reason(t, "no-kernels", "the runs have no kernel in common");
}

/* Seconds; NaN. */
static double
started_s(const json_t *conditions)
{
	const char *text = field_text(conditions, "started_at");
	int64_t ns;

	return text != NULL && text_instant(text, &ns) == 0 ? (double)ns * 1e-9 :
	    NAN;
}

/* Were the runs made on more than one GPU, or more than SESSION_S apart? Runs without a
 * recorded time count as one session. */
static bool
are_apart(const struct trial_set set[SIDES])
{
	const json_t *first = set[BASE].run[0].conditions, *c;
	double least = INFINITY, most = -INFINITY, at;
	bool other = false;
	size_t i;
	int side;

	for (side = 0; side < SIDES; side++) {
		for (i = 0; i < set[side].runs; i++) {
			c = set[side].run[i].conditions;
			at = started_s(c);
			least = fmin(least, at);
			most = fmax(most, at);
			other = other || !json_equal(json_object_get(c,
			    "gpu_id"), json_object_get(first, "gpu_id"));
		}
	}
	return other || most - least > SESSION_S;
}

json_t *
trial_judge(const struct trial_set set[SIDES], const struct trial_ask *ask)
{
	struct trial t = { .set = set, .ask = ask, .reasons = json_array() };
	json_t *whole = NULL;

	if (set[BASE].runs > 0 && set[TARGET].runs > 0 && set[BASE].runs <=
	    TRIAL_RUNS && set[TARGET].runs <= TRIAL_RUNS &&
	    t.reasons != NULL && (t.apart = are_apart(set), true) &&
	    trial_kernels_make(&t.kernels, set, are_one_program(set,
	    ask->allowed)) == 0 &&
	    kernels_judge(&t) == 0) {
		whole_make(&t.gpu, &t, gpu_s, (struct variance_prior){
		    KERNEL_DEVIATION * KERNEL_DEVIATION + within_all(&t),
		    PRIOR_FREEDOM }, COPY_DEVIATION * copies_s(&t));
		whole_make(&t.active, &t, active_s, (struct variance_prior){
		    WORK_DEVIATION * WORK_DEVIATION + within_all(&t) +
		    host_variance(&t), HOST_FREEDOM }, START_DEVIATION_S);
		conditions_judge(&t);
		whole = trial_document(&t, whole_verdict(&t));
	}
	trial_kernels_release(&t.kernels);
	free(t.judged);
	json_decref(t.reasons);
	return whole;
}

json_t *
trial_compare(const struct trial_run *base, const struct trial_run *target,
    uint32_t allowed)
{
	struct compare_side b = { base->run, base->findings, base->kernels };
	struct compare_side t = { target->run, target->findings,
	    target->kernels };
	struct trial_set set[SIDES] = { { base, 1, NULL },
		{ target, 1, NULL } };
	struct trial_ask ask = TRIAL_ASK_INIT;
	json_t *whole = compare_runs(&b, &t, are_one_program(set, allowed));
	json_t *trial;
	char note[NOTE_SIZE];

	if (conditions_other_program(note, sizeof(note), base->conditions,
	    target->conditions))
		json_array_append_new(json_object_get(whole, "notes"),
		    json_text(note));
	ask.allowed = allowed;
	trial = trial_judge(set, &ask);
	if (whole == NULL || trial == NULL || json_object_set(whole, "trial",
	    trial) != 0) {
		json_decref(whole);
		whole = NULL;
	}
	json_decref(trial);
	return whole;
}
