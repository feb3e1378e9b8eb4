#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/compare_kernels.h"
#include "report/compare_shapes.h"
#include "report/json_util.h"
#include "report/text_util.h"

#include "report/compare.h"

#define KERNELS_SHOWN 1000
#define TOLERANCE 0.03		/* relative difference of repeated runs */
#define FINDINGS_SHOWN 2000	/* of each run; the most seconds first */

/* Both runs, and what is computed from them. */
struct compare {
	const struct compare_side *side[SIDES];
	struct kinship kin;
	struct kin_set *set[SIDES];	/* one per finding */
	double active_s[SIDES];		/* NaN unknown */
	double kernel_s[SIDES];		/* time with a kernel running; NaN unknown */
	double other_saved_s;		/* NaN unknown */
	bool strangers;			/* two programs without a common kernel */
};

/* --- the runs ---------------------------------------------------------------- */

static double
wall_s(const struct compare_side *s)
{

	return field_number(s->run, "wall_ns") * 1e-9;
}

/* Time without start-up, end and our own measuring, which a change cannot affect:
 * the run's active_s, for runs analysed by an older daemon, which lack it. */
static double
active_s(const struct compare_side *s)
{
	const json_t *idle = json_object_get(json_object_get(s->run,
	    "summary"), "idle");

	return wall_s(s) * (1 - field_number(idle, "startup_ratio") -
	    field_number(idle, "shutdown_ratio") -
	    field_number(idle, "measuring_ratio"));
}

static double
startup_s(const struct compare_side *s)
{

	return wall_s(s) * field_number(json_object_get(json_object_get(s->run,
	    "summary"), "idle"), "startup_ratio");
}

static double
kernel_s(const struct compare_side *s)
{

	return wall_s(s) * field_number(json_object_get(s->run, "summary"),
	    "kernel_ratio");
}

static json_t *
copy_of(const json_t *from, const char *key)
{
	json_t *v = json_object_get(from, key);

	return v != NULL ? json_incref(v) : json_null();
}

static json_t *
run_json(const struct compare *c, int side)
{
	const json_t *r = c->side[side]->run;

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
	    "number", copy_of(r, "number"),
	    "id", copy_of(r, "id"),
	    "label", copy_of(r, "label"),
	    "command", copy_of(r, "command"),
	    "level", copy_of(r, "level"),
	    "devices", copy_of(r, "devices"),
	    "state", copy_of(r, "state"),
	    "wall_s", json_number(wall_s(c->side[side])),
	    "active_s", json_number(c->active_s[side]),
	    "kernel_s", json_number(c->kernel_s[side]));
}

/* What both lack is equal. */
static bool
differs(const json_t *a, const json_t *b)
{

	return a != b && !json_equal(a, b);
}

static json_t *
notes_json(const struct compare *c)
{
	static const struct {
		const char *key, *text;
	} same[] = {
		{ "devices", "the runs were on different GPUs" },
		{ "command", "the commands differ" },
		{ "exit_code", "the programs ended with different exit codes" },
		{ "level", "the runs were measured at different levels: what "
		    "only one of them measured is neither gone nor new" },
	};
	static const char *const which[SIDES] = { "first", "second" };
	const json_t *run;
	json_t *notes = json_array();
	char text[128];
	size_t i;
	int side;

	for (i = 0; notes != NULL && i < sizeof(same) / sizeof(same[0]); i++)
		if (differs(json_object_get(c->side[BASE]->run, same[i].key),
		    json_object_get(c->side[TARGET]->run, same[i].key)))
			json_array_append_new(notes, json_string(same[i].text));
	for (side = 0; notes != NULL && side < SIDES; side++) {
		run = c->side[side]->run;
		if (json_array_size(json_object_get(run, "checks")) > 0) {
			snprintf(text, sizeof(text), "the %s run was checked "
			    "for errors, which takes many times as long",
			    which[side]);
			json_array_append_new(notes, json_string(text));
		}
		if (field_count(json_object_get(run, "data"), "lost") == 0 &&
		    strcmp(or_unknown(field_text(run, "state")),
		    "finished") == 0)
			continue;
		snprintf(text, sizeof(text), "the record of the %s run is not "
		    "complete", which[side]);
		json_array_append_new(notes, json_string(text));
	}
	return notes;
}

/* --- kernels ----------------------------------------------------------------- */

/* The weight of a kernel in the comparison. */
static double
weight(const struct kin *k)
{
	double saved = kin_saved(k);

	return isnan(saved) ? fmax(k->side[BASE].busy_s,
	    k->side[TARGET].busy_s) : fabs(saved);
}

static int
by_weight(const void *a, const void *b)
{
	const struct kin *x = *(const struct kin *const *)a;
	const struct kin *y = *(const struct kin *const *)b;
	double p = weight(x), q = weight(y);

	return p < q ? 1 : p > q ? -1 : x < y ? -1 : 1;
}

static json_t *
kernels_json(const struct compare *c, size_t *left_out)
{
	const struct kin **k = calloc(c->kin.kins + 1, sizeof(*k));
	json_t *list = k != NULL ? json_array() : NULL;
	size_t n = 0, i;

	for (i = 0; k != NULL && i < c->kin.kins; i++)
		if (c->kin.kin[i].side[BASE].ids != NULL ||
		    c->kin.kin[i].side[TARGET].ids != NULL)
			k[n++] = &c->kin.kin[i];
	if (list != NULL)
		qsort(k, n, sizeof(*k), by_weight);
	for (i = 0; list != NULL && i < n && i < KERNELS_SHOWN; i++)
		json_array_append_new(list, kin_json(k[i]));
	free(k);
	*left_out = n > KERNELS_SHOWN ? n - KERNELS_SHOWN : 0;
	return list;
}

/* --- findings ---------------------------------------------------------------- */

bool
compare_reads_evidence(const json_t *e)
{

	return strcmp(or_unknown(field_text(e, "name")), "startup_s") == 0;
}

enum fate { FATE_GONE, FATE_STILL, FATE_NEW, FATE_UNKNOWN, FATES };
static const char *const fate_name[FATES] = { "gone", "still", "new",
	"unknown" };

/* One finding of a run, and the kernels that it is about. */
struct said {
	const json_t *f;		/* NULL: there is none */
	const struct kin_set *about;
};

static struct said
said_at(const struct compare *c, int side, size_t i)
{

	return (struct said){ json_array_get(json_object_get(
	    c->side[side]->findings, "items"), i), &c->set[side][i] };
}

/* Do ${a} of one run and ${b} of the other report the same? */
static bool
is_same(const struct said *a, const struct said *b)
{

	if (strcmp(or_unknown(field_text(a->f, "rule")),
	    or_unknown(field_text(b->f, "rule"))) != 0)
		return false;
	if (a->about->kins > 0 || b->about->kins > 0)
		return kin_sets_meet(a->about, b->about);
	return strcmp(or_unknown(field_text(a->f, "where")),
	    or_unknown(field_text(b->f, "where"))) == 0;
}

/* The other side's finding that reports the same as ${f} of ${side}, if it is
 * worth a change there; NULL. */
static const json_t *
counterpart(const struct compare *c, int side, const struct said *f)
{
	const char *id = or_unknown(field_text(f->f, "id"));
	struct said g;
	size_t i;

	for (i = 0; (g = said_at(c, !side, i)).f != NULL; i++) {
		if (!field_true(g.f, "worth_it"))
			continue;
		if (strcmp(or_unknown(field_text(g.f, "id")), id) == 0 ||
		    is_same(f, &g))
			return g.f;
	}
	return NULL;
}

/* The reason why it is not known whether a finding is gone; NULL if it is known. */
static const char *
unknown_reason(const struct compare *c, const struct said *said)
{
	const json_t *f = said->f;
	const json_t *rules = json_object_get(c->side[TARGET]->findings,
	    "rules"), *v;
	const struct kin *k = said->about->kins > 0 ? said->about->kin[0] :
	    NULL;
	const char *rule = or_unknown(field_text(f, "rule")), *reason;
	size_t i;

	if (c->strangers)
		return "the second run is of another program";
	if (json_is_integer(json_object_get(f, "kernel_id"))) {
		if (k == NULL || k->side[TARGET].ids == NULL)
			return "its kernel is not in the second run";
		if (k->side[BASE].measured && !k->side[TARGET].measured)
			return "its kernel was not measured in the second "
			    "run";
	}
	json_array_foreach(rules, i, v) {
		if (strcmp(or_unknown(field_text(v, "rule")), rule) != 0)
			continue;
		if (strcmp(or_unknown(field_text(v, "state")),
		    "not_measured") != 0)
			return NULL;
		reason = field_text(v, "reason");
		return reason != NULL ? reason :
		    "not measured in the second run";
	}
	return "the second run was not checked for it";
}

/* One finding of either run on its way into the document. */
struct item {
	const json_t *base, *target;	/* NULL: not there */
	const struct kin_set *about;
	enum fate fate;
	const char *reason;
};

static bool
is_predicted(const struct item *x)
{

	return x->base != NULL && !isnan(field_number(json_object_get(x->base,
	    "saves"), "s"));
}

static json_t *
predicted_json(const struct item *x)
{
	const json_t *saves = json_object_get(x->base, "saves");

	if (!is_predicted(x))
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:o}",
	    "s", copy_of(saves, "s"),
	    "low_s", copy_of(saves, "low_s"),
	    "high_s", copy_of(saves, "high_s"),
	    "kernel_speedup_ratio", copy_of(saves, "kernel_speedup_ratio"));
}

/* The seconds by which the start-up, before the GPU's first work, became
 * shorter; 0 if finding ${f} is not about the start-up. */
static double
startup_saved_s(const struct compare *c, const json_t *f)
{
	const json_t *e;
	size_t i;

	json_array_foreach(json_object_get(f, "evidence"), i, e)
		if (compare_reads_evidence(e) && field_number(e, "value") > 0)
			return startup_s(c->side[BASE]) -
			    startup_s(c->side[TARGET]);
	return 0;
}

/* Seconds of the kernels that only ${side} has; with ${where}, of those that it
 * names. */
static double
lonely_s(const struct compare *c, int side, const char *where)
{
	const struct kin *kin;
	const json_t *k;
	double sum = 0;
	size_t i;

	json_array_foreach(c->side[side]->kernels, i, k) {
		kin = kinship_find(&c->kin, side, json_integer_value(
		    json_object_get(k, "id")));
		if (kin == NULL || kin->side[!side].ids != NULL ||
		    !(kin->side[side].total_s > 0) || (where != NULL &&
		    strstr(where, or_unknown(field_text(k, "short_name"))) ==
		    NULL))
			continue;
		sum += field_number(json_object_get(k, "time"), "total_ns") *
		    1e-9 * kin->side[side].busy_s / kin->side[side].total_s;
	}
	return sum;
}

/* For a finding about the run that names kernels which no longer run (kernels
 * to fuse, say): their seconds, less those of the new kernels. */
static double
replaced_saved_s(const struct compare *c, const json_t *f)
{
	double gone = lonely_s(c, BASE, or_unknown(field_text(f, "where")));

	return gone > 0 ? gone - lonely_s(c, TARGET, NULL) : 0;
}

/* The seconds saved by a finding that is gone; NaN. */
static double
achieved_s(const struct compare *c, const struct item *x)
{

	/* The run's saving is credited only to findings with a prediction. */
	if (x->fate != FATE_GONE || (x->about->kins == 0 && !is_predicted(x)))
		return NAN;
	return x->about->kins > 0 ? kin_set_saved(x->about) :
	    c->other_saved_s + startup_saved_s(c, x->base) +
	    replaced_saved_s(c, x->base);
}

static const char *
no_achievement(const struct item *x)
{

	switch (x->fate) {
	case FATE_STILL:
		return "it is still found";
	case FATE_NEW:
		return "it is new";
	case FATE_UNKNOWN:
		return x->reason;
	default:
		if (!is_predicted(x))
			return "nothing was predicted";
		return "how long the runs were at work is not known";
	}
}

static json_t *
item_json(const struct compare *c, const struct item *x, size_t shared)
{
	const json_t *f = x->base != NULL ? x->base : x->target;
	const json_t *saves = json_object_get(x->base, "saves");
	double s = achieved_s(c, x);
	double low = field_number(saves, "low_s");
	double high = field_number(saves, "high_s");
	json_t *achieved = json_null();

	if (!isnan(s))
		achieved = json_pack("{s:o, s:o}",
		    "s", json_number(s),
		    "kernel_speedup_ratio", json_number(x->about->kins >
		    0 ? kin_set_speedup(x->about) : NAN));
	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o,"
	    "s:o, s:o}",
	    "state", fate_name[x->fate],
	    "rule", copy_of(f, "rule"),
	    "title", copy_of(f, "title"),
	    "where", copy_of(f, "where"),
	    "base_id", copy_of(x->base, "id"),
	    "target_id", copy_of(x->target, "id"),
	    "predicted", predicted_json(x),
	    "achieved", achieved,
	    "within", !isnan(s) && is_predicted(x) && shared == 0 &&
	    !isnan(low) && !isnan(high) ? json_boolean(s >= low * (1 - TOLERANCE) &&
	    s <= high * (1 + TOLERANCE)) :
	    json_null(),
	    "shared_with", json_count(shared),
	    "kernel_id", copy_of(f, "kernel_id"),
	    "reason", json_text(isnan(s) ? no_achievement(x) : NULL));
}

/* The number of other findings that are gone and whose predictions are about
 * the same time. */
static size_t
shared_with(const struct item *all, size_t n, const struct item *x)
{
	size_t shared = 0, i;

	for (i = 0; i < n; i++)
		shared += &all[i] != x && all[i].fate == FATE_GONE &&
		    (x->about->kins > 0 ? kin_sets_meet(x->about,
		    all[i].about) : all[i].about->kins == 0) &&
		    is_predicted(&all[i]);
	return x->fate == FATE_GONE ? shared : 0;
}

/* The findings worth a change in either run, malloced; *${n}: their number,
 * *${left_out}: of more that are not compared. */
static struct item *
items_of(const struct compare *c, size_t *n, size_t *left_out)
{
	const json_t *base = json_object_get(c->side[BASE]->findings, "items");
	const json_t *target = json_object_get(c->side[TARGET]->findings,
	    "items");
	struct item *all = calloc(json_array_size(base) +
	    json_array_size(target) + 1, sizeof(*all)), *x;
	struct said said;
	size_t i;

	*n = *left_out = 0;
	if (all == NULL)
		return NULL;
	for (i = 0; (said = said_at(c, BASE, i)).f != NULL; i++) {
		if (!field_true(said.f, "worth_it"))
			continue;
		if (*n >= FINDINGS_SHOWN) {
			++*left_out;
			continue;
		}
		x = &all[(*n)++];
		x->base = said.f;
		x->about = said.about;
		x->target = c->strangers ? NULL : counterpart(c, BASE, &said);
		x->reason = x->target == NULL ? unknown_reason(c, &said) :
		    NULL;
		x->fate = x->target != NULL ? FATE_STILL :
		    x->reason != NULL ? FATE_UNKNOWN : FATE_GONE;
	}
	for (i = 0; (said = said_at(c, TARGET, i)).f != NULL; i++) {
		if (!field_true(said.f, "worth_it"))
			continue;
		if (*n >= 2 * FINDINGS_SHOWN) {
			++*left_out;
			continue;
		}
		/* In another program all findings are new. */
		if (!c->strangers && counterpart(c, TARGET, &said) != NULL)
			continue;
		x = &all[(*n)++];
		x->target = said.f;
		x->about = said.about;
		x->fate = FATE_NEW;
	}
	return all;
}

static json_t *
findings_json(const struct compare *c)
{
	size_t n, left_out, count[FATES] = { 0 }, i;
	struct item *all = items_of(c, &n, &left_out);
	json_t *list = all != NULL ? json_array() : NULL;

	for (i = 0; list != NULL && i < n; i++) {
		count[all[i].fate]++;
		json_array_append_new(list, item_json(c, &all[i],
		    shared_with(all, n, &all[i])));
	}
	free(all);
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}",
	    "gone", json_count(count[FATE_GONE]),
	    "still", json_count(count[FATE_STILL]),
	    "new", json_count(count[FATE_NEW]),
	    "unknown", json_count(count[FATE_UNKNOWN]),
	    "left_out", json_count(left_out),
	    "items", list);
}

/* --- all of it --------------------------------------------------------------- */

json_t *
compare_runs(const struct compare_side *base,
    const struct compare_side *target, bool one_program)
{
	const json_t *const kernels[SIDES] = { base->kernels, target->kernels };
	struct compare c = { .side = { base, target } };
	json_t *list, *whole = NULL;
	size_t left_out;
	int side;

	for (side = 0; side < SIDES; side++) {
		c.active_s[side] = active_s(c.side[side]);
		c.kernel_s[side] = kernel_s(c.side[side]);
	}
	if (kinship_make(&c.kin, kernels, c.kernel_s, one_program) != 0)
		goto out;
	c.strangers = !one_program && !kinship_any(&c.kin);
	for (side = 0; side < SIDES; side++)
		if ((c.set[side] = kin_sets(&c.kin, side, json_object_get(
		    c.side[side]->findings, "items"))) == NULL)
			goto out;
	c.other_saved_s = c.active_s[BASE] - c.active_s[TARGET] -
	    (c.kernel_s[BASE] - c.kernel_s[TARGET]);
	list = kernels_json(&c, &left_out);
	whole = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
	    "base", run_json(&c, BASE),
	    "target", run_json(&c, TARGET),
	    "wall_saved_s", json_number(wall_s(base) - wall_s(target)),
	    "active_saved_s", json_number(c.active_s[BASE] -
	    c.active_s[TARGET]),
	    "kernel_saved_s", json_number(c.kernel_s[BASE] -
	    c.kernel_s[TARGET]),
	    "other_saved_s", json_number(c.other_saved_s),
	    "notes", notes_json(&c),
	    "kernels", list,
	    "kernels_left_out", json_count(left_out),
	    "findings", findings_json(&c));
out:
	for (side = 0; side < SIDES; side++)
		kin_sets_free(c.set[side], json_array_size(json_object_get(
		    c.side[side]->findings, "items")));
	kinship_release(&c.kin);
	return whole;
}
