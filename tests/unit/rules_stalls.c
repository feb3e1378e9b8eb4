/*
 * The rules about stalls: the line that they name, what limits their gains, and
 * that a finding with a specific cause has priority.
 */
#include <string.h>

#include "unit/advise.h"

/* Waiting warps are sampled after the barrier; the barrier's line is named. */
MADE_TEST(test_line_of_barrier)
{
	const struct finding *f;
	struct advice *a;

	a = advised(fault_barriers, m);
	f = found_in(a, "barrier-stalls");
	assert_int_equal(f->hots, 1);
	assert_int_equal(f->hot[0].line, 21);
	assert_has(f->hot[0].sass, "BAR.SYNC");
	assert_has(f->summary, "31.6 barriers per warp");
	a = advised(fault_chain, m);
	f = found_in(a, "low-ilp");
	assert_int_equal(f->hot[0].line, 30);
	assert_int_equal(f->confidence, CONF_LOW);
	a = advised(fault_large_code, m);
	f = found_in(a, "instruction-cache-misses");
	assert_int_equal(f->hot[0].line, 40);
}

static double
saves(void (*build)(struct made *m), const char *rule, uint64_t unissued)
{
	const struct finding *f;
	struct advice *a;
	struct made m;
	double s;

	made_init(&m);
	build(&m);
	m.code[0]->code.samples.not_issued = unissued;
	a = made_advice(&m);
	f = made_finding(a, rule);
	s = f != NULL ? f->saves_s : 0;
	if (f != NULL)	/* half of the samples are at barriers or results */
		assert_true(f->saves_high_s <=
		    made_kernel_s(&m.kernel[0]) * 0.81);
	finish(a, &m);
	return s;
}

/* Time that warps wait while others issue cannot be saved. */
TEST(test_bound_by_issue)
{
	double full = saves(fault_barriers, "barrier-stalls", 900);
	double part = saves(fault_barriers, "barrier-stalls", 200);

	assert_true(full > 0.5 && full < 1.0);	/* of two seconds, half waited */
	assert_true(part > 0 && part < 0.5 * full);
	assert_true(saves(fault_barriers, "barrier-stalls", 0) == 0);
	full = saves(fault_chain, "low-ilp", 900);
	part = saves(fault_chain, "low-ilp", 300);
	assert_true(full > 0.6 && full < 1.0);
	assert_true(part > 0.4 && part < full);
	assert_true(saves(fault_chain, "low-ilp", 0) == 0);
}

/* A kernel of a scan whose steps have ${work} of their own; its finding. */
static const struct finding *
scanning(struct made *m, const char *code, const char *work, double dram)
{
	made_again(m);
	code_kernel(m, dram, code_text(code, work, work, work, work, work));
	return made_finding(made_advised(m), "shuffle-reduction");
}

/* A scan with two barriers a step is told as a tree is: unrolled and as a loop. Not so
 * where the neighbours stay the same, as in a stencil, the steps have work of their own,
 * shuffles do what they can, or memory is the limit. */
MADE_TEST(test_rounds)
{
#define FOUR(x)	x x x x
#define WORK	"FFMA R9,R9,R9,R9 | inst 100 line 40\n"
	static const char none[] = "MOV R9,R5 | inst 100 line 32";
	static const char much[] = FOUR(FOUR(FOUR(WORK))) WORK;
	static const char shuffle[] =
	    "SHFL.UP P0,R9,R5,0x1,RZ | inst 100 line 32";
	const struct finding *f = scanning(m, "scan_five", none, 0.1);

	assert_non_null(f);
	assert_string_equal(f->title, "exchange in rounds of barriers");
	assert_int_equal(f->confidence, CONF_LOW);
	assert_has(f->summary, "10 barriers");
	assert_true(f->kernel_speedup > 1.3 && f->kernel_speedup < 3);
	assert_null(scanning(m, "same_places", none, 0.1));
	assert_null(scanning(m, "scan_five", much, 0.1));
	assert_null(scanning(m, "scan_five", shuffle, 0.1));
	assert_null(scanning(m, "scan_five", none, 0.95));
	assert_non_null(scanning(m, "scan_loop", "R3", 0.1));
	assert_null(scanning(m, "scan_loop", "0x4", 0.1));
}

/* A tree reduction also waits at barriers: it is reported once. */
MADE_TEST(test_cause_comes_first)
{
	fault_tree(m);
	m->code[0]->code.samples.not_issued = m->code[0]->code.samples.all;
	made_found(m, "shuffle-reduction");
	made_quiet(m, "barrier-stalls");
	assert_int_equal(made_state(m, "barrier-stalls"), RULE_CLEAN);
	/* Low occupancy comes first, which the samples alone cannot know. */
	made_again(m);
	fault_chain(m);
	m->kernel[0].occupancy.ratio = 0.3;
	m->kernel[0].occupancy.blocks_per_sm = 2;
	m->kernel[0].occupancy.limiter = LIMITER_REGISTERS;
	m->kernel[0].metric[METRIC_OCCUPANCY] = 29;
	made_found(m, "low-theoretical-occupancy");
	made_quiet(m, "low-ilp");
}

/* At level counters there are no samples. */
MADE_TEST(test_needs_level_source)
{
	static const char *const rules[] = {
		"barrier-stalls", "low-ilp", "instruction-cache-misses"
	};
	struct advice *a;

	a = advised(fault_good, m);
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		const struct verdict *v = made_verdict(a, rules[i]);

		assert_int_equal(v->state, RULE_NOT_MEASURED);
		assert_int_equal(v->reason->code, REASON_NEEDS_SOURCE);
	}
}
