/*
 * Findings about kernels that were sampled but not counted: as many as with
 * counts, with less certainty; and none if the samples tell too little.
 */
#include <math.h>
#include <string.h>

#include "unit/advise.h"

#define ISSUE 0.8

static struct advice *
advise_sampled(builder *build, struct made *m, double issue)
{
	struct advice *a;

	made_again(m);
	build(m);
	fault_sample(m, issue);
	a = made_advised(m);
	assert_non_null(a);
	return a;
}

/* Everything that was not sampled must be marked as an estimate. */
static void
check_words(const struct finding *f, enum confidence most)
{
	assert_true(f->confidence <= most);
	assert_has(f->summary, "PC samples");
	assert_has(f->next, "--replay");
	for (size_t i = 0; i < f->evidences; i++) {
		const struct evidence *e = &f->evidence[i];

		assert_true(strcmp(e->from, "PC samples") == 0 ||
		    (strcmp(e->source, "estimated") == 0 &&
		    strcmp(e->from, "PC samples and code") == 0));
	}
}

/* The same line, about the same gain, and a lower low end. */
static void
check_alike(builder *build, const char *rule)
{
	const struct finding *full, *less;
	struct advice *a, *b;
	struct made m, n;

	a = advise(build, &m);
	made_init(&n);
	b = advise_sampled(build, &n, ISSUE);
	full = made_finding(a, rule);
	less = made_finding(b, rule);
	assert_non_null(full);
	assert_non_null(less);
	check_words(less, CONF_MEDIUM);
	assert_ptr_equal(less->kernel, &n.kernel[0]);
	assert_int_equal(less->hot[0].line, full->hot[0].line);
	assert_true(less->saves_low_s < less->saves_s);
	assert_true(less->kernel_speedup > 1 + (full->kernel_speedup - 1) / 2);
	assert_true(less->kernel_speedup < 1 + (full->kernel_speedup - 1) * 2);
	finish(a, &m);
	code_release(&n);
}

TEST(test_alike)
{
	check_alike(fault_dividing_in_loop, "integer-division");
}

/* Counted utilisation has priority, whatever the samples show. */
MADE_TEST(test_counters_first)
{
	fault_dividing_in_loop(m);
	fault_sample(m, ISSUE);
	m->kernel[0].metric[METRIC_ISSUE_ACTIVE] = 10;
	m->kernel[0].metric[METRIC_PIPE_XU] = 10;
	made_quiet(m, "integer-division");
}

static void
not_measured(struct made *m, const char *rule, const char *reason)
{
	struct advice *a = made_advised(m);
	const struct verdict *v = made_verdict(a, rule);

	assert_int_equal(v->state, RULE_NOT_MEASURED);
	assert_has(v->reason->text, reason);
}

MADE_TEST(test_no_data)
{
	static const char rule[] = "integer-division";
	struct kernel *other;

	made_again(m);		/* not sampled */
	fault_dividing_in_loop(m);
	fault_uncount(m);
	not_measured(m, rule, "too few launches");
	made_again(m);		/* too few samples */
	fault_dividing_in_loop(m);
	fault_sample(m, ISSUE);
	m->code[0]->code.samples.stall[STALL_SELECTED] = 59;
	not_measured(m, rule, "too few launches");
	made_again(m);
	fault_dividing_in_loop(m);
	fault_sample(m, ISSUE);
	m->code[0]->code.disassembled = false;
	not_measured(m, rule, "too few launches");
	made_again(m);
	fault_dividing_in_loop(m);
	fault_sample(m, ISSUE);
	m->code[0]->code.debug = true;
	not_measured(m, rule, "too few launches");
	made_again(m);		/* its other shape takes the time */
	fault_dividing_in_loop(m);
	fault_sample(m, ISSUE);
	other = made_kernel(m, "_Z4workPf", 10000, 200000);
	other->code = m->kernel[0].code;
	other->shape.grid_x = 7;	/* and leaves the GPU idle */
	other->occupancy.waves = 0.01;
	other->skip = SKIP_TOO_FEW_LAUNCHES;
	not_measured(m, rule, "too few launches");
}

/* Two grids of one function take half of its time each: the samples are of both. */
MADE_TEST(test_shapes)
{
	static const char rule[] = "integer-division";
	const struct finding *f;
	struct kernel *other;
	double alone;

	fault_dividing_in_loop(m);
	fault_sample(m, ISSUE);
	alone = made_found(m, rule)->saves_s;
	made_again(m);
	fault_dividing_in_loop(m);
	fault_sample(m, ISSUE);
	other = made_kernel(m, "_Z4workPf", m->kernel[0].launches,
	    (uint64_t)stat_mean(&m->kernel[0].time));
	other->mangled = m->kernel[0].mangled;
	other->code = m->kernel[0].code;
	other->shape.grid_x = 2 * m->kernel[0].shape.grid_x;
	other->skip = SKIP_TOO_FEW_LAUNCHES;
	m->code[0]->code.sample_kernels = 2;
	f = made_found(m, rule);
	assert_int_equal(f->shapes, 2);
	assert_true(fabs(f->saves_s - 2 * alone) < 0.05 * alone);
}

/* No fault in the samples: not found, and not clean either. */
MADE_TEST(test_quiet)
{
	struct advice *a;

	a = advise_sampled(fault_code_clean, m, 0.2);
	for (size_t i = 0; i < a->findings; i++)
		assert_lacks(a->finding[i].summary, "PC samples");
	assert_int_equal(made_verdict(a, "integer-division")->state,
	    RULE_NOT_MEASURED);
}

static const struct finding *
found(builder *build, struct advice **a, struct made *m, const char *rule)
{
	*a = advised(build, m);
	return made_finding(*a, rule);
}

MADE_TEST(test_atomics)
{
	static const char rule[] = "global-atomic-contention";
	const struct finding *f;
	struct advice *a;

	f = found(fault_sampled_atomics, &a, m, rule);
	assert_non_null(f);
	check_words(f, CONF_MEDIUM);
	assert_int_equal(f->hot[0].line, 5);
	assert_true(f->kernel_speedup > 10);
	assert_true(f->saves_low_s < 0.5 * f->saves_s);
	assert_null(found(fault_sampled_atomics_busy, &a, m, rule));
	made_again(m);		/* waiting for pages */
	fault_sampled_atomics(m);
	m->run.unified.used = true;
	made_quiet(m, rule);
}

MADE_TEST(test_conflicts)
{
	static const char rule[] = "shared-bank-conflicts";
	const struct finding *f;
	struct advice *a;

	f = found(fault_sampled_conflicts, &a, m, rule);
	assert_non_null(f);
	check_words(f, CONF_MEDIUM);
	assert_int_equal(f->hot[0].line, 7);
	assert_has(f->summary, "every 12.5 cycles");
	assert_true(f->kernel_speedup > 2 && f->kernel_speedup < 12.5);
	assert_null(found(fault_sampled_shared, &a, m, rule));
	assert_null(found(fault_sampled_units, &a, m, rule));
	assert_null(found(fault_sampled_latency, &a, m, rule));
}

MADE_TEST(test_strides)
{
	static const char rule[] = "uncoalesced-global-access";
	static builder *const quiet[] = {
		fault_sampled_columns, fault_sampled_objects,
		fault_sampled_trips
	};
	const struct finding *f;
	struct advice *a;

	f = found(fault_sampled_rows, &a, m, rule);
	assert_non_null(f);
	check_words(f, CONF_LOW);
	assert_int_equal(f->hot[0].line, 7);
	assert_has(f->summary, "by a row's length");
	assert_true(f->evidence[0].value == 8);	/* a sector for 4 bytes */
	f = found(fault_sampled_rows_of, &a, m, rule);
	assert_non_null(f);
	assert_has(f->summary, "by a variable");
	for (size_t i = 0; i < sizeof(quiet) / sizeof(quiet[0]); i++) {
		assert_null(found(quiet[i], &a, m, rule));
	}
	made_again(m);		/* a warp has several rows of threads */
	fault_sampled_rows(m);
	m->kernel[0].shape.block_x = 16;
	made_quiet(m, rule);
}

MADE_TEST(test_trees)
{
	static const char rule[] = "shuffle-reduction";
	static builder *const trees[] = {
		fault_sampled_tree, fault_sampled_row
	};
	const struct finding *f;
	struct advice *a;

	for (size_t i = 0; i < 2; i++) {
		f = found(trees[i], &a, m, rule);
		assert_non_null(f);
		check_words(f, CONF_LOW);
		assert_int_equal(f->hot[0].line, 7);
		assert_true(f->kernel_speedup > 1.2);
	}
	assert_null(found(fault_sampled_stencil, &a, m, rule));
	/* A scan is no tree, but has its rounds of barriers. */
	f = found(fault_sampled_scan, &a, m, rule);
	assert_non_null(f);
	assert_string_equal(f->title, "exchange in rounds of barriers");
	check_words(f, CONF_LOW);
}
