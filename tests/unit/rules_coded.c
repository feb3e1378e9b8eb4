/*
 * Findings about kernels without counts and samples, from their code: the
 * causes that the code shows, with gains that may be zero; and no findings if
 * the code does not show the cause, or if something was measured.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rules/engine/arena.h"
#include "rules/evidence/coded_estimate.h"
#include "source/operand.h"
#include "source/rare.h"
#include "unit/advise.h"

/* The driver refused counters and samples. */
static void
refuse(struct made *m)
{
	for (size_t i = 0; i < m->run.kernels; i++) {
		struct kernel *k = &m->kernel[i];

		for (int v = 0; v < METRIC_COUNT; v++)
			k->metric[v] = NAN;
		k->metric_complete = false;
		k->skip = SKIP_PERMISSION;
	}
	for (size_t i = 0; i < m->codes; i++) {
		struct code *c = &m->code[i]->code;

		for (int v = 0; v < SOURCE_COUNT; v++) {
			c->total[v] = NAN;
			for (size_t n = 0; n < c->instructions; n++)
				c->instruction[n].value[v] = NAN;
		}
		for (size_t n = 0; n < c->instructions; n++)
			memset(&c->instruction[n].samples, 0,
			    sizeof(c->instruction[n].samples));
		memset(&c->samples, 0, sizeof(c->samples));
		c->counted = c->sampled = false;
	}
}

static struct advice *
advise_refused(builder *build, struct made *m)
{
	struct advice *a;

	made_again(m);
	build(m);
	refuse(m);
	a = made_advised(m);
	assert_non_null(a);
	return a;
}

MADE_TEST(test_found)
{
	static const struct {
		builder *build;
		const char *rule;
	} cases[] = {
		{ fault_rows, "uncoalesced-global-access" },
		{ fault_fields, "array-of-structures" },
		{ fault_dividing_in_loop, "integer-division" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct finding *f, *full;
		struct advice *a, *b;
		struct made n;

		a = advise_refused(cases[i].build, m);
		b = advise(cases[i].build, &n);
		f = made_finding(a, cases[i].rule);
		full = made_finding(b, cases[i].rule);
		assert_non_null(f);
		assert_non_null(full);
		assert_has(f->summary, "nothing was counted");
		assert_has(f->next, "doctor");
		assert_null(f->limiter);
		assert_int_equal(f->confidence, CONF_LOW);
		assert_true(f->severity <= SEV_MEDIUM);
		assert_int_equal(f->hot[0].line, full->hot[0].line);
		assert_ptr_equal(f->kernel, &m->kernel[0]);
		for (size_t e = 0; e < f->evidences; e++)
			assert_string_equal(f->evidence[e].source, "estimated");
		/* A wide interval: from nothing to more than counters would predict. */
		assert_true(f->saves_low_s < 1e-9);
		assert_true(f->saves_s > 0 && f->saves_high_s > f->saves_s);
		finish(b, &n);
	}
}

/* The same for loads that feed tensor cores; loads from shared memory are no fault. */
MADE_TEST(test_operands)
{
	static const char rule[] = "tensor-operands-reloaded";
	const struct finding *f;

	fault_tile_a_warp(m);
	refuse(m);
	m->run.peak_memory_bytes = 16 << 20;
	f = made_found(m, rule);
	assert_has(f->summary, "nothing was counted");
	assert_true(f->saves_low_s < 1e-9 && f->saves_s > 0);
	made_again(m);
	fault_tiles_in_shared(m);
	refuse(m);
	m->run.peak_memory_bytes = 16 << 20;
	made_quiet(m, rule);
}

/* The code shows a tree reduction, but not its number of iterations. */
MADE_TEST(test_tree)
{
	const struct advice *a = advise_refused(fault_tree, m);
	const struct finding *f = found_in(a, "shuffle-reduction");

	assert_has(f->summary, "nothing was counted");
	assert_true(f->saves_low_s < 1e-9 && f->saves_s > 0);
	assert_true(f->severity <= SEV_MEDIUM);
}

static void
none_by_code(const struct advice *a)
{
	for (size_t i = 0; i < a->findings; i++)
		assert_lacks(a->finding[i].summary, "nothing was counted");
}

MADE_TEST(test_quiet)
{
	static builder *const good[] = { fault_code_clean, fault_wide,
		fault_shifted, fault_stencil, fault_histogram };
	struct advice *a;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		a = advise_refused(good[i], m);
		none_by_code(a);
		assert_int_equal(made_verdict(a,
		    "uncoalesced-global-access")->state, RULE_NOT_MEASURED);
	}
}

/* One thread for each row of a sparse matrix: where rows begin is in the data, but
 * the code shows that each lane walks one. Positions from a table show nothing. */
MADE_TEST(test_rows_of_any_length)
{
	static const char rule[] = "uncoalesced-global-access";
	const struct finding *f;

	code_kernel(m, 0.3, code_text("spmv"));
	refuse(m);
	f = made_found(m, rule);
	assert_has(f->title, "walks a row");
	assert_has(f->summary, "nothing was counted");
	assert_true(f->saves_low_s < 1e-9);
	made_again(m);
	code_kernel(m, 0.3, code_text("table_lookup", "0x4", "0x4",
	    "LDG.E R16,desc[UR4][R10.64] | inst 100 sectors 3100 ideal 400 line 6"));
	refuse(m);
	made_quiet(m, rule);
}

/* One byte a thread, with blocks whose start takes ${part} of the time: the
 * share of the time that ${rule} predicts to save, if ${lanes} of 32 are active
 * in the mean; 0: that was not counted. */
static double
started_with(struct made *m, double part, double lanes, const char *rule)
{
	struct kernel *k;

	made_again(m);
	k = code_kernel(m, 0.3, code_text("element", 100,
	    "MOV R16,R5 | inst 100 line 4\n", 1, ".U8", 100, 100, ".U8", 100, 100,
	    ""));
	k->shape.block_x = 64;
	k->shape.grid_x = (uint32_t)(part * 200e-6 / 1.2 *
	    m->device[0].ceilings.sm_hz);
	k->occupancy.blocks_per_sm = 32;
	k->occupancy.waves = k->shape.grid_x / (132.0 * 32);
	refuse(m);
	if (lanes > 0) {
		k->skip = SKIP_TOO_FEW_LAUNCHES;
		k->metric[METRIC_INST_EXECUTED] = 28.0 * k->shape.grid_x;
		k->metric[METRIC_THREAD_INST] = lanes *
		    k->metric[METRIC_INST_EXECUTED];
	}
	if (made_finding(made_advised(m), rule) == NULL)
		return 0;
	return made_found(m, rule)->saves_s / made_kernel_s(k);
}

static double
started(struct made *m, double part, const char *rule)
{

	return started_with(m, part, 0, rule);
}

/* Launch and time alone show that starting blocks is the limit, and the code that
 * each block does too little; but not if the start is only half of the time. */
MADE_TEST(test_start)
{
	assert_true(started(m, 0.95, "narrow-access") > 0.5);
	assert_true(started(m, 0.95, "too-many-blocks-little-work") > 0.3);
	assert_true(started(m, 0.7, "narrow-access") > 0.2);
	assert_true(started(m, 0.5, "narrow-access") == 0);
	assert_true(started(m, 0.5, "too-many-blocks-little-work") == 0);
	/* If most lanes idle, those of an access have no neighbours. */
	assert_true(started_with(m, 0.95, 31, "narrow-access") > 0.3);
	assert_true(started_with(m, 0.95, 14, "narrow-access") == 0);
}

/* If threads have elements of their own, the code of kernels without counters
 * shows how much they pass on: 4 bytes a thread. */
MADE_TEST(test_fused)
{
	static const char rule[] = "kernel-fusion-candidate";
	const struct finding *f;
	double bytes;

	fault_own_elements(m);
	for (int i = 0; i < 3; i++)
		m->kernel[i].shape.grid_x = 1 << 16;
	bytes = 4. * (1 << 16) * m->kernel[0].shape.block_x;
	refuse(m);
	f = made_found(m, rule);
	assert_has(f->summary, "nothing was counted");
	assert_int_equal(f->confidence, CONF_LOW);
	assert_true(f->saves_s > 0);
	assert_true(f->evidence[1].value == bytes);
	assert_string_equal(f->evidence[1].source, "estimated");
	made_again(m);
	fault_neighbours(m);
	for (int i = 0; i < 3; i++)
		m->kernel[i].shape.grid_x = 1 << 16;
	refuse(m);
	made_quiet(m, rule);
}

/* A kernel of ${times} 84,480 warps that takes ${ns} and adds to one place, or to the
 * places in ${where}. */
static const struct finding *
adding_by(struct made *m, uint32_t times, const char *where, uint64_t ns)
{
	struct kernel *k;

	made_again(m);
	k = code_kernel(m, 0.1, code_text("adding", where));
	k->shape.grid_x *= times;
	k->total_ns = ns * k->launches;
	k->time.sum = (double)k->total_ns;
	refuse(m);
	return made_finding(made_advised(m), "global-atomic-contention");
}

static const struct finding *
adding(struct made *m, const char *where, uint64_t ns)
{
	return adding_by(m, 1, where, ns);
}

/* All threads add to one place, and nothing else in the code takes so long. */
MADE_TEST(test_one_place)
{
	static const char add[] = "REDG.E.ADD.F32.FTZ.RN.STRONG.GPU "
	    "desc[UR4][R6.64],R9 | inst 100 lanes 32 line 5\n";
	static const char own[] = "IMAD.WIDE R6,R5,0x4,R6 | inst 100 line 5\n"
	    "REDG.E.ADD.F32.FTZ.RN.STRONG.GPU desc[UR4][R6.64],R9 | "
	    "inst 100 lanes 32 line 5\n";
	const struct finding *f = adding(m, add, 5000000);

	assert_non_null(f);
	assert_true(f->kernel_speedup > 5 && f->saves_low_s == 0);
	assert_int_equal(f->hot[0].line, 5);
	assert_null(adding(m, own, 5000000));
	/* Too fast for one line of L2; and too slow for that to be the limit. */
	assert_null(adding(m, add, 50000));
	assert_null(adding(m, add, 50000000));
}

/* How many add to the place is told by what lets them: one lane of each of 844,800
 * warps, or all lanes of the first warps of 105,600 blocks; each addition of an integer
 * takes 0.73 ns. That one thread of each block adds is what is advised. */
MADE_TEST(test_one_place_elected)
{
	static const struct {
		const char *by, *says;	/* NULL: nothing */
		uint64_t ns;
		double gain;
	} of[] = {
		{ "adding_for_warp", "one lane of each warp adds", 700000, 2 },
		{ "adding_by_first_lane", "one lane of each warp adds", 700000, 2 },
		{ "adding_by_first_warp", "its threads add", 2700000, 5 },
		{ "adding_by_first_thread", NULL, 200000, 0 },
	};

	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
		char add[1024];
		const struct finding *f;

		snprintf(add, sizeof(add), "%s", code_text(of[i].by));
		f = adding_by(m, 10, add, of[i].ns);
		assert_true((f != NULL) == (of[i].says != NULL));
		if (f == NULL)
			continue;
		assert_has(f->summary, of[i].says);
		assert_true(f->kernel_speedup > of[i].gain);
		assert_null(adding_by(m, 10, add, 5 * of[i].ns));
		/* Of lanes the number is an upper bound: data may guard them. */
		assert_true((adding_by(m, 10, add, of[i].ns / 3) == NULL) ==
		    (i < 2));
	}
}

/* The finding about a loop over all memory with step ${step}, whose iterations
 * do ${work} and which takes ${ns}. */
static const struct finding *
over_all(struct made *m, const char *step, const char *work, uint64_t ns,
    const char *rule)
{
	struct kernel *k;

	made_again(m);
	k = code_kernel(m, 0.1, code_text("over_all", step, work));
	k->total_ns = ns * k->launches;
	k->time.sum = (double)k->total_ns;
	m->run.peak_memory_bytes = 64 << 20;
	refuse(m);
	return made_finding(made_advised(m), rule);
}

/* A grid-stride loop ends when all memory was visited: if it takes ten times as
 * long as the worst accesses would, the cause is not the accesses, but contention. */
MADE_TEST(test_over_all_memory)
{
	static const struct {
		const char *rule, *work;
	} of[] = {
		{ "global-atomic-contention",
		  "IMAD.WIDE.U32 R12,R6,0x4,R4\n"
		  "REDG.E.ADD.STRONG.GPU desc[UR6][R12.64],R9" },
		{ "divergent-constant-access",
		  "LDC R9,c[0x3][R6]\n"
		  "STG.E desc[UR6][R10.64],R9" },
	};

	for (size_t i = 0; i < 2; i++) {
		const struct finding *f = over_all(m, "R8", of[i].work,
		    i == 0 ? 20000000 : 2000000, of[i].rule);

		assert_non_null(f);
		assert_true(f->kernel_speedup > 3 && f->saves_low_s == 0);
		assert_null(over_all(m, "R8", of[i].work, 200000, of[i].rule));
		/* A loop with a different step may have any number of iterations. */
		assert_null(over_all(m, "0x1", of[i].work, 20000000,
		    of[i].rule));
	}
	/* A separate place for each thread is not a bin. */
	assert_null(over_all(m, "R8",
	    "REDG.E.ADD.STRONG.GPU desc[UR6][R10.64],R9", 20000000,
	    of[0].rule));
}

/* A short launch is limited by its trips to memory, even if it adds to one place. */
MADE_TEST(test_one_place_briefly)
{
	static const struct {
		uint64_t ns;
		bool found;
	} of[] = { { 250000, true }, { 8000, false } };

	for (size_t i = 0; i < 2; i++) {
		struct kernel *k;

		made_again(m);
		k = code_kernel(m, 0.1, code_text("adding",
		    "REDG.E.ADD.F32.FTZ.RN.STRONG.GPU desc[UR4][R6.64],R9 | "
		    "inst 100 lanes 32 line 5\n"));
		k->shape.grid_x /= 20;
		k->total_ns = of[i].ns * k->launches;
		k->time.sum = (double)k->total_ns;
		refuse(m);
		assert_true((made_finding(made_advised(m),
		    "global-atomic-contention") != NULL) == of[i].found);
	}
}

/* Measurements have priority; without code, or without relevant instructions,
 * nothing is found. */
MADE_TEST(test_not_asked)
{
	struct advice *a;

	fault_rows(m);
	refuse(m);
	m->kernel[0].metric[METRIC_OCCUPANCY] = 50;
	a = made_advised(m);
	none_by_code(a);
	for (int what = 0; what < 4; what++) {
		made_again(m);
		fault_rows(m);
		refuse(m);
		if (what == 0)
			m->code[0]->code.disassembled = false;
		else if (what == 1)
			m->code[0]->code.debug = true;
		else if (what == 2)	/* a short one among many */
			m->device[0].kernel_ns = 1000 * m->kernel[0].total_ns;
		else
			m->kernel[0].name = "void cutlass::Kernel2<x>(int)";
		a = made_advised(m);
		none_by_code(a);
	}
}

/* Its instructions were not counted or sampled. */
static void
uncount(struct made *m)
{
	struct code *c = &m->code[0]->code;

	for (int v = 0; v < SOURCE_COUNT; v++) {
		c->total[v] = NAN;
		for (size_t n = 0; n < c->instructions; n++)
			c->instruction[n].value[v] = NAN;
	}
	memset(&c->samples, 0, sizeof(c->samples));
	c->counted = c->sampled = false;
}

/* Counters of the whole kernel tell how much can be saved; the code tells where. */
MADE_TEST(test_counted)
{
	static const char rule[] = "array-of-structures";
	const struct finding *f;
	double *v;

	fault_fields(m);
	v = m->kernel[0].metric;
	assert_true(v[METRIC_GLOBAL_LD_SECTORS] > 0);
	uncount(m);
	f = made_found(m, rule);
	assert_lacks(f->summary, "nothing was counted");
	assert_has(f->summary, "from the code, not counted");
	assert_non_null(f->limiter);
	assert_int_equal(f->confidence, CONF_LOW);
	assert_true(f->saves_low_s > 0 && f->saves_low_s < f->saves_s);
	/* As many sectors as the bytes need: the pattern of the addresses does
	 * not matter. */
	made_again(m);
	fault_fields(m);
	uncount(m);
	v[METRIC_GLOBAL_LD_SECTORS] = 4 * v[METRIC_GLOBAL_LD_REQUESTS];
	v[METRIC_GLOBAL_ST_SECTORS] = 4 * v[METRIC_GLOBAL_ST_REQUESTS];
	made_quiet(m, rule);
}

/* Counters of the whole kernel must not find less than no counters: additions
 * at places from the data, and nothing else that takes the time. */
MADE_TEST(test_bins_counted)
{
	static const char rule[] = "global-atomic-contention";
	const struct finding *f;
	struct kernel *k;
	double *v;

	k = code_kernel(m, 0.1, code_text("over_all", "R8",
	    "IMAD.WIDE.U32 R12,R6,0x4,R4\n"
	    "REDG.E.ADD.STRONG.GPU desc[UR6][R12.64],R9"));
	refuse(m);
	k->skip = SKIP_NONE;
	v = k->metric;
	v[METRIC_OCCUPANCY] = 90;
	v[METRIC_SM_CYCLES_ACTIVE_AVG] = v[METRIC_SM_CYCLES_ACTIVE_MAX] = 4e5;
	v[METRIC_INST_EXECUTED] = 9e5;
	v[METRIC_GLOBAL_LD_INST] = 1e5;
	v[METRIC_GLOBAL_LD_SECTORS] = 4e5;
	v[METRIC_GLOBAL_ST_INST] = v[METRIC_GLOBAL_ST_SECTORS] = 0;
	v[METRIC_L2_FROM_L1] = 4.2e5;
	v[METRIC_L2_SECTORS] = 1e6;
	v[METRIC_LSU_WAVEFRONTS] = 2e5;
	f = made_found(m, rule);
	assert_has(f->summary, "from the code, not counted");
	assert_true(f->kernel_speedup > 3);
	/* Its warps may wait at barriers; or trips explain the time. */
	k->shape.smem_static = 1024;
	made_quiet(m, rule);
	k->shape.smem_static = 0;
	v[METRIC_OCCUPANCY] = 5;
	made_quiet(m, rule);
}

/* The exact path of a sine keeps a few words in local memory: no spill. */
MADE_TEST(test_small_frame)
{
	for (uint32_t bytes = 40; bytes <= 400; bytes += 360) {
		made_again(m);
		code_make(m, made_kernel(m, "_Z4sinePf", 10000, 200000),
		    code_text("small_frame"), 1);
		m->kernel[0].shape.local_per_thread = bytes;
		refuse(m);
		assert_true((made_finding(made_advised(m), "local-memory-spill")
		    != NULL) == (bytes == 400));
	}
}

/* A small array that lanes index differently shows in the counters: sectors that
 * L1 requested and that neither global accesses nor atomics of each lane explain. */
MADE_TEST(test_small_array)
{
	for (int of = 0; of < 4; of++) {
		bool atomics = of & 1, many = of & 2;
		struct kernel *k;
		double *v;

		made_again(m);
		k = made_kernel(m, "_Z4sortPf", 10000, 200000);
		code_make(m, k, code_text("small_array", atomics ?
		    "REDG.E.ADD.STRONG.GPU desc[UR4][R6.64],R9" :
		    "STG.E desc[UR4][R6.64],R9"), 1);
		k->shape.local_per_thread = 32;
		refuse(m);
		made_counters(m, k, 0.05);
		v = k->metric;
		v[METRIC_LOCAL_LD_SECTORS] = v[METRIC_LOCAL_ST_SECTORS] = NAN;
		v[METRIC_LOCAL_LD_INST] = v[METRIC_LOCAL_ST_INST] = NAN;
		v[METRIC_GLOBAL_LD_SECTORS] = v[METRIC_GLOBAL_ST_SECTORS] = 1e4;
		v[METRIC_L2_FROM_L1] = many ? 2e7 : 2e5;
		v[METRIC_L2_SECTORS] = 3e7;
		v[METRIC_L2_PCT] = 85;
		v[METRIC_INST_EXECUTED] = 2e6;
		k->skip = SKIP_TOO_FEW_LAUNCHES;
		assert_true((made_finding(made_advised(m), "local-memory-spill")
		    != NULL) == (many || !atomics));
	}
}

/* Whether the loop that contains ${line} is the one for large arguments. */
static bool
is_rare(const char *line)
{
	const struct code *c;
	struct made m;
	bool rare;

	made_init(&m);
	c = &code_make(&m, made_kernel(&m, "k", 1, 1000),
	    code_text("two_over_pi", line), 1)->code;
	assert_int_equal(c->sass.loops, 1);
	rare = rare_is_loop(&c->sass, &c->sass.loop[0]);
	code_release(&m);
	return rare;
}

/* A filter's loop that keeps values in local memory multiplies floats. */
TEST(test_rare_loops)
{
	assert_true(is_rare("IMAD.U32 R5,RZ,RZ,UR9"));
	assert_false(is_rare("FFMA R8,R2,R3,R8"));
	assert_false(is_rare("LDL R8,[R0]"));
}

/* The estimate of kernel 0 from its counters and code. */
static void
estimate(struct coded *e, struct made *m)
{
	struct arena arena = { 0 };
	struct load l;
	struct rule_view x = { .run = &m->run, .kernel = &m->kernel[0],
	    .device = &m->device[0], .ceiling = &m->device[0].ceilings,
	    .arena = &arena, .load = &l };

	load_of(&l, &m->kernel[0], &m->device[0]);
	assert_int_equal(coded_of(e, &x), 0);
}

/* The number of warps in a launch of made_kernel. */
#define WARPS (132 * 8 * 12 * 8.0)

/* The rows that a loop walks are no more than fit into memory, read and written. */
MADE_TEST(test_memory_there_is)
{
	double seconds, all;
	struct coded e;

	fault_rows(m);
	refuse(m);
	estimate(&e, m);
	all = e.kernel.metric[METRIC_DRAM_PCT];
	coded_clear(&e);
	assert_true(all > 10);
	m->run.peak_memory_bytes = 64 << 20;
	estimate(&e, m);
	seconds = e.load.time_s - e.load.fixed_s;
	assert_float_equal(e.kernel.metric[METRIC_DRAM_PCT], 100 * (128 << 20) /
	    (m->device[0].ceilings.dram_bytes_per_s * seconds), 0.01);
	assert_true(e.kernel.metric[METRIC_DRAM_PCT] < all);
	coded_clear(&e);
}

/* A warp of a block of 3 threads has 3 lanes, not 32. */
MADE_TEST(test_lanes_of_a_small_block)
{
	struct kernel *k = (fault_rows(m), &m->kernel[0]);
	struct coded e;

	refuse(m);
	k->shape.block_x = 3;
	k->shape.block_y = k->shape.block_z = 1;
	estimate(&e, m);
	assert_float_equal(inst_lanes(&e.code, 0), 3, 1e-6);
	coded_clear(&e);
	k->shape.block_x = 40;
	estimate(&e, m);
	assert_float_equal(inst_lanes(&e.code, 0), 20, 1e-6);
	coded_clear(&e);
}

static double
executions(const struct coded *e, uint32_t sass)
{
	return e->code.instruction[inst_of_sass(&e->code, sass)].
	    value[SOURCE_INST] / WARPS;
}

static struct kernel *
uncounted(struct made *m, const char *text)
{
	struct kernel *k = made_kernel(m, "k", 10, 200000);

	code_make(m, k, text, 1);
	((struct code *)k->code)->counted = false;
	for (int i = 0; i < METRIC_COUNT; i++)
		k->metric[i] = NAN;
	return k;
}

/* A kernel of sines, whose counters show six loads an iteration that only the
 * loop for large arguments makes: its instructions belong to the sines, too. */
MADE_TEST(test_rare_arguments)
{
	struct kernel *k = uncounted(m, code_text("two_over_pi",
	    "IMAD.U32 R5,RZ,RZ,UR9"));
	struct coded e;

	k->metric[METRIC_INST_EXECUTED] = WARPS * (3 + 6 * 9);
	k->metric[METRIC_GLOBAL_LD_INST] = WARPS * 6;
	k->metric[METRIC_GLOBAL_LD_SECTORS] = WARPS * 6;
	k->metric[METRIC_GLOBAL_ST_SECTORS] = 0;
	k->metric[METRIC_L2_FROM_L1] = WARPS * (6 + 24);
	estimate(&e, m);
	assert_true(fabs(executions(&e, 2) - 6) < 0.1);
	coded_clear(&e);
	/* Without local memory traffic the loop is assumed not to run. */
	k->metric[METRIC_L2_FROM_L1] = WARPS * 6;
	estimate(&e, m);
	assert_true(executions(&e, 2) == 0);
	coded_clear(&e);
}

/* 32 lanes add to one word, one after the other: wavefronts and idle lanes show how
 * often they try, not the instructions alone, which a loop beside that explains. */
MADE_TEST(test_retries)
{
	struct kernel *k = uncounted(m, code_text("retried"));
	double inst = 4 * 10 + 5 * 32 + 1;
	struct coded e;

	k->metric[METRIC_INST_EXECUTED] = WARPS * inst;
	k->metric[METRIC_LSU_WAVEFRONTS] = WARPS * (10 + 2 * 32);
	k->metric[METRIC_THREAD_INST] = WARPS * (32 * (inst - 5 * 32) +
	    16.5 * 5 * 32);
	estimate(&e, m);
	assert_true(fabs(executions(&e, 6) - 32) < 1);
	assert_true(fabs(executions(&e, 0) - 10) < 2);
	coded_clear(&e);
	/* All lanes busy: nobody tried again. */
	k->metric[METRIC_THREAD_INST] = WARPS * 32 * inst;
	estimate(&e, m);
	assert_true(executions(&e, 6) < 2);
	assert_true(executions(&e, 0) > 40);
	coded_clear(&e);
	/* The wavefronts leave room for few turns: something else diverges. */
	k->metric[METRIC_THREAD_INST] = WARPS * 12 * inst;
	k->metric[METRIC_LSU_WAVEFRONTS] = WARPS * (40 + 2 * 3);
	estimate(&e, m);
	assert_true(executions(&e, 6) < 25);
	coded_clear(&e);
	/* Without those counters all loops turn as often. */
	k->metric[METRIC_LSU_WAVEFRONTS] = NAN;
	estimate(&e, m);
	assert_true(fabs(executions(&e, 6) - executions(&e, 0)) < 1e-6);
	coded_clear(&e);
}

/* Blocks for a third of the SMs, whose code scatters its accesses: what limits them is a
 * guess, that the other SMs idle is not. */
MADE_TEST(test_sure_before_guess)
{
	struct kernel *k = (fault_rows(m), &m->kernel[0]);
	const struct finding *guess, *sure;
	struct advice *a;

	refuse(m);
	k->shape.grid_x = 40;
	k->shape.block_x = 256;
	k->occupancy.waves = 40 / (132.0 * 8);
	a = made_advised(m);
	guess = made_finding(a, "uncoalesced-global-access");
	sure = made_finding(a, "grid-too-small");
	assert_true(guess != NULL && sure != NULL);
	assert_int_equal(sure->confidence, CONF_HIGH);
	assert_true(guess->saves_s > sure->saves_s);
	assert_true(sure < guess);
}

/* Code that only the loop for large arguments needs runs with it, once for its
 * six iterations, or not at all. */
MADE_TEST(test_rare_arguments_jumped)
{
	struct kernel *k = uncounted(m, code_text("two_over_pi_jumped"));
	struct coded e;

	k->metric[METRIC_INST_EXECUTED] = WARPS * (5 + 3 + 6 * 9);
	k->metric[METRIC_GLOBAL_LD_INST] = WARPS * 6;
	k->metric[METRIC_GLOBAL_LD_SECTORS] = WARPS * 6;
	k->metric[METRIC_GLOBAL_ST_SECTORS] = 0;
	k->metric[METRIC_L2_FROM_L1] = WARPS * (6 + 28);
	estimate(&e, m);
	assert_true(fabs(executions(&e, 6) - 6) < 0.1);
	assert_true(fabs(executions(&e, 14) - 1) < 0.1);
	assert_true(executions(&e, 15) > 0.9);
	assert_true(e.kernel.metric[METRIC_LOCAL_ST_SECTORS] > 0);
	coded_clear(&e);
	k->metric[METRIC_L2_FROM_L1] = WARPS * 6;
	estimate(&e, m);
	assert_true(executions(&e, 6) == 0 && executions(&e, 14) == 0);
	assert_true(executions(&e, 15) > 0.9);
	coded_clear(&e);
}

/* A function that is called only for rare arguments is assumed not to run either. */
MADE_TEST(test_slow_path)
{
	struct kernel *k = uncounted(m, code_text("slow_path", "slowpath"));
	struct coded e;

	k->metric[METRIC_INST_EXECUTED] = WARPS * 7;
	estimate(&e, m);
	assert_true(executions(&e, 6) == 0 && executions(&e, 1) > 0.9);
	coded_clear(&e);
	made_again(m);
	k = uncounted(m, code_text("slow_path", "path"));
	k->metric[METRIC_INST_EXECUTED] = WARPS * 10;
	estimate(&e, m);
	assert_true(executions(&e, 6) > 0.9);
	coded_clear(&e);
}

/* The loop of fmodf for large quotients, and its correction, are assumed not to run: what
 * was counted is the way of ordinary ones, which is what to replace. No loop of the
 * user's is to be unrolled. */
MADE_TEST(test_remainders)
{
	struct kernel *k = uncounted(m, code_text("fmodf", "0xb800000"));
	const struct finding *f;
	struct advice *a;
	struct coded e;

	k->metric[METRIC_INST_EXECUTED] = WARPS * (4 + 40 * 15);
	estimate(&e, m);
	assert_true(executions(&e, 17) == 0 && executions(&e, 28) == 0);
	assert_true(executions(&e, 12) == 0);
	assert_true(fabs(executions(&e, 8) - 40) < 1);
	assert_float_equal(executions(&e, 4), executions(&e, 31), 1e-6);
	coded_clear(&e);
	/* The same loop that takes another number from a counter is nobody's but the
	 * user's. */
	made_again(m);
	k = uncounted(m, code_text("fmodf", "0x7"));
	k->metric[METRIC_INST_EXECUTED] = WARPS * (4 + 40 * 15);
	estimate(&e, m);
	assert_true(executions(&e, 17) > 1);
	coded_clear(&e);
	for (int own = 0; own < 2; own++) {
		made_again(m);
		k = made_kernel(m, "_Z4wrapPf", 10000, 200000);
		code_make(m, k, code_text("fmodf", own ? "0x7" :
		    "0xb800000"), 1);
		refuse(m);
		made_counters(m, k, 0.05);
		k->metric[METRIC_ISSUE_ACTIVE] = 90;
		k->metric[METRIC_INST_EXECUTED] = WARPS * (4 + 40 * 15);
		k->skip = SKIP_TOO_FEW_LAUNCHES;
		a = made_advised(m);
		f = made_finding(a, "slow-math-functions");
		if (own) {
			assert_true(f == NULL ||
			    strstr(f->summary, "fmodf") == NULL);
			continue;
		}
		assert_non_null(f);
		assert_has(f->summary, "fmodf");
		assert_null(strstr(f->summary, "logf"));
		assert_has(f->advice, "truncf");
		assert_true(f->kernel_speedup > 2);
		assert_null(made_finding(a, "loop-not-unrolled"));
	}
}

/* Where it was counted that fmodf's loop runs, it is fmodf's all the same. */
MADE_TEST(test_remainders_counted)
{
	for (int own = 0; own < 2; own++) {
		struct kernel *k;
		struct advice *a;
		struct code *c;

		made_again(m);
		k = made_kernel(m, "_Z4wrapPf", 10000, 200000);
		c = &code_make(m, k, code_text("fmodf", own ? "0x7" :
		    "0xb800000"), 1)->code;
		c->total[SOURCE_INST] = 0;
		for (uint32_t s = 0; s < c->sass.instructions; s++) {
			double n = WARPS * (s >= 17 && s <= 27 ? 30 : 1);

			c->instruction[inst_of_sass(c, s)].
			    value[SOURCE_INST] = n;
			c->total[SOURCE_INST] += n;
		}
		made_counters(m, k, 0.05);
		k->metric[METRIC_ISSUE_ACTIVE] = 90;
		k->metric[METRIC_INST_EXECUTED] = c->total[SOURCE_INST];
		a = made_advised(m);
		assert_true((made_finding(a, "loop-not-unrolled") != NULL) ==
		    own);
		assert_true((made_finding(a, "slow-math-functions") != NULL) ==
		    !own);
	}
}

/* The function of a division that a loop calls runs as often as the call. */
MADE_TEST(test_wide_in_loop)
{
	struct kernel *k = uncounted(m, code_text("wide_in_loop"));
	struct coded e;

	k->metric[METRIC_INST_EXECUTED] = WARPS * (3 + 40 * (5 + 6));
	estimate(&e, m);
	assert_true(fabs(executions(&e, 2) - 40) < 1);
	assert_float_equal(executions(&e, 10), executions(&e, 2), 1e-6);
	assert_true(executions(&e, 7) < 1.1);
	coded_clear(&e);
}

/* Instructions were counted, but the sectors of local memory of the whole kernel were not
 * read with the first counters: the counts add up to them. Without any counter they say
 * nothing. */
MADE_TEST(test_sums_of_counts)
{
	struct kernel *k = made_kernel(m, "_Z5spillPf", 10000, 200000);
	const struct finding *f;

	code_make(m, k, code_text("summed_spill"), 1);
	k->shape.local_per_thread = 400;
	made_counters(m, k, 0.05);
	k->metric[METRIC_INST_EXECUTED] = 2e7;
	k->metric[METRIC_LOCAL_LD_SECTORS] = k->metric[METRIC_LOCAL_ST_SECTORS] = NAN;
	k->metric[METRIC_LOCAL_LD_INST] = k->metric[METRIC_LOCAL_ST_INST] = NAN;
	k->metric_complete = false;
	f = made_found(m, "local-memory-spill");
	assert_true(f->confidence <= CONF_MEDIUM);
	assert_null(strstr(f->summary, "estimated"));
	assert_true(f->kernel_speedup > 1.2);
	k->metric[METRIC_INST_EXECUTED] = NAN;
	made_quiet(m, "local-memory-spill");
}
