/*
 * Findings at the default level, from counters of whole kernels: what these
 * prove is found; what only code or counts of instructions could show has low
 * severity, or is not measured.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "unit/advise.h"

#define SHIFTED "misaligned-access"
#define SCATTERED "uncoalesced-global-access"

static double
evidence_of(const struct finding *f, const char *name)
{
	for (size_t i = 0; i < f->evidences; i++)
		if (strcmp(f->evidence[i].name, name) == 0)
			return f->evidence[i].value;
	fail_msg("no %s", name);
	return NAN;
}

/* A kernel limited by DRAM. Each load takes ${sectors} sectors, of each of
 * which ${used} bytes are used, with ${lanes} active lanes. */
static struct advice *
loading(struct made *m, double sectors, double used, double lanes)
{
	struct kernel *k;
	double *v;

	made_again(m);
	k = made_measured(m, "load", 1000, 1000000, 0.76);
	v = k->metric;
	v[METRIC_GLOBAL_LD_SECTORS] = v[METRIC_GLOBAL_LD_REQUESTS] * sectors;
	v[METRIC_GLOBAL_LD_BYTES_PER_SECTOR] = used;
	v[METRIC_THREAD_INST] = v[METRIC_THREAD_INST_PRED_ON] =
	    v[METRIC_INST_EXECUTED] * lanes;
	v[METRIC_L2_READ] = v[METRIC_GLOBAL_LD_SECTORS];
	v[METRIC_L2_SECTORS] = v[METRIC_L2_READ] + v[METRIC_L2_WRITE];
	v[METRIC_DRAM_READ] = v[METRIC_GLOBAL_LD_SECTORS] * 32;
	return made_advised(m);
}

/* If the used bytes of a sector were not counted, wavefronts distinguish wide
 * accesses from scattered ones: half of the loads have a sector for each lane,
 * half one for all. */
MADE_TEST(test_scattered)
{
	struct kernel *k = made_kernel(m, "k", 1, 2000000);
	const struct finding *f;
	double *v = k->metric;

	made_counters(m, k, 0.1);
	k->shape.smem_static = k->shape.smem_dynamic = 0;
	k->shape.local_per_thread = 0;
	v[METRIC_GLOBAL_LD_BYTES_PER_SECTOR] = NAN;
	v[METRIC_GLOBAL_ST_BYTES_PER_SECTOR] = NAN;
	v[METRIC_GLOBAL_LD_SECTORS] = 16.5 * v[METRIC_GLOBAL_LD_REQUESTS];
	v[METRIC_LSU_WAVEFRONTS] = 16 * v[METRIC_GLOBAL_LD_REQUESTS] +
	    2 * v[METRIC_GLOBAL_ST_REQUESTS];
	v[METRIC_SM_CYCLES_ACTIVE_AVG] = v[METRIC_SM_CYCLES_ACTIVE_MAX] =
	    v[METRIC_LSU_WAVEFRONTS] / 132;
	f = made_found(m, SCATTERED);
	assert_has(f->summary, "estimated for 4-byte elements");
	/* 16 bytes a lane. */
	v[METRIC_GLOBAL_LD_SECTORS] = 16 * v[METRIC_GLOBAL_LD_REQUESTS];
	v[METRIC_LSU_WAVEFRONTS] = 4.6 * v[METRIC_GLOBAL_LD_REQUESTS] +
	    2 * v[METRIC_GLOBAL_ST_REQUESTS];
	made_quiet(m, SCATTERED);
}

MADE_TEST(test_shifted)
{
	static const struct {
		double sectors, used, lanes;
		enum rule_state shifted, scattered;
	} cases[] = {
		{ 5, 25.6, 32, RULE_FOUND, RULE_CLEAN },
		{ 9, 256 / 9.0, 32, RULE_FOUND, RULE_CLEAN },	/* 8 bytes */
		/* A window over words: one position in eight is aligned. */
		{ 4.875, 128 / 4.875, 32, RULE_NOT_MEASURED, RULE_CLEAN },
		/* Full rows of few lanes: the words are not adjacent. */
		{ 5, 25.6, 16, RULE_NOT_MEASURED, RULE_FOUND },
		{ 4, 32, 32, RULE_CLEAN, RULE_CLEAN },
		{ 4.1, 128 / 4.1, 32, RULE_CLEAN, RULE_CLEAN },
		/* Every second word. */
		{ 8, 16, 32, RULE_NOT_MEASURED, RULE_FOUND },
		/* Not measured at all. */
		{ 5, NAN, 32, RULE_NOT_MEASURED, RULE_NOT_MEASURED },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct advice *a = loading(m, cases[i].sectors, cases[i].used,
		    cases[i].lanes);
		const struct verdict *v = made_verdict(a, SHIFTED);

		if (v->state != cases[i].shifted)
			fail_msg("case %zu: shifted %s", i,
			    rule_state_name[v->state]);
		if (v->state == RULE_NOT_MEASURED)
			assert_non_null(v->reason);
		v = made_verdict(a, SCATTERED);
		if (v->state != cases[i].scattered)
			fail_msg("case %zu: scattered %s", i,
			    rule_state_name[v->state]);
	}
}

/* If only some requests are like that, the reason is that the level is too low. */
MADE_TEST(test_shifted_asks)
{
	struct advice *a = loading(m, 4.875, 128 / 4.875, 32);

	assert_int_equal(made_verdict(a, SHIFTED)->reason->code,
	    REASON_NEEDS_AUTO);
	a = loading(m, 5, 25.6, 32);
	assert_true(fabs(evidence_of(made_finding(a, SHIFTED),
	    "ideal_per_request") - 4) < 1e-9);
	assert_int_equal(made_finding(a, SHIFTED)->confidence, CONF_MEDIUM);
	assert_non_null(made_finding(a, SHIFTED)->location_missing);
}

/* Half of the loads are columns, half are one word for all lanes, which needs a
 * whole sector: 16.5 sectors a request where 2.5 would do, not 2.06. Without their
 * lines it is unknown how much of the waste L1 absorbs: the interval is wide. */
MADE_TEST(test_mixture)
{
	const struct finding *f;
	struct advice *a;

	a = loading(m, 16.5, 4, 32);
	f = found_in(a, SCATTERED);
	assert_true(fabs(evidence_of(f, "sectors_ratio") - 6.6) < 0.01);
	assert_int_equal(f->confidence, CONF_MEDIUM);
	assert_true(f->saves_low_s < 0.9 * f->saves_s);
	/* Columns alone leave no room for a shared word. */
	a = loading(m, 32, 4, 32);
	assert_true(fabs(evidence_of(made_finding(a, SCATTERED),
	    "sectors_ratio") - 8) < 0.01);
	/* Nor do columns of bytes. */
	a = loading(m, 32, 1, 32);
	assert_true(fabs(evidence_of(made_finding(a, SCATTERED),
	    "sectors_ratio") - 32) < 0.01);
}

/* Only the code shows that a tile can hold the loaded data: without it, low
 * severity. */
MADE_TEST(test_reuse_is_no_alarm)
{
	static const struct {
		builder *build;
		bool alarm;
		const char *note;
	} cases[] = {
		{ fault_naive_product, true, NULL },
		{ fault_naive_product_counted, false, "gather" },
		{ fault_one_result, false, "table" },
		{ fault_small_tile, false, "gather" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct advice *a = advised(cases[i].build, m);
		const struct finding *f = found_in(a,
		    "redundant-global-traffic");

		assert_true(f->worth_it);
		if ((f->severity > SEV_LOW) != cases[i].alarm)
			fail_msg("case %zu is %s", i,
			    severity_name[f->severity]);
		if (cases[i].note != NULL)
			assert_has(f->gain_note, cases[i].note);
	}
}

/* Idle lanes, but branches were not counted: reported with both possible causes
 * and low severity. */
MADE_TEST(test_idle_for_some_reason)
{
	const struct finding *f;

	fault_divergent(m);
	f = made_found(m, "warp-divergence");
	assert_true(f->severity > SEV_LOW);
	assert_lacks(f->advice, "--replay");
	m->kernel[0].metric[METRIC_BRANCH_UNIFORM] =
	    m->kernel[0].metric[METRIC_BRANCH_DIVERGENT] = NAN;
	f = made_found(m, "warp-divergence");
	assert_true(f->worth_it);
	assert_int_equal(f->severity, SEV_LOW);
	assert_int_equal(f->confidence, CONF_LOW);
	assert_has(f->advice, "--replay");
}

/* One warp of a large block is active, with one lane: no divergent branch
 * leaves so few. */
MADE_TEST(test_serial_without_branches)
{
	fault_one_thread(m);
	m->kernel[0].metric[METRIC_BRANCH_UNIFORM] =
	    m->kernel[0].metric[METRIC_BRANCH_DIVERGENT] = NAN;
	made_found(m, "serial-kernel");
	made_quiet(m, "warp-divergence");
	made_again(m);
	fault_one_lane(m);
	m->kernel[0].metric[METRIC_BRANCH_UNIFORM] =
	    m->kernel[0].metric[METRIC_BRANCH_DIVERGENT] = NAN;
	made_quiet(m, "serial-kernel");
	made_found(m, "warp-divergence");
}

/* Blocks of which one thread does most: starting them is no limit, as a warp of a block
 * can have what all of it had. */
MADE_TEST(test_serial_blocks)
{
	struct kernel *k;
	double blocks;

	fault_one_scans(m);
	k = &m->kernel[0];
	blocks = (double)k->shape.grid_x * k->shape.grid_y * k->shape.grid_z;
	m->device[0].ceilings.sm_hz = 1.2 * blocks /
	    (0.7 * stat_mean(&k->time) * 1e-9);
	k->metric[METRIC_LSU_WAVEFRONTS] = 0;
	assert_true(made_found(m, "serial-kernel")->kernel_speedup > 1.6);
}

/* One thread of each block goes through a loop while the others wait: idle lanes tell
 * its share of the instructions, which is not more than its turns make. Counts by
 * instruction say the same. */
MADE_TEST(test_serial_loop)
{
	const struct finding *f;

	fault_one_scans(m);
	f = made_found(m, "serial-kernel");
	assert_string_equal(f->title, "one thread does part of the work");
	assert_has(f->summary, "78 %");
	assert_true(f->kernel_speedup > 2 && f->kernel_speedup < 6);
	assert_int_equal(f->hot[0].line, 5);
	made_quiet(m, "warp-divergence");
	m->code[0]->code.counted = true;
	assert_has(made_found(m, "serial-kernel")->summary, "78 %");
	made_again(m);
	fault_one_adds_few(m);
	made_quiet(m, "serial-kernel");
	made_found(m, "idle-lanes");	/* for another reason */
	m->code[0]->code.counted = true;
	made_found(m, "serial-kernel");	/* it turns more often than it seems */
}

/* One of many blocks continues after the others have ended: the mean over
 * instructions tells nothing about it, and more or more even blocks do not help. */
MADE_TEST(test_one_block_of_many)
{
	const struct finding *f;
	double *v;

	fault_one_lane(m);
	v = m->kernel[0].metric;
	v[METRIC_SM_CYCLES_ACTIVE_AVG] = v[METRIC_SM_CYCLES_ACTIVE_MAX] / 120;
	f = made_found(m, "serial-kernel");
	assert_string_equal(f->title, "one block does the work");
	assert_true(f->kernel_speedup > 5);
	made_quiet(m, "idle-lanes");
	made_quiet(m, "sm-imbalance");
	m->kernel[0].shape.grid_x = 64;
	m->kernel[0].occupancy.waves = 0.06;
	made_found(m, "serial-kernel");
	made_quiet(m, "grid-too-small");
	v[METRIC_SM_CYCLES_ACTIVE_AVG] *= 2;	/* two SMs, and more */
	made_quiet(m, "serial-kernel");
}

/* One lane that waits for memory waits as often as 32 lanes that share its work
 * do together: they need a 32nd of the trips. */
MADE_TEST(test_lane_of_trips)
{
	const struct finding *f;
	double *v;

	fault_one_thread(m);
	m->kernel[0].shape.block_x = 32;
	m->kernel[0].occupancy.blocks_per_sm = 32;
	v = m->kernel[0].metric;
	v[METRIC_OCCUPANCY] = 50;
	v[METRIC_STALL_LONG_SCOREBOARD] = 30;
	v[METRIC_DRAM_READ] /= 20;
	v[METRIC_DRAM_WRITE] /= 20;
	f = made_found(m, "serial-kernel");
	assert_true(f->kernel_speedup > 4);
}

/* Values stored on the stack and not read again may be arguments of printf. */
MADE_TEST(test_stores_alone)
{
	const struct verdict *v;
	struct advice *a;

	fault_spilling(m);
	m->kernel[0].metric[METRIC_LOCAL_LD_INST] = 1000;
	made_found(m, "local-memory-spill");
	m->kernel[0].metric[METRIC_LOCAL_LD_INST] = 0;
	m->kernel[0].metric[METRIC_LOCAL_LD_SECTORS] = 0;
	a = made_advised(m);
	v = made_verdict(a, "local-memory-spill");
	assert_int_equal(v->state, RULE_NOT_MEASURED);
	assert_int_equal(v->reason->code, REASON_NEEDS_AUTO);
}

/* 85 instructions a warp are no set-up; but the blocks cannot be started as
 * fast as they end. For fewer, longer blocks the same numbers tell nothing. */
MADE_TEST(test_start_is_the_limit)
{
	static const double start[] = { 0.95, 0.3 };	/* of the time */

	for (size_t i = 0; i < sizeof(start) / sizeof(start[0]); i++) {
		struct kernel *k;
		double hz;

		made_again(m);
		k = made_measured(m, "small", 1000, 200000, 0.05);
		hz = m->device[0].ceilings.sm_hz;
		k->shape.grid_x = (uint32_t)(start[i] * 198.5e-6 * hz / 1.2);
		k->shape.block_x = 128;
		k->occupancy.blocks_per_sm = 16;
		k->occupancy.waves = k->shape.grid_x / (132.0 * 16);
		k->metric[METRIC_INST_EXECUTED] = k->shape.grid_x * 4.0 * 85;
		k->metric[METRIC_THREAD_INST] =
		    k->metric[METRIC_THREAD_INST_PRED_ON] =
		    k->metric[METRIC_INST_EXECUTED] * 32;
		k->metric[METRIC_OCCUPANCY] = 40;
		if ((made_finding(made_advised(m), "too-many-blocks-little-work") != NULL) !=
		    (i == 0))
			fail_msg("started for %g of the time", start[i]);
	}
}

/* A kernel that takes all the time and was not measured is reported, with how
 * to measure it; no longer once it was. Kernels that take little of the run, or
 * use a resource fully, are not reported. */
MADE_TEST(test_unmeasured)
{
	struct advice *a;

	made_kernel(m, "once", 1, 3000000000)->skip = SKIP_TOO_FEW_LAUNCHES;
	made_counters(m, made_kernel(m, "often", 1000, 100000), 0.95);
	a = made_advised(m);
	assert_string_equal(a->unmeasured, "once, 97 % of the kernels' time: "
	    "too few launches; use --replay");
	made_kernel(m, "too", 1, 3000000)->skip = SKIP_STALL;
	a = made_advised(m);
	assert_has(a->unmeasured, "once and 1 other kernel, 97 %");
	/* Counted, and no unit is full: the instructions decide. */
	made_counters(m, &m->kernel[0], 0.2);
	m->kernel[0].skip = SKIP_NONE;
	m->kernel[0].metric[METRIC_ISSUE_ACTIVE] = 20;
	m->run.level = LEVEL_COUNTERS;
	a = made_advised(m);
	assert_has(a->unmeasured, "run it at the default level");
	m->run.level = LEVEL_AUTO;
	a = made_advised(m);
	assert_has(a->unmeasured, "run it with `--level source`");
	made_counters(m, &m->kernel[0], 0.95);
	a = made_advised(m);
	assert_null(a->unmeasured);
	/* A small part of the run. */
	made_again(m);
	made_kernel(m, "once", 1, 300000000)->skip = SKIP_TOO_FEW_LAUNCHES;
	a = made_advised(m);
	assert_null(a->unmeasured);
}

/* Killed while it was starting, it is not clean: nothing was seen of its loops. */
MADE_TEST(test_killed_early)
{
	made_kernel(m, "first", 1, 1000000);
	m->run.idle_ns[IDLE_STARTUP] = m->run.wall_ns / 100 * 95;
	assert_null(made_advised(m)->unmeasured);
	m->run.state = RUN_KILLED;
	assert_has(made_advised(m)->unmeasured, "was killed");
	m->run.idle_ns[IDLE_STARTUP] = m->run.wall_ns / 2;
	assert_null(made_advised(m)->unmeasured);
}

/* Warps that walk constants in a loop, and wait neither for memory nor for a unit, may
 * wait for the constant cache: more of them gain nothing. */
MADE_TEST(test_constants_walked)
{
	static const char code[] = "LDG.E R9,desc[UR4][R2.64] | inst 100 "
	    "sectors 400 ideal 400\n"
	    "LDC.64 R14,c[0x3][R%s] | inst 6400\n"
	    "FFMA R13,R9,R14,R15 | inst 6400\n"
	    "FMNMX R8,R8,R13,!PT | inst 6400\n"
	    "IADD3 R4,R4,0x8,RZ | inst 6400\n"
	    "ISETP.NE.AND P0,PT,R4,0x400,PT | inst 6400\n"
	    "@P0 BRA #1 | inst 6400\n"
	    "EXIT | inst 100\n";
	static const struct {
		const char *index;
		bool low;
	} cases[] = { { "4", true }, { "Z", false } };
	char text[512];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct finding *f;

		double *v;

		made_again(m);
		v = made_counted(m, 0.01)->metric;
		snprintf(text, sizeof(text), code, cases[i].index);
		code_make(m, &m->kernel[0], text, 1);
		v[METRIC_OCCUPANCY] = 33;
		v[METRIC_ISSUE_ACTIVE] = 20;
		v[METRIC_STALL_LONG_SCOREBOARD] = 0.05;
		f = made_found(m, "low-achieved-occupancy");
		assert_true((f->severity == SEV_LOW) == cases[i].low);
	}
}

/* "No unit saturated" refers to units that were counted. */
MADE_TEST(test_what_was_counted)
{
	const struct finding *f;

	fault_uneven(m);
	f = made_found(m, "sm-imbalance");
	assert_has(f->limiter, "no unit saturated");
	m->kernel[0].metric[METRIC_DRAM_READ] =
	    m->kernel[0].metric[METRIC_DRAM_WRITE] =
	    m->kernel[0].metric[METRIC_DRAM_PCT] = NAN;
	f = made_found(m, "sm-imbalance");
	assert_has(f->limiter, "no counted unit saturated");
}
