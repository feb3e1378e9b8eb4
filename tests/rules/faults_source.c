/*
 * rules/faults_source.c: kernels with a fault in their code, as nvcc compiles
 * it, and kernels that almost have one.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "rules/code.h"
#include "rules/faults.h"

FAULT_IS(code_clean, code_kernel(m, 0.9, code_text("code_clean")))

static void
two_fields(struct made *m, const char *size, const char *at, double sectors,
    double l2)
{
	struct kernel *k;

	k = code_kernel(m, 0.4, code_text("two_fields", size, sectors, at, sectors));
	k->metric[METRIC_L2_PCT] = l2;
}

FAULT_IS(fields, two_fields(m, "0x20", "0x18", 3200, 91))
/* Objects of 12 bytes: lanes share sectors. */
FAULT_IS(fields_small, two_fields(m, "0xc", "0x8", 1200, 91))

/* Each thread walks a row of its own: uncoalesced, but no array of structures. */
FAULT(rows)
{
	struct kernel *k = code_kernel(m, 0.4, code_text("rows"));

	k->metric[METRIC_L2_PCT] = 91;
}

static void
shifted(struct made *m, const char *code, double l2)
{
	struct kernel *k;

	k = code_kernel(m, 0.4, code_text("shifted", code));
	k->metric[METRIC_L2_PCT] = l2;
}

FAULT_IS(shifted,
    shifted(m, "LDG.E.CONSTANT R7,desc[UR4][R2.64+0x4] | inst 1600 "
    "sectors 8000 ideal 6400 line 9\n", 95))
/* A stencil also reads its neighbours: misalignment is unavoidable. */
FAULT_IS(stencil, shifted(m, code_text("stencil"), 95))
/* A filter moves over its input, 4 bytes an iteration. */
FAULT_IS(filter, shifted(m, code_text("filter"), 95))

static struct kernel *
by_width(struct made *m, const char *width, double sectors)
{
	return code_kernel(m, 0.2, code_text("by_width", width, 64 * sectors,
	    64 * sectors, width, 64 * sectors, 64 * sectors, width, sectors, sectors));
}

FAULT_IS(narrow, by_width(m, ".U8", 100)->metric[METRIC_PIPE_LSU] = 90)
FAULT_IS(wide, by_width(m, ".128", 1600)->metric[METRIC_PIPE_LSU] = 90)

/* Loads of single floats, with DRAM bandwidth full. */
FAULT(floats)
{
	struct kernel *k = by_width(m, "", 400);

	made_counters(m, k, 0.88);
}

/* Loads of single floats, half of the warps, no unit full: too few bytes in flight. */
FAULT(few_in_flight)
{
	struct kernel *k = by_width(m, "", 400);

	made_counters(m, k, 0.4);
	k->metric[METRIC_INST_EXECUTED] = k->code->total[SOURCE_INST];
	k->metric[METRIC_THREAD_INST] =
	    k->metric[METRIC_THREAD_INST_PRED_ON] =
	    32 * k->metric[METRIC_INST_EXECUTED];
	k->metric[METRIC_OCCUPANCY] = 45;
	k->occupancy.ratio = 0.5;
}

/* A loop over bytes, which computes both addresses anew in each iteration: few of its
 * instructions are loads, and it waits for them. */
FAULT(bytes_in_turn)
{
	struct kernel *k = code_kernel(m, 0.22, code_text("bytes_in_turn"));

	made_counters(m, k, 0.22);
	k->metric[METRIC_INST_EXECUTED] = k->code->total[SOURCE_INST];
	k->metric[METRIC_THREAD_INST] =
	    k->metric[METRIC_THREAD_INST_PRED_ON] =
	    32 * k->metric[METRIC_INST_EXECUTED];
	k->metric[METRIC_ISSUE_ACTIVE] = 40;
	k->metric[METRIC_PIPE_LSU] = 10;
}

static void
coefficients(struct made *m, const char *address)
{
	struct kernel *k;

	k = code_kernel(m, 0.1, code_text("coefficients", address));
	k->metric[METRIC_PIPE_LSU] = 92;
}

FAULT_IS(uniform, coefficients(m, "LDC.64 R6,c[0x0][0x218] | inst 100 line 8\n"))

/* Every thread walks an array, ${step} bytes an iteration; the pointer is in
 * two halves. */
static void
bodies(struct made *m, const char *step)
{
	struct kernel *k = code_kernel(m, 0.1, code_text("bodies", step));

	k->metric[METRIC_ISSUE_ACTIVE] = 85;
	k->metric[METRIC_PIPE_LSU] = 60;
}

FAULT_IS(bodies, bodies(m, "0x1000"))
FAULT_IS(few_bodies, bodies(m, "0x10"))
/* All threads of a block read the same row: a broadcast, as it should be. */
FAULT_IS(uniform_in_block, coefficients(m, code_text("uniform_in_block")))
/* The same, but these broadcasts are most of what the L1 pipe does, and it is full. */
FAULT(crowded_in_block)
{
	struct kernel *k = made_counted(m, 0.1);
	double most = 200e-6 * 1.98e9 * 132;	/* wavefronts */

	/* 6,600 executions of loads. */
	code_make(m, k, code_text("coefficients",
	    code_text("uniform_in_block")), 0.9 * most / 6600);
	k->metric[METRIC_LSU_WAVEFRONTS] = 0.92 * most;
	k->metric[METRIC_L2_READ] = 0.01 * most;
	k->metric[METRIC_L2_SECTORS] = 0.02 * most;
}

/* The address was loaded from memory: not known in advance. */
FAULT_IS(uniform_by_table, coefficients(m, code_text("uniform_by_table")))

static struct kernel *
adding(struct made *m, const char *code)
{
	return code_kernel(m, 0.1, code_text("adding", code));
}

FAULT_IS(contended,
    adding(m, "REDG.E.ADD.F32.FTZ.RN.STRONG.GPU desc[UR4][R6.64],R9 | "
    "inst 100 sectors 100 ideal 400 lg_throttle 900 line 5\n"))
/* One thread of a block adds the sum of the block. */
FAULT_IS(added_once,
    adding(m, "@!P0 REDG.E.ADD.F32.FTZ.RN.STRONG.GPU desc[UR4][R6.64],R9 | "
    "inst 6 lanes 1 sectors 6 ideal 6 lg_throttle 20 line 5\n"))

/* So many that L2 were busy, were they scattered; but lanes share sectors. */
static void
binned(struct made *m, int index)
{
	adding(m, code_text("binned", index));
}

FAULT_IS(binned, binned(m, 9))
/* Each lane has a word of its own in them: L2 adds to all words of a sector at once. */
FAULT_IS(own_words, binned(m, 5))

/* Scattered atomics keep L2 busy: bandwidth is the limit, not contention. */
FAULT(scattered_atomics)
{
	struct kernel *k = adding(m, "IMAD.WIDE R6,R9,0x4,R6 | inst 100\n"
	    "REDG.E.ADD.STRONG.GPU desc[UR4][R6.64],R9 | inst 100 "
	    "sectors 3100 ideal 400 lg_throttle 900 line 5\n");

	k->metric[METRIC_L2_PCT] = 85;
}

static struct kernel *
counting(struct made *m, const char *code)
{
	struct kernel *k;

	k = code_kernel(m, 0.1, code_text("counting", code));
	return k;
}

FAULT(shared_contended)
{
	struct kernel *k = counting(m, "ATOMS.ADD RZ,[R9+UR6],R8 | inst 3200 "
	    "waves 96000 least 3200 mio_throttle 900 line 7\n");

	k->metric[METRIC_LSU_WAVEFRONTS] = 0.9 * 200e-6 * 1.98e9 * 132;
}

/* Sums of floats by compare and swap, with many retries. */
FAULT(shared_retries)
{
	struct kernel *k = counting(m, code_text("shared_retries"));

	k->metric[METRIC_ISSUE_ACTIVE] = 85;
}

/* Random bins: three-way bank conflicts are normal. */
FAULT_IS(histogram,
    counting(m, "ATOMS.POPC.INC.32 RZ,[R9+UR6] | inst 3200 waves 11000 "
    "least 3200 mio_throttle 20 line 7\n"))

/* A loop with fewer active threads in each iteration; ${where} computes the
 * addresses. */
static void
halving(struct made *m, const char *where)
{
	struct kernel *k;

	k = counting(m, code_text("halving", where));
	k->metric[METRIC_STALL_BARRIER] = 10;
}

/* A tree in a loop: half as many threads in each iteration. */
FAULT_IS(tree, halving(m, "LEA R14,R10,R12,0x2 | inst 800 line 20\n"))
/* Also fewer threads in each iteration, but each reads its neighbours and
 * stores its own element: a stencil. */
FAULT_IS(shared_stencil, halving(m, "IADD3 R15,R10,R12,RZ | inst 800 line 20\n"))
/* The same unrolled. */
FAULT_IS(tree_unrolled, counting(m, code_text("tree_unrolled")))
FAULT_IS(scanned, counting(m, code_text("scanned")))
FAULT_IS(shuffled, counting(m, code_text("shuffled")))
/* A tile of a matrix: every thread stores, all threads wait, every thread loads. */
FAULT_IS(tile, counting(m, code_text("tile")))

static struct kernel *
computing(struct made *m, const char *code)
{
	struct kernel *k = counting(m, code);

	k->metric[METRIC_ISSUE_ACTIVE] = 88;
	k->metric[METRIC_PIPE_FMA] = 60;
	return k;
}

FAULT_IS(sines, computing(m, code_text("sines")))
FAULT_IS(fast_sines, computing(m, code_text("fast_sines")))

/* Accurate sines in a kernel that waits for memory: they cost nothing. */
FAULT(hidden_sines)
{
	struct kernel *k;

	fault_sines(m);
	k = &m->kernel[0];
	k->metric[METRIC_ISSUE_ACTIVE] = 20;
	k->metric[METRIC_PIPE_FMA] = 10;
	k->metric[METRIC_DRAM_READ] = k->metric[METRIC_DRAM_WRITE] =
	    0.45 * 198.5e-6 * m->device[0].ceilings.dram_bytes_per_s;
}

static void
in_double(struct made *m, const char *code)
{
	struct kernel *k = computing(m, code);

	k->metric[METRIC_PIPE_XU] = 85;
	k->metric[METRIC_PIPE_FP64] = 40;
	k->metric[METRIC_ISSUE_ACTIVE] = 25;
	k->metric[METRIC_PIPE_FMA] = 5;
}

FAULT_IS(double, in_double(m, code_text("double")))
/* Few conversions for each operation, but each value comes from a float and is one again:
 * or, the other one, a sum of all of them is. */
FAULT_IS(double_function, in_double(m, code_text("double_function", "6400")))
FAULT_IS(double_function_summed,
    in_double(m, code_text("double_function", "100")))
/* Floats go in and out, but a loaded double makes double the data's own type. */
FAULT_IS(double_between,
    in_double(m, code_text("double_between", "DADD R12,R12,R14 | inst 6400")))
FAULT_IS(double_loaded, in_double(m, code_text("double_between",
    "LDG.E.64 R14,desc[UR4][R2.64] | inst 6400 sectors 51200 ideal 51200\n"
    "DADD R12,R12,R14 | inst 6400")))

/* Double data, on a GPU with full double throughput. */
FAULT(double_data)
{
	struct kernel *k = computing(m,
	    "DFMA R12,R10,R14,R16 | inst 6400 line 32\n"
	    "DFMA R16,R10,R14,R16 | inst 6400 line 32\n"
	    "STG.E.64 desc[UR4][R6.64],R16 | inst 6400 sectors 51200 ideal 51200\n");

	k->metric[METRIC_PIPE_FP64] = 90;
}

/* Points are iterated in double; memory only sees the number of iterations. */
static void
inside(struct made *m, const char *store)
{
	struct kernel *k = computing(m, code_text("double_inside", store));

	k->metric[METRIC_ISSUE_ACTIVE] = 45;
	k->metric[METRIC_PIPE_FMA] = 5;
	k->metric[METRIC_PIPE_FP64] = 90;
}

FAULT_IS(double_inside, inside(m, ""))
/* The exact path of its sine keeps words of the argument in local memory. */
FAULT_IS(double_kept, inside(m, "STL.64 [R1+0x8],R12 | inst 10 local 40"))
/* A double is the result. */
FAULT_IS(double_result, inside(m, "STG.E.64 desc[UR4][R6.64],R12 | inst 100 "
    "sectors 800 ideal 800"))

/* Many floats, summed in double on purpose: no float is stored. */
FAULT(double_sum)
{
	struct kernel *k = computing(m,
	    "F2F.F64.F32 R10,R8 | inst 6400 line 32\n"
	    "DADD R12,R10,R12 | inst 6400 line 32\n");

	k->metric[METRIC_PIPE_XU] = 85;
	k->metric[METRIC_PIPE_FP64] = 40;
}

FAULT_IS(unfused, computing(m, code_text("unfused")))
/* Products used by two sums: fusing them saves nothing. */
FAULT_IS(shared_product, computing(m, code_text("shared_product")))

static void
turning(struct made *m, const char *body, const char *bound)
{
	computing(m, code_text("turning", body, bound));
}

FAULT_IS(short_loop, turning(m, code_text("short_loop"), "R10"))
/* The loop body is unrolled 16 times: the loop's overhead does not matter. */
FAULT_IS(unrolled, turning(m, code_text("unrolled"), "R10"))
/* The loop ends when something is found, not after a known number of iterations. */
FAULT_IS(search,
    turning(m, "SHF.R.U32.HI R11,RZ,0xf,R8 | inst 6400 line 15\n"
    "LOP3.LUT R8,R11,R8,RZ,0x3c,!PT | inst 6400 line 15\n", "R8"))
/* The loop counts, but the data decide when it ends. */
FAULT_IS(until_near, turning(m, code_text("until_near"), "R10"))

/* A search for the first element over a limit: ${load} and its test, ${inst} times. */
static void
searching(struct made *m, const char *load, int inst)
{
	struct kernel *k = code_kernel(m, 0.5, code_text("searching", inst,
	    inst, code_text(load, inst, inst, inst, inst, inst, inst), inst,
	    inst, inst));

	made_counters(m, k, 0.5);
}

FAULT_IS(searching, searching(m, "one_ahead", 6400))
/* Few iterations: most of a batch would be loaded in vain. */
FAULT_IS(searching_near, searching(m, "one_ahead", 800))
/* A batch is loaded before the tests, as it should be. */
FAULT_IS(searching_batches, searching(m, "three_ahead", 6400))
/* What it loads tells where to look next. */
FAULT_IS(searching_list, searching(m, "one_after_another", 6400))

/* A search as the listing ${code} of it. */
static void
searching_as(struct made *m, const char *code)
{
	made_counters(m, code_kernel(m, 0.5, code), 0.5);
}

FAULT_IS(searching_unrolled,
    searching_as(m, code_text("searching_unrolled")))
FAULT_IS(searching_rows,
    searching_as(m, code_text("searching_rows", "LDG.E.CONSTANT")))
/* What it stores may be what it loads next. */
FAULT_IS(searching_stored,
    searching_as(m, code_text("searching_rows", "LDG.E")))

/* A search unrolled whole into RUNGS rungs like listing ${rung}, of which each warp comes
 * to ${reached}. */
#define RUNGS 64
#define RUNG_LENGTH 7
#define LADDER_HEAD 3
static void
laddered(struct made *m, const char *rung, int reached)
{
	char *text = NULL;
	size_t length = 0;
	FILE *to = open_memstream(&text, &length);

	if (to == NULL)
		return;
	fputs(code_text("ladder"), to);
	for (int k = 0; k < RUNGS; k++) {
		int inst = k < reached ? 100 : 0;

		fputs(code_text(rung, inst, 4 * inst,
		    LADDER_HEAD + RUNGS * RUNG_LENGTH,
		    LADDER_HEAD + (k + 1) * RUNG_LENGTH), to);
	}
	fputs(code_text("ladder_end"), to);
	if (fclose(to) == 0)
		searching_as(m, text);
	free(text);
}

FAULT_IS(searching_ladder, laddered(m, "rung", RUNGS))
/* Few rungs are reached: most of a batch would be loaded in vain. */
FAULT_IS(searching_ladder_near, laddered(m, "rung", 20))
FAULT_IS(searching_ladder_list, laddered(m, "rung_of_list", RUNGS))
FAULT_IS(searching_ladder_ahead, laddered(m, "rung_ahead", RUNGS))
FAULT_IS(searching_ladder_skipped, laddered(m, "rung_skipped", RUNGS))

/* An unrolled loop, with ${parameter} to store to, and ${between} two of its loads. */
static void
in_turn(struct made *m, const char *parameter, const char *between)
{
	struct kernel *k = code_kernel(m, 0.3, code_text("in_turn", parameter,
	    between));

	made_counters(m, k, 0.3);
}

FAULT_IS(load_store, in_turn(m, "0x218", code_text("turns_store")))
/* The loads of two turns go out together. */
FAULT_IS(load_store_together, in_turn(m, "0x218", "NOP | inst 6400"))
/* It stores to what it loads. */
FAULT_IS(load_store_own, in_turn(m, "0x210", code_text("turns_store")))

/* Loads of 4 bytes at indices: no vector load can replace them. */
FAULT(gather)
{
	struct kernel *k = code_kernel(m, 0.2, code_text("gather"));

	k->metric[METRIC_PIPE_LSU] = 90;
}

static struct kernel *
tabulating(struct made *m, const char *path, const char *pointer)
{
	return code_kernel(m, 0.2, code_text("tabulating", pointer, path, path));
}

FAULT_IS(aliased, tabulating(m, "", "0x210")->metric[METRIC_PIPE_LSU] = 80)
FAULT_IS(restricted, tabulating(m, ".CONSTANT", "0x210")->metric[METRIC_PIPE_LSU] = 80)
/* In place: the loaded array is also stored. */
FAULT_IS(in_place, tabulating(m, "", "0x218")->metric[METRIC_PIPE_LSU] = 80)

FAULT(without_lines)
{
	struct code *c;

	fault_code_clean(m);
	c = &m->code[0]->code;
	c->has_lines = false;
	c->lineless = &reason_row[REASON_NO_LINEINFO];
	for (size_t i = 0; i < c->instructions; i++)
		c->instruction[i].line = LINE_NONE;
}

/* A library: the user cannot compile it. */
FAULT(library)
{
	fault_without_lines(m);
	m->kernel[0].name = "void at::native::vectorized_elementwise_kernel"
	    "<4, …>";
}

FAULT(no_cubin)
{
	fault_without_lines(m);
	m->code[0]->code.lineless = &reason_row[REASON_NO_CODE];
}

FAULT(debug)
{
	fault_code_clean(m);
	m->code[0]->code.debug = true;
}

/* A kernel of ${mean_ns} in which each of ${threads} launches a kernel once. */
static struct code *
launching(struct made *m, uint64_t mean_ns, double threads)
{
	struct kernel *k = made_kernel(m, "_Z4workPf", 1000, mean_ns);
	struct code *c;

	made_counters(m, k, 0.01);
	c = &code_make(m, k, code_text("launching"), 1)->code;
	c->launch[0] = (struct cubin_launch){ 7 * CUBIN_STEP, true };
	c->launches = 1;
	c->instruction[7].value[SOURCE_THREADS_ON] = threads;
	return c;
}

/* 1.6 us for each of 1,056 launches. */
FAULT_IS(launching, launching(m, 1700000, 1056))
/* The launched kernels are long enough. */
FAULT_IS(launching_large, launching(m, 1700000, 60))
/* One thread of a block launches, now and then. */
FAULT_IS(launching_few, launching(m, 100000, 8))
/* The code could launch, but does not. */
FAULT_IS(launching_none, launching(m, 1700000, 0))

/* Short, compared with the rest of the run. */
FAULT(launching_seldom)
{
	fault_code_clean(m);
	launching(m, 1700, 100);
}

/* 1,056 threads, each of which may have launched; not counted. */
FAULT(launching_uncounted)
{
	struct code *c = launching(m, 1700000, 1056);

	m->kernel[0].shape.grid_x = 33;
	m->kernel[0].shape.block_x = 32;
	c->counted = false;
	c->uncounted = &reason_row[REASON_COOPERATIVE];
	for (size_t i = 0; i < c->instructions; i++)
		for (int v = 0; v < SOURCE_COUNT; v++)
			c->instruction[i].value[v] = NAN;
	for (int v = 0; v < SOURCE_COUNT; v++)
		c->total[v] = NAN;
}

/* Too many threads for all of them to have launched. */
FAULT(launching_unknown)
{
	fault_launching_uncounted(m);
	m->kernel[0].shape.grid_x = 33000;
}

/* Counted, but without a disassembler. */
FAULT(no_disassembler)
{
	fault_code_clean(m);
	m->code[0]->code.disassembled = false;
	m->code[0]->code.no_sass = &reason_row[REASON_NO_DISASSEMBLER];
}

/* Disassembled, but not counted. */
FAULT(not_counted)
{
	fault_code_clean(m);
	m->code[0]->code.counted = false;
	m->code[0]->code.uncounted = &reason_row[REASON_COOPERATIVE];
}
