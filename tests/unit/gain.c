/*
 * The resource model: fixing the limiter pays, fixing something else does not,
 * and several fixes together never save more than there is.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rules/gain/gain.h"
#include "rules/made.h"
#include "unit/advise.h"

static const struct fix none = FIX_NONE;

MADE_TEST(test_unchanged)
{
	struct load l;

	for (double dram = 0.1; dram < 1.2; dram += 0.1) {
		made_again(m);
		made_counters(m, made_kernel(m, "k", 10, 100000), dram);
		made_load(m, &l);
		for (int v = 0; v < VIEWS; v++)
			assert_true(fabs(made_speedup(&l, &none, (enum gain_view)v) - 1)
			    < 1e-9);
	}
}

MADE_TEST(test_limiter)
{
	struct load l;
	struct fix lanes = FIX_NONE, warps = FIX_NONE;

	made_counters(m, made_kernel(m, "k", 10, 100000), 0.9);
	made_load(m, &l);
	assert_int_equal(l.limit, RES_DRAM);
	assert_true(fabs(l.busy - 0.9) < 0.01);
	assert_string_equal(load_bound_name(&l), "DRAM");
	lanes.inst = 0.5;	/* lanes do not limit */
	warps.occupancy = 2;
	assert_true(made_speedup(&l, &lanes, VIEW_MID) < 1.01);
	assert_true(made_speedup(&l, &warps, VIEW_MID) < 1.01);

	m->kernel[0].metric[METRIC_PIPE_FMA] = 95;	/* now they limit */
	made_load(m, &l);
	assert_int_equal(l.limit, RES_FMA);
	assert_true(made_speedup(&l, &lanes, VIEW_HIGH) > 1.02);
	assert_true(made_speedup(&l, &lanes, VIEW_HIGH) < 1.1);	/* DRAM is the
								 * next limit */
	made_counters(m, &m->kernel[0], 0.1);
	made_load(m, &l);
	assert_true(made_speedup(&l, &lanes, VIEW_MID) > 1.9);
	assert_true(made_speedup(&l, &lanes, VIEW_MID) < 2.01);
	assert_true(made_speedup(&l, &warps, VIEW_MID) < 1.01);
}

/* DRAM is faster for reads alone: the same bytes keep it busy for less time. If
 * reads disappear and writes stay, the time of a copy stays. */
MADE_TEST(test_reads_alone)
{
	struct fix half = FIX_NONE;
	double copied, *v;
	struct load l;

	made_counters(m, made_kernel(m, "k", 10, 100000), 0.9);
	v = m->kernel[0].metric;
	v[METRIC_DRAM_READ] += v[METRIC_DRAM_WRITE];
	v[METRIC_DRAM_READ] = v[METRIC_DRAM_WRITE] = v[METRIC_DRAM_READ] / 2;
	made_load(m, &l);
	copied = l.busy;
	v[METRIC_DRAM_READ] *= 2;
	v[METRIC_DRAM_WRITE] = 0;
	made_load(m, &l);
	assert_true(fabs(l.busy / copied - 4.06 / 4.63) < 1e-6);
	v[METRIC_DRAM_WRITE] = v[METRIC_DRAM_READ];
	v[METRIC_DRAM_READ] = 0;
	made_load(m, &l);
	assert_true(fabs(l.busy / copied - 1) < 1e-6);
	/* Three parts read, one written; then one of each. */
	v[METRIC_DRAM_READ] = 3 * v[METRIC_DRAM_WRITE] / 4;
	v[METRIC_DRAM_WRITE] /= 4;
	v[METRIC_GLOBAL_LD_SECTORS] = v[METRIC_DRAM_READ] / 32;
	made_load(m, &l);
	half.global_ld = 1. / 3;
	assert_true(fabs(made_speedup(&l, &half, VIEW_MID) / ((4 - 2 * (1 -
	    4.06 / 4.63)) / 2) - 1) < 0.05);
}

/* A resource that its use pattern kept from being full tells nothing about the
 * next limit, which may become as full as is usual. */
MADE_TEST(test_next_limit)
{
	struct fix registers = FIX_NONE;
	struct kernel *k = made_kernel(m, "k", 10, 100000);
	double full;
	struct load l;

	made_counters(m, k, 0.3);
	made_load(m, &l);
	l.limit = RES_L1;
	l.bound = 1;
	l.busy = 0.6;
	l.resource_s[RES_L1] = 0.6 * (l.time_s - l.fixed_s);
	registers.part[RES_L1] = 0.1;
	full = (l.time_s - l.fixed_s) * 0.3 / 0.97 + l.fixed_s;
	assert_true(fabs(made_speedup(&l, &registers, VIEW_HIGH) -
	    l.time_s / full) < 0.01);
	assert_true(made_speedup(&l, &registers, VIEW_MID) <
	    0.8 * l.time_s / full);
}

/* Atomics on one place take the time that they take one after another, whatever else
 * is changed. */
MADE_TEST(test_line)
{
	struct fix other = FIX_NONE, fewer = FIX_NONE;
	struct load l;

	made_counters(m, made_kernel(m, "k", 10, 100000), 0.2);
	made_load(m, &l);
	other.stall = fewer.stall = 0.1;
	fewer.line = 0.1;
	assert_true(made_speedup(&l, &other, VIEW_MID) > 3);
	l.line_s = 0.8 * l.time_s;
	assert_true(made_speedup(&l, &other, VIEW_MID) < 1.26);
	assert_true(made_speedup(&l, &other, VIEW_MID) > 1.2);
	assert_true(made_speedup(&l, &other, VIEW_HIGH) > 3);
	assert_true(made_speedup(&l, &fewer, VIEW_MID) > 3);
}

MADE_TEST(test_latency)
{
	struct load l;
	struct fix f = FIX_NONE;

	made_counters(m, made_kernel(m, "k", 10, 100000), 0.2);
	m->kernel[0].metric[METRIC_OCCUPANCY] = 12.5;
	made_load(m, &l);
	assert_string_equal(load_bound_name(&l), "latency");
	f.occupancy = 4;
	assert_true(made_speedup(&l, &f, VIEW_MID) > 1.5);
	assert_true(made_speedup(&l, &f, VIEW_HIGH) <= 4.01);
	/* Never past the next full resource: DRAM at 20 %. */
	f.occupancy = 1000;
	f.spread = 1000;
	assert_true(made_speedup(&l, &f, VIEW_HIGH) < 5.2);
	assert_true(made_speedup(&l, &f, VIEW_HIGH) > 4);
	/* Nor, in the middle view, past what a full resource is usually used. */
	assert_true(made_speedup(&l, &f, VIEW_MID) > 4);
	assert_true(made_speedup(&l, &f, VIEW_MID) < 0.9 / 0.2);
}

/* 32 sectors a request, 4 bytes of each used, without hits in L1. */
static void
make_scattered(struct made *m)
{
	double *v;

	made_again(m);
	made_counters(m, made_kernel(m, "k", 10, 100000), 0.3);
	v = m->kernel[0].metric;
	v[METRIC_GLOBAL_LD_SECTORS] *= 8;
	v[METRIC_GLOBAL_LD_BYTES_PER_SECTOR] = 4;
	v[METRIC_L2_READ] *= 8;
	v[METRIC_L2_SECTORS] = v[METRIC_L2_READ] + v[METRIC_L2_WRITE];
	v[METRIC_LSU_WAVEFRONTS] = NAN;
	v[METRIC_L2_PCT] = 92;
}

MADE_TEST(test_coalescing)
{
	struct load l;
	struct fix f = FIX_NONE;

	make_scattered(m);
	made_load(m, &l);
	assert_true(l.busy > 0.8);
	f.global_ld = 1.0 / 8;
	assert_true(made_speedup(&l, &f, VIEW_LOW) > 1.5);
	assert_true(made_speedup(&l, &f, VIEW_MID) > 2);
	assert_true(made_speedup(&l, &f, VIEW_HIGH) < 8);

	/* The same pattern with L1 absorbing it and DRAM as the limit. */
	m->kernel[0].metric[METRIC_L2_PCT] = NAN;
	m->kernel[0].metric[METRIC_L2_READ] /= 8;
	m->kernel[0].metric[METRIC_L2_SECTORS] =
	    2 * m->kernel[0].metric[METRIC_L2_READ];
	m->kernel[0].metric[METRIC_LSU_WAVEFRONTS] = 1000;
	m->kernel[0].metric[METRIC_DRAM_READ] *= 2.9;
	m->kernel[0].metric[METRIC_DRAM_WRITE] *= 2.9;
	m->kernel[0].metric[METRIC_GLOBAL_LD_SECTORS] *= 2.9;
	made_load(m, &l);
	assert_int_equal(l.limit, RES_DRAM);
	assert_true(made_speedup(&l, &f, VIEW_MID) < 1.05);
}

MADE_TEST(test_conflicts)
{
	struct load l;
	struct fix f = FIX_NONE;
	double cycles = 100e-6 * 1.98e9 * 132, *v;

	made_counters(m, made_kernel(m, "k", 10, 100000), 0.1);
	v = m->kernel[0].metric;
	v[METRIC_SHARED_LD_WAVEFRONTS] = 0.85 * cycles;
	v[METRIC_SHARED_ST_WAVEFRONTS] = 0.05 * cycles;
	v[METRIC_SHARED_WAVEFRONTS] = 0.9 * cycles;
	v[METRIC_LSU_WAVEFRONTS] = 0.92 * cycles;
	made_load(m, &l);
	assert_int_equal(l.limit, RES_L1);
	f.shared_ld = 1.0 / 32;
	assert_true(made_speedup(&l, &f, VIEW_MID) > 4);
	f = none;
	f.shared_st = 1.0 / 32;
	assert_true(made_speedup(&l, &f, VIEW_MID) < 1.1);
}

MADE_TEST(test_small_grid)
{
	struct load l;
	struct fix f = FIX_NONE;

	made_counters(m, made_kernel(m, "k", 10, 1000000), 0.005);
	m->kernel[0].shape.grid_x = 1;
	m->kernel[0].metric[METRIC_SM_CYCLES_ACTIVE_AVG] = 1;
	m->kernel[0].metric[METRIC_SM_CYCLES_ACTIVE_MAX] = 132;
	made_load(m, &l);
	f.spread = 132;
	assert_true(made_speedup(&l, &f, VIEW_MID) > 60);
	assert_true(made_speedup(&l, &f, VIEW_MID) <= 132);
	/* A launch has a fixed cost, whatever its grid. */
	made_again(m);
	made_counters(m, made_kernel(m, "k", 10, 3000), 0.005);
	made_load(m, &l);
	assert_true(made_speedup(&l, &f, VIEW_HIGH) < 2.01);
}

/* DRAM and L2 are asked less while some SMs have no work. With work for all they are
 * as busy as they were while all worked, but no busier than is usual. */
MADE_TEST(test_uneven_memory)
{
	struct fix f = FIX_NONE;
	struct load l;
	double body;

	made_counters(m, made_kernel(m, "k", 10, 1000000), 0.1);
	made_load(m, &l);
	body = l.time_s - l.fixed_s;
	l.limit = RES_L1;
	l.bound = 1;
	f.spread = 1.8;
	l.resource_s[RES_L1] = (l.busy = 0.33) * body;
	l.resource_s[RES_L2] = 0.3 * body;
	assert_true(made_speedup(&l, &f, VIEW_MID) > 1.7);
	assert_true(made_speedup(&l, &f, VIEW_MID) < 1.81);
	l.resource_s[RES_L1] = (l.busy = 0.72) * body;
	l.resource_s[RES_L2] = 0.7 * body;
	assert_true(made_speedup(&l, &f, VIEW_MID) < 1 / 0.7);
	assert_true(made_speedup(&l, &f, VIEW_MID) > 1.2);
}

MADE_TEST(test_no_counters)
{
	struct code code = { .counted = true };
	struct load l;
	struct fix f = FIX_NONE;
	double s;

	made_kernel(m, "k", 10, 100000);
	made_load(m, &l);
	assert_int_equal(l.limit, -1);
	assert_null(load_bound_name(&l));
	f.occupancy = 2;
	assert_true(fabs(made_speedup(&l, &f, VIEW_LOW) - 1) < 1e-9);
	assert_true(made_speedup(&l, &f, VIEW_MID) > 1);
	assert_true(made_speedup(&l, &f, VIEW_HIGH) >
	    made_speedup(&l, &f, VIEW_MID));
	/* Issuing its instructions, which were counted, takes 70 % of the time,
	 * whatever the occupancy. */
	s = (l.time_s - l.fixed_s) * 0.7;
	code.total[SOURCE_INST] = s * 4 * m->device[0].limits.sms * l.spread *
	    m->device[0].ceilings.sm_hz;
	m->kernel[0].code = &code;
	made_load(m, &l);
	assert_int_equal(l.limit, -1);
	assert_true(fabs(l.issue_s - s) < 1e-3 * s);
	assert_true(fabs(gain_time(&l, &f, VIEW_HIGH) - l.fixed_s - s) <
	    1e-3 * s);
	f.inst = 0.5;
	assert_true(gain_time(&l, &f, VIEW_HIGH) < l.fixed_s + 0.8 * s);
	code.total[SOURCE_INST] = NAN;
	made_load(m, &l);
	f.inst = 1;
	assert_true(gain_time(&l, &f, VIEW_HIGH) < l.fixed_s + 0.8 * s);
}

static double
uniform(double low, double high)
{
	return low + (high - low) * (double)rand() / RAND_MAX;
}

/* Fixes of one resource, of waiting, of bytes in flight: each helps if that is
 * the limit, and hardly otherwise. */
MADE_TEST(test_parts)
{
	struct fix xu = FIX_NONE, stall = FIX_NONE, flight = FIX_NONE, f;
	struct fix rows = FIX_NONE, together = FIX_NONE;
	struct load bound, waiting;
	struct kernel *k;

	rows.global_ld = rows.read = 0.7;
	together.global_ld = 0.5;
	xu.part[RES_XU] = 0.25;
	stall.stall = 0.5;
	flight.flight = 4;
	k = made_measured(m, "bound", 1000, 200000, 0.1);
	k->metric[METRIC_PIPE_XU] = 90;
	load_of(&bound, k, &m->device[0]);
	k = made_measured(m, "waiting", 1000, 200000, 0.2);
	load_of(&waiting, k, &m->device[0]);
	assert_true(made_speedup(&bound, &xu, VIEW_MID) > 2);
	assert_true(made_speedup(&waiting, &xu, VIEW_MID) < 1.01);
	assert_true(made_speedup(&bound, &stall, VIEW_MID) < 1.2);
	assert_true(made_speedup(&waiting, &stall, VIEW_MID) > 1.8);
	assert_true(made_speedup(&bound, &flight, VIEW_MID) < 1.2);
	assert_true(made_speedup(&waiting, &flight, VIEW_MID) > 1.8);
	/* Combining parts of a fix loses none of them. */
	f = fix_part(&xu, 0.5);
	assert_true(fabs(f.part[RES_XU] - 0.625) < 1e-12);
	fix_merge(&f, &stall);
	fix_merge(&f, &flight);
	fix_merge(&f, &xu);
	assert_true(f.part[RES_XU] == 0.25 && f.stall == 0.5 &&
	    f.flight == 4);
	/* DRAM has to deliver rows that lie anywhere, unless another change brings
	 * neighbours together. */
	fix_merge(&f, &rows);
	assert_true(f.read == 0.7);
	assert_true(fabs(fix_part(&f, 0.5).read - 0.85) < 1e-12);
	fix_merge(&f, &flight);
	assert_true(f.read == 0.7);
	fix_merge(&f, &together);
	assert_true(f.read == 0 && fix_part(&f, 0.5).read == 0);
}

/* A kernel that is fused into another one also saves its fixed cost. */
MADE_TEST(test_whole)
{
	struct fix f = FIX_NONE, half, gone = FIX_NONE;
	struct load l;

	made_counters(m, made_kernel(m, "k", 10, 10000), 0.9);
	made_load(m, &l);
	gone.whole = 0;
	assert_true(gain_time(&l, &gone, VIEW_LOW) == 0);
	half = fix_part(&gone, 0.5);
	assert_true(fabs(gain_time(&l, &half, VIEW_MID) - l.time_s / 2) <
	    1e-12);
	fix_merge(&f, &half);
	assert_true(f.whole == 0.5);
}

/* Half of a change saves half of its time, whichever factor it changes. */
MADE_TEST(test_half)
{
	struct fix f = FIX_NONE, half;
	struct load l;

	made_counters(m, made_kernel(m, "k", 10, 1000000), 0.005);
	m->kernel[0].shape.grid_x = 1;
	m->kernel[0].metric[METRIC_SM_CYCLES_ACTIVE_AVG] = 1;
	m->kernel[0].metric[METRIC_SM_CYCLES_ACTIVE_MAX] = 132;
	made_load(m, &l);
	f.spread = f.occupancy = f.flight = f.grid = 132;
	half = fix_part(&f, 0.5);
	assert_true(half.spread < 2 && half.spread > 1.9);
	assert_true(half.occupancy < 2 && half.flight < 2 && half.grid < 2);
	half = f = (struct fix)FIX_NONE;
	f.spread = 132;
	half = fix_part(&f, 0.5);
	assert_true(made_speedup(&l, &half, VIEW_MID) < 2);
}

/* What a change falls short of its ideal by is a factor of what is left, so that no
 * share of the time before bounds its gain; a small change is a share either way. */
TEST(test_near)
{
	struct fix f = FIX_NONE, near;

	f.spread = 100;
	f.inst = 0.01;
	f.part[RES_L1] = 0;
	near = fix_power(&f, 0.5);
	assert_true(fabs(near.spread - 10) < 1e-9);
	assert_true(fabs(near.inst - 0.1) < 1e-9);
	assert_true(near.part[RES_L1] == 0 && near.part[RES_DRAM] == 1);
	assert_true(near.stall == 1 && near.occupancy == 1);
	f = (struct fix)FIX_NONE;
	f.inst = 0.98;
	assert_true(fabs(fix_power(&f, 0.5).inst - fix_part(&f, 0.5).inst) <
	    1e-4);
}

/* The change of the grid is part of a fix. */
MADE_TEST(test_grid)
{
	struct fix warps = FIX_NONE, wide = FIX_NONE, large = FIX_NONE;
	struct kernel *k;
	struct load l;

	k = made_measured(m, "k", 10, 1000000, 0.2);
	k->metric[METRIC_OCCUPANCY] = 12.5;
	warps.occupancy = 2;
	made_load(m, &l);
	assert_true(made_speedup(&l, &warps, VIEW_MID) > 1.5);
	/* All blocks are resident, one on each SM: no second one can join. */
	k->shape.grid_x = 132;
	made_load(m, &l);
	assert_true(made_speedup(&l, &warps, VIEW_HIGH) < 1.0001);
	k->shape.grid_x = 132 * 3 / 2;
	made_load(m, &l);
	assert_true(made_speedup(&l, &warps, VIEW_HIGH) > 1.2);
	assert_true(made_speedup(&l, &warps, VIEW_HIGH) < 1.51);
	/* A fourth of the threads: 50 of 200 blocks remain, for 132 SMs. */
	k->shape.grid_x = 200;
	k->metric[METRIC_ISSUE_ACTIVE] = 90;
	made_load(m, &l);
	wide.inst = 0.25;
	assert_true(made_speedup(&l, &wide, VIEW_MID) > 1.8);
	wide.grid = 0.25;
	assert_true(made_speedup(&l, &wide, VIEW_MID) < 1.6);
	assert_true(made_speedup(&l, &wide, VIEW_LOW) < 1.6);
	/* In blocks four times as large. */
	large.occupancy = 1.1;
	large.blocks = 0.25;
	assert_true(made_speedup(&l, &large, VIEW_HIGH) < 1.0001);
}

/* Fewer instructions do not change the number of trips to memory. */
MADE_TEST(test_fewer_instructions)
{
	struct fix f = FIX_NONE;
	struct load l;

	made_counters(m, made_kernel(m, "k", 10, 1000000), 0.2);
	made_load(m, &l);
	assert_true(l.memory_stall > 0.9);
	f.inst = 0.25;
	assert_true(made_speedup(&l, &f, VIEW_MID) < 1.15);
	m->kernel[0].metric[METRIC_STALL_LONG_SCOREBOARD] = 0;
	m->kernel[0].metric[METRIC_STALL_WAIT] = 12;
	made_load(m, &l);
	assert_true(made_speedup(&l, &f, VIEW_MID) > 3);
}

/* Issue that instructions of several cycles held up becomes as busy as usual without
 * them; a kernel that issues all the time gains nothing but the instructions. */
MADE_TEST(test_slow_instructions)
{
	struct fix f = FIX_NONE, both;
	struct kernel *k;
	struct load l;

	k = made_measured(m, "k", 10, 1000000, 0.02);
	k->metric[METRIC_ISSUE_ACTIVE] = 80;
	made_load(m, &l);
	f.inst = 0.5;
	both = f;
	both.slow = 0;
	assert_true(made_speedup(&l, &both, VIEW_MID) >
	    1.08 * made_speedup(&l, &f, VIEW_MID));
	assert_true(made_speedup(&l, &both, VIEW_LOW) <
	    1.0001 * made_speedup(&l, &f, VIEW_LOW));
	k->metric[METRIC_ISSUE_ACTIVE] = 95;
	made_load(m, &l);
	assert_true(made_speedup(&l, &both, VIEW_MID) <
	    1.0001 * made_speedup(&l, &f, VIEW_MID));
}

/* Loads of single sectors at random places leave DRAM half idle, however many warps
 * wait for them. Loads that neighbours make do not, however wide they are. */
MADE_TEST(test_scattered)
{
	struct fix warps = FIX_NONE, other;
	double each[] = { 32, 16, 4 }, s[3];
	static const char *const load[] = {
		"LDG.E R0,desc[UR4][R2.64] | inst 1000\n"
		"EXIT | inst 1000\n",
		"LDG.E.128 R4,desc[UR4][R2.64] | inst 1000\n"
		"EXIT | inst 1000\n",
		"LDG.E R0,desc[UR4][R2.64] | inst 1000\n"
		"EXIT | inst 1000\n",
	};

	warps.occupancy = 8;
	for (int i = 0; i < 3; i++) {
		struct kernel *k;
		struct load l;

		made_again(m);
		k = made_measured(m, "_Z4workPf", 10, 1000000, 0.2);
		code_make(m, k, load[i], 1000);
		k->metric[METRIC_OCCUPANCY] = 6;
		k->metric[METRIC_GLOBAL_LD_SECTORS] = 3e6;
		k->metric[METRIC_GLOBAL_LD_REQUESTS] = 3e6 / each[i];
		made_load(m, &l);
		assert_true(fabs(l.scattered - (i == 0)) < 1e-6);
		s[i] = made_speedup(&l, &warps, VIEW_MID);
		other = warps;
		other.global_ld = 0.99;	/* no longer at random places */
		if (i == 0)
			assert_true(made_speedup(&l, &other, VIEW_MID) >
			    1.2 * s[0]);
	}
	assert_true(s[1] > 1.2 * s[0] && s[2] > 1.2 * s[0]);
}

static struct fix
random_fix(void)
{
	struct fix f = { uniform(0.03, 1), uniform(0.03, 1),
	    uniform(0.03, 1), uniform(0.03, 1), uniform(0, 1),
	    uniform(0.03, 1), uniform(1, 30), uniform(1, 130),
	    uniform(1, 16), uniform(0.03, 1), { 0 }, uniform(0, 1),
	    uniform(0, 1) < 0.5 ? 1 : uniform(1, 30), 1, uniform(0, 1),
	    uniform(0, 1), uniform(0, 1) < 0.5 ? 0 : uniform(0, 1) };

	for (int i = 0; i < RES_COUNT; i++)
		f.part[i] = uniform(0.03, 1);
	return f;
}

/* What local memory moves is no queue of global accesses: where these are few, to make
 * them better saves little, however long the queue in front of memory is. */
MADE_TEST(test_local_queue)
{
	struct fix f = FIX_NONE;
	double saved[2];

	f.global_ld = 0.25;
	for (int local = 0; local < 2; local++) {
		double *v, sectors;
		struct load l;

		make_scattered(m);
		v = m->kernel[0].metric;
		v[METRIC_L2_PCT] = 60;
		v[METRIC_DRAM_READ] = v[METRIC_DRAM_WRITE] = 0;
		v[METRIC_DRAM_PCT] = 0;
		v[METRIC_L1_HIT_RATE] = 0;
		sectors = v[METRIC_GLOBAL_LD_SECTORS];
		v[METRIC_GLOBAL_ST_SECTORS] = sectors / 100;
		if (local) {
			v[METRIC_LOCAL_ST_SECTORS] = sectors;
			v[METRIC_GLOBAL_LD_SECTORS] = sectors / 100;
		}
		made_load(m, &l);
		l.memory_queue = 0.8;
		l.memory_stall = 0.9;
		l.bound = 0.8;
		saved[local] = 1 - gain_time(&l, &f, VIEW_MID) / l.time_s;
	}
	assert_true(saved[0] > 0.5);
	assert_true(saved[1] < 0.02);
}

/* Any counters, also impossible ones: times stay in range, views in order, more
 * fixes never gain less, and all of them never more than the exposed time. */
MADE_TEST(test_property)
{
	srand(1);
	for (int round = 0; round < 20000; round++) {
		struct load l;
		struct kernel *k;
		struct fix a = random_fix(), b = random_fix(), both = a;
		struct fix fa[VIEWS], fb[VIEWS], fboth[VIEWS];
		struct gain ga, gb, gboth;

		made_again(m);
		k = made_measured(m, "k", 3, (uint64_t)uniform(0, 1e6),
		    uniform(0, 1.5));
		for (int i = 0; i < METRIC_COUNT; i++) {
			double kind = uniform(0, 1);

			if (kind < 0.2)
				k->metric[i] = NAN;
			else if (kind < 0.3)
				k->metric[i] = uniform(-1, 1e12);
			else if (kind < 0.32)
				k->metric[i] = INFINITY;
		}
		if (uniform(0, 1) < 0.1)
			k->exposed_ns = uniform(0, 1) < 0.5 ? NAN : -5;
		made_load(m, &l);
		fix_merge(&both, &b);
		for (int v = 0; v < VIEWS; v++) {
			fa[v] = a;
			fb[v] = b;
			fboth[v] = both;
		}
		ga = gain_of(&l, k, fa);
		gb = gain_of(&l, k, fb);
		gboth = gain_of(&l, k, fboth);
		assert_true(ga.low >= 0 && ga.low <= ga.mid &&
		    ga.mid <= ga.high);
		assert_true(gboth.high <= gain_exposed_s(k) * (1 + 1e-9));
		assert_true(gboth.mid >= fmax(ga.mid, gb.mid) * (1 - 1e-9));
		assert_true(gain_exposed_s(k) <= made_kernel_s(k));
		/* A kernel that only waits for pages. */
		k->fault_part = 1;
		assert_true(gain_of(&l, k, fboth).high == 0);
		k->fault_part = 0;
	}
}
