/*
 * compare/outcome.c: see outcome.h.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compare/conditions.h"
#include "compare/outcome.h"
#include "report/compare.h"
#include "report/json_util.h"
#include "report/text_util.h"
#include "rules/engine/finding.h"

#define TOLERANCE 0.03		/* runs of one program differ by this (report/compare.c) */
#define SHARE_LEAST 0.01	/* of the kernels' time: smaller ones do not matter */
/* No kernel exceeds the peak bandwidth by more: the peak is measured with a copy; reads
 * alone are 11 % faster (measured on H200s), the data sheet's figure is 18 % higher. */
#define PEAK_MOST 1.25

enum kept { KEPT_KEPT, KEPT_PARTLY, KEPT_MISSED, KEPT_UNKNOWN, KEPTS };
static const char *const kept_name[KEPTS] = { "kept", "partly", "missed",
	"unknown" };

static const json_t *
find_by_id(const json_t *items, const char *key, const json_t *id)
{
	const json_t *x;
	size_t i;

	if (id == NULL || json_is_null(id))
		return NULL;
	json_array_foreach(items, i, x)
		if (json_equal(json_object_get(x, key), id))
			return x;
	return NULL;
}

static const json_t *
items_of(const struct trial_run *r)
{

	return json_object_get(r->findings, "items");
}

/* --- predictions -------------------------------------------------------------- */

static enum kept
kept_of(const json_t *item, const struct trial_run *target)
{
	const json_t *predicted = json_object_get(item, "predicted"), *still;
	const char *state = or_unknown(field_text(item, "state"));
	double s = field_number(json_object_get(item, "achieved"), "s"), left;
	double promised = field_number(predicted, "s");
	double low = field_number(predicted, "low_s");

	low = isnan(low) ? promised : low;
	if (strcmp(state, "still") == 0) {
		still = find_by_id(items_of(target), "id", json_object_get(item,
		    "target_id"));
		left = field_number(json_object_get(still, "saves"), "s");
		return left < promised / 2 ? KEPT_PARTLY : KEPT_MISSED;
	}
	if (strcmp(state, "gone") != 0 || isnan(s))
		return KEPT_UNKNOWN;
	if (s >= low * (1 - TOLERANCE))
		return KEPT_KEPT;
	return s > low * TOLERANCE ? KEPT_PARTLY : KEPT_MISSED;
}

/* The kernel of the second run that matches the kernel with ${id} in the first; NULL. */
static const json_t *
became(const json_t *compare, const struct trial_run *target,
    const json_t *id)
{
	const json_t *k, *x, *ids;
	size_t i, n;

	json_array_foreach(json_object_get(compare, "kernels"), i, k) {
		ids = json_object_get(json_object_get(k, "base"), "ids");
		json_array_foreach(ids, n, x)
			if (json_equal(x, id))
				return find_by_id(target->kernels, "id",
				    json_array_get(json_object_get(
				    json_object_get(k, "target"), "ids"), 0));
	}
	return NULL;
}

/* What limits the kernel after the change: another finding worth a change, else its
 * bound if that differs from before; null. */
static json_t *
moved_json(const json_t *compare, const json_t *item,
    const struct trial_run *base, const struct trial_run *target)
{
	const json_t *id = json_object_get(item, "kernel_id"), *f;
	const json_t *before = find_by_id(base->kernels, "id", id);
	const json_t *after = became(compare, target, id);
	const char *a = field_text(before, "bound"), *b = field_text(after,
	    "bound");
	size_t i;

	json_array_foreach(items_of(target), i, f)
		if (after != NULL && field_true(f, "worth_it") &&
		    json_equal(json_object_get(f, "kernel_id"),
		    json_object_get(after, "id")) &&
		    !json_equal(json_object_get(f, "rule"),
		    json_object_get(item, "rule")))
			return json_pack("{s:O?, s:O?, s:o}", "rule",
			    json_object_get(f, "rule"), "title",
			    json_object_get(f, "title"), "bound",
			    json_text(b));
	if (a == NULL || b == NULL || strcmp(a, b) == 0)
		return json_null();
	return json_pack("{s:n, s:n, s:s}", "rule", "title", "bound", b);
}

static json_t *
promise_json(const json_t *compare, const json_t *item,
    const struct trial_run *base, const struct trial_run *target,
    enum kept kept)
{
	json_t *o = json_pack("{s:s, s:O?, s:O?, s:O?, s:O?, s:O?, s:O?, s:O?}",
	    "state", kept_name[kept],
	    "rule", json_object_get(item, "rule"),
	    "title", json_object_get(item, "title"),
	    "where", json_object_get(item, "where"),
	    "predicted", json_object_get(item, "predicted"),
	    "achieved", json_object_get(item, "achieved"),
	    "shared_with", json_object_get(item, "shared_with"),
	    "reason", json_object_get(item, "reason"));
	const json_t *f = find_by_id(items_of(base), "id", json_object_get(item,
	    "base_id"));

	if (o == NULL)
		return NULL;
	json_object_set(o, "location", json_object_get(f, "location"));
	json_object_set_new(o, "moved_to", kept == KEPT_PARTLY || kept ==
	    KEPT_MISSED ? moved_json(compare, item, base, target) :
	    json_null());
	return o;
}

/* --- doubts -------------------------------------------------------------------- */

/* Of several kernels that give rise to the same doubt the first stands for all. */
static void
doubt(json_t *list, const char *code, const json_t *k, const char *text)
{
	const json_t *told;
	size_t i;

	json_array_foreach(list, i, told) {
		if (strcmp(field_text(told, "code"), code) == 0 &&
		    strcmp(field_text(told, "text"), text) == 0) {
			json_object_set_new((json_t *)told, "others", json_count(
			    field_count(told, "others") + 1));
			return;
		}
	}
	json_array_append_new(list, json_pack("{s:s, s:o, s:o, s:s}", "code", code,
	    "kernel", json_text(field_text(k, "name")), "others", json_count(0),
	    "text", text));
}

static double
flops_said(const json_t *k, const char *kind)
{

	return field_number(json_object_get(json_object_get(k, "roofline"),
	    "flops"), kind);
}

/* Doubt a kernel all of whose FP64 or FP32 operations are of another precision now. */
static void
doubt_precision(json_t *list, const json_t *before, const json_t *after)
{
	static const char *const kinds[] = { "fp64", "fp32" };
	char text[128];
	size_t i;

	for (i = 0; i < 2; i++)
		if (flops_said(before, kinds[i]) > 0 &&
		    flops_said(after, kinds[i]) == 0 &&
		    (flops_said(after, "fp16") > 0 || flops_said(after,
		    "tensor") > 0 || flops_said(after, "fp32") > 0)) {
			snprintf(text, sizeof(text), "it no longer computes in "
			    "%s: its results are less precise", kinds[i]);
			doubt(list, "precision", after, text);
			return;
		}
}

static bool
beats_peak(const json_t *k)
{
	const json_t *b = json_object_get(k, "bandwidth");

	return field_number(b, "dram_ratio") > PEAK_MOST ||
	    field_number(b, "l2_ratio") > PEAK_MOST;
}

/* Where launches differ in what they move both runs may do so: that is no news. */
static void
doubt_peak(json_t *list, const json_t *before, const json_t *after)
{

	if (beats_peak(after) && !beats_peak(before))
		doubt(list, "too-fast", after, "it moves its bytes faster than "
		    "the GPU's memory can: its time or its traffic is not what "
		    "was measured");
	if (field_number(json_object_get(after, "time"), "total_ns") == 0 &&
	    field_count(after, "launches") > 0)
		doubt(list, "untimed", after, "it was launched and no time of "
		    "it was recorded");
}

/* What the program itself would no longer see of it: its timing by events in the
 * default stream, its reading of results. */
static void
doubt_escape(json_t *list, const json_t *before, const json_t *after)
{
	const char *from = or_unknown(field_text(before, "stream_kind"));
	const char *to = or_unknown(field_text(after, "stream_kind"));

	if (field_true(before, "waited_for") && json_is_false(json_object_get(
	    after, "waited_for")))
		doubt(list, "unwaited", after, "it still runs after the last "
		    "synchronisation, which it did not before: the program's "
		    "own time may end too early, and its results be read");
	if (strcmp(from, "default") == 0 && strcmp(to, "other") == 0)
		doubt(list, "untimed-stream", after, "it left the default "
		    "stream for one that does not wait for it: events in the "
		    "default stream no longer time it");
}

/* Seconds of a compared kernel on one side; NaN if it did not run there. */
static double
kernel_s(const json_t *k, const char *side)
{

	return field_number(json_object_get(k, side), "total_s");
}

/* Doubt kernels that ran before and not after: their work may not be done any more. If a
 * new kernel may do it, there is one doubt about that kernel instead of one each. */
static void
doubt_vanished(json_t *list, const json_t *compare)
{
	const json_t *kernels = json_object_get(compare, "kernels"), *k;
	const json_t *heir = NULL;
	size_t gone = 0, i;
	double all = 0;
	char text[160], n[NUMBER_SIZE];

	json_array_foreach(kernels, i, k)
		all += fmax(0, kernel_s(k, "base"));
	json_array_foreach(kernels, i, k) {
		gone += isnan(kernel_s(k, "target")) &&
		    kernel_s(k, "base") >= SHARE_LEAST * all;
		if (isnan(kernel_s(k, "base")) && (heir == NULL ||
		    kernel_s(k, "target") > kernel_s(heir, "target")))
			heir = k;
	}
	if (gone > 0 && heir != NULL) {
		snprintf(text, sizeof(text), "it is new, and %s that ran "
		    "before %s not run any more: whether it does their work "
		    "only the results tell", number_of(n, (double)gone,
		    "kernel"), gone == 1 ? "does" : "do");
		doubt(list, "replaced", heir, text);
		return;
	}
	json_array_foreach(kernels, i, k)
		if (isnan(kernel_s(k, "target")) &&
		    kernel_s(k, "base") >= SHARE_LEAST * all)
			doubt(list, "vanished", k, "it ran before and not "
			    "after, and no other kernel took its place");
}

static json_t *
doubts_json(const json_t *compare, const struct trial_run *base,
    const struct trial_run *target)
{
	json_t *list = json_array();
	const json_t *k, *before, *after;
	size_t i;

	json_array_foreach(json_object_get(compare, "kernels"), i, k) {
		before = find_by_id(base->kernels, "id", json_array_get(
		    json_object_get(json_object_get(k, "base"), "ids"), 0));
		after = find_by_id(target->kernels, "id", json_array_get(
		    json_object_get(json_object_get(k, "target"), "ids"), 0));
		if (before != NULL && after != NULL) {
			doubt_precision(list, before, after);
			doubt_escape(list, before, after);
		}
		if (after != NULL)
			doubt_peak(list, before, after);
	}
	doubt_vanished(list, compare);
	return list;
}

/* --- documents ------------------------------------------------------------------ */

static json_t *
compare_of(const struct trial_run *base, const struct trial_run *target,
    uint32_t allowed)
{
	struct compare_side b = { base->run, base->findings, base->kernels };
	struct compare_side t = { target->run, target->findings,
	    target->kernels };

	return compare_runs(&b, &t, conditions_one_program(base->conditions,
	    target->conditions, allowed));
}

static bool
have_common_kernel(const json_t *compare)
{
	const json_t *k;
	size_t i;

	json_array_foreach(json_object_get(compare, "kernels"), i, k)
		if (field_text(k, "match") != NULL)
			return true;
	return field_count(compare, "kernels_left_out") > 0;
}

json_t *
outcome_of(const struct trial_run *base, const struct trial_run *target,
    uint32_t allowed)
{
	json_t *compare = compare_of(base, target, allowed);
	json_t *items = json_array();
	json_t *reasons = json_array(), *whole;
	bool common = have_common_kernel(compare);
	size_t count[KEPTS] = { 0 }, i;
	const json_t *item;
	enum kept kept;

	json_array_foreach(json_object_get(json_object_get(compare,
	    "findings"), "items"), i, item) {
		if (!json_is_object(json_object_get(item, "predicted")))
			continue;
		kept = kept_of(item, target);
		count[kept]++;
		json_array_append_new(items, promise_json(compare, item, base,
		    target, kept));
	}
	conditions_check(reasons, base->conditions, allowed);
	conditions_check(reasons, target->conditions, allowed);
	conditions_differ(reasons, base->conditions, target->conditions,
	    allowed, common);
	whole = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:O?, s:O?}",
	    "kept", json_count(count[KEPT_KEPT]),
	    "partly", json_count(count[KEPT_PARTLY]),
	    "missed", json_count(count[KEPT_MISSED]),
	    "unknown", json_count(count[KEPT_UNKNOWN]),
	    "items", items,
	    "doubts", common || conditions_one_program(base->conditions,
	    target->conditions, allowed) ? doubts_json(compare, base, target) :
	    json_array(),
	    "reasons", reasons,
	    "active_saved_s", json_object_get(compare, "active_saved_s"),
	    "kernel_saved_s", json_object_get(compare, "kernel_saved_s"));
	json_decref(compare);
	return whole;
}

/* Could the rule of finding ${f} be evaluated in that run? */
static bool
was_checked(const struct trial_run *r, const json_t *f)
{
	const json_t *rule;
	size_t i;

	json_array_foreach(json_object_get(r->findings, "rules"), i, rule)
		if (json_equal(json_object_get(rule, "rule"),
		    json_object_get(f, "rule")))
			return strcmp(or_unknown(field_text(rule, "state")),
			    "not_measured") != 0;
	return false;
}

json_t *
outcome_new(const struct trial_run *base, const struct trial_run *target,
    const char *least)
{
	json_t *compare = compare_of(base, target, 1u << CONDITION_PROGRAM);
	json_t *list = json_array();
	const json_t *item, *f;
	size_t i;
	int s;

	if (compare == NULL) {
		json_decref(list);
		return NULL;
	}
	for (s = SEV_HIGH; s >= severity_called(least) && s > SEV_INFO; s--) {
		json_array_foreach(json_object_get(json_object_get(compare,
		    "findings"), "items"), i, item) {
			f = find_by_id(items_of(target), "id", json_object_get(
			    item, "target_id"));
			if (strcmp(or_unknown(field_text(item, "state")),
			    "new") == 0 && severity_called(field_text(f,
			    "severity")) == s && was_checked(base, f))
				json_array_append(list, (json_t *)f);
		}
	}
	json_decref(compare);
	return list;
}
