/*
 * compare/trial_document.c: writes the document Trial, and reads its verdict.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/json_util.h"
#include "report/text_util.h"

#include "compare/trial_parts.h"

#define KERNELS_SHOWN 200
#define HINT_SIZE 400

const char *const verdict_name[VERDICTS] = {
	[VERDICT_SAME] = "same",
	[VERDICT_FASTER] = "faster",
	[VERDICT_SLOWER] = "slower",
	[VERDICT_INCONCLUSIVE] = "inconclusive",
};

double
trial_share(const struct trial *t, const struct trial_kernel *k)
{
	double share = 0;
	int side;

	for (side = 0; side < SIDES; side++)
		if (t->kernels.total_s[side] > 0)
			share = fmax(share, k->side[side].total_s /
			    t->kernels.total_s[side]);
	return share;
}

static json_t *
ratio_json(double logarithm)
{

	return json_number(expm1(logarithm));
}

static void
measure_json(json_t *o, const struct measure *m, bool judged)
{

	json_object_set_new(o, "verdict", judged ?
	    json_string(verdict_name[m->verdict]) : json_null());
	json_object_set_new(o, "base_s", json_number(m->base_s));
	json_object_set_new(o, "target_s", json_number(m->target_s));
	json_object_set_new(o, "change_ratio", ratio_json(m->by.about));
	json_object_set_new(o, "low_ratio", ratio_json(m->by.low));
	json_object_set_new(o, "high_ratio", ratio_json(m->by.high));
	json_object_set_new(o, "deviation_ratio", json_number(m->by.deviation));
}

static json_t *
whole_json(const struct measure *m)
{
	json_t *o = json_object();

	if (o != NULL)
		measure_json(o, m, true);
	return o;
}

/* The location of the first finding of ${run} about its kernel ${shown}; NULL. */
static json_t *
place_in(const struct trial_run *run, const json_t *shown)
{
	json_int_t id = json_integer_value(json_object_get(shown, "id"));
	const json_t *f;
	size_t i;

	json_array_foreach(json_object_get(run->findings, "items"), i, f)
		if (json_integer_value(json_object_get(f, "kernel_id")) ==
		    id && location_text(f) != NULL)
			return json_object_get(f, "location");
	return NULL;
}

/* The location to show: of a finding about the kernel after the change, else before. */
static json_t *
place_json(const struct trial *t, const struct trial_kernel *k)
{
	const struct trial_set *set;
	json_t *place = NULL;
	int side;

	for (side = TARGET; side >= BASE && place == NULL; side--) {
		set = &t->set[side];
		if (k->side[side].counted != NULL)
			place = place_in(set->counted, k->side[side].counted);
		if (place == NULL && k->side[side].shown != NULL)
			place = place_in(&set->run[0], k->side[side].shown);
	}
	return place != NULL ? json_incref(place) : json_null();
}

/* The id of a kernel in its run; null without one. */
static json_t *
id_json(const json_t *shown)
{
	json_t *id = json_object_get(shown, "id");

	return id != NULL ? json_incref(id) : json_null();
}

static json_t *
kernel_json(const struct trial *t, const struct judged *j)
{
	static const char *const match[] = { [MATCH_NONE] = NULL,
		[MATCH_SHAPE] = "shape", [MATCH_NAME] = "name",
		[MATCH_REST] = "rest" };
	const struct trial_kernel *k = j->k;
	json_t *o = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
	    "name", json_text(k->name),
	    "match", json_text(match[k->match]),
	    "base_id", id_json(k->side[BASE].shown),
	    "target_id", id_json(k->side[TARGET].shown),
	    "share_ratio", json_number(trial_share(t, k)),
	    "base_runs", json_count(k->side[BASE].runs),
	    "target_runs", json_count(k->side[TARGET].runs),
	    "location", place_json(t, k),
	    "counters", k->match != MATCH_NONE ? trial_counters(k) :
	    json_array());

	if (o != NULL)
		measure_json(o, &j->m, j->counts);
	return o;
}

static json_t *
kernels_json(const struct trial *t)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; list != NULL && i < t->kernels.kernels &&
	    i < KERNELS_SHOWN; i++)
		json_array_append_new(list, kernel_json(t, &t->judged[i]));
	return list;
}

/* What would give a verdict, if the runs are comparable but the verdict is inconclusive;
 * else null: `ab` for runs of several sessions, else so many runs per side, since the
 * widest interval shrinks with the root of their number. */
static json_t *
hint_json(const json_t *trial)
{
	double half = trial_half_width(trial), margin = field_number(trial,
	    "margin_ratio"), runs = (double)field_count(json_object_get(trial,
	    "runs"), "target");
	char line[HINT_SIZE], a[NUMBER_SIZE], n[NUMBER_SIZE];

	if (trial_verdict(trial) != VERDICT_INCONCLUSIVE || json_array_size(
	    json_object_get(trial, "reasons")) > 0 || !(half > margin) ||
	    !(margin > 0))
		return json_null();
	number_percent(a, half);
	if (json_is_false(json_object_get(trial, "one_session")))
		snprintf(line, sizeof(line), "the runs are of several sessions "
		    "or GPUs; what these differ by hides less than %s: run both "
		    "in turn, cudadvise ab -- BEFORE -- AFTER", a);
	else
		snprintf(line, sizeof(line), "what runs differ by hides less "
		    "than %s: about %s a side would tell", a, number_of(n,
		    ceil(runs * (half / margin) * (half / margin)) + 1, "run"));
	return json_string(line);
}

json_t *
trial_document(const struct trial *t, enum trial_verdict verdict)
{
	const struct trial_set *s = t->set;
	json_t *o;

	o = json_pack("{s:s, s:O, s:b, s:f, s:f, s:f, s:{s:o, s:o},"
	    "s:{s:O?, s:O?}, s:o, s:o, s:o, s:o}",
	    "verdict", verdict_name[verdict],
	    "reasons", t->reasons,
	    "one_session", !t->apart,
	    "margin_ratio", t->ask->margin,
	    "error_ratio", t->ask->error,
	    "error_each_ratio", t->error,
	    "runs",
	    "base", json_count(s[BASE].runs),
	    "target", json_count(s[TARGET].runs),
	    "conditions",
	    "base", s[BASE].run[0].conditions,
	    "target", s[TARGET].run[0].conditions,
	    "gpu", whole_json(&t->gpu),
	    "active", whole_json(&t->active),
	    "kernels", kernels_json(t),
	    "kernels_left_out", json_count(t->kernels.kernels >
	    KERNELS_SHOWN ? t->kernels.kernels - KERNELS_SHOWN : 0));
	if (o != NULL)
		json_object_set_new(o, "hint", hint_json(o));
	return o;
}

enum trial_verdict
trial_verdict(const json_t *trial)
{
	const char *name = or_unknown(field_text(trial, "verdict"));
	enum trial_verdict v;

	for (v = 0; v < VERDICTS; v++)
		if (strcmp(name, verdict_name[v]) == 0)
			return v;
	return VERDICT_INCONCLUSIVE;
}

bool
trial_has_reason(const json_t *doc, const char *code)
{
	const json_t *r;
	size_t i;

	json_array_foreach(json_object_get(doc, "reasons"), i, r)
		if (strcmp(or_unknown(field_text(r, "code")), code) == 0)
			return true;
	return false;
}

double
trial_half_width(const json_t *trial)
{
	const json_t *k, *gpu = json_object_get(trial, "gpu");
	double most = (field_number(gpu, "high_ratio") - field_number(gpu,
	    "low_ratio")) / 2, half;
	size_t i;

	json_array_foreach(json_object_get(trial, "kernels"), i, k) {
		if (field_text(k, "verdict") == NULL)
			continue;
		half = (field_number(k, "high_ratio") - field_number(k,
		    "low_ratio")) / 2;
		most = half > most || isnan(most) ? half : most;
	}
	return most;
}
