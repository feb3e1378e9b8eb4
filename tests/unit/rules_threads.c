/*
 * Kernels of many small threads and blocks: what starting them costs, what larger
 * blocks and wider accesses save of it; and what is said of kernels of which only
 * some counters are known, or that come out of libraries.
 */
#include <math.h>
#include <string.h>

#include "rules/gain/gain.h"
#include "rules/code.h"
#include "rules/evidence/divided.h"
#include "rules/faults.h"
#include "unit/advise.h"

/* What is said of ${rule}, and the speedup that it predicts; 0 nothing. */
static double
predicted(struct made *m, const char *rule, const char **first)
{
	struct advice *a = made_advised(m);
	const struct finding *f;
	double s;

	assert_non_null(a);
	f = made_finding(a, rule);
	s = f != NULL ? f->kernel_speedup : 0;
	if (first != NULL)
		*first = a->findings > 0 ? a->finding[0].rule : "";
	return s;
}

/* Blocks of ${threads} that do next to nothing, as fast as they start. */
static struct kernel *
starting(struct made *m, uint32_t threads)
{
	struct kernel *k = made_counted(m, 0.05);

	k->shape.block_x = threads;
	k->shape.grid_x = (uint32_t)(195e-6 / 1.2 * m->device[0].ceilings.sm_hz);
	k->occupancy.blocks_per_sm = 32;
	k->occupancy.ratio = fmin(1, threads / 64.0);
	k->occupancy.limiter = threads < 64 ? LIMITER_BLOCKS : LIMITER_NONE;
	k->occupancy.waves = k->shape.grid_x / (132.0 * 32);
	k->metric[METRIC_OCCUPANCY] = 15;
	k->metric[METRIC_INST_EXECUTED] = 100.0 * k->shape.grid_x *
	    ((threads + 31) / 32);
	return k;
}

MADE_TEST(test_start_limits)
{
	struct fix half = FIX_NONE, warps = FIX_NONE;
	struct load l;

	starting(m, 64);
	load_of(&l, &m->kernel[0], &m->device[0]);
	assert_int_equal(l.limit, RES_START);
	assert_true(l.busy > 0.95);
	/* More warps, wider lanes: blocks start as before. */
	warps.occupancy = 4;
	warps.spread = 2;
	warps.inst = 0.5;
	assert_true(gain_time(&l, &warps, VIEW_MID) > 0.95 * l.time_s);
	half.part[RES_START] = 0.5;
	assert_true(gain_time(&l, &half, VIEW_MID) < 0.52 * l.time_s);
	/* So without counters; of half of the time, or of more than there is, they
	 * would say nothing. */
	for (int i = 0; i < METRIC_COUNT; i++)
		m->kernel[0].metric[i] = NAN;
	load_of(&l, &m->kernel[0], &m->device[0]);
	assert_int_equal(l.limit, RES_START);
	assert_int_equal(l.grounds, GROUNDS_TRACE);
	m->kernel[0].shape.grid_x /= 2;
	load_of(&l, &m->kernel[0], &m->device[0]);
	assert_int_equal(l.limit, -1);
	m->kernel[0].shape.grid_x *= 4;
	load_of(&l, &m->kernel[0], &m->device[0]);
	assert_int_equal(l.limit, -1);
}

/* Of 16 threads: four times as many fill an SM with a quarter of the blocks. */
MADE_TEST(test_tiny_blocks)
{
	const char *first;
	double s;

	starting(m, 16);
	s = predicted(m, "block-size-suboptimal", &first);
	assert_true(s > 3.5 && s < 4.5);
	assert_string_equal(first, "block-size-suboptimal");
	/* Empty places are a symptom of that. */
	assert_true(predicted(m, "low-achieved-occupancy", NULL) == 0);
	/* What the grid is not limited by is not promised. */
	made_again(m);
	starting(m, 16)->shape.grid_x /= 20;
	m->kernel[0].occupancy.waves /= 20;
	m->kernel[0].metric[METRIC_PIPE_FMA] = 95;
	s = predicted(m, "block-size-suboptimal", NULL);
	assert_true(s < 2.1);
}

/* One element of ${bytes} a thread, from a row that a table says, added and stored:
 * that do 100 of ${warps}. */
static struct kernel *
element(struct made *m, int bytes, int warps, const char *index,
    const char *loop)
{
	const char *type = bytes == 1 ? ".U8" : "";
	int sectors = 100 * bytes;
	struct kernel *k = starting(m, 64);
	uint32_t grid = k->shape.grid_x;

	code_make(m, k, code_text("element", warps, index, bytes, type, sectors,
	    sectors, type, sectors, sectors, loop), 1000);
	k->shape.grid_x = grid;
	return k;
}

#define OWN_INDEX "MOV R16,R5 | inst 100 line 4\n"
/* 1 sector for all lanes: a row, by name. */
#define ONE_ROW "LDG.E R16,desc[UR4][R6.64] | inst 100 sectors 100 ideal 100 " \
	"tags 100 line 4\n"
#define GATHER "LDG.E R16,desc[UR4][R6.64] | inst 100 sectors 400 ideal 400 " \
	"tags 100 line 4\n"

static double
narrow_of(int bytes, int warps, const char *index, const char *loop)
{
	struct made m;
	double s;

	made_init(&m);
	element(&m, bytes, warps, index, loop);
	s = predicted(&m, "narrow-access", NULL);
	code_release(&m);
	return s;
}

static double
narrow(const char *index, const char *loop)
{
	return narrow_of(1, 100, index, loop);
}

/* With 16 elements each there is a 16th of the threads. */
TEST(test_one_element)
{
	double s = narrow(OWN_INDEX, "");

	assert_true(s > 6 && s < 16);
	s = narrow(ONE_ROW, "");
	assert_true(s > 5 && s < 16);
	assert_true(narrow(GATHER, "") == 0);
	/* Threads of which few find an element are too many as they are. */
	assert_true(narrow_of(1, 190, OWN_INDEX, "") > 2);
	assert_true(narrow_of(1, 300, OWN_INDEX, "") == 0);
	/* A thread that goes on starts once. */
	assert_true(narrow(OWN_INDEX, "@P0 BRA #8 | inst 6400 uniform 6400\n")
	    == 0);
	/* One that meets others does not do their part. */
	assert_true(narrow(OWN_INDEX, "BAR.SYNC.DEFER_BLOCKING 0x0 | inst 100\n")
	    == 0);
	/* Of 4 bytes a lane an access is full: the blocks are too many. */
	assert_true(narrow_of(4, 100, OWN_INDEX, "") == 0);
}

/* Half of the loads of a line a lane, half of one address: the mean of 16.5
 * sectors hides that a load takes 16.5 wavefronts. */
MADE_TEST(test_counted_lines)
{
	struct fix f = FIX_NONE;
	struct kernel *k;
	struct load l;

	k = made_counted(m, 0.05);
	code_make(m, k,
	    code_text("counted_lines"), 3000);
	k->metric[METRIC_LSU_WAVEFRONTS] = NAN;
	k->metric[METRIC_GLOBAL_ST_SECTORS] = 0;
	k->metric[METRIC_ISSUE_ACTIVE] = 4;
	k->metric[METRIC_L1_HIT_RATE] = 97;
	k->metric[METRIC_L2_SECTORS] = k->metric[METRIC_L2_READ] = 1e6;
	k->metric[METRIC_L2_WRITE] = 0;
	load_of(&l, k, &m->device[0]);
	assert_true(fabs(l.wavefronts[USER_GLOBAL_LD] /
	    (16.5 * l.requests_ld) - 1) < 1e-6);
	assert_true(l.limit == RES_L1);
	/* Coalesced, each takes one. */
	f.global_ld = 2000.0 / 13200;
	assert_true(gain_time(&l, &f, VIEW_HIGH) < l.time_s / 8);
	/* Two lines that five sectors begin and end in come together. */
	made_again(m);
	k = made_counted(m, 0.05);
	code_make(m, k,
	    "LDG.E R0,desc[UR4][R2.64] | inst 400 sectors 2000 ideal 1600 "
	    "tags 800 line 4\n"
	    "EXIT | inst 100\n", 3000);
	k->metric[METRIC_LSU_WAVEFRONTS] = NAN;
	load_of(&l, k, &m->device[0]);
	assert_true(l.wavefronts[USER_GLOBAL_LD] < 1.3 * l.requests_ld);
}

/* All the memory there is bounds what can differ, too. */
MADE_TEST(test_reuse_without_dram)
{
	fault_naive_product(m);
	m->kernel[0].metric[METRIC_DRAM_READ] = NAN;
	m->kernel[0].metric[METRIC_DRAM_WRITE] = NAN;
	m->run.peak_memory_bytes = 64ull << 20;
	assert_true(predicted(m, "redundant-global-traffic", NULL) > 1.1);
	m->run.peak_memory_bytes = 1ull << 44;
	assert_true(predicted(m, "redundant-global-traffic", NULL) == 0);
	m->run.peak_memory_bytes = 0;	/* not recorded */
	assert_true(predicted(m, "redundant-global-traffic", NULL) == 0);
}

/* 31 waves of blocks cost nearly as much as 32: no step is a cliff. Of those of
 * which most warps end at the first check there are more for what is to do. */
MADE_TEST(test_many_blocks_by_little_steps)
{
	static const char rule[] = "too-many-blocks-little-work";
	struct kernel k;
	double last = 0, s, few;

	for (double waves = 10; waves <= 60; waves += 0.5) {
		made_again(m);
		fault_short_blocks(m);
		m->kernel[0].occupancy.waves = waves;
		s = predicted(m, rule, NULL);
		s = s > 0 ? 1 - 1 / s : 0;	/* of the time, saved */
		if (waves > 10)
			assert_true(s >= last - 0.02 && s < last + 0.12);
		last = s;
	}
	assert_true(last > 0.3);
	made_again(m);
	fault_short_blocks(m);
	m->kernel[0].occupancy.waves = 20;
	few = predicted(m, rule, NULL);
	k = m->kernel[0];
	code_make(m, &m->kernel[0],
	    code_text("many_blocks"), 1);
	k.code = m->kernel[0].code;
	m->kernel[0] = k;	/* the counters stay what they were */
	assert_true(predicted(m, rule, NULL) > few + 0.1);
}

/* Blocks of 16 threads are many because they are small, which is said: of 256 there
 * would be 15 waves. */
MADE_TEST(test_many_small_blocks)
{
	static const char rule[] = "too-many-blocks-little-work";
	struct kernel *k;

	fault_short_blocks(m);
	k = &m->kernel[0];
	assert_true(predicted(m, rule, NULL) > 0);
	k->shape.block_x = 16;
	k->shape.grid_x = 132 * 32 * 62;
	k->occupancy.waves = 62;
	k->occupancy.ratio = 0.5;
	k->occupancy.blocks_per_sm = 32;
	k->occupancy.limiter = LIMITER_BLOCKS;
	assert_true(predicted(m, "block-size-suboptimal", NULL) > 0);
	assert_true(predicted(m, rule, NULL) == 0);
	k->occupancy.waves *= 4;	/* they would still be too many */
	k->shape.grid_x *= 4;
	assert_true(predicted(m, rule, NULL) > 0);
}

/* One thread has no other to fill its warp with; a thousand blocks of one have. */
MADE_TEST(test_one_thread)
{
	static const char rule[] = "block-not-warp-multiple";
	struct kernel *k = made_measured(m, "work(float *)", 1, 10000000, 0.01);

	k->shape.block_x = 1;
	k->shape.grid_x = 1;
	assert_true(predicted(m, rule, NULL) == 0);
	k->shape.grid_x = 4;
	k->shape.block_x = 24;		/* three warps for four */
	assert_true(predicted(m, rule, NULL) < 4. / 3 + 0.01);
	k->shape.grid_x = 100000;
	k->shape.block_x = 1;
	assert_true(predicted(m, rule, NULL) > 1);
}

/* Registers and blocks of a library's kernel are not the user's. */
MADE_TEST(test_library_shape)
{
	starting(m, 16);
	m->kernel[0].metric[METRIC_PIPE_FMA] = NAN;
	m->kernel[0].name = "sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_kernel";
	assert_true(predicted(m, "block-size-suboptimal", NULL) == 0);
	assert_true(predicted(m, "block-not-warp-multiple", NULL) == 0);
	m->kernel[0].shape.regs = 254;
	m->kernel[0].occupancy.ratio = 0.125;
	m->kernel[0].occupancy.limiter = LIMITER_REGISTERS;
	assert_true(predicted(m, "low-theoretical-occupancy", NULL) == 0);
	m->kernel[0].name = "work(float *)";
	assert_true(predicted(m, "low-theoretical-occupancy", NULL) > 0);
}

/* Too few warps to hide them: exact functions are what each waits for. */
MADE_TEST(test_math_of_few_warps)
{
	fault_sines(m);
	m->kernel[0].metric[METRIC_ISSUE_ACTIVE] = 38;
	m->kernel[0].metric[METRIC_PIPE_FMA] = 20;
	m->kernel[0].metric[METRIC_OCCUPANCY] = 25;
	assert_true(predicted(m, "slow-math-functions", NULL) > 1.05);
	m->kernel[0].metric[METRIC_OCCUPANCY] = 95;
	assert_true(predicted(m, "slow-math-functions", NULL) == 0);
}

/* What costs precision comes behind what does not. */
MADE_TEST(test_precision_yields)
{
	double alone, *v;

	fault_matrices(m);
	v = m->kernel[0].metric;
	v[METRIC_LSU_WAVEFRONTS] = 0.9 * 198.5e-6 * 132 * m->device[0].ceilings.sm_hz;
	v[METRIC_SHARED_LD_WAVEFRONTS] = v[METRIC_SHARED_WAVEFRONTS] =
	    v[METRIC_LSU_WAVEFRONTS];
	v[METRIC_PIPE_FMA] = 20;
	v[METRIC_SHARED_LD_INST] = v[METRIC_LSU_WAVEFRONTS];
	v[METRIC_SHARED_ST_INST] = v[METRIC_SHARED_LD_INST];
	assert_true(predicted(m, "redundant-global-traffic", NULL) == 0);
	alone = predicted(m, "tensor-cores-unused", NULL);
	v[METRIC_SHARED_ST_INST] /= 32;
	assert_true(predicted(m, "redundant-global-traffic", NULL) > 1.05);
	assert_true(predicted(m, "tensor-cores-unused", NULL) < 0.8 * alone);
}

/* The run waits for neither kernel: the one that takes long comes first. */
MADE_TEST(test_order_of_nothing)
{
	const char *first;
	struct kernel *k;

	starting(m, 16)->exposed_ns = 0;
	k = made_measured(m, "few", 10, 20000, 0.01);
	k->shape.grid_x = 4;
	k->occupancy.waves = 4.0 / 1056;
	k->exposed_ns = 0;
	made_strides(k);
	assert_true(predicted(m, "grid-too-small", &first) > 2);
	assert_string_equal(first, "block-size-suboptimal");
	k->exposed_ns = (double)k->total_ns;
	assert_true(predicted(m, "grid-too-small", &first) > 2);
	assert_string_equal(first, "grid-too-small");
}

/* Threads that each add to one word, as the counters of an H200 show them: 8
 * million atomics of lanes in 14 ms. Nothing else is known. */
static struct kernel *
in_line(struct made *m)
{
	double adds = 8e6, time_s = adds * 1.75e-9, *v;
	struct kernel *k;

	made_again(m);
	k = made_kernel(m, "sum", 20, (uint64_t)(time_s * 1e9));
	k->skip = SKIP_NONE;
	v = k->metric;
	v[METRIC_L2_SECTORS] = 1.5 * adds;
	v[METRIC_L2_SYSMEM] = 0;
	v[METRIC_L2_FROM_L1] = adds + adds / 8;
	v[METRIC_GLOBAL_LD_SECTORS] = adds / 8;
	v[METRIC_GLOBAL_ST_SECTORS] = 0;
	v[METRIC_GLOBAL_LD_INST] = adds / 32;
	v[METRIC_GLOBAL_ST_INST] = 0;
	v[METRIC_LSU_WAVEFRONTS] = adds + adds / 32;
	v[METRIC_DRAM_READ] = adds * 4;
	v[METRIC_DRAM_WRITE] = 0;
	v[METRIC_INST_EXECUTED] = adds / 32 * 15;
	v[METRIC_OCCUPANCY] = 80;
	v[METRIC_SM_CYCLES_ACTIVE_AVG] = time_s * m->device[0].ceilings.sm_hz;
	v[METRIC_SM_CYCLES_ACTIVE_MAX] = v[METRIC_SM_CYCLES_ACTIVE_AVG];
	return k;
}

static enum rule_state
state_of(const struct made *m, const char *rule)
{
	struct advice *a = made_advised(m);
	enum rule_state state;

	assert_non_null(a);
	state = made_verdict(a, rule)->state;
	return state;
}

#define CONTENTION "global-atomic-contention"

MADE_TEST(test_atomics_in_line)
{
	const char *first;
	double x;

	in_line(m);
	x = predicted(m, CONTENTION, &first);
	assert_string_equal(first, CONTENTION);
	assert_true(x > 50);
	/* That warps leave early does not matter to it. */
	assert_true(predicted(m, "low-achieved-occupancy", NULL) == 0);
	/* Nor where most accesses are loads, and that is all that is known. */
	in_line(m)->metric[METRIC_GLOBAL_LD_SECTORS] += 8e6 * 6;
	m->kernel[0].metric[METRIC_L2_FROM_L1] += 8e6 * 6;
	assert_true(predicted(m, CONTENTION, NULL) == 0);
	assert_true(predicted(m, "low-achieved-occupancy", NULL) == 0);
	m->kernel[0].metric[METRIC_L2_FROM_L1] -= 7e6;
	assert_true(predicted(m, "low-achieved-occupancy", NULL) > 0);
	/* The loads that stay take their trips, however the atomics are mended: here a tenth
	 * of the time. */
	in_line(m)->metric[METRIC_GLOBAL_LD_INST] = 0.1 * 0.8 * 14e-3 *
	    m->device[0].ceilings.sm_hz * m->device[0].limits.sms *
	    m->device[0].limits.max_warps_per_sm / 800;
	x = predicted(m, CONTENTION, NULL);
	assert_true(x > 7 && x < 10.1);
	/* With two thirds of the time it is as good as its share. */
	in_line(m)->metric[METRIC_L2_FROM_L1] -= 2e6;
	x = predicted(m, CONTENTION, NULL);
	assert_true(x > 2 && x < 4.2);
}

/* The code of the run's kernel, of which nothing was counted. */
static void
give_code(struct made *m, const char *text)
{
	struct kernel before = m->kernel[0];
	struct code *c = &code_make(m, &m->kernel[0], text, 1)->code;

	memcpy(m->kernel[0].metric, before.metric, sizeof(before.metric));
	c->counted = false;
	for (int s = 0; s < SOURCE_COUNT; s++) {
		c->total[s] = NAN;
		for (size_t i = 0; i < c->instructions; i++)
			c->instruction[i].value[s] = NAN;
	}
}

/* Integers stand in line for less than half as long as floats. */
MADE_TEST(test_integers_in_line)
{
	in_line(m);
	give_code(m, code_text("adds", "REDG.E.ADD.F32.FTZ.RN.STRONG.GPU "
	    "desc[UR4][R2.64],R7"));
	assert_true(predicted(m, CONTENTION, NULL) > 50);
	in_line(m);
	give_code(m, code_text("adds", "REDG.E.ADD.64.STRONG.GPU "
	    "desc[UR4][R2.64],R6"));
	assert_true(predicted(m, CONTENTION, NULL) == 0);
	in_line(m);
	m->kernel[0].metric[METRIC_L2_FROM_L1] += 11e6;	/* more of them */
	m->kernel[0].metric[METRIC_LSU_WAVEFRONTS] += 11e6;
	m->kernel[0].metric[METRIC_L2_SECTORS] += 11e6;
	give_code(m, code_text("adds", "REDG.E.ADD.64.STRONG.GPU "
	    "desc[UR4][R2.64],R6"));
	assert_true(predicted(m, CONTENTION, NULL) > 20);
}

/* As many atomics, and it is not known that they stood in line. */
MADE_TEST(test_atomics_elsewhere)
{
	/* Faster than one place can do them; or a small part of the time. */
	in_line(m)->metric[METRIC_L2_FROM_L1] *= 4;
	m->kernel[0].metric[METRIC_LSU_WAVEFRONTS] *= 4;
	assert_int_equal(state_of(m, CONTENTION), RULE_NOT_MEASURED);
	in_line(m)->metric[METRIC_L2_FROM_L1] = 3e6;
	assert_int_equal(state_of(m, CONTENTION), RULE_NOT_MEASURED);
	/* Few warps, which trips to memory would keep as long. */
	in_line(m)->metric[METRIC_OCCUPANCY] = 0.5;
	assert_int_equal(state_of(m, CONTENTION), RULE_NOT_MEASURED);
	/* Not through the data pipe of L1, or local arrays. */
	in_line(m)->metric[METRIC_LSU_WAVEFRONTS] = 1e6;
	assert_int_equal(state_of(m, CONTENTION), RULE_NOT_MEASURED);
	in_line(m)->shape.local_per_thread = 64;
	assert_int_equal(state_of(m, CONTENTION), RULE_NOT_MEASURED);
	m->kernel[0].metric[METRIC_LOCAL_LD_SECTORS] = 0;
	m->kernel[0].metric[METRIC_LOCAL_ST_SECTORS] = 0;
	assert_int_equal(state_of(m, CONTENTION), RULE_FOUND);
	/* Pages of managed memory, or the host's, are what it waits for. */
	in_line(m);
	m->run.unified.used = m->run.unified.watched = true;
	m->run.unified.fault_ns = m->kernel[0].total_ns;
	assert_int_equal(state_of(m, CONTENTION), RULE_NOT_MEASURED);
	in_line(m);
	m->run.unified.used = true;
	assert_int_equal(state_of(m, CONTENTION), RULE_NOT_MEASURED);
	in_line(m)->metric[METRIC_L2_SYSMEM] = 1e6;
	assert_int_equal(state_of(m, CONTENTION), RULE_NOT_MEASURED);
	/* Its code is known, and has none. */
	in_line(m);
	give_code(m, "LDG.E R8,desc[UR4][R2.64]\nEXIT\n");
	assert_int_equal(state_of(m, CONTENTION), RULE_NOT_MEASURED);
	code_release(m);
	/* Where something is busy, or hardly any can be there, it is clean. */
	in_line(m)->metric[METRIC_ISSUE_ACTIVE] = 70;
	assert_int_equal(state_of(m, CONTENTION), RULE_CLEAN);
	in_line(m)->metric[METRIC_L2_FROM_L1] = 1e6;
	assert_int_equal(state_of(m, CONTENTION), RULE_CLEAN);
	in_line(m)->metric[METRIC_L2_FROM_L1] = NAN;
	assert_int_equal(state_of(m, CONTENTION), RULE_NOT_MEASURED);
}

/* The line is known where the code is, though nothing of it was counted. */
MADE_TEST(test_atomics_line)
{
	const struct finding *f;
	struct advice *a;

	in_line(m);
	give_code(m, "LDG.E R8,desc[UR4][R2.64]\n"
	    "REDG.E.ADD.F32.FTZ.RN.STRONG.GPU desc[UR4][R6.64],R8\nEXIT\n");
	a = made_advised(m);
	assert_non_null(a);
	f = found_in(a, CONTENTION);
	assert_int_equal(f->hots, 1);
	assert_int_equal(f->hot[0].pc, 16);
}

/* A kernel without shared memory has no barriers to wait at: what its few
 * counters do not explain is something else, and warps do not help. */
MADE_TEST(test_unexplained_without_detail)
{
	struct kernel *k;
	struct load l;

	k = in_line(m);
	load_of(&l, k, &m->device[0]);
	assert_true(l.unexplained > 0.8);
	k->shape.smem_static = 1024;
	load_of(&l, k, &m->device[0]);
	assert_true(l.unexplained == 0);
	k->metric[METRIC_SHARED_LD_INST] = k->metric[METRIC_SHARED_ST_INST] = 0;
	load_of(&l, k, &m->device[0]);
	assert_true(l.unexplained > 0.8);
}

/* Few blocks are a fault where there is work for more of them, which the code
 * shows; an algorithm of steps has none, and neither has one whose grid follows its
 * data. */
MADE_TEST(test_small_grid_of_steps)
{
	const struct finding *f;
	struct advice *a;

	fault_one_block(m);
	f = made_found(m, "grid-too-small");
	assert_true(f->kernel_speedup <= 2);
	assert_true(f->saves_low_s > 0 && f->saves_low_s < f->saves_s);
	m->kernel[0].shape.smem_static = 4096;	/* its warps work together */
	f = made_found(m, "grid-too-small");
	assert_true(f->kernel_speedup <= 2 && f->saves_low_s == 0);
	assert_int_equal(f->confidence, CONF_LOW);
	made_strides(&m->kernel[0]);
	f = made_found(m, "grid-too-small");
	assert_true(f->kernel_speedup > 10 && f->kernel_speedup <= 132);
	assert_true(f->saves_low_s < f->saves_s * 0.6);
	*made_kernel(m, "other", 1, 1000) = m->kernel[0];
	m->kernel[1].id = 2;
	m->kernel[1].shape.grid_x = 64;
	for (int i = 0; i < 2; i++)	/* each thread takes one turn */
		m->kernel[i].metric[METRIC_INST_EXECUTED] =
		    m->kernel[i].shape.grid_x * 8 * 4;
	a = made_advised(m);
	for (size_t i = 0; i < a->findings; i++)
		if (strcmp(a->finding[i].rule, "grid-too-small") == 0)
			assert_true(a->finding[i].kernel_speedup <= 2);
}

/* Two for each four SMs, and all that they do is arithmetic: with a fourth of the
 * threads each, twice as many SMs do it. */
MADE_TEST(test_loose_warps)
{
	struct kernel *k = made_kernel(m, "k", 100, 200000);
	const struct finding *f;

	made_counters(m, k, 0.01);
	k->metric[METRIC_SM_CYCLES_ACTIVE_AVG] = 0.5;
	k->metric[METRIC_SM_CYCLES_ACTIVE_MAX] = 1;
	k->metric[METRIC_PIPE_ALU] = 98;
	k->shape.grid_x = 66;
	k->occupancy.waves = 66.0 / 1056;
	f = made_found(m, "grid-too-small");
	assert_true(f->kernel_speedup > 1.9 && f->kernel_speedup < 2.1);
	assert_has(f->advice, "their warps share nothing");
	k->shape.grid_x = 8;	/* 64 warps fill no 1,056 blocks */
	f = made_found(m, "grid-too-small");
	assert_has(f->advice, "launch up to 64 blocks");
	k->shape.grid_x = 66;
	k->shape.block_x = 32;	/* one each: nothing to move */
	f = made_found(m, "grid-too-small");
	assert_true(f->kernel_speedup < 1.5 && f->saves_low_s == 0);
}

/* Can the turns of the loop "turns" with ${line} in it be divided? */
static void
is_divided(const char *line, bool divided, bool sums)
{
	struct made m;
	struct code *c;
	bool s;

	made_init(&m);
	c = &code_make(&m, made_kernel(&m, "k", 1, 1000), code_text("turns",
	    line), 1)->code;
	assert_int_equal(c->sass.loops, 1);
	if (divided_loop(c, 0, &s) != divided)
		fail_msg("%s", line);
	assert_int_equal(s, sums);
	code_release(&m);
}

/* What a turn leaves to the next: counters and sums do not keep it waiting. */
TEST(test_divided_turns)
{
	is_divided("FFMA R4,R5,R5,R4 | inst 6400", true, true);
	is_divided("FMNMX R4,R4,R5,!PT | inst 6400", true, true);
	is_divided("@P2 FADD R4,R4,R5 | inst 6400", true, true);
	is_divided("STG.E desc[UR4][R10.64],R5 | inst 6400", true, false);
	is_divided("STG.E desc[UR4][R2.64],R5 | inst 6400", true, false);
	/* The next turn multiplies what this one made, or follows it; it reads
	 * what was stored, or what all before it are in sum; or it is not known
	 * that there is one. */
	is_divided("FFMA R4,R4,R5,R5 | inst 6400", false, false);
	is_divided("LDG.E.64 R2,desc[UR4][R2.64] | inst 6400", false, false);
	is_divided("STG.E desc[UR4][R2.64+0x4],R5 | inst 6400", false, false);
	is_divided("FADD R4,R4,R5\nSTG.E desc[UR4][R10.64],R4 | inst 6400",
	    false, false);
	is_divided("ISETP.EQ.AND P2,PT,R5,RZ,PT\n@P2 EXIT | inst 6400", false,
	    false);
	is_divided("BAR.SYNC.DEFER_BLOCKING 0x0 | inst 6400", false, false);
	is_divided("FSETP.GT.AND P2,PT,R5,R4,PT\n@P2 MOV R4,R5 | inst 6400",
	    false, false);
}

/* A thread for each sum, and few of them: the turns of its loop make many. */
MADE_TEST(test_divided_sum)
{
	struct kernel *k = made_kernel(m, "k", 100, 200000);
	const struct finding *f;

	made_counters(m, k, 0.01);
	k->shape.grid_x = 33;
	k->shape.block_x = 32;
	k->occupancy.waves = 33.0 / 1056;
	code_make(m, k, code_text("turns", "FFMA R4,R5,R5,R4 | inst 6400"), 1);
	f = made_found(m, "grid-too-small");
	assert_true(f->kernel_speedup > 4 && f->kernel_speedup < 64);
	assert_has(f->advice, "whose sums are added");
	code_make(m, k, code_text("turns", "FFMA R4,R4,R5,R5 | inst 6400"), 1);
	f = made_found(m, "grid-too-small");
	assert_true(f->kernel_speedup < 2 && f->saves_low_s == 0);
}

/* What the program deals out to its warps it could deal out to more, however a turn
 * needs the last one. */
MADE_TEST(test_dealt_turns)
{
	struct kernel *k = made_kernel(m, "k", 100, 200000);
	const struct finding *f;

	made_counters(m, k, 0.01);
	k->shape.grid_x = 33;
	k->shape.smem_static = 4096;
	k->occupancy.waves = 33.0 / 1056;
	code_make(m, k, code_text("dealt", "0x8"), 1);
	f = made_found(m, "grid-too-small");
	assert_true(f->kernel_speedup > 4 && f->saves_low_s > 0);
	code_make(m, k, code_text("dealt", "0x10"), 1);	/* unrolled */
	f = made_found(m, "grid-too-small");
	assert_true(f->kernel_speedup > 4);
	code_make(m, k, code_text("dealt", "0x3"), 1);	/* no deal */
	f = made_found(m, "grid-too-small");
	assert_true(f->kernel_speedup < 2 && f->saves_low_s == 0);
}

/* One block of which two have places on each of 132 SMs: what is dealt out fills all of
 * them. */
MADE_TEST(test_dealt_to_all)
{
	struct kernel *k = made_kernel(m, "k", 100, 20000000);
	const struct finding *f;

	made_counters(m, k, 0.0001);
	k->metric[METRIC_SM_CYCLES_ACTIVE_AVG] = 100 / 132.0;
	k->metric[METRIC_OCCUPANCY] = 50;
	k->metric[METRIC_ISSUE_ACTIVE] = 0.05;
	k->shape.grid_x = 1;
	k->shape.block_x = 1024;
	k->shape.smem_static = 4096;
	k->occupancy.waves = 1 / 264.0;
	made_strides(k);
	f = made_found(m, "grid-too-small");
	assert_true(f->kernel_speedup > 200 && f->kernel_speedup < 264);
}

/* One block on each SM, and no more of them: there is no second for any. */
MADE_TEST(test_no_second_block)
{
	fault_many_registers(m);
	m->kernel[0].shape.grid_x = 132;
	m->kernel[0].occupancy.waves =
	    1.0 / m->kernel[0].occupancy.blocks_per_sm;
	made_quiet(m, "low-theoretical-occupancy");
	/* A grid of all the places there are grows with them. */
	made_again(m);
	fault_many_registers(m);
	m->kernel[0].shape.grid_x = 132 *
	    m->kernel[0].occupancy.blocks_per_sm;
	m->kernel[0].occupancy.waves = 1;
	assert_true(predicted(m, "low-theoretical-occupancy", NULL) > 1.1);
}
