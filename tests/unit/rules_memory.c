/*
 * The findings of the rules about caches and traffic in detail: which advice
 * fits the limit, how much gain is predicted, and when the rules must not judge.
 */
#include <math.h>
#include <string.h>

#include "rules/gain/gain.h"

#include "unit/advise.h"

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

/* The limit decides the advice. */
MADE_TEST(test_redundant_advice)
{
	static const struct {
		builder *build;
		const char *summary, *advice;
		double least, most;	/* predicted speed-up */
		enum confidence confidence;
	} cases[] = {
		{ fault_naive_product, "loads", "several results", 2, 3,
		  CONF_MEDIUM },
		{ fault_naive_product_counted, "loads", "several results",
		  2, 3, CONF_LOW },
		{ fault_one_result, "shared memory", "several results", 1.5, 2,
		  CONF_LOW },
		{ fault_small_tile, "L2", "tile", 2, 3.2, CONF_LOW },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct advice *a = advised(cases[i].build, m);
		const struct finding *f = found_in(a, REDUNDANT);

		assert_ptr_equal(f, &a->finding[0]);
		assert_has(f->summary, cases[i].summary);
		assert_has(f->advice, cases[i].advice);
		assert_int_equal(f->confidence, cases[i].confidence);
		if (f->kernel_speedup < cases[i].least ||
		    f->kernel_speedup > cases[i].most)
			fail_msg("case %zu: × %g", i, f->kernel_speedup);
		assert_true(f->saves_low_s < f->saves_s);
		assert_true(f->saves_high_s > f->saves_s);
	}
}

/* More than one multiply-add for each value read: a thread has several results already. */
MADE_TEST(test_few_results)
{
	const struct finding *f;

	fault_one_result(m);
	f = made_found(m, REDUNDANT);
	assert_has(f->title, "one result per thread");
	m->kernel[0].metric[METRIC_PIPE_FMA] = 35;
	f = made_found(m, REDUNDANT);
	assert_has(f->title, "few results per thread");
	assert_has(f->advice, "8 × 8");
	m->kernel[0].metric[METRIC_PIPE_FMA] = 20;
	assert_has(made_found(m, REDUNDANT)->title, "one result per thread");
}

/* Below 60 % the L1 pipe is no limit yet, but what its loads are waited for counts
 * as much: a percent more or less decides nothing. */
MADE_TEST(test_redundant_by_degrees)
{
	static const double busy[] = { 0.65, 0.59, 0.5 };
	double before = 1e9, full;
	const struct finding *f;

	fault_naive_product(m);
	m->kernel[0].metric[METRIC_ISSUE_ACTIVE] = 20;
	full = m->kernel[0].metric[METRIC_LSU_WAVEFRONTS] / 0.92;
	for (size_t i = 0; i < sizeof(busy) / sizeof(busy[0]); i++) {
		m->kernel[0].metric[METRIC_LSU_WAVEFRONTS] = full * busy[i];
		f = made_found(m, REDUNDANT);
		assert_true(f->kernel_speedup > 1.1 && f->kernel_speedup < before);
		before = f->kernel_speedup;
	}
	m->kernel[0].metric[METRIC_LSU_WAVEFRONTS] = full * 0.3;
	made_quiet(m, REDUNDANT);
}

/* A product with a coefficient that all threads share: one load serves all
 * results of a thread, so more is saved than for a product of two loads. */
MADE_TEST(test_redundant_filter)
{
	const struct finding *f;
	struct advice *a;
	double own;

	a = advised(fault_coefficients_own, m);
	f = found_in(a, REDUNDANT);
	own = f->saves_s;
	assert_has(f->advice, "tile");
	a = advised(fault_coefficients, m);
	f = found_in(a, REDUNDANT);
	if (strstr(f->advice, "along the filter") == NULL)
		fail_msg("%s / %s", f->summary, f->advice);
	if (!(f->saves_s > 1.05 * own && f->kernel_speedup < 4))
		fail_msg("%g s, %g s where threads differ", f->saves_s, own);
}

/* The kernel was counted as a whole, its instructions were not. */
static void
lose_counts(struct made *m)
{
	struct code *c = &m->code[0]->code;

	c->counted = false;
	for (int v = 0; v < SOURCE_COUNT; v++) {
		c->total[v] = NAN;
		for (size_t i = 0; i < c->instructions; i++)
			c->instruction[i].value[v] = NAN;
	}
}

/* Instructions limit it, most of which load the same values or compute where they are:
 * each goes into several results. A product far behind its load is found, too. */
MADE_TEST(test_redundant_served)
{
	struct advice *a = advised(fault_clamped_taps, m);
	const struct finding *f = found_in(a, REDUNDANT);

	assert_ptr_equal(f, &a->finding[0]);
	assert_has(f->advice, "along the filter");
	assert_has(f->summary, "the addresses");
	/* A load and three instructions for each product. */
	assert_true(fabs(evidence_of(f, "served_ratio") - 0.78) < 0.02);
	if (!(f->kernel_speedup > 1.6 && f->kernel_speedup < 2.7))
		fail_msg("× %g", f->kernel_speedup);
	a = advised(fault_clamped_taps_hidden, m);
	assert_null(made_finding(a, REDUNDANT));
	/* By estimates from the code if its instructions were not counted. */
	made_again(m);
	fault_clamped_taps(m);
	lose_counts(m);
	f = made_found(m, REDUNDANT);
	assert_int_equal(f->confidence, CONF_LOW);
	assert_has(f->summary, "estimated");
	/* Multiply-adds that limit are not made fewer. */
	made_again(m);
	fault_clamped_taps(m);
	m->kernel[0].metric[METRIC_ISSUE_ACTIVE] = 40;
	m->kernel[0].metric[METRIC_PIPE_FMA] = 85;
	made_quiet(m, REDUNDANT);
}

/* Their code tells all the same whether a tile can hold what they load: no gather, and
 * nothing that is the same for the whole grid. */
MADE_TEST(test_redundant_uncounted)
{
	fault_naive_product(m);
	lose_counts(m);
	assert_int_equal(made_found(m, REDUNDANT)->confidence, CONF_LOW);
	made_again(m);
	fault_gathered_product(m);
	m->kernel[0].code = NULL;
	made_found(m, REDUNDANT);
	m->kernel[0].code = &m->code[0]->code;
	lose_counts(m);
	made_quiet(m, REDUNDANT);
	made_again(m);
	fault_uniform_product(m);
	lose_counts(m);
	made_quiet(m, REDUNDANT);
}

/* A sum that a loop keeps in memory: the stores of all iterations but the last
 * are saved, with L2's work for them; stores to other places remain. */
MADE_TEST(test_redundant_stores)
{
	const struct finding *f;
	struct advice *a = advised(fault_sum_in_memory, m);

	f = found_in(a, REDUNDANT);
	assert_ptr_equal(f, &a->finding[0]);
	assert_has(f->advice, "local variable");
	/* Half of the accesses, less one of 64 iterations. */
	assert_true(fabs(evidence_of(f, "stored_again_ratio") - 0.49) < 0.01);
	assert_int_equal(f->hot[0].line, 6);
	if (!(f->kernel_speedup > 2 && f->kernel_speedup < 6))
		fail_msg("× %g", f->kernel_speedup);
	a = advised(fault_sums_stored, m);
	assert_null(made_finding(a, REDUNDANT));
	a = advised(fault_sum_shown, m);
	assert_null(made_finding(a, REDUNDANT));
}

/* If the block's rows share one factor and its columns the other, it is a
 * matrix product, which tensor cores can compute. */
MADE_TEST(test_product)
{
	static const char tensor[] = "tensor-cores-unused";
	struct advice *a = advised(fault_product_of_squares, m);
	const struct finding *f = found_in(a, tensor);

	assert_ptr_equal(made_finding(a, REDUNDANT), &a->finding[0]);
	assert_int_equal(f->confidence, CONF_LOW);
	a = advised(fault_rows_by_rows, m);
	assert_null(made_finding(a, tensor));
	a = advised(fault_naive_product, m);
	assert_null(made_finding(a, tensor));
}

/* L2 counts traffic between its partitions twice: L1 requested less. */
MADE_TEST(test_host_partitions)
{
	const struct finding *f;
	double *v;

	fault_zero_copy(m);
	v = m->kernel[0].metric;
	v[METRIC_L2_FROM_L1] = v[METRIC_L2_SYSMEM];
	v[METRIC_L2_SYSMEM] *= 1.5;
	v[METRIC_L2_SECTORS] *= 1.5;
	f = made_found(m, "host-memory-access");
	assert_true(fabs(evidence_of(f, "host_bytes") - 9e6) < 1);
}

/* Both loads of the product, and where they are. */
MADE_TEST(test_redundant_lines)
{
	const struct finding *f;
	struct advice *a;

	a = advised(fault_naive_product, m);
	f = made_finding(a, REDUNDANT);
	assert_int_equal(f->hots, 1);
	assert_int_equal(f->hot[0].line, 6);
	assert_string_equal(f->hot[0].what, "2.5 sectors per request");
	assert_true(fabs(evidence_of(f, "kept_ratio") - 1) < 1e-9);
	/* 3.2 GB requested, 60 MiB of L2 and 43 MB from DRAM. */
	assert_true(evidence_of(f, "reuse_ratio") > 25);
	assert_true(evidence_of(f, "reuse_ratio") < 35);
}

/* Data that L2 may have held before is never reported as loaded again. */
MADE_TEST(test_redundant_needs_proof)
{
	const struct verdict *v;
	struct advice *a;

	fault_naive_product(m);
	m->device[0].limits.l2_bytes = (uint64_t)2 << 30;
	made_quiet(m, REDUNDANT);
	/* The size of L2 is unknown: no judgement. */
	m->device[0].limits.l2_bytes = 0;
	a = made_advised(m);
	v = made_verdict(a, REDUNDANT);
	assert_int_equal(v->state, RULE_NOT_MEASURED);
	m->device[0].limits.l2_bytes = 60u << 20;
	m->kernel[0].metric[METRIC_DRAM_READ] = NAN;
	a = made_advised(m);
	v = made_verdict(a, REDUNDANT);
	assert_int_equal(v->state, RULE_NOT_MEASURED);
}

/* A small program: L2 could hold its data ten times, but there is no more of it. */
MADE_TEST(test_redundant_small)
{
	const struct finding *f;

	fault_naive_product(m);
	m->device[0].limits.l2_bytes = (uint64_t)2 << 30;
	m->run.peak_memory_bytes = 100000000;
	f = made_found(m, REDUNDANT);
	assert_true(fabs(evidence_of(f, "unique_bytes") - 1e8) < 1);
	/* The lost records may have been allocations. */
	m->run.records = 100000;
	m->run.lost = 1;
	made_quiet(m, REDUNDANT);
	/* It read more than was recorded: there is more memory. */
	m->run.lost = 0;
	m->run.peak_memory_bytes = 10000000;
	made_quiet(m, REDUNDANT);
}

/* Conflicts come first, then results: a row without padding belongs to another rule. */
MADE_TEST(test_redundant_leaves_conflicts)
{
	double *v;

	fault_one_result(m);
	v = m->kernel[0].metric;
	v[METRIC_SHARED_LD_CONFLICTS] = 0.5 * v[METRIC_SHARED_LD_WAVEFRONTS];
	made_quiet(m, REDUNDANT);
	/* Without a full wave of blocks the gain is not certain either. */
	v[METRIC_SHARED_LD_CONFLICTS] = 0;
	m->kernel[0].occupancy.waves = 0.76;
	assert_true(made_found(m, REDUNDANT)->saves_low_s == 0);
}

/* No finding if neither L1 nor L2 is the limit. */
MADE_TEST(test_redundant_needs_limit)
{
	fault_one_result(m);
	m->kernel[0].metric[METRIC_ISSUE_ACTIVE] = 95;
	made_quiet(m, REDUNDANT);
	assert_int_equal(made_state(m, REDUNDANT), RULE_CLEAN);
}

/* --- host-memory-access ---------------------------------------------------- */

MADE_TEST(test_host_gain)
{
	const struct finding *f;
	struct advice *a;

	/* 9 MB at 53 GB/s are 170 of 200 µs. */
	a = advised(fault_zero_copy, m);
	f = made_finding(a, "host-memory-access");
	assert_true(fabs(evidence_of(f, "link_ratio") - 0.85) < 0.02);
	assert_true(evidence_of(f, "reads_ratio") > 0.98);
	assert_true(f->kernel_speedup > 5 && f->kernel_speedup < 8);
	assert_true(f->saves_low_s > 0);
	assert_int_equal(f->confidence, CONF_MEDIUM);
	/* Hardly any of what L2 moves, and most of the time. */
	m->kernel[0].metric[METRIC_L2_SECTORS] = 60 *
	    m->kernel[0].metric[METRIC_L2_SYSMEM];
	assert_true(made_found(m, "host-memory-access")->kernel_speedup > 2);
	/* All of the bytes may have been stores: nothing is certain. */
	a = advised(fault_zero_copy_stores, m);
	f = made_finding(a, "host-memory-access");
	assert_true(f->saves_low_s == 0);
	assert_int_equal(f->confidence, CONF_LOW);
}

/* Few launches: the copy costs as much as it saves. */
MADE_TEST(test_host_needs_launches)
{
	const struct finding *f;
	struct kernel *k;

	fault_zero_copy(m);
	m->run.peak_host_bytes = 9000000;
	k = &m->kernel[0];
	k->launches = 2;
	k->total_ns = 2 * 200000;
	k->exposed_ns = k->alone_ns = (double)k->total_ns;
	f = made_found(m, "host-memory-access");
	assert_true(f->kernel_speedup > 1.5 && f->kernel_speedup < 2.2);
	k->launches = 1;
	made_quiet(m, "host-memory-access");
}

/* --- l2-thrash ------------------------------------------------------------- */

MADE_TEST(test_thrash_limits)
{
	static const struct {
		uint64_t memory, statics;
		double used;		/* bytes used of a sector */
		enum rule_state want;
	} cases[] = {
		{ 120u << 20, 0, 32, RULE_FOUND },
		{ 120u << 20, (uint64_t)1 << 30, 32, RULE_CLEAN },
		{ 10u << 20, 0, 32, RULE_NOT_MEASURED },
		{ 120u << 20, 0, 4, RULE_CLEAN },	/* uncoalesced */
		{ (uint64_t)600 << 20, 0, 32, RULE_CLEAN },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct verdict *v;
		struct advice *a;

		made_again(m);
		fault_sweeping(m);
		m->run.peak_memory_bytes = cases[i].memory;
		m->run.static_bytes = cases[i].statics;
		m->kernel[0].metric[METRIC_GLOBAL_LD_BYTES_PER_SECTOR] =
		    cases[i].used;
		a = made_advised(m);
		v = made_verdict(a, "l2-thrash");
		if (v->state != cases[i].want)
			fail_msg("case %zu is %s", i,
			    rule_state_name[v->state]);
	}
}

/* Data ten times as large as L2 is streamed, however often: no order helps, but one pass
 * that does the work of several. Sectors of which little is used prove no pass. */
MADE_TEST(test_thrash_leaves_large)
{
	const struct finding *f;

	fault_sweeping(m);
	assert_int_equal(made_state(m, REDUNDANT), RULE_CLEAN);
	m->run.peak_memory_bytes = (uint64_t)100 << 20;
	m->device[0].limits.l2_bytes = 10u << 20;
	made_quiet(m, "l2-thrash");
	assert_int_equal(made_state(m, "l2-thrash"), RULE_CLEAN);
	f = made_found(m, REDUNDANT);
	assert_has(f->advice, "one pass of several");
	assert_true(evidence_of(f, "passes_ratio") >= 2);
	assert_true(f->saves_low_s > 0 && f->saves_s > f->saves_low_s);
	m->run.peak_memory_bytes = 4u << 20;	/* there is more than that */
	made_quiet(m, REDUNDANT);
	m->run.peak_memory_bytes = (uint64_t)100 << 20;
	m->kernel[0].metric[METRIC_GLOBAL_LD_BYTES_PER_SECTOR] = 4;
	made_quiet(m, REDUNDANT);
	m->kernel[0].metric[METRIC_GLOBAL_LD_BYTES_PER_SECTOR] = NAN;
	made_quiet(m, REDUNDANT);	/* nor does the code show it */
}

/* --- cache-config-mismatch ------------------------------------------------- */

MADE_TEST(test_carveout)
{
	const struct finding *f;
	struct advice *a;

	a = advised(fault_all_shared, m);
	f = made_finding(a, "cache-config-mismatch");
	assert_ptr_equal(f, &a->finding[0]);
	/* 256 KiB, of which 228 are shared memory: 28 for L1; or 8, with what
	 * is reserved. */
	assert_true(evidence_of(f, "l1_bytes") == 28 << 10);
	assert_true(evidence_of(f, "l1_possible_bytes") == 248 << 10);
	assert_true(evidence_of(f, "carveout") == 100);
	/* The working set may be far larger than any L1. */
	assert_true(f->saves_low_s == 0 && f->saves_s > 0);
	a = advised(fault_small_carveout, m);
	f = made_finding(a, "cache-config-mismatch");
	assert_ptr_equal(f, &a->finding[0]);
	assert_true(evidence_of(f, "shared_bytes") == 64 << 10);
	assert_true(evidence_of(f, "more_warps_ratio") == 5);
	assert_has(f->summary, "room for 1 block;");
	/* The driver gave more than was requested. */
	m->kernel[0].shape.smem_executed = 132 << 10;
	made_quiet(m, "cache-config-mismatch");
}

/* What the driver reports as executed has priority over the request. */
MADE_TEST(test_carveout_executed)
{
	fault_all_shared(m);
	m->kernel[0].shape.smem_executed = 32 << 10;
	made_quiet(m, "cache-config-mismatch");
	m->kernel[0].shape.smem_executed = 228 << 10;
	made_found(m, "cache-config-mismatch");
	m->device[0].sm = chip_of(6, 0);	/* L1 is separate there */
	assert_int_equal(made_state(m, "cache-config-mismatch"),
	    RULE_NOT_MEASURED);
}

/* --- global-atomic-contention ---------------------------------------------- */

/* The bins of a histogram: atomics of different lanes leave L1 one by one, and
 * L2 executes them far below its rate, though all of them hit. */
MADE_TEST(test_few_bins)
{
	static const char rule[] = "global-atomic-contention";
	struct kernel *k = code_kernel(m, 0.01, code_text("adding",
	    "REDG.E.ADD.STRONG.GPU desc[UR4][R6.64],R9 | inst 100 sectors 1900 "
	    "ideal 400 line 5\n"));
	const struct finding *f;
	double *v = k->metric;

	m->code[0]->code.counted = m->code[0]->code.sampled = false;
	m->code[0]->code.samples.all = 0;
	v[METRIC_L2_FROM_L1] = v[METRIC_GLOBAL_LD_SECTORS] +
	    v[METRIC_GLOBAL_ST_SECTORS] + 1e6;
	v[METRIC_LSU_WAVEFRONTS] = 3e5;
	v[METRIC_INST_EXECUTED] = 5e5;
	v[METRIC_GLOBAL_LD_INST] = 2e4;
	v[METRIC_SM_CYCLES_ACTIVE_AVG] = v[METRIC_SM_CYCLES_ACTIVE_MAX] = 4e5;
	v[METRIC_ISSUE_ACTIVE] = v[METRIC_L2_PCT] = 2;
	f = made_found(m, rule);
	assert_has(f->summary, "few places");
	assert_true(f->kernel_speedup > 5);
	/* DRAM traffic shows that they go to many places. */
	v[METRIC_DRAM_READ] += 1e6 * 32;
	made_quiet(m, rule);
}

/* As many scattered loads as atomics: waiting at memory is due to the atomics,
 * except for the eighth of the time in which L2 moves the loaded data. */
MADE_TEST(test_atomics_beside_loads)
{
	struct kernel *k = code_kernel(m, 0.01,
	    "LDG.E R9,desc[UR4][R2.64] | inst 100 sectors 3200 ideal 400\n"
	    "REDG.E.ADD.STRONG.GPU desc[UR4][R6.64],R9 | inst 100 sectors 3200 "
	    "ideal 400 line 5\n");
	const struct finding *f;
	double *v = k->metric;

	v[METRIC_STALL_LONG_SCOREBOARD] = v[METRIC_STALL_LG_THROTTLE] = NAN;
	v[METRIC_SHARED_LD_INST] = v[METRIC_SHARED_ST_INST] = 0;
	v[METRIC_INST_EXECUTED] = 5e5;
	v[METRIC_GLOBAL_LD_REQUESTS] = v[METRIC_GLOBAL_LD_INST] = 1e5;
	v[METRIC_SM_CYCLES_ACTIVE_AVG] = v[METRIC_SM_CYCLES_ACTIVE_MAX] = 4e5;
	v[METRIC_OCCUPANCY] = 90;
	v[METRIC_ISSUE_ACTIVE] = 2;
	v[METRIC_L2_SECTORS] = 0.15 * 200e-6 / 32 *
	    m->device[0].ceilings.l2_bytes_per_s;
	v[METRIC_L2_PCT] = 15;
	f = made_found(m, "global-atomic-contention");
	if (!(f->kernel_speedup > 5 && f->kernel_speedup < 15))
		fail_msg("%g", f->kernel_speedup);
}

/* A lock is taken by a compare-and-swap and freed at the same address: what it guards
 * goes with the waiting, and no sum in the block replaces it. */
MADE_TEST(test_locks)
{
	static const char *const freed[] = {
		"ATOMG.E.EXCH.STRONG.GPU PT,RZ,desc[UR4][R6.64],RZ",
		"STG.E.STRONG.GPU desc[UR4][R6.64],RZ",
		"ATOMG.E.EXCH.STRONG.GPU PT,RZ,desc[UR4][R16.64],RZ",
	};
	double speedup[3];

	for (int i = 0; i < 3; i++) {
		struct kernel *k;
		const struct finding *f;
		double *v;

		made_again(m);
		k = code_kernel(m, 0.01, code_text("locked", freed[i]));
		v = k->metric;
		v[METRIC_STALL_LONG_SCOREBOARD] = v[METRIC_STALL_LG_THROTTLE] =
		    NAN;
		v[METRIC_SHARED_LD_INST] = v[METRIC_SHARED_ST_INST] = 0;
		v[METRIC_INST_EXECUTED] = 2e6;
		v[METRIC_GLOBAL_LD_REQUESTS] = v[METRIC_GLOBAL_LD_INST] = 4e5;
		v[METRIC_SM_CYCLES_ACTIVE_AVG] =
		    v[METRIC_SM_CYCLES_ACTIVE_MAX] = 4e5;
		v[METRIC_OCCUPANCY] = 90;
		v[METRIC_ISSUE_ACTIVE] = 2;
		v[METRIC_L2_SECTORS] = 0.4 * 200e-6 / 32 *
		    m->device[0].ceilings.l2_bytes_per_s;
		v[METRIC_L2_PCT] = 40;
		/* Turns in the queue of L1 are the lock's, too. */
		v[METRIC_LSU_WAVEFRONTS] = 0.35 * 4e5 * 132;
		f = made_found(m, "global-atomic-contention");
		assert_true((strstr(f->advice, "without the lock") != NULL) ==
		    (i < 2));
		speedup[i] = f->kernel_speedup;
	}
	if (!(speedup[0] > 1.3 * speedup[2]))
		fail_msg("%g %g", speedup[0], speedup[2]);
}

/* --- divergent-constant-access --------------------------------------------- */

MADE_TEST(test_constant_waits)
{
	const struct finding *f;
	struct advice *a;

	/* 10 samples at the load, 700 at the instruction that uses it, 290
	 * elsewhere. */
	a = advised(fault_lookup, m);
	f = made_finding(a, "divergent-constant-access");
	assert_true(fabs(evidence_of(f, "waiting_ratio") - 0.71) < 1e-9);
	assert_int_equal(f->hots, 1);
	assert_int_equal(f->hot[0].line, 5);
	made_again(m);
	fault_lookup(m);
	m->code[0]->code.samples.all = 50;
	assert_int_equal(made_verdict(made_advised(m),
	    "divergent-constant-access")->reason->code, REASON_FEW_SAMPLES);
}

/* The index of a search is not computed from what each lane looks for, but chosen by
 * comparing that. What all lanes compare alike, and a bound, leave them together. */
MADE_TEST(test_constant_searched)
{
	static const char compare[] = "FSETP.GTU.AND P1,PT,R9,R8,PT";
	static const struct {
		const char *index, *compare, *choose;
		bool found;
	} cases[] = {
		{ "R5", compare, "SEL R7,R12,R7,!P1", true },
		{ "R5", compare, "@!P1 MOV R7,R12", true },
		{ "R5", "ISETP.GT.AND P1,PT,R9,R8,PT", "@!P1 MOV R7,R12", true },
		{ "R6", compare, "SEL R7,R12,R7,!P1", false },
		{ "R6", compare, "@!P1 MOV R7,R12", false },
		{ "R5", compare, "MOV R7,R12", false },
		{ "R5", "FSETP.GTU.AND P2,PT,R9,R8,PT", "@!P1 MOV R7,R12", false },
		{ "R5", "ISETP.GT.AND P1,PT,R5,0x50,PT", "@!P1 MOV R7,R12", false },
		{ "R5", "PLOP3.LUT P1,PT,PT,PT,PT,0x8,0x0", "@!P1 MOV R7,R12",
		  false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		made_again(m);
		code_kernel(m, 0.1, code_text("searched", cases[i].index,
		    cases[i].compare, cases[i].choose));
		if ((made_finding(made_advised(m), "divergent-constant-access") !=
		    NULL) != cases[i].found)
			fail_msg("%s, %s, %s", cases[i].index, cases[i].compare,
			    cases[i].choose);
	}
}

/* An index that is longer than a slice goes is divergent if what was followed of it
 * differs between lanes. */
MADE_TEST(test_constant_long)
{
	static const char again[] = "IADD3 R10,R10,0x1,RZ | inst 64\n";
	char work[420 * sizeof(again)] = "";

	for (int i = 0; i < 420; i++)
		strcat(work, again);
	for (int lanes = 0; lanes < 2; lanes++) {
		made_again(m);
		code_kernel(m, 0.1, code_text("lookup", lanes ? "R5" : "R6",
		    290, 700, work));
		if ((made_finding(made_advised(m), "divergent-constant-access") !=
		    NULL) != lanes)
			fail_msg("lanes: %d", lanes);
	}
}

/* Without samples, a wait that neither memory nor instructions explain is
 * attributed to constants, if so many addresses can take that long. */
MADE_TEST(test_constant_unsampled)
{
	static const char rule[] = "divergent-constant-access";

	for (long inst = 4000; inst <= 4000000; inst *= 1000) {
		const struct finding *f;
		double *v;

		made_again(m);
		fault_lookup(m);
		v = m->kernel[0].metric;
		m->code[0]->code.sampled = false;
		m->code[0]->code.samples.all = 0;
		for (size_t i = 0; i < m->code[0]->code.instructions; i++)
			m->code[0]->code.instruction[i].value[SOURCE_INST] *=
			    inst / 4e6;
		v[METRIC_STALL_LONG_SCOREBOARD] = NAN;
		v[METRIC_STALL_LG_THROTTLE] = NAN;
		v[METRIC_SHARED_LD_INST] = v[METRIC_SHARED_ST_INST] = 0;
		v[METRIC_DRAM_READ] = v[METRIC_DRAM_WRITE] = 1e5;
		v[METRIC_ISSUE_ACTIVE] = v[METRIC_L2_PCT] = 1;
		v[METRIC_INST_EXECUTED] = 1e5;
		v[METRIC_GLOBAL_LD_INST] = v[METRIC_GLOBAL_LD_REQUESTS] = 0;
		v[METRIC_GLOBAL_LD_SECTORS] = 0;
		v[METRIC_SM_CYCLES_ACTIVE_AVG] = 4e5;
		v[METRIC_SM_CYCLES_ACTIVE_MAX] = 4e5;
		f = made_finding(made_advised(m), rule);
		if (inst == 4000) {
			assert_null(f);
			continue;
		}
		assert_non_null(f);
		assert_true(f->kernel_speedup > 2);
		assert_int_equal(f->hot[0].line, 5);
	}
}

/* --- low-memory-throughput ------------------------------------------------- */

#define LOW "low-memory-throughput"

/* The gain up to three quarters of DRAM's ceiling, from 30 %; the interval is
 * as wide as past errors of such predictions. Without the code only half of
 * that is predicted. */
MADE_TEST(test_low_gain)
{
	const struct finding *f;
	struct advice *a;
	double code, exposed;

	a = advised(fault_one_load, m);
	f = made_finding(a, LOW);
	code = f->kernel_speedup;
	assert_true(code > 2.3 && code < 2.6);
	exposed = gain_exposed_s(f->kernel);
	assert_true(fabs(f->saves_high_s / exposed - (1 - 1 / code /
	    gain_doubt(f->grounds))) < 1e-6);
	a = advised(fault_one_load_counted, m);
	assert_true(made_finding(a, LOW)->kernel_speedup < code);
}

MADE_TEST(test_low_is_last)
{
	const struct finding *f;
	struct advice *a;

	a = advised(fault_one_load, m);
	f = made_finding(a, LOW);
	assert_int_equal(f->hot[0].line, 6);
	assert_int_equal(f->severity, SEV_MEDIUM);
	a = advised(fault_one_load_counted, m);
	assert_int_equal(made_finding(a, LOW)->severity, SEV_LOW);
	/* Another rule knows the cause. */
	made_again(m);
	fault_one_load(m);
	m->kernel[0].occupancy.ratio = 0.25;
	m->kernel[0].occupancy.limiter = LIMITER_REGISTERS;
	m->kernel[0].occupancy.blocks_per_sm = 2;
	made_found(m, "low-theoretical-occupancy");
	made_quiet(m, LOW);
	assert_int_equal(made_state(m, LOW), RULE_CLEAN);
}

/* If a counter or the code is missing, a finding must not become clean: it
 * becomes less certain, or not measured. */
MADE_TEST(test_less_is_not_clean)
{
	static const struct {
		builder *build;
		const char *rule;
	} cases[] = {
		{ fault_naive_product, REDUNDANT },
		{ fault_naive_product_counted, REDUNDANT },
		{ fault_one_result, REDUNDANT },
		{ fault_small_tile, REDUNDANT },
		{ fault_zero_copy, "host-memory-access" },
		{ fault_sweeping, "l2-thrash" },
		{ fault_all_shared, "cache-config-mismatch" },
		{ fault_small_carveout, "cache-config-mismatch" },
		{ fault_lookup, "divergent-constant-access" },
		{ fault_one_load, LOW },
		{ fault_one_load_counted, LOW },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (int k = 0; k <= METRIC_COUNT; k++) {

			made_again(m);
			cases[i].build(m);
			if (k == METRIC_COUNT)
				m->kernel[0].code = NULL;
			else
				m->kernel[0].metric[k] = NAN;
			if (made_verdict(made_advised(m), cases[i].rule)->state ==
			    RULE_CLEAN)
				fail_msg("case %zu is clean without %s", i,
				    k == METRIC_COUNT ? "its code" :
				    metric_table[k].name);
		}
}
