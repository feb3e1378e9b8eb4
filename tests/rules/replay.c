/*
 * rules/replay.c: replays the captures of the reference kernels. For each pair
 * tests/captures/pairs/RULE.{bad,good}.cadv:
 *
 *  - In the bad variant the rule finds something that is worth a change, before
 *    all other findings. In the good variant it finds nothing, and no other
 *    rule finds anything of more than low severity.
 *  - Without one kind of the data that the rule needs (withhold.h) it is not
 *    measured, and says why.
 *  - The same holds at the default level, which lacks counts and samples of
 *    instructions. If the rule needs these, no false finding may come first in
 *    its place, also if each kernel is launched only once and so not all
 *    counters are taken.
 *  - Rules that can judge by samples alone (.sampled of rules.def) find their
 *    bad variant without counts. Rules that can judge by code alone (.coded)
 *    find it without samples, with samples, and with counters of whole kernels.
 *  - A finding from samples or code remains when the first counters are added.
 *  - In all captures, estimates find nothing that counters do not show of the
 *    same kernel.
 *
 * expected.json lists the exceptions with their reasons; a rule that it does
 * not name has none.
 *
 * replay DIR EXPECTED [--require] [--verbose] [--sparse]: with --require a rule
 * without captures fails, otherwise it is counted as missing. A pair that was not
 * recorded on a GPU yet has "recorded": false in expected.json, and must have no
 * capture. With --sparse each counter and each kind of data is removed from every
 * SPARSE-th pair only, in turn.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "rules/once.h"
#include "rules/engine/coded.h"
#include "rules/evidence/reads.h"
#include "rules/engine/sampled.h"

struct replay {
	const char *dir;
	bool require, verbose, sparse;
	json_t *pairs;
	int failures, checks, missing, withheld;
	int by_counters;	/* bad variants found by counters and code, */
	int once;		/* and those found with a first launch's */
};

static void
complain(struct replay *r, const char *rule, const char *variant,
    const char *what)
{
	printf("FAIL %s %s: %s\n", rule, variant, what);
	r->failures++;
}

static const struct verdict *
verdict_of(const struct advice *a, const char *rule)
{
	for (size_t i = 0; i < a->verdicts; i++)
		if (strcmp(a->verdict[i].rule, rule) == 0)
			return &a->verdict[i];
	return NULL;
}

/* The rule found something worth a change. */
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
			    a->verdict[i].rule, a->verdict[i].reason->text);
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
		    rule_state_name[v->state], v->reason ? v->reason->text : "");
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
	if (json_is_false(json_object_get(expected, "first"))) {
		if (json_string_length(json_object_get(expected,
		    "first_why")) < 20)
			complain(r, rule, "bad", "expected.json gives no "
			    "first_why");
	} else if (a->findings == 0 ||
	    strcmp(a->finding[0].rule, rule) != 0) {
		snprintf(text, sizeof(text), "first is %s",
		    a->findings ? a->finding[0].rule : "nothing");
		complain(r, rule, "bad", text);
	}
}

static void
check_quiet(struct replay *r, const char *rule, const char *variant,
    const struct advice *a, const json_t *expected)
{
	const json_t *allowed = json_object_get(expected, "allowed");
	char text[256];

	for (size_t i = 0; i < a->findings; i++) {
		const struct finding *f = &a->finding[i];

		if (f->severity <= SEV_LOW || is_listed(allowed, f->rule))
			continue;
		snprintf(text, sizeof(text), "%s is %s, saves %.3g s", f->rule,
		    severity_name[f->severity], f->saves_s);
		complain(r, rule, variant, text);
	}
}

static void
check_good(struct replay *r, const char *rule, const struct advice *a,
    const json_t *expected)
{
	char text[256];

	if (verdict_of(a, rule)->state != RULE_CLEAN) {
		snprintf(text, sizeof(text), "%s, not clean (%s)",
		    rule_state_name[verdict_of(a, rule)->state],
		    verdict_of(a, rule)->reason ?
		    verdict_of(a, rule)->reason->text : "");
		complain(r, rule, "good", text);
	}
	check_quiet(r, rule, "good", a, expected);
}

/* The data that --level source adds to the default, and that the default adds
 * to trace. */
#define NEED_LEVEL (NEED_SOURCE | NEED_SAMPLES | NEED_LINES)
#define NEED_DEFAULT (NEED_COUNTERS | NEED_CODE | NEED_CUBIN)

/* Whether the rule cannot do without ${held}. */
static bool
is_needed(const struct rule *rule, enum withheld held)
{
	unsigned n = reads_of(rule);
	bool kernel = rule->scope == SCOPE_KERNEL;

	switch (held) {
	case HELD_COUNTERS:
		return n & NEED_COUNTERS;
	case HELD_PERMISSION:
		return n & (NEED_COUNTERS | NEED_LEVEL);
	case HELD_LEVEL:
		return n & (NEED_LEVEL | NEED_DEFAULT);
	case HELD_DEFAULT:
		return n & NEED_LEVEL;
	case HELD_SOURCE:
		return n & NEED_SOURCE;
	case HELD_SAMPLES:
		return n & NEED_SAMPLES;
	case HELD_CODE:
		return n & NEED_CODE;
	case HELD_CUBIN:
		return n & (NEED_CODE | NEED_CUBIN);
	case HELD_KERNELS:
		return kernel || ((n & NEED_KERNELS) && !(n & NEED_COPIES));
	case HELD_WORK:
		return kernel || (n & (NEED_KERNELS | NEED_COPIES));
	case HELD_TRACE:
		return kernel || (n & NEED_KERNELS);
	case HELD_COPIES:
		return n & NEED_COPIES;
	case HELD_CALLS:
		return n & NEED_CALLS;
	case HELD_MEMORY:
		return n & NEED_MEMORY;
	default:
		return true;
	}
}

/* Whether the rule can judge by the samples or the code that are left. */
static bool
speaks_without(const struct rule *rule, enum withheld held)
{
	bool alone = coded_speaks(rule) && !coded_counted(rule);

	switch (held) {
	case HELD_COUNTERS:
		return sampled_speaks(rule) || alone;
	case HELD_SOURCE:
		return sampled_speaks(rule) || coded_speaks(rule);
	case HELD_DEFAULT:
		return coded_speaks(rule);
	case HELD_PERMISSION:
		return alone;
	default:
		return false;
	}
}

/* Without this data the rule must not be measured, and must give the reason; if
 * it may judge by other data, expected.json tells what it says, with a reason. */
static void
check_without(struct replay *r, const struct rule *rule, enum withheld held,
    const struct advice *a)
{
	const struct verdict *v = verdict_of(a, rule->id);
	const json_t *pair = json_object_get(r->pairs, rule->id);
	const json_t *other = json_object_get(json_object_get(pair, "nodata"),
	    withheld_name[held]);
	const char *want = json_string_value(json_object_get(other, "state"));
	const char *why = json_string_value(json_object_get(other, "why"));
	char text[256];

	if (want == NULL)
		want = rule_state_name[speaks_without(rule, held) ?
		    RULE_FOUND : RULE_NOT_MEASURED];
	if (other != NULL && (why == NULL || strlen(why) < 20))
		complain(r, rule->id, "nodata", "expected.json gives no why");
	if (strcmp(rule_state_name[v->state], want) != 0) {
		snprintf(text, sizeof(text), "%s without %s, not %s",
		    rule_state_name[v->state], withheld_name[held], want);
		complain(r, rule->id, "nodata", text);
	} else if (v->state == RULE_NOT_MEASURED &&
	    (v->reason == NULL || strlen(v->reason->text) < 6)) {
		snprintf(text, sizeof(text), "no reason without %s",
		    withheld_name[held]);
		complain(r, rule->id, "nodata", text);
	}
	if (r->verbose)
		printf("%s without %s: %s (%s)\n", rule->id,
		    withheld_name[held], rule_state_name[v->state],
		    v->reason != NULL ? v->reason->text : "");
}

/* Removes data that the rule uses but does not need. It may then know less, but
 * bad kernels must not become good: no more kernels are clean than in ${full}. */
static void
check_less(struct replay *r, const struct rule *rule, const char *what,
    const struct advice *a, const struct advice *full)
{
	const json_t *pair = json_object_get(r->pairs, rule->id);
	const struct verdict *v = verdict_of(a, rule->id);
	char text[256];

	if (json_object_get(json_object_get(pair, "nodata"), what) != NULL ||
	    v->state != RULE_CLEAN ||
	    v->clean <= verdict_of(full, rule->id)->clean)
		return;
	snprintf(text, sizeof(text), "found, and clean without %s", what);
	complain(r, rule->id, "nodata", text);
}

static bool
is_estimated(const struct finding *f)
{
	for (size_t i = 0; i < f->evidences; i++)
		if (strcmp(f->evidence[i].from, SAMPLED_FROM) == 0 ||
		    strcmp(f->evidence[i].from, CODED_FROM) == 0 ||
		    strcmp(f->evidence[i].from, COUNTED_FROM) == 0)
			return true;
	return false;
}

/* Whether counts show ${f} in the same kernel. */
static bool
is_counted(const struct finding *f, const struct advice *full)
{
	for (size_t i = 0; i < full->findings; i++) {
		const struct finding *g = &full->finding[i];

		if (strcmp(g->rule, f->rule) == 0 && g->kernel != NULL &&
		    g->kernel->id == f->kernel->id)
			return true;
	}
	return false;
}

/* Each finding of ${a} from estimates must be in ${full}, from counts. */
static void
check_told(struct replay *r, const char *rule, const char *variant,
    const struct advice *a, const struct advice *full, enum withheld held)
{
	char text[256];

	for (size_t i = 0; i < a->findings; i++) {
		const struct finding *f = &a->finding[i];

		if (!is_estimated(f) || is_counted(f, full))
			continue;
		snprintf(text, sizeof(text), "%s is found without %s alone, "
		    "saves %.3g s", f->rule, withheld_name[held], f->saves_s);
		complain(r, rule, variant, text);
	}
}

/* With samples alone or code alone (${held}), nothing is found that counters do
 * not show. */
static void
check_estimates(struct replay *r, const char *rule, const char *variant,
    const char *path, const struct advice *full, enum withheld held)
{
	struct analysed x;

	if (analysed_load(&x, path, held) != 0) {
		complain(r, rule, variant, "cannot be judged by estimates");
		return;
	}
	check_told(r, rule, variant, x.advice, full, held);
	r->withheld++;
	analysed_release(&x);
}

#define SPARSE 6

/* Whether it is the turn of what has number ${n} in the pair of ${rule}. */
static bool
is_turn(const struct replay *r, const struct rule *rule, int n)
{

	return !r->sparse || ((size_t)(rule - rule_table) + (size_t)n) % SPARSE == 0;
}

/* Removes one counter of every kernel. */
static void
replay_metrics(struct replay *r, const struct rule *rule,
    const struct analysed *x)
{
	struct kernel *less = calloc(x->run->kernels + 1, sizeof(*less));
	struct run run = *x->run;

	run.kernel = less;
	for (int m = 0; less != NULL && m < METRIC_COUNT; m++) {
		struct advice *a;
		size_t had = 0;

		if (!is_turn(r, rule, m))
			continue;
		memcpy(less, x->run->kernel, run.kernels * sizeof(*less));
		for (size_t i = 0; i < run.kernels; i++) {
			had += isfinite(less[i].metric[m]);
			less[i].metric[m] = NAN;
		}
		if (had == 0)
			continue;
		a = advice_make(&run, NULL);
		if (a != NULL)
			check_less(r, rule, metric_table[m].name, a,
			    x->advice);
		advice_free(a);
		r->withheld++;
	}
	free(less);
}

static void
replay_without(struct replay *r, const struct rule *rule, const char *path,
    const struct advice *full)
{
	for (int held = 0; held < HELD_KINDS; held++) {
		bool needed = is_needed(rule, (enum withheld)held);
		struct analysed x;

		/* Without kernels or work it is another program, not less data
		 * of the same one. */
		if (!needed && (held == HELD_KERNELS || held == HELD_WORK))
			continue;
		if (!is_turn(r, rule, held))
			continue;
		if (analysed_load(&x, path, (enum withheld)held) != 0) {
			complain(r, rule->id, withheld_name[held],
			    "the capture cannot be judged without it");
			continue;
		}
		if (needed)
			check_without(r, rule, (enum withheld)held, x.advice);
		else
			check_less(r, rule, withheld_name[held], x.advice,
			    full);
		r->withheld++;
		analysed_release(&x);
	}
}

/* The default level cannot see this program's fault. The first finding must be
 * absent, or one that expected.json names as also true. */
static void
check_in_place(struct replay *r, const char *rule, const struct advice *a,
    const json_t *expected)
{
	const json_t *other = json_object_get(expected, "default");
	const char *want = json_string_value(json_object_get(other, "first"));
	const char *why = json_string_value(json_object_get(other, "why"));
	const char *first = a->findings > 0 && a->finding[0].worth_it ?
	    a->finding[0].rule : NULL;
	char text[256];

	if (other != NULL && (want == NULL || why == NULL || strlen(why) < 20))
		complain(r, rule, "default", "expected.json gives no first or "
		    "no why");
	if (first == want || (first != NULL && want != NULL &&
	    strcmp(first, want) == 0))
		return;
	snprintf(text, sizeof(text), "first is %s, not %s",
	    first != NULL ? first : "nothing", want != NULL ? want : "nothing");
	complain(r, rule, "default", text);
}

/* The number of bad variants found by the counters of a kernel's first launch
 * and its code, at least. It was 47 on 2026-11-23 before rules that need counts
 * of instructions took them from code and counters; it must not fall. */
#define ONCE_LEAST 62

/* As if each kernel were launched only once: findings above low severity must be true.
 * With ${sampled} the rule itself must find something. Returns whether it does. */
static bool
replay_once(struct replay *r, const struct rule *rule, const char *variant,
    const json_t *expected, const struct analysed *x, bool sampled)
{
	struct kernel *less = calloc(x->run->kernels + 1, sizeof(*less));
	const char *want = json_string_value(json_object_get(json_object_get(
	    expected, "default"), "first"));
	struct advice *a = less != NULL ? once_advise(x, less) : NULL;
	const struct finding *f;
	char text[256];
	bool found;

	r->withheld++;
	if (a != NULL && strcmp(variant, "good") == 0)
		check_quiet(r, rule->id, "good, launched once", a, expected);
	f = a != NULL && a->findings > 0 ? &a->finding[0] : NULL;
	if (f != NULL && strcmp(variant, "bad") == 0 && f->worth_it &&
	    f->severity > SEV_LOW && strcmp(f->rule, rule->id) != 0 &&
	    (want == NULL || strcmp(f->rule, want) != 0)) {
		snprintf(text, sizeof(text), "first is %s, %s", f->rule,
		    severity_name[f->severity]);
		complain(r, rule->id, "bad, launched once", text);
	}
	if (a != NULL && sampled && strcmp(variant, "bad") == 0 &&
	    !is_worth(a, rule->id))
		complain(r, rule->id, "bad, launched once", "samples and code "
		    "tell it, and with counters it is not found");
	found = a != NULL && is_worth(a, rule->id);
	advice_free(a);
	free(less);
	return found;
}

/* Findings from samples or code without counters must remain with a few counters. */
static void
replay_sampled(struct replay *r, const struct rule *rule, const char *path,
    const char *variant, const json_t *expected)
{
	struct analysed x;

	if (analysed_load(&x, path, HELD_SOURCE) != 0) {
		complain(r, rule->id, variant, "the capture cannot be judged "
		    "without counts of instructions");
		return;
	}
	replay_once(r, rule, variant, expected, &x,
	    sampled_speaks(rule) || coded_speaks(rule));
	analysed_release(&x);
}

static void
replay_default(struct replay *r, const struct rule *rule, const char *path,
    const char *variant, const json_t *expected, const struct advice *full)
{
	struct analysed x;

	if (analysed_load(&x, path, HELD_DEFAULT) != 0) {
		complain(r, rule->id, variant, "the capture cannot be judged "
		    "at the default level");
		return;
	}
	r->withheld++;
	if (r->verbose)
		show(r, rule->id, "at the default level", &x);
	if (strcmp(variant, "good") == 0) {
		check_quiet(r, rule->id, "good, default", x.advice, expected);
		if (verdict_of(x.advice, rule->id)->state == RULE_FOUND)
			complain(r, rule->id, "good, default", "found");
	} else if (is_needed(rule, HELD_DEFAULT) && !coded_speaks(rule)) {
		check_in_place(r, rule->id, x.advice, expected);
	} else {
		check_bad(r, rule->id, x.advice, expected);
	}
	if (strcmp(variant, "bad") == 0)
		r->by_counters += is_worth(x.advice, rule->id);
	check_told(r, rule->id, variant, x.advice, full, HELD_DEFAULT);
	r->once += replay_once(r, rule, variant, expected, &x, false) &&
	    strcmp(variant, "bad") == 0;
	analysed_release(&x);
}

static bool
is_recorded(const struct replay *r, const char *rule)
{
	return !json_is_false(json_object_get(json_object_get(r->pairs, rule),
	    "recorded"));
}

static void
replay(struct replay *r, size_t row, const char *variant,
    const json_t *expected)
{
	const char *rule = rule_table[row].id;
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
	if (analysed_load(&x, path, NOTHING_HELD) != 0) {
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
	if (strcmp(variant, "bad") == 0) {
		replay_metrics(r, &rule_table[row], &x);
		replay_without(r, &rule_table[row], path, x.advice);
	}
	check_estimates(r, rule, variant, path, x.advice, HELD_COUNTERS);
	check_estimates(r, rule, variant, path, x.advice, HELD_PERMISSION);
	replay_default(r, &rule_table[row], path, variant, expected,
	    x.advice);
	replay_sampled(r, &rule_table[row], path, variant, expected);
	analysed_release(&x);
}

/* Every entry must name a rule. */
static void
check_expected(struct replay *r)
{
	const char *key;
	json_t *value;

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
		    "[--verbose] [--sparse]\n");
		return 2;
	}
	for (int i = 3; i < argc; i++) {
		r.require = r.require || strcmp(argv[i], "--require") == 0;
		r.verbose = r.verbose || strcmp(argv[i], "--verbose") == 0;
		r.sparse = r.sparse || strcmp(argv[i], "--sparse") == 0;
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

		replay(&r, i, "bad", json_object_get(pair, "bad"));
		replay(&r, i, "good", json_object_get(pair, "good"));
	}
	if (r.require && r.once < ONCE_LEAST)
		complain(&r, "all", "bad, launched once", "fewer are found than "
		    "were");
	printf("%d captures judged, %d replays without data, %d bad variants "
	    "known by counters and code, %d by those of a first launch, %d "
	    "failures, %d captures missing\n", r.checks, r.withheld,
	    r.by_counters, r.once, r.failures, r.missing);
	json_decref(root);
	return r.failures > 0;
}
