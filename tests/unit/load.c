/*
 * The load of a launch: what it waits for, and which launch it describes.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rules/gain/gain.h"
#include "model/lines/together.h"
#include "rules/made.h"
#include "unit/advise.h"

/* Warps that wait for memory far longer than their trips take are queued: more
 * warps do not help, fewer sectors do, although no counter is high. */
MADE_TEST(test_queue)
{
	struct load l, few;
	struct fix sectors = FIX_NONE, warps = FIX_NONE;
	double *v, speedup;

	made_counters(m, made_kernel(m, "k", 10, 5000000), 0.5);
	v = m->kernel[0].metric;
	v[METRIC_STALL_LONG_SCOREBOARD] = v[METRIC_STALL_LG_THROTTLE] = NAN;
	v[METRIC_STALL_SHORT_SCOREBOARD] = v[METRIC_STALL_MIO_THROTTLE] = NAN;
	v[METRIC_DRAM_READ] *= 2;
	v[METRIC_DRAM_WRITE] = 0;
	v[METRIC_ISSUE_ACTIVE] = 1;
	v[METRIC_SM_CYCLES_ACTIVE_AVG] = 9.9e6;
	v[METRIC_SM_CYCLES_ACTIVE_MAX] = 10e6;
	v[METRIC_INST_EXECUTED] = 5e7;
	v[METRIC_GLOBAL_LD_SECTORS] = 32 * 8e6;
	v[METRIC_GLOBAL_LD_REQUESTS] = 8e6;
	v[METRIC_GLOBAL_LD_BYTES_PER_SECTOR] = 4;
	v[METRIC_GLOBAL_ST_SECTORS] = v[METRIC_GLOBAL_ST_REQUESTS] = 0;
	made_load(m, &l);
	assert_true(l.memory_queue > 0.8 && l.bound >= l.memory_queue);
	sectors.global_ld = 1. / 8;
	assert_true(made_speedup(&l, &sectors, VIEW_MID) > 4);
	assert_true(made_speedup(&l, &sectors, VIEW_LOW) > 1.2);
	warps.occupancy = 2;
	assert_true(made_speedup(&l, &warps, VIEW_MID) < 1.1);
	/* Of a memory that is hardly busy it may as well be longer trips. */
	few = l;
	few.busy = 0.12;
	assert_true(made_speedup(&few, &warps, VIEW_MID) > 1.4);
	assert_true(made_speedup(&few, &warps, VIEW_LOW) < 1.1);
	/* As many atomics are queued as before. */
	speedup = made_speedup(&l, &sectors, VIEW_MID);
	v[METRIC_L2_FROM_L1] = v[METRIC_L2_READ] + 32 * 8e6;
	made_load(m, &l);
	assert_true(l.l2_atom >= 32 * 8e6);
	assert_true(made_speedup(&l, &sectors, VIEW_MID) < 0.7 * speedup);
	v[METRIC_L2_FROM_L1] = NAN;
	/* It may wait at barriers, or for a pipe: then the cause is unknown. */
	v[METRIC_SHARED_LD_INST] = 1e6;
	made_load(m, &l);
	assert_true(l.memory_queue == 0);
	v[METRIC_SHARED_LD_INST] = 0;
	v[METRIC_PIPE_ALU] = 90;
	made_load(m, &l);
	assert_true(l.memory_queue == 0);
}

/* One resource whose ceiling was too low is saturated; the others are not less busy. */
MADE_TEST(test_ceiling_too_low)
{
	struct kernel *k;
	struct load l;
	double body;

	k = made_measured(m, "k", 10, 1000000, 0.9);
	k->metric[METRIC_ISSUE_ACTIVE] = 60;
	k->metric[METRIC_DRAM_READ] *= 3;
	made_load(m, &l);
	body = l.time_s - l.fixed_s;
	assert_int_equal(l.limit, RES_DRAM);
	assert_true(l.busy == 1 && l.resource_s[RES_DRAM] == body);
	assert_true(fabs(l.resource_s[RES_ISSUE] / body - 0.6) < 1e-6);
}

/* Warps that wait far longer than their few trips to an idle memory wait for
 * something that was not counted: no change to accesses, warps or the grid
 * certainly helps, though it may. */
MADE_TEST(test_unexplained)
{
	struct load l;
	struct fix sectors = FIX_NONE, warps = FIX_NONE, wait = FIX_NONE;
	double *v;

	made_counters(m, made_kernel(m, "k", 10, 600000000), 0.001);
	v = m->kernel[0].metric;
	v[METRIC_STALL_LONG_SCOREBOARD] = v[METRIC_STALL_LG_THROTTLE] = NAN;
	v[METRIC_STALL_SHORT_SCOREBOARD] = v[METRIC_STALL_MIO_THROTTLE] = NAN;
	v[METRIC_L2_PCT] = v[METRIC_ISSUE_ACTIVE] = 0.1;
	v[METRIC_SM_CYCLES_ACTIVE_AVG] = 1.14e9;
	v[METRIC_SM_CYCLES_ACTIVE_MAX] = 1.19e9;
	v[METRIC_INST_EXECUTED] = 4e5;
	v[METRIC_GLOBAL_LD_SECTORS] = 15.2 * 6500;
	v[METRIC_GLOBAL_LD_REQUESTS] = 6500;
	v[METRIC_GLOBAL_ST_SECTORS] = v[METRIC_GLOBAL_ST_REQUESTS] = 0;
	v[METRIC_SHARED_LD_INST] = v[METRIC_SHARED_ST_INST] = 0;
	made_load(m, &l);
	assert_true(l.memory_queue == 0 && l.unexplained > 0.9);
	assert_string_equal(load_bound_name(&l), "latency");
	sectors.global_ld = 1. / 8;
	assert_true(made_speedup(&l, &sectors, VIEW_HIGH) < 1.01);
	warps.occupancy = warps.spread = 4;
	assert_true(made_speedup(&l, &warps, VIEW_MID) < 1.1);
	assert_true(made_speedup(&l, &warps, VIEW_HIGH) > 2);
	/* A fix that knows what it waits for can end the wait. */
	wait.stall = 0.1;
	assert_true(made_speedup(&l, &wait, VIEW_MID) > 5);
	/* The same accesses in a time that their trips explain. */
	v[METRIC_SM_CYCLES_ACTIVE_AVG] = v[METRIC_SM_CYCLES_ACTIVE_MAX] = 2e3;
	made_load(m, &l);
	assert_true(l.unexplained < 0.1);
}

/* Shared wavefronts that were only counted by instruction belong to shared
 * memory, and the wavefronts of accesses by no lane to nothing: neither is part
 * of what global accesses need. */
MADE_TEST(test_shared_counted)
{
	struct fix fix = FIX_NONE;
	struct kernel *k = code_kernel(m, 0.1,
	    "LDS R8[R4] | inst 100 waves 3200 least 100\n"
	    "@!P0 LDS R9[R5] | inst 400\n"
	    "LDG.E R9,desc[UR4][R2.64] | inst 100 sectors 400 ideal 400\n");
	struct code *c = &m->code[0]->code;
	double *v = k->metric;
	struct load l;

	c->instruction[1].value[SOURCE_SHARED_LD] = 0;
	v[METRIC_SHARED_WAVEFRONTS] = NAN;
	v[METRIC_SHARED_LD_WAVEFRONTS] = v[METRIC_SHARED_ST_WAVEFRONTS] = NAN;
	v[METRIC_LSU_WAVEFRONTS] = 3700 * CODE_SCALE;
	v[METRIC_INST_EXECUTED] = 600 * CODE_SCALE;
	made_load(m, &l);
	assert_true(fabs(l.wavefronts[USER_SHARED_LD] - 3200e3) < 1);
	assert_true(fabs(l.wavefronts[USER_OTHER] - 400e3) < 1);
	assert_true(fabs(l.wavefronts[USER_GLOBAL_LD] - 100e3) < 1);
	/* Without conflicts a pipe that is full of them is nearly empty. */
	v[METRIC_LSU_WAVEFRONTS] = 0.9 * 200e-6 * 1.98e9 * 132;
	v[METRIC_INST_EXECUTED] *= v[METRIC_LSU_WAVEFRONTS] / 3700e3;
	made_load(m, &l);
	fix.shared_ld = 1. / 32;
	assert_int_equal(l.limit, RES_L1);
	assert_true(made_speedup(&l, &fix, VIEW_MID) > 3);
}

/* What global accesses need of a pipe whose shared accesses were estimated too
 * low, or not counted: a wavefront moves at least one sector. */
MADE_TEST(test_shared_missing)
{
	struct load l;
	double *v;

	made_counters(m, made_kernel(m, "k", 10, 5000000), 0.5);
	v = m->kernel[0].metric;
	v[METRIC_GLOBAL_LD_REQUESTS] = 1e6;
	v[METRIC_GLOBAL_LD_SECTORS] = 4e6;
	v[METRIC_GLOBAL_ST_SECTORS] = v[METRIC_GLOBAL_ST_REQUESTS] = 0;
	v[METRIC_LSU_WAVEFRONTS] = 300e6;
	v[METRIC_SHARED_WAVEFRONTS] = 90e6;
	v[METRIC_SHARED_LD_WAVEFRONTS] = v[METRIC_SHARED_ST_WAVEFRONTS] = NAN;
	made_load(m, &l);
	assert_true(l.wavefronts[USER_GLOBAL_LD] <= 4e6 + 1);
	assert_true(l.wavefronts[USER_OTHER] >= 206e6 - 1);
	v[METRIC_SHARED_WAVEFRONTS] = NAN;
	m->kernel[0].shape.smem_dynamic = 4096;
	made_load(m, &l);
	assert_true(l.wavefronts[USER_GLOBAL_LD] < 2e6);
}

/* The number of loads was not counted: their sectors stand for it in the pipe. */
MADE_TEST(test_loads_not_counted)
{
	struct load l;
	double *v;

	made_counters(m, made_kernel(m, "k", 10, 5000000), 0.5);
	v = m->kernel[0].metric;
	v[METRIC_GLOBAL_LD_REQUESTS] = v[METRIC_GLOBAL_LD_INST] = NAN;
	v[METRIC_GLOBAL_LD_SECTORS] = 32e6;
	v[METRIC_GLOBAL_ST_SECTORS] = v[METRIC_GLOBAL_ST_REQUESTS] = 0;
	v[METRIC_SHARED_WAVEFRONTS] = 0;
	v[METRIC_LSU_WAVEFRONTS] = 30e6;
	made_load(m, &l);
	assert_true(fabs(l.wavefronts[USER_GLOBAL_LD] - 30e6) < 1);
	assert_true(l.wavefronts[USER_OTHER] == 0);
}

/* The measured launch took a tenth of the time of the others: its counters
 * describe it, and not those. */
MADE_TEST(test_own_launch)
{
	struct fix f[VIEWS] = { FIX_NONE, FIX_NONE, FIX_NONE };
	struct kernel *k;
	struct load l;
	struct gain g;

	k = made_measured(m, "k", 10, 100000, 0.9);
	for (int i = 0; i < 90; i++)
		stat_add(&k->time, 1000000);
	k->metric[METRIC_DURATION] = 100500;
	made_load(m, &l);
	assert_int_equal(l.limit, RES_DRAM);
	assert_true(l.busy > 0.8 && l.busy <= 0.9);
	assert_true(l.time_s < 110e-6 && l.like < 0.02 && l.excess == 0);
	for (int v = 0; v < VIEWS; v++)
		f[v].part[RES_DRAM] = 0.5;
	g = gain_of(&l, k, f);
	assert_true(g.mid > 0.3 * gain_exposed_s(k));
	assert_true(g.low < 0.01 * gain_exposed_s(k));
	/* The accesses are known to be what differs. */
	k->accesses_vary = true;
	made_load(m, &l);
	assert_true(l.excess > 0.85 && l.excess < 0.92);
	for (int v = 0; v < VIEWS; v++)
		f[v] = (struct fix)FIX_NONE, f[v].global_ld = 0.9;
	g = gain_of(&l, k, f);
	assert_true(g.mid > 0.4 * gain_exposed_s(k));
	assert_true(g.high > 0.8 * gain_exposed_s(k));
	/* What did not lengthen this run the pessimist does not count. */
	{
		double all = g.low, mid = g.mid;

		k->hidden_ns = 0.75 * k->exposed_ns;
		g = gain_of(&l, k, f);
		assert_true(all > 0 && fabs(g.low / all - 0.25) < 1e-6);
		assert_true(g.mid == mid);
	}
	/* A window is slightly longer than its launch. */
	made_again(m);
	k = made_measured(m, "k", 10, 10000, 0.9);
	k->metric[METRIC_DURATION] = 11200;
	made_load(m, &l);
	assert_true(fabs(l.time_s - 10e-6) < 1e-9 && l.like == 1);
}

static double
together(const char *text)
{
	struct sass s;
	double n;

	assert_int_equal(sass_parse(&s, text, strlen(text)), 0);
	n = together_of(&s);
	sass_free(&s);
	return n;
}

/* Loads that are issued before the first result is needed share one trip. */
TEST(test_together)
{
	assert_true(together("0000 LDG.E R4,desc[UR4][R2.64]\n"
	    "0010 LDG.E R5,desc[UR4][R2.64+0x80]\n"
	    "0020 LDG.E R6,desc[UR4][R2.64+0x100]\n"
	    "0030 LDG.E R7,desc[UR4][R2.64+0x180]\n"
	    "0040 FADD R4,R4,R5\n0050 FADD R6,R6,R7\n0060 EXIT\n") == 4);
	/* Code that runs once before a loop tells nothing about the loop. */
	assert_true(together("0000 LDG.E R4,desc[UR4][R2.64]\n"
	    "0010 LDG.E R5,desc[UR4][R2.64+0x80]\n"
	    "0020 LDG.E R6,desc[UR4][R2.64+0x100]\n"
	    "0030 IADD3 R2,R2,0x4,RZ\n"
	    "0040 LDG.E R7,desc[UR4][R2.64]\n"
	    "0050 FADD R4,R4,R7\n0060 @P0 BRA 0x30\n0070 EXIT\n") == 1);
	/* Each address comes from the load before. */
	assert_true(together("0000 LDG.E R4,desc[UR4][R2.64]\n"
	    "0010 LDG.E R5,desc[UR4][R4.64]\n0020 EXIT\n") == 1);
	assert_true(isnan(together("0000 FADD R4,R4,R5\n0010 EXIT\n")));
}

/* A kernel of 60 warps an SM that ran for a millisecond, without stall counters. */
static struct kernel *
make_full(struct made *m)
{
	struct kernel *k;
	double *v;

	made_again(m);
	k = made_measured(m, "k", 10, 1000000, 0.2);
	v = k->metric;
	v[METRIC_STALL_LONG_SCOREBOARD] = v[METRIC_STALL_LG_THROTTLE] = NAN;
	v[METRIC_STALL_SHORT_SCOREBOARD] = v[METRIC_STALL_MIO_THROTTLE] = NAN;
	v[METRIC_SM_CYCLES_ACTIVE_AVG] = v[METRIC_SM_CYCLES_ACTIVE_MAX] =
	    1.98e6;
	v[METRIC_INST_EXECUTED] = 60 * 132 * 10000.;
	v[METRIC_SHARED_LD_INST] = v[METRIC_SHARED_ST_INST] = 1;
	/* If all loads go to DRAM, a warp's loads take 1.5 of 1.98 million cycles. */
	v[METRIC_GLOBAL_LD_REQUESTS] = 60 * 132 * 3000.;
	v[METRIC_GLOBAL_LD_SECTORS] = 4 * v[METRIC_GLOBAL_LD_REQUESTS];
	return k;
}

/* The latency of loads depends on where their sectors were found; warps that
 * could issue do not wait; samples tell how long the others waited. */
MADE_TEST(test_waits)
{
	struct code code = { .sampled = true, .sample_kernels = 1,
	    .samples = { .all = 1000, .not_issued = 400 } };
	struct kernel *k = make_full(m);
	double far = k->metric[METRIC_GLOBAL_LD_SECTORS], *v = k->metric;
	struct load l;

	v[METRIC_L2_READ] = far;
	v[METRIC_L2_SECTORS] = 2 * far;
	v[METRIC_DRAM_READ] = far * 32;
	made_load(m, &l);
	assert_false(l.stalls_known);
	assert_true(l.memory_stall > 0.7);
	v[METRIC_DRAM_READ] = 0;		/* L2 has all sectors */
	made_load(m, &l);
	assert_true(l.memory_stall > 0.3 && l.memory_stall < 0.5);
	v[METRIC_L2_READ] = far / 100;	/* L1 has them */
	made_load(m, &l);
	assert_true(l.memory_stall < 0.1);
	/* Half of the warps could issue. */
	v[METRIC_L2_READ] = far;
	v[METRIC_DRAM_READ] = far * 32;
	v[METRIC_WARPS_ELIGIBLE] = 0.95 * 64 / 4 / 2;
	made_load(m, &l);
	assert_true(l.memory_stall <= 0.501);
	code.samples.stall[STALL_LONG_SCOREBOARD] = 150;
	code.samples.stall[STALL_LG_THROTTLE] = 50;
	code.samples.stall[STALL_BARRIER] = 400;
	k->code = &code;
	made_load(m, &l);
	assert_true(l.stalls_known && fabs(l.memory_stall - 0.2) < 1e-9);
	assert_true(fabs(l.throttle - 0.05) < 1e-9 && l.shared_stall == 0);
	code.sample_kernels = 2;	/* the samples may be of the other kernel */
	made_load(m, &l);
	assert_false(l.stalls_known);
	code.sample_part = 0.7;		/* or of some launches that do the same */
	made_load(m, &l);
	assert_true(l.stalls_known && fabs(l.memory_stall - 0.2) < 1e-9);
	code.sample_kernels = 1;
	code.samples.all = 100;
	made_load(m, &l);
	assert_false(l.stalls_known);
	v[METRIC_WARPS_ELIGIBLE] = NAN;
	code.together = 8;		/* of 3000 loads 375 are waited for */
	made_load(m, &l);
	assert_true(l.memory_stall < 0.25);
}
