/*
 * The checklist: its table against the table of rules, and how a line's state
 * is decided.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/checklist.h"
#include "unit/test.h"

#include "rules/faults.h"
#include "rules/made.h"

static const struct check_line *
line_find(const char *id)
{
	for (size_t i = 0; i < check_table_size; i++)
		if (strcmp(check_table[i].id, id) == 0)
			return &check_table[i];
	fail_msg("no line '%s'", id);
	return NULL;
}

/* Every rule is on exactly one line. */
TEST(every_rule_once)
{
	size_t lines;

	for (size_t r = 0; r < rule_count(); r++) {
		const char *id = rule_info(r)->id;

		lines = 0;
		for (size_t i = 0; i < check_table_size; i++)
			lines += checklist_has(&check_table[i], id);
		if (lines == 0)
			fail_msg("the rule '%s' is on no line of the checklist: "
			    "its .checklist in rules.def is no line of "
			    "daemon/report/checklist.def", id);
		if (lines > 1)
			fail_msg("%zu lines of the checklist have the id that "
			    "the rule '%s' names", lines, id);
	}
}

TEST(lines_are_told_apart)
{
	for (size_t i = 0; i < check_table_size; i++) {
		const struct check_line *line = &check_table[i];

		assert_true(line->group < CHECK_GROUPS);
		/* A rule or a fact must decide it. */
		assert_true(line->rests_on != NULL || line->fact[0] != NULL);
		if (line->rests_on != NULL &&
		    !checklist_has(line, line->rests_on))
			fail_msg("%s is no rule of the line %s",
			    line->rests_on, line->id);
		for (size_t r = 0; line->rests_on == NULL &&
		    r < rule_count(); r++)
			assert_false(checklist_has(line, rule_info(r)->id));
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(check_table[k].id, line->id);
	}
	for (size_t g = 0; g < CHECK_GROUPS; g++)
		assert_non_null(check_group_table[g].title);
}

struct answered {
	struct made m;
	struct advice *advice;
	struct check_answer answer;
};

static void
answer(struct answered *a, const char *id)
{
	struct check_view x = { &a->m.run, NULL };

	a->advice = made_advice(&a->m);
	x.advice = a->advice;
	checklist_answer(&a->answer, line_find(id), &x);
	advice_free(a->advice);
	a->advice = NULL;
}

TEST(a_finding_fails_its_line)
{
	struct answered a;

	made_init(&a.m);
	fault_scattered(&a.m);
	a.m.kernel[0].metric[METRIC_GLOBAL_LD_BYTES_PER_SECTOR] = 4;
	answer(&a, "coalescing");
	assert_int_equal(a.answer.state, CHECK_FAILED);
	assert_int_equal(a.answer.found, 1);
	assert_int_equal(a.answer.facts, 1);
	assert_true(a.answer.fact[0].value < 0.5);
	/* No other line fails. */
	answer(&a, "bank-conflicts");
	assert_int_equal(a.answer.state, CHECK_PASSED);
}

/* A finding that is not worth a change neither fails nor passes its line. */
TEST(a_minor_finding_does_not)
{
	struct answered a;
	struct kernel *k = &a.m.kernel[0];

	made_init(&a.m);
	fault_scattered(&a.m);
	/* Its launches take a few microseconds of ten seconds. */
	k->launches = 1;
	k->total_ns = 4000;
	k->exposed_ns = k->alone_ns = 4000;
	answer(&a, "coalescing");
	assert_int_equal(a.answer.state, CHECK_NO_GAIN);
	assert_int_equal(a.answer.found, 0);
	assert_int_equal(a.answer.minor, 1);
}

/* Copies that no kernel hides, but too few to matter. */
TEST(what_is_poor_is_not_passed)
{
	struct answered a;
	struct device *d = &a.m.device[0];

	made_init(&a.m);
	made_counters(&a.m, made_kernel(&a.m, "k", 1000, 4000000), 0.9);
	d->copy_ns = 1000;
	answer(&a, "overlap");
	assert_int_equal(a.answer.state, CHECK_NO_GAIN);
	d->copy_hidden_ns = 900;
	answer(&a, "overlap");
	assert_int_equal(a.answer.state, CHECK_PASSED);
}

/* Without counters the lines that need them are not passed, and say so. */
TEST(unmeasured_is_not_passed)
{
	struct answered a;

	made_init(&a.m);
	made_kernel(&a.m, "k", 1000, 4000000)->skip = SKIP_LEVEL;
	answer(&a, "coalescing");
	assert_int_equal(a.answer.state, CHECK_NOT_MEASURED);
	assert_int_equal(a.answer.reason->code, REASON_LEVEL);
	assert_true(isnan(a.answer.fact[0].value));
	assert_non_null(a.answer.fact[0].reason);
	answer(&a, "measured");
	assert_int_equal(a.answer.state, CHECK_FAILED);
	/* The launch shape is known without counters. */
	answer(&a, "block-size");
	assert_int_equal(a.answer.state, CHECK_PASSED);
}

TEST(nothing_was_launched)
{
	struct answered a;

	made_init(&a.m);
	for (size_t i = 0; i < check_table_size; i++) {
		answer(&a, check_table[i].id);
		assert_true(a.answer.state < CHECK_STATES);
		if (a.answer.state == CHECK_NOT_MEASURED)
			assert_non_null(a.answer.reason);
		for (size_t k = 0; k < a.answer.facts; k++)
			assert_true(isfinite(a.answer.fact[k].value) ||
			    a.answer.fact[k].reason != NULL);
	}
	answer(&a, "coalescing");
	assert_int_equal(a.answer.state, CHECK_NOT_MEASURED);
}

/* Lines without a rule: each fact is tested on both sides of its limit. */
TEST(facts_decide)
{
	struct process process = { .ended = false };
	struct answered a;
	struct kernel *k;

	made_init(&a.m);
	k = made_kernel(&a.m, "k", 1000, 4000000);
	made_counters(&a.m, k, 0.9);
	a.m.run.state = RUN_FINISHED;
	a.m.run.records = 1000;
	answer(&a, "record");
	assert_int_equal(a.answer.state, CHECK_PASSED);
	a.m.run.lost = 1;
	answer(&a, "record");
	assert_int_equal(a.answer.state, CHECK_FAILED);
	a.m.run.lost = 0;
	a.m.run.state = RUN_TRUNCATED;
	answer(&a, "record");
	assert_int_equal(a.answer.state, CHECK_FAILED);
	a.m.run.state = RUN_FINISHED;
	a.m.run.process = &process;
	a.m.run.processes = 1;
	answer(&a, "record");
	assert_int_equal(a.answer.state, CHECK_FAILED);
	process.ended = true;
	answer(&a, "record");
	assert_int_equal(a.answer.state, CHECK_PASSED);
	a.m.run.process = NULL;
	a.m.run.processes = 0;
	a.m.run.state = RUN_TRUNCATED;

	a.m.run.budget = 0.05;
	a.m.run.overhead_total_ns = a.m.run.wall_ns / 25;
	answer(&a, "overhead");
	assert_int_equal(a.answer.state, CHECK_PASSED);
	a.m.run.overhead_total_ns = a.m.run.wall_ns / 10;
	answer(&a, "overhead");
	assert_int_equal(a.answer.state, CHECK_FAILED);
	a.m.run.budget = NAN;
	answer(&a, "overhead");
	assert_int_equal(a.answer.state, CHECK_NOT_MEASURED);

	answer(&a, "bottleneck");
	assert_int_equal(a.answer.state, CHECK_PASSED);
	made_kernel(&a.m, "blind", 1000, 4000000);
	answer(&a, "bottleneck");
	assert_int_equal(a.answer.state, CHECK_FAILED);
	assert_true(fabs(a.answer.fact[0].value - 0.5) < 1e-9);

	answer(&a, "ceilings");
	assert_int_equal(a.answer.state, CHECK_FAILED);
	a.m.device[0].ceilings.calibrated = true;
	answer(&a, "ceilings");
	assert_int_equal(a.answer.state, CHECK_PASSED);
}

/* A kernel to which a mean does not apply does not count as unmeasured. */
TEST(means_are_of_what_applies)
{
	struct answered a;
	struct kernel *k;

	made_init(&a.m);
	k = made_kernel(&a.m, "plain", 1000, 4000000);
	made_counters(&a.m, k, 0.9);
	k->metric[METRIC_SHARED_WAVEFRONTS] = 0;
	k = made_kernel(&a.m, "tile", 1000, 1000000);
	made_counters(&a.m, k, 0.9);
	k->metric[METRIC_SHARED_WAVEFRONTS] = 1000;
	k->metric[METRIC_SHARED_LD_CONFLICTS] = 250;
	k->metric[METRIC_SHARED_ST_CONFLICTS] = 0;
	answer(&a, "bank-conflicts");
	assert_true(fabs(a.answer.fact[0].value - 0.25) < 1e-9);
	assert_true(fabs(a.answer.fact[0].covered - 1) < 1e-9);
	made_kernel(&a.m, "blind", 1000, 3000000)->skip = SKIP_LEVEL;
	answer(&a, "bank-conflicts");
	assert_true(fabs(a.answer.fact[0].covered - 0.25) < 1e-9);
}
