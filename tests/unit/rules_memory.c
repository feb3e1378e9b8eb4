/*
 * What the rules about caches and traffic say, beyond that they fire: which of
 * their advice fits what limits, how much they promise, and when they know that
 * they do not know.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "rules/code.h"
#include "rules/faults.h"

typedef void builder(struct made *m);

static struct advice *
advise(builder *build, struct made *m)
{
	struct advice *a;

	made_init(m);
	build(m);
	a = made_advice(m);
	assert_non_null(a);
	return a;
}

static void
finish(struct advice *a, struct made *m)
{
	advice_free(a);
	code_release(m);
}

static double
evidence_of(const struct finding *f, const char *name)
{
	for (size_t i = 0; i < f->evidences; i++)
		if (strcmp(f->evidence[i].name, name) == 0)
			return f->evidence[i].value;
	fail_msg("no %s", name);
	return NAN;
}

/* --- redundant-global-traffic -------------------------------------------- */

#define REDUNDANT "redundant-global-traffic"

/* What limits decides what is advised. */
static void
test_redundant_advice(void **state)
{
	static const struct {
		builder *build;
		const char *summary, *advice;
		double least, most;	/* predicted speed-up */
		enum confidence confidence;
	} cases[] = {
		{ fault_naive_product, "loads", "several results", 1.2, 2,
		  CONF_MEDIUM },
		{ fault_naive_product_counted, "loads", "several results",
		  1.2, 2, CONF_LOW },
		{ fault_one_result, "shared memory", "several results", 1.5, 2,
		  CONF_LOW },
		{ fault_small_tile, "L2", "tile", 1.2, 2, CONF_LOW },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct made m;
		struct advice *a = advise(cases[i].build, &m);
		const struct finding *f = made_finding(a, REDUNDANT);

		assert_non_null(f);
		assert_ptr_equal(f, &a->finding[0]);
		assert_non_null(strstr(f->summary, cases[i].summary));
		assert_non_null(strstr(f->advice, cases[i].advice));
		assert_int_equal(f->confidence, cases[i].confidence);
		if (f->kernel_speedup < cases[i].least ||
		    f->kernel_speedup > cases[i].most)
			fail_msg("case %zu: × %g", i, f->kernel_speedup);
		assert_true(f->saves_low_s < f->saves_s);
		assert_true(f->saves_high_s > f->saves_s);
		finish(a, &m);
	}
}

/* Both loads of the product, and where they are. */
static void
test_redundant_lines(void **state)
{
	const struct finding *f;
	struct advice *a;
	struct made m;

	(void)state;
	a = advise(fault_naive_product, &m);
	f = made_finding(a, REDUNDANT);
	assert_int_equal(f->hots, 1);
	assert_int_equal(f->hot[0].line, 6);
	assert_string_equal(f->hot[0].what, "2.5 sectors a request");
	assert_true(fabs(evidence_of(f, "kept_ratio") - 1) < 1e-9);
	/* 3.2 GB asked for, 60 MiB of L2 and 43 MB from DRAM. */
	assert_true(evidence_of(f, "reuse_ratio") > 25);
	assert_true(evidence_of(f, "reuse_ratio") < 35);
	finish(a, &m);
}

/* What L2 may have held from before is never called loaded again. */
static void
test_redundant_needs_proof(void **state)
{
	const struct verdict *v;
	struct advice *a;
	struct made m;

	(void)state;
	made_init(&m);
	fault_naive_product(&m);
	m.device[0].limits.l2_bytes = (uint64_t)2 << 30;
	a = made_advice(&m);
	assert_null(made_finding(a, REDUNDANT));
	advice_free(a);
	/* Its size unknown: nothing is known. */
	m.device[0].limits.l2_bytes = 0;
	a = made_advice(&m);
	v = made_verdict(a, REDUNDANT);
	assert_int_equal(v->state, RULE_NOT_MEASURED);
	advice_free(a);
	m.device[0].limits.l2_bytes = 60u << 20;
	m.kernel[0].metric[METRIC_DRAM_READ] = NAN;
	a = made_advice(&m);
	v = made_verdict(a, REDUNDANT);
	assert_int_equal(v->state, RULE_NOT_MEASURED);
	finish(a, &m);
}

/* Conflicts first, then results: a row without padding is another rule's. */
static void
test_redundant_leaves_conflicts(void **state)
{
	struct advice *a;
	struct made m;
	double *v;

	(void)state;
	made_init(&m);
	fault_one_result(&m);
	v = m.kernel[0].metric;
	v[METRIC_SHARED_LD_CONFLICTS] = 0.5 * v[METRIC_SHARED_LD_WAVEFRONTS];
	a = made_advice(&m);
	assert_null(made_finding(a, REDUNDANT));
	advice_free(a);
	/* So is a grid without a wave of blocks no sure gain. */
	v[METRIC_SHARED_LD_CONFLICTS] = 0;
	m.kernel[0].occupancy.waves = 0.76;
	a = made_advice(&m);
	assert_true(made_finding(a, REDUNDANT)->saves_low_s == 0);
	finish(a, &m);
}

/* Nothing of it where neither L1 nor L2 is the limit. */
static void
test_redundant_needs_limit(void **state)
{
	struct advice *a;
	struct made m;

	(void)state;
	made_init(&m);
	fault_one_result(&m);
	m.kernel[0].metric[METRIC_ISSUE_ACTIVE] = 95;
	a = made_advice(&m);
	assert_null(made_finding(a, REDUNDANT));
	assert_int_equal(made_verdict(a, REDUNDANT)->state, RULE_CLEAN);
	finish(a, &m);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_redundant_advice),
		cmocka_unit_test(test_redundant_lines),
		cmocka_unit_test(test_redundant_needs_proof),
		cmocka_unit_test(test_redundant_leaves_conflicts),
		cmocka_unit_test(test_redundant_needs_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
