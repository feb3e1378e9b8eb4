/*
 * The basis of predictions: the work that the code of a kernel shows to be
 * avoidable, what a queue saves, and what is requested but not used.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rules/gain/gain.h"
#include "rules/code.h"
#include "rules/faults.h"
#include "unit/advise.h"

static double
saves(struct made *m, const char *rule)
{
	struct advice *a = made_advised(m);
	const struct finding *f;
	double s;

	assert_non_null(a);
	f = made_finding(a, rule);
	s = f != NULL ? f->saves_s : 0;
	return s;
}

/* A loop over an array in local memory: one of its nine instructions is work if
 * it is on floats; for integers that is unknown. */
static double
spill(const char *loop, const char *work)
{
	struct kernel *k;
	struct made m;
	double s;

	made_init(&m);
	k = made_counted(&m, 0.1);
	code_make(&m, k, code_text(loop, work), 1000);
	k->metric[METRIC_LOCAL_LD_INST] = 6.4e6;
	k->metric[METRIC_LOCAL_ST_SECTORS] = k->metric[METRIC_LOCAL_ST_INST] = 0;
	k->metric[METRIC_GLOBAL_LD_SECTORS] = 1e6;
	k->metric[METRIC_GLOBAL_ST_SECTORS] = 1e6;
	k->metric[METRIC_ISSUE_ACTIVE] = 90;
	s = saves(&m, "local-memory-spill");
	code_release(&m);
	return s / made_kernel_s(k);
}

TEST(test_unrolled_spill)
{
	static const char work[] = "FFMA R11,R4,R9,R11 | inst 6400\n";
	double floats = spill("spilling_loop", work);
	double integers = spill("spilling_loop",
	    "IMAD R11,R4,R9,R11 | inst 6400\n");

	assert_true(floats > 0.75 && floats < 0.95);
	assert_true(integers > 0.2 && integers < 0.6);
	/* Data are the index: no turn of any loop makes it a constant. */
	assert_true(spill("spilling_data", work) < 0.1);
}

/* Spills stay in caches if global accesses explain the DRAM traffic. */
MADE_TEST(test_spills_stay_in_caches)
{
	struct fix f = FIX_NONE;
	struct kernel *k;
	struct load l;
	double mid, high;

	k = made_measured(m, "k", 10, 100000, 0.9);
	k->metric[METRIC_LOCAL_LD_SECTORS] =
	    k->metric[METRIC_GLOBAL_LD_SECTORS];
	k->metric[METRIC_L2_READ] *= 2;
	k->metric[METRIC_L2_SECTORS] = k->metric[METRIC_L2_READ] +
	    k->metric[METRIC_L2_WRITE];
	load_of(&l, k, &m->device[0]);
	assert_int_equal(l.limit, RES_DRAM);
	assert_true(l.l2_local > 0);
	f.local = 0;
	mid = gain_time(&l, &f, VIEW_MID);
	high = gain_time(&l, &f, VIEW_HIGH);
	assert_true(mid > 0.98 * l.time_s);
	assert_true(high < 0.9 * l.time_s);
	/* Traffic beyond that is due to the spills: nine of ten bytes written. */
	k->metric[METRIC_DRAM_READ] /= 10;
	k->metric[METRIC_DRAM_WRITE] *= 1.9;
	k->metric[METRIC_GLOBAL_LD_SECTORS] /= 10;
	k->metric[METRIC_GLOBAL_ST_SECTORS] /= 10;
	load_of(&l, k, &m->device[0]);
	assert_int_equal(l.limit, RES_DRAM);
	mid = gain_time(&l, &f, VIEW_MID);
	assert_true(mid < 0.5 * l.time_s);
	assert_true(gain_time(&l, &f, VIEW_LOW) > mid);
	f.local = 0.5;
	assert_true(gain_time(&l, &f, VIEW_MID) > 1.3 * mid);
}

/* Scattered loads of more bytes than there are: with full sectors, caches keep them
 * between uses, and only the first use comes from DRAM; stored data is not loaded. */
MADE_TEST(test_loaded_again)
{
	struct fix f = FIX_NONE;
	double all, twice, bytes, *stored;
	struct kernel *k;
	struct load l;

	k = made_measured(m, "k", 10, 100000, 0.9);
	stored = &k->metric[METRIC_GLOBAL_ST_SECTORS];
	*stored = 0;
	load_of(&l, k, &m->device[0]);
	assert_int_equal(l.limit, RES_DRAM);
	f.global_ld = 0.5;
	all = gain_time(&l, &f, VIEW_MID);
	bytes = l.ld_sectors * 32 * f.global_ld;
	m->device[0].memory_bytes = (uint64_t)bytes + 1;
	load_of(&l, k, &m->device[0]);
	assert_true(gain_time(&l, &f, VIEW_MID) == all);
	m->device[0].memory_bytes = (uint64_t)(bytes / 4);
	load_of(&l, k, &m->device[0]);
	twice = gain_time(&l, &f, VIEW_MID);
	assert_true(twice < 0.9 * all);
	assert_true(gain_time(&l, &f, VIEW_LOW) > twice);
	*stored = bytes / 16 / 32;
	load_of(&l, k, &m->device[0]);
	assert_true(gain_time(&l, &f, VIEW_MID) < 0.99 * twice);
	assert_true(gain_time(&l, &f, VIEW_HIGH) < gain_time(&l, &f, VIEW_MID));
}

/* The true explanation of a kernel may be better than assumed: the interval is
 * as wide as past errors of predictions, but a gain of zero stays zero. */
MADE_TEST(test_doubt)
{
	struct fix f[VIEWS] = { FIX_NONE, FIX_NONE, FIX_NONE };
	struct kernel *k;
	struct gain g;
	struct load l;
	double s;

	k = made_measured(m, "k", 10, 1000000, 0.02);
	k->metric[METRIC_PIPE_XU] = 72;		/* explains 80 % of the time */
	load_of(&l, k, &m->device[0]);
	assert_true(l.bound > 0.75 && l.bound < 0.85);
	for (int v = 0; v < VIEWS; v++)
		f[v].part[RES_XU] = 0.1;
	g = gain_of(&l, k, f);
	s = gain_exposed_s(k);
	assert_true(s / (s - g.mid) < 4 && s / (s - g.high) > 4.5);
	assert_true(fabs(s / (s - g.high) / (s / (s - g.mid)) -
	    gain_doubt(GROUNDS_WHOLE)) < 1e-6);
	assert_true(g.low < g.mid);
	k->metric[METRIC_PIPE_XU] = 20;		/* explains nothing */
	load_of(&l, k, &m->device[0]);
	assert_true(gain_of(&l, k, f).high < 0.01 * s);
}

/* The instructions for the halves of double literals disappear with the doubles. */
MADE_TEST(test_double_literals)
{
	static const char *const with[] = {
		"UMOV UR6,0x33333333 | inst 6400\n"
		"UMOV UR7,0x3fd33333 | inst 6400\n",
		"IADD3 R6,R6,R7,RZ | inst 6400\n"
		"IADD3 R9,R9,R7,RZ | inst 6400\n",
	};
	double s[2];

	for (int i = 0; i < 2; i++) {
		struct kernel *k;

		made_again(m);
		k = code_kernel(m, 0.1, code_text("doubles", with[i]));
		k->metric[METRIC_ISSUE_ACTIVE] = 90;
		s[i] = saves(m, "double-precision");
	}
	assert_true(s[1] > 0.1 && s[0] > s[1] + 0.3);
}

/* Functions of the library are longer in double, by which one it is. */
MADE_TEST(test_double_functions)
{
	static const char *const call[] = {
		"DADD R12,R10,R12 | inst %d\n",
		"DSETP.GE.AND P0,PT,|R4|,2.14748364800000000000e+09,PT | inst %d\n",
		"DFMA R12,R22,R24,6.75539944105574400000e+15 | inst %d\n",
		"@!P1 DMUL R10,R6,1.80143985094819840000e+16 | inst %d\n",
	};
	double s[4];

	for (int i = 0; i < 4; i++) {
		char text[256];
		struct kernel *k;

		made_again(m);
		snprintf(text, sizeof(text), call[i], 500);
		k = code_kernel(m, 0.1, code_text("doubles", text));
		k->metric[METRIC_ISSUE_ACTIVE] = 95;
		s[i] = saves(m, "double-precision");
		if (i > 0)
			assert_true(s[i] > s[i - 1] * 1.05);
	}
}

/* And so do the loads from the tables of the double functions, if L1 is the
 * limit; the data's loads stay. */
MADE_TEST(test_double_tables)
{
	static const char *const from[] = { "c[0x4][RZ]", "c[0x0][0x210]" };
	double s[2];

	for (int i = 0; i < 2; i++) {
		char load[256];
		struct kernel *k;

		made_again(m);
		snprintf(load, sizeof(load), "LDC.64 R32,%s | inst 6400\n"
		    "LDG.E.128.CONSTANT R16,desc[UR4][R32.64] | inst 6400 "
		    "sectors 102400 ideal 102400\n", from[i]);
		k = code_kernel(m, 0.1, code_text("doubles", load));
		k->metric[METRIC_LSU_WAVEFRONTS] = 0.95 * 198.5e-6 *
		    m->device[0].ceilings.sm_hz * 132;
		k->metric[METRIC_ISSUE_ACTIVE] = 30;
		s[i] = saves(m, "double-precision");
	}
	assert_true(s[0] > s[1] + 0.3);
}

/* All lanes of a warp add to one word: nothing else takes time. */
MADE_TEST(test_one_word)
{
	struct kernel *k;
	double s;

	k = made_measured(m, "_Z4workPf", 1000, 2000000, 0.001);
	code_make(m, k, code_text("one_word"), 1000);
	k->metric[METRIC_ISSUE_ACTIVE] = 0.1;
	k->metric[METRIC_DRAM_READ] = k->metric[METRIC_DRAM_WRITE] = 1e6;
	s = saves(m, "global-atomic-contention");
	assert_true(s > 0.98 * made_kernel_s(k));
}

static double
syncing(uint64_t count, uint64_t idle_ms)
{
	struct made m;

	made_init(&m);
	fault_syncing(&m);
	m.sync[0].count = m.sync[0].followed = count;
	m.sync[0].idle_after_ns = idle_ms * 1000000;
	m.run.idle_total_ns -= m.run.idle_ns[IDLE_AFTER_SYNC];
	m.run.idle_ns[IDLE_AFTER_SYNC] = m.run.idle_gaps = 0;
	memset(m.run.gap, 0, sizeof(m.run.gap));
	made_gaps(&m, IDLE_AFTER_SYNC, count, idle_ms * 1000000 / count);
	return saves(&m, "device-sync-overuse");
}

/* The time from a wait to the next launch is saved completely, except for the
 * gap that always separates two kernels (1 us); but never more than the GPU
 * work that can hide it, plus a round trip for each. */
TEST(test_queue)
{
	assert_true(fabs(syncing(10000, 400) - 0.39) < 1e-6);
	assert_true(fabs(syncing(10000, 480) - 0.47) < 1e-6);
	assert_true(syncing(200000, 6000) <= 3.0 + 200000 * 7.3e-6 + 1e-6);
}

static double
asking(uint32_t bytes, double stores, const char **advice)
{
	static char text[512];
	struct advice *a;
	struct kernel *k;
	struct made m;
	double s;

	made_init(&m);
	fault_many_registers(&m);
	k = &m.kernel[0];
	k->shape.regs = 32;
	k->shape.smem_dynamic = bytes;
	k->occupancy.limiter = LIMITER_SHARED;
	k->metric[METRIC_SHARED_ST_INST] = stores * k->shape.grid_x;
	a = made_advice(&m);
	snprintf(text, sizeof(text), "%s",
	    made_finding(a, "low-theoretical-occupancy")->advice);
	s = made_finding(a, "low-theoretical-occupancy")->saves_s;
	*advice = text;
	advice_free(a);
	return s;
}

/* 110 KB requested, 4 KB written: as many blocks as without. */
TEST(test_unused_shared_memory)
{
	const char *advice;
	double unused = asking(110000, 8, &advice), used;

	assert_non_null(strstr(advice, "its stores write 4.1 kB at most"));
	used = asking(110000, 200, &advice);
	assert_null(strstr(advice, "its stores write"));
	assert_true(used > 0 && unused > 1.2 * used);
}
