/*
 * rules/replay.c: the captures of the reference kernels, judged again. Of each
 * pair tests/captures/pairs/RULE.{bad,good}.cadv the rule must find the bad
 * variant, worth a change, and leave the good one in peace; no other rule may
 * raise more than a low voice at a good one. expected.json says what else.
 *
 * replay DIR EXPECTED [--require] [--complete] [--verbose]: with --require a
 * rule of expected.json without its pair fails, otherwise it is named and passed
 * over; with --complete so does a rule that expected.json does not have. A pair
 * that no GPU has run yet says "recorded": false there, and must have no capture.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "base/error.h"
#include "ingest/capture.h"
#include "model/ceilings.h"
#include "model/model.h"
#include "rules/finding.h"

struct replay {
	const char *dir;
	bool require, complete, verbose;
	json_t *pairs;
	int failures, checks, missing;
};

struct analysed {
	struct model *model;
	const struct run *run;
	struct ceilings *ceilings;
	struct advice *advice;
};

static void
complain(struct replay *r, const char *rule, const char *variant,
    const char *what)
{
	printf("FAIL %s %s: %s\n", rule, variant, what);
	r->failures++;
}

static void
analysed_release(struct analysed *a)
{
	advice_free(a->advice);
	free(a->ceilings);
	model_free(a->model);
	memset(a, 0, sizeof(*a));
}

static int
analyse(struct analysed *a, const char *path)
{
	struct capture_stats stats;
	struct error e = ERROR_INIT;

	memset(a, 0, sizeof(*a));
	a->model = model_new();
	if (a->model == NULL || capture_load(path, a->model, &stats, &e) != 0) {
		printf("%s: %s\n", path, e.text);
		goto fail;
	}
	if (stats.damaged > 0 || stats.truncated) {
		printf("%s: damaged\n", path);
		goto fail;
	}
	a->run = model_settle(a->model, true);
	if (a->run == NULL)
		goto fail;
	a->ceilings = calloc(a->run->devices + 1, sizeof(*a->ceilings));
	if (a->ceilings == NULL)
		goto fail;
	ceilings_of(a->ceilings, a->run);
	a->advice = advice_make(a->run, a->ceilings, NULL);
	if (a->advice == NULL)
		goto fail;
	return 0;
fail:
	analysed_release(a);
	return -1;
}

static const struct verdict *
verdict_of(const struct advice *a, const char *rule)
{
	for (size_t i = 0; i < a->verdicts; i++)
		if (strcmp(a->verdict[i].rule, rule) == 0)
			return &a->verdict[i];
	return NULL;
}

/* Found by the rule, and worth a change. */
static bool
is_worth(const struct advice *a, const char *rule)
{
	for (size_t i = 0; i < a->findings; i++)
		if (strcmp(a->finding[i].rule, rule) == 0 &&
		    a->finding[i].worth_it)
			return true;
	return false;
}

static bool
is_listed(const json_t *array, const char *rule)
{
	const json_t *item;
	size_t i;

	json_array_foreach(array, i, item)
		if (strcmp(json_string_value(item), rule) == 0)
			return true;
	return false;
}

static void
show(const struct replay *r, const char *rule, const char *variant,
    const struct analysed *x)
{
	const struct advice *a = x->advice;

	printf("%s %s: wall %.3g s, noise %.3g s, together %.3g s\n", rule,
	    variant, (double)x->run->wall_ns * 1e-9, a->noise_s,
	    a->together_s);
	for (size_t i = 0; i < a->findings && r->verbose; i++) {
		const struct finding *f = &a->finding[i];

		printf("  %s %-6s %-30s %-24s %9.3g s (%.3g to %.3g) ×%.3g "
		    "%s | %s\n", f->worth_it ? "*" : " ",
		    severity_name[f->severity], f->rule, f->where, f->saves_s,
		    f->saves_low_s, f->saves_high_s, f->kernel_speedup,
		    f->summary, f->limiter ? f->limiter : "");
	}
	for (size_t i = 0; i < a->verdicts && r->verbose; i++)
		if (a->verdict[i].state == RULE_NOT_MEASURED)
			printf("    not measured: %s: %s\n",
			    a->verdict[i].rule, a->verdict[i].reason);
}

static void
check_bad(struct replay *r, const char *rule, const struct advice *a,
    const json_t *expected)
{
	const struct verdict *v = verdict_of(a, rule);
	const json_t *also = json_object_get(expected, "also"), *item;
	char text[256];
	size_t i;

	if (v->state != RULE_FOUND) {
		snprintf(text, sizeof(text), "%s, not found (%s)",
		    rule_state_name[v->state], v->reason ? v->reason : "");
		complain(r, rule, "bad", text);
	} else if (!is_worth(a, rule)) {
		complain(r, rule, "bad", "found, but not worth a change");
	}
	json_array_foreach(also, i, item)
		if (!is_worth(a, json_string_value(item))) {
			snprintf(text, sizeof(text), "%s is not found",
			    json_string_value(item));
			complain(r, rule, "bad", text);
		}
	if (json_is_true(json_object_get(expected, "first")) &&
	    (a->findings == 0 || strcmp(a->finding[0].rule, rule) != 0)) {
		snprintf(text, sizeof(text), "first is %s",
		    a->findings ? a->finding[0].rule : "nothing");
		complain(r, rule, "bad", text);
	}
}

static void
check_good(struct replay *r, const char *rule, const struct advice *a,
    const json_t *expected)
{
	const json_t *allowed = json_object_get(expected, "allowed");
	char text[256];

	if (verdict_of(a, rule)->state != RULE_CLEAN) {
		snprintf(text, sizeof(text), "%s, not clean (%s)",
		    rule_state_name[verdict_of(a, rule)->state],
		    verdict_of(a, rule)->reason ?
		    verdict_of(a, rule)->reason : "");
		complain(r, rule, "good", text);
	}
	for (size_t i = 0; i < a->findings; i++) {
		const struct finding *f = &a->finding[i];

		if (f->severity <= SEV_LOW || is_listed(allowed, f->rule))
			continue;
		snprintf(text, sizeof(text), "%s is %s, saves %.3g s", f->rule,
		    severity_name[f->severity], f->saves_s);
		complain(r, rule, "good", text);
	}
}

static bool
is_recorded(const struct replay *r, const char *rule)
{
	return !json_is_false(json_object_get(json_object_get(r->pairs, rule),
	    "recorded"));
}

static void
replay(struct replay *r, const char *rule, const char *variant,
    const json_t *expected)
{
	struct analysed x;
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s.%s.cadv", r->dir, rule, variant);
	if (!is_recorded(r, rule)) {
		r->missing++;
		if (access(path, F_OK) == 0)
			complain(r, rule, variant,
			    "is there: take \"recorded\": false away");
		return;
	}
	if (access(path, R_OK) != 0) {
		r->missing++;
		if (r->require)
			complain(r, rule, variant, strerror(errno));
		return;
	}
	r->checks++;
	if (analyse(&x, path) != 0) {
		complain(r, rule, variant, "the capture cannot be judged");
		return;
	}
	if (r->verbose)
		show(r, rule, variant, &x);
	if (x.advice->together_s > (double)x.run->wall_ns * 1e-9)
		complain(r, rule, variant, "promises more than the run");
	if (strcmp(variant, "bad") == 0)
		check_bad(r, rule, x.advice, expected);
	else
		check_good(r, rule, x.advice, expected);
	analysed_release(&x);
}

static bool
is_expected(const struct replay *r, const char *rule)
{
	return json_is_object(json_object_get(r->pairs, rule));
}

/* Every rule of the table has its entry and every entry its rule. */
static void
check_expected(struct replay *r)
{
	const char *key;
	json_t *value;

	for (size_t i = 0; r->complete && i < rule_count(); i++)
		if (!is_expected(r, rule_info(i)->id))
			complain(r, rule_info(i)->id, "",
			    "not in expected.json");
	json_object_foreach(r->pairs, key, value)
		if (rule_find(key) == NULL)
			complain(r, key, "", "in expected.json, but no rule");
}

int
main(int argc, char **argv)
{
	struct replay r = { .dir = argc > 1 ? argv[1] : "" };
	json_error_t e;
	json_t *root;

	if (argc < 3) {
		fprintf(stderr, "usage: replay DIR EXPECTED [--require] "
		    "[--complete] [--verbose]\n");
		return 2;
	}
	for (int i = 3; i < argc; i++) {
		r.require = r.require || strcmp(argv[i], "--require") == 0;
		r.complete = r.complete || strcmp(argv[i], "--complete") == 0;
		r.verbose = r.verbose || strcmp(argv[i], "--verbose") == 0;
	}
	root = json_load_file(argv[2], JSON_REJECT_DUPLICATES, &e);
	r.pairs = json_object_get(root, "pairs");
	if (!json_is_object(r.pairs)) {
		fprintf(stderr, "%s: %s\n", argv[2], root ? "no pairs" :
		    e.text);
		json_decref(root);
		return 1;
	}
	check_expected(&r);
	for (size_t i = 0; i < rule_count(); i++) {
		const char *rule = rule_info(i)->id;
		const json_t *pair = json_object_get(r.pairs, rule);

		if (!is_expected(&r, rule)) {
			printf("%s: not in expected.json\n", rule);
			continue;
		}
		replay(&r, rule, "bad", json_object_get(pair, "bad"));
		replay(&r, rule, "good", json_object_get(pair, "good"));
	}
	printf("%d captures judged, %d failures, %d captures missing\n",
	    r.checks, r.failures, r.missing);
	json_decref(root);
	return r.failures > 0;
}
