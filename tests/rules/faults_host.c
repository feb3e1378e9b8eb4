/*
 * rules/faults_host.c: runs whose fault is how the work is split into kernels,
 * queued and started, and runs that almost have one.
 */
#include <math.h>
#include <string.h>

#include "rules/code.h"
#include "rules/faults.h"

#define MS 1000000ull
#define S (1000 * MS)

/* --- kernels that could be one -------------------------------------------- */

#define PASSES 20000u

/* A kernel of a chain that reads and writes so many bytes and keeps DRAM busy
 * for 90 % of its time. */
static struct kernel *
pass(struct made *m, const char *name, double read, double written)
{
	double rate = m->device[0].ceilings.dram_bytes_per_s * 0.9;
	double ns = 1500 + (read + written) / rate * 1e9;
	struct kernel *k = made_kernel(m, name, PASSES, (uint64_t)ns);
	double *v = k->metric;

	made_counters(m, k, 0.9);
	v[METRIC_DRAM_READ] = read;
	v[METRIC_DRAM_WRITE] = written;
	v[METRIC_GLOBAL_LD_SECTORS] = v[METRIC_L2_READ] = read / 32;
	v[METRIC_GLOBAL_ST_SECTORS] = v[METRIC_L2_WRITE] = written / 32;
	v[METRIC_GLOBAL_LD_REQUESTS] = read / 128;
	v[METRIC_GLOBAL_ST_REQUESTS] = written / 128;
	v[METRIC_L2_SECTORS] = (read + written) / 32;
	m->device[0].limits.l2_bytes = 50 << 20;
	m->device[0].limits.smem_per_block_optin = 232448;
	return k;
}

static void
follows(struct made *m, uint32_t a, uint32_t b)
{
	m->kernel[a].next = b + 1;
	m->kernel[a].next_count = m->kernel[a].launches;
	m->kernel[a].next_idle_ns = m->kernel[a].launches * 1000;
}

#define ROWS_BYTES 134217728.0

FAULT(three_passes)
{
	double left = 2.0 * 32 * (132 * 8 * 12);

	pass(m, "_Z4meanPf", ROWS_BYTES, left);
	pass(m, "_Z5scalePf", ROWS_BYTES * 1.01, left);
	pass(m, "_Z4normPf", ROWS_BYTES * 1.02, ROWS_BYTES);
	follows(m, 0, 1);
	follows(m, 1, 2);
	m->run.idle_ns[IDLE_LAUNCH] = 40 * MS;
	m->run.idle_total_ns += 40 * MS;
}

FAULT(passes_uncounted)
{
	fault_three_passes(m);
	for (int k = 0; k < 3; k++) {
		m->kernel[k].skip = SKIP_PERMISSION;
		for (int i = 0; i < METRIC_COUNT; i++)
			m->kernel[k].metric[i] = NAN;
	}
}

FAULT(passes_apart)	/* a copy or a wait between most passes */
{
	fault_three_passes(m);
	m->kernel[0].next_count /= 2;
	m->kernel[1].next_count /= 2;
}

FAULT(sum_of_all)	/* by atomics: no block has the final sum */
{
	fault_three_passes(m);
	m->kernel[0].metric[METRIC_GLOBAL_ST_SECTORS] = 0;
	m->kernel[1].metric[METRIC_GLOBAL_ST_SECTORS] = 0;
}

FAULT(siblings)		/* a loop over more data than blocks can keep on their SMs */
{
	static const char *const name[] = { "lowest", "highest", "sum" };

	for (uint32_t i = 0; i < 3; i++) {
		struct kernel *k = pass(m, "_Z3sumPKfPf", 8 * ROWS_BYTES, 65536);

		k->short_name = name[i];
		k->name = "sum(float const*, float*)";
	}
	for (uint32_t i = 0; i < 3; i++)
		follows(m, i, (i + 1) % 3);
	m->device[0].memory_bytes = (uint64_t)(8.1 * ROWS_BYTES);
}

/* Sums over arrays A, B, and both; all memory has ${arrays} of their size. The last
 * loads ${before} its loop and ${beside} A; ${left} warps of each add to a result. */
static void
readers_of(struct made *m, const char *before, const char *beside, unsigned left,
    double arrays)
{
	static const char *const name[] = { "_Z1hPKfS0_Pf", "_Z1vPKfS0_Pf",
	    "_Z5crossPKfS0_Pf" };

	for (uint32_t i = 0; i < 3; i++) {
		struct kernel *k = pass(m, name[i], ROWS_BYTES * (i == 2 ? 2 : 1), 0);
		struct kernel like = *k;

		k->name = "sum(float const*, float const*, float*)";
		code_make(m, k, code_text("streamed", i == 2 ? before : "NOP\nNOP",
		    i == 2 ? beside : "NOP", left), 1);
		memcpy(k->metric, like.metric, sizeof(like.metric));
	}
	for (uint32_t i = 0; i < 3; i++)
		follows(m, i, (i + 1) % 3);
	m->run.peak_memory_bytes = (uint64_t)(arrays * ROWS_BYTES);
}

#define SECOND "IMAD.WIDE R10,R19,0x4,R12 | inst 1000\n" \
    "LDG.E R10,desc[UR6][R10.64] | inst 1000 lanes 32"
FAULT_IS(readers, readers_of(m, "NOP\nNOP", SECOND, 100, 2.1))
FAULT_IS(readers_of_one, readers_of(m, "NOP\nNOP", "NOP", 100, 2.1))
/* There is memory for other arrays; or what each adds to is no little result. */
FAULT_IS(readers_apart, readers_of(m, "NOP\nNOP", SECOND, 100, 4))
FAULT_IS(readers_leave, readers_of(m, "NOP\nNOP", SECOND, 100000, 2.1))
/* It needs a result of the one before: the mean; the mean of the thread's column; of each
 * of the block's columns; of a column that is looked up. */
FAULT_IS(readers_mean, readers_of(m, "NOP\nLDG.E R10,desc[UR6][R12.64] | inst 10 lanes 32",
    "NOP", 100, 2.1))
FAULT_IS(readers_column, readers_of(m, "IMAD.WIDE R10,R19,0x4,R12\n"
    "LDG.E R10,desc[UR6][R10.64] | inst 10 lanes 32", "NOP", 100, 2.1))
FAULT_IS(readers_columns, readers_of(m, "NOP\nNOP", "IMAD.WIDE R10,R0,0x4,R12\n"
    "IADD3 R0,R0,0x100,RZ\nLDG.E R10,desc[UR6][R10.64] | inst 1000 lanes 32", 100, 2.1))
FAULT_IS(readers_looked_up, readers_of(m, "NOP\nNOP", "IMAD.WIDE R10,R8,0x4,R12\n"
    "LDG.E R10,desc[UR6][R10.64] | inst 1000 lanes 32", 100, 2.1))

FAULT(handed_over)
{
	double bytes = 16 << 20;

	pass(m, "_Z5scalePf", bytes, bytes);
	pass(m, "_Z5shiftPf", bytes, bytes);
	m->kernel[1].metric[METRIC_DRAM_READ] = 0;	/* data found in L2 */
	follows(m, 0, 1);
	m->run.idle_ns[IDLE_LAUNCH] = 20 * MS;
	m->run.idle_total_ns += 20 * MS;
}

FAULT(two_inputs)	/* the second kernel reads other data */
{
	fault_handed_over(m);
	m->kernel[1].metric[METRIC_DRAM_READ] = 16 << 20;
}

FAULT(back_and_forth)	/* each needs the other's whole result */
{
	fault_handed_over(m);
	m->kernel[0].metric[METRIC_DRAM_READ] = 0;
	follows(m, 1, 0);
}

/* Three passes over more data than L2 holds, repeated; ${place} is the distance
 * of the load from the thread's own element. */
static void
in_place(struct made *m, const char *place)
{
	static const char *const name[] = { "_Z5scalePf", "_Z5shiftPf",
	    "_Z5clampPf" };
	struct kernel like;

	for (uint32_t i = 0; i < 3; i++) {
		struct kernel *k = pass(m, name[i], ROWS_BYTES, ROWS_BYTES);

		like = *k;
		code_make(m, k, code_text("in_place", place), 1);
		memcpy(k->metric, like.metric, sizeof(like.metric));
	}
	for (uint32_t i = 0; i < 3; i++)
		follows(m, i, (i + 1) % 3);
	m->run.idle_ns[IDLE_LAUNCH] = 40 * MS;
	m->run.idle_total_ns += 40 * MS;
}

FAULT_IS(own_elements, in_place(m, ""))
/* it loads other threads' elements */
FAULT_IS(neighbours, in_place(m, "+0x4"))

/* A step of a loop: one kernel, which loads at ${first} from its own element, one that
 * loads at ${then}, and one twice; all memory has ${arrays} arrays of their size. */
static void
step_of(struct made *m, const char *first, const char *then, double arrays)
{
	const char *const place[] = { first, then, "" };
	struct sequence *q = &m->sequence[0];

	in_place(m, "");
	for (uint32_t i = 0; i < 3; i++) {
		struct kernel *k = &m->kernel[i], like = *k;

		code_make(m, k, code_text("in_place", place[i]), 1);
		memcpy(k->metric, like.metric, sizeof(like.metric));
		k->next = 0;
	}
	*q = (struct sequence){ .length = 4, .repeats = m->kernel[0].launches,
	    .kernel = { 3, 3, 1, 2 } };
	m->run.sequence = q;
	m->run.sequences = 1;
	m->run.peak_memory_bytes = (uint64_t)(arrays * ROWS_BYTES);
}

FAULT_IS(step, step_of(m, "+0x4", "", 2))
/* The second kernel needs what other threads of the first have stored. */
FAULT_IS(step_of_neighbours, step_of(m, "", "+0x4", 2))
/* Each launch may have an array of its own. */
FAULT_IS(step_of_others, step_of(m, "+0x4", "", 5))

/* Steps of warps: a sum of a warp, a product with a table through the pointer at ${table},
 * and a store in another order; each thread takes up its own element. */
static void
warps_of(struct made *m, const char *table)
{
	static const char *const listing[] = { "warp_summed", "table_times",
	    "stored_elsewhere" };

	for (uint32_t i = 0; i < 3; i++) {
		struct kernel *k = pass(m, listing[i], ROWS_BYTES, ROWS_BYTES);
		struct kernel like = *k;

		code_make(m, k, code_text(listing[i], table), 1);
		memcpy(k->metric, like.metric, sizeof(like.metric));
	}
	m->sequence[0] = (struct sequence){ .length = 3, .kernel = { 2, 3, 1 },
	    .repeats = m->kernel[0].launches };
	m->run.sequence = m->sequence;
	m->run.sequences = 1;
	m->run.peak_memory_bytes = (uint64_t)(2 * ROWS_BYTES);
}

FAULT_IS(step_of_warps, warps_of(m, "0x218"))
/* Its table is the array itself: it needs what other threads stored. */
FAULT_IS(step_of_rows, warps_of(m, "0x210"))

/* A step of transforms of a template, ${name}, one of which has twice the elements in each
 * thread. */
static void
transforms_of(struct made *m, const char *name)
{
	step_of(m, "", "", 2);
	for (uint32_t i = 0; i < 3; i++) {
		m->kernel[i].name = name;
		m->kernel[i].code = NULL;
	}
	m->kernel[1].shape.grid_x /= 2;
}

#define TRANSFORM "void cub::CUB_300001_SM_900::detail::transform::transform_kernel<" \
    "cub::policy_hub, int, thrust::plus<float>, thrust::"
FAULT_IS(transforms, transforms_of(m, TRANSFORM "normal_iterator<float*> >(int)"))
FAULT_IS(transforms_permuted, transforms_of(m, TRANSFORM
    "permutation_iterator<float*, int*> >(int)"))

/* Two of them, and a reduction that reads what the second wrote; the host waits after
 * each, as Thrust does. Something is copied in front of ${moved} of the launches. */
static void
reduced_of(struct made *m, const char *name, uint32_t moved)
{
	struct sequence *q = &m->sequence[0];

	transforms_of(m, TRANSFORM "normal_iterator<float*> >(int)");
	m->kernel[2].name = name;
	m->kernel[2].shape.grid_x = 1024;
	m->kernel[2].metric[METRIC_GLOBAL_ST_SECTORS] = 1024;
	*q = (struct sequence){ .length = 3, .kernel = { 1, 2, 3 },
	    .repeats = m->kernel[0].launches, .syncs = 3 * m->kernel[0].launches };
	for (uint32_t i = 0; i < moved; i++)
		q->moved[i] = q->repeats;
}

#define REDUCE "void cub::CUB_300001_SM_900::detail::reduce::DeviceReduceKernel<" \
    "cub::policy_hub, thrust::"
FAULT_IS(transforms_reduced, reduced_of(m, REDUCE "normal_iterator<float*> >(int)", 1))
FAULT_IS(transforms_copied, reduced_of(m, REDUCE "normal_iterator<float*> >(int)", 3))
/* It needs all values before the first of the result. */
FAULT_IS(transforms_sorted, reduced_of(m, "void cub::CUB_300001_SM_900::detail::radix_sort"
    "::DeviceRadixSortOnesweepKernel<cub::policy_hub, float>(int)", 2))

/* A kernel that follows itself, whose thread has two elements of an array of
 * structure-of-arrays order, and loads one of them ${place} from there; all memory has
 * ${arrays} such arrays. */
static void
state_of(struct made *m, const char *place, double arrays)
{
	struct kernel *k = pass(m, "_Z5trackPfi", ROWS_BYTES, ROWS_BYTES), like = *k;

	code_make(m, k, code_text("state", place), 1);
	memcpy(k->metric, like.metric, sizeof(like.metric));
	follows(m, 0, 0);
	m->run.peak_memory_bytes = (uint64_t)(arrays * ROWS_BYTES);
	m->run.idle_ns[IDLE_LAUNCH] = 40 * MS;
	m->run.idle_total_ns += 40 * MS;
}

FAULT_IS(state, state_of(m, "", 1.2))
/* With a function that the compiler added for a division. */
FAULT(state_divided)
{
	struct kernel like;

	fault_state(m);
	like = m->kernel[0];
	code_make(m, &m->kernel[0], code_text("state_divided"), 1);
	memcpy(m->kernel[0].metric, like.metric, sizeof(like.metric));
}

/* Eight arrays may have their turns. */
FAULT_IS(state_of_many, state_of(m, "", 8))
FAULT_IS(state_of_neighbours, state_of(m, "+0x4", 1.2))
/* So many that each launch may have its own. */
FAULT_IS(state_of_others, state_of(m, "", PASSES))

/* One that besides loads elsewhere: ${load}, through the pointer at ${pointer} and at the
 * index that ${index} computes. */
static void
table_of(struct made *m, const char *pointer, const char *index, const char *load,
    double arrays)
{
	struct kernel like;

	state_of(m, "", arrays);
	like = m->kernel[0];
	code_make(m, &m->kernel[0], code_text("state_and_table", pointer, index, load),
	    1);
	memcpy(m->kernel[0].metric, like.metric, sizeof(like.metric));
}

#define COMPUTED "F2I.FLOOR.NTZ R6,R15"
#define LOOKED_UP "LDG.E.CONSTANT R16,desc[UR4][R10.64]"
FAULT_IS(state_and_table, table_of(m, "0x218", COMPUTED, LOOKED_UP, 1.2))
/* There is memory for two: they may change places. */
FAULT_IS(state_and_twin, table_of(m, "0x218", COMPUTED, LOOKED_UP, 4))
/* The host may compute its place. */
FAULT_IS(state_and_column, table_of(m, "0x218", "IMAD R6,R5,0x1000,RZ", LOOKED_UP, 1.2))
/* A step in time of two arrays that change places: neighbours in the other one. */
FAULT_IS(state_and_neighbours, table_of(m, "0x218", "MOV R6,R5",
    "LDG.E.CONSTANT R16,desc[UR4][R10.64+0x4]", 1.2))
/* The other array's own element, too: it is of the state's kind. */
FAULT_IS(state_of_before, table_of(m, "0x218", COMPUTED, "IMAD.WIDE R12,R5,0x4,R8\n"
    "LDG.E.CONSTANT R17,desc[UR4][R12.64]\n" LOOKED_UP, 1.2))
/* In one array: what other threads store. */
FAULT_IS(state_among_others, table_of(m, "0x210", COMPUTED,
    "LDG.E R16,desc[UR4][R10.64]", 1.2))

/* A library's product of a matrix and a vector that follows itself; all memory has
 * ${matrices} of its size. */
static void
vectors_of(struct made *m, double matrices)
{
	struct kernel *k = pass(m, "gemv2T_kernel_val", 8 * ROWS_BYTES, 65536);

	k->metric[METRIC_ISSUE_ACTIVE] = 10;
	follows(m, 0, 0);
	m->run.peak_memory_bytes = (uint64_t)(matrices * 8 * ROWS_BYTES);
}

FAULT_IS(one_vector_each, vectors_of(m, 1.2))
FAULT_IS(one_vector_of_many, vectors_of(m, 3))

/* A step, and a kernel that copies its result back; ${line} is what the kernel
 * does besides. */
static void
copied_back(struct made *m, const char *line)
{
	struct kernel like, *k;

	pass(m, "_Z5relaxPf", ROWS_BYTES * 1.5, ROWS_BYTES);
	k = pass(m, "_Z4backPf", ROWS_BYTES, ROWS_BYTES);
	like = *k;
	code_make(m, k, code_text("copied", line), 1);
	memcpy(k->metric, like.metric, sizeof(like.metric));
	follows(m, 0, 1);
	follows(m, 1, 0);
	m->run.idle_ns[IDLE_LAUNCH] = 40 * MS;
	m->run.idle_total_ns += 40 * MS;
}

FAULT_IS(copied_back, copied_back(m, ""))
/* it also computes */
FAULT_IS(scaled_back, copied_back(m, "FMUL R4,R4,0.5 | inst 100"))

/* --- launches that fail --------------------------------------------------- */

FAULT(too_many_threads)	/* nothing checks for the error */
{
	fault_good(m);
	m->failure[0] = (struct failure){ .call = "cuLaunchKernel",
	    .error = "CUDA_ERROR_INVALID_VALUE", .detail = "", .result = 1,
	    .count = 3, .unread = 3, .launch = true,
	    .flags = FAILURE_LAUNCH | FAILURE_FUNCTION, .kernel = "_Z4workPf",
	    .name = "work", .grid = { 100, 1, 1 }, .block = { 2048, 1, 1 },
	    .regs = 16, .threads_max = 1024, .smem_dynamic_max = 49152 };
	m->run.failures = 1;
}

FAULT(launched_again)	/* the program sees the error and launches something else */
{
	fault_too_many_threads(m);
	m->failure[0].unread = 0;
}

/* --- code that the driver compiles ------------------------------------------ */

FAULT(compiling)
{
	fault_good(m);
	m->run.jit_traced = true;
	m->run.jit_compiles = 3;
	m->run.jit_ns = 500 * MS;
	m->run.jit_startup_ns = 400 * MS;
	m->run.idle_ns[IDLE_API] = 100 * MS;
	m->run.idle_total_ns += 100 * MS;
}

FAULT(compiled_before)	/* all code came from the cache */
{
	fault_good(m);
	m->run.jit_traced = true;
	m->run.jit_loads = 3;
}

/* --- streams ---------------------------------------------------------------- */

FAULT(taking_turns_by_stream)
{
	fault_good(m);
	m->copy[0] = (struct copy_class){ .kind = COPY_H2D,
	    .src = MEMORY_PINNED, .dst = MEMORY_DEVICE, .async = true,
	    .size_class = 23, .count = 1000, .bytes = 8388608000,
	    .gpu_ns = 500 * MS, .exposed_ns = 500e6 };
	m->run.copies = 1;
	m->device[0].copy_ns = 500 * MS;
	m->device[0].legacy_waits = 1999;
	m->device[0].legacy_wait_ns = 600 * MS;
	m->device[0].legacy_copies_ns = 500e6;
}

FAULT(turns_without_room)	/* each kernel fills the GPU */
{
	fault_good(m);
	m->device[0].legacy_waits = 1999;
	m->device[0].legacy_wait_ns = 600 * MS;
}

static struct kernel *
small(struct made *m, const char *name, uint32_t blocks, uint64_t launches,
    uint64_t ns)
{
	struct kernel *k = made_kernel(m, name, launches, ns);

	k->shape.grid_x = blocks;
	k->occupancy.waves = blocks / 1056.0;
	return k;
}

FAULT(one_stream)
{
	for (int i = 0; i < 4; i++) {
		struct kernel *k = small(m, i == 0 ? "_Z1aPf" : i == 1 ?
		    "_Z1bPf" : i == 2 ? "_Z1cPf" : "_Z1dPf", 30, 5000, 100000);

		made_counters(m, k, 0.01);
		k->metric[METRIC_GLOBAL_ST_SECTORS] = 10;
		follows(m, (uint32_t)i, ((uint32_t)i + 1) % 4);
		k->next_idle_ns = 0;
		k->next_null = true;
	}
}

FAULT(handed_on)	/* each kernel reads what the previous one wrote */
{
	fault_one_stream(m);
	for (int i = 0; i < 4; i++)
		m->kernel[i].metric[METRIC_GLOBAL_ST_SECTORS] =
		    m->kernel[i].metric[METRIC_GLOBAL_LD_SECTORS];
}

FAULT(many_arrays)	/* one short kernel on 16 pairs of arrays */
{
	struct kernel *k = small(m, "_Z6filterPKfPfi", 8, 5000, 50000), like;

	made_counters(m, k, 0.01);
	like = *k;
	code_make(m, k, code_text("in_place", ""), 1);
	memcpy(k->metric, like.metric, sizeof(like.metric));
	k->name = "filter(float const*, float*, int)";
	follows(m, 0, 0);
	k->next_idle_ns = 0;
	m->size[0] = (struct memory_size){ .bytes = 8 * 256 * 4, .live = 32,
	    .most = 32 };
	m->size[1] = (struct memory_size){ .bytes = 1 << 20, .live = 9,
	    .most = 9 };
	m->run.sizes = 2;
}

FAULT(relaunched)
{
	small(m, "_Z4stepPf", 100, 400000, 2000);
	follows(m, 0, 0);
	m->sequence[0] = (struct sequence){ .length = 1, .repeats = 400000,
	    .kernel = { 1 }, .kernel_ns = 800 * MS, .idle_ns = 1200 * MS,
	    .gaps = 399999 };
	m->run.sequences = 1;
	m->run.idle_ns[IDLE_LAUNCH] = 1200 * MS;
	m->run.idle_total_ns += 1200 * MS;
}

FAULT(relaunched_wide)	/* too many blocks for a cheap grid barrier */
{
	fault_relaunched(m);
	m->kernel[0].shape.grid_x = 264;
	m->sequence[0].in_graph = true;
}

FAULT(relaunched_after_copies)
{
	fault_relaunched(m);
	m->kernel[0].next = 0;
	m->kernel[0].next_count = 0;
}
