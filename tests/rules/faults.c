/*
 * rules/faults.c: runs with one fault each, and runs that almost have one.
 */
#include <math.h>
#include <string.h>

#include "rules/faults.h"

#define MS 1000000ull
#define S (1000 * MS)

static struct kernel *
uncounted(struct made *m, enum wire_skip skip)
{
	struct kernel *k = made_kernel(m, "_Z4workPf", 10000, 200000);

	k->skip = skip;
	return k;
}

FAULT_IS(good, made_counted(m, 0.92))
FAULT_IS(no_permission, uncounted(m, SKIP_PERMISSION))
FAULT_IS(no_occupancy, made_counted(m, 0.3)->occupancy.known = false)
FAULT_IS(nothing, m->run.devices = 0)

FAULT(scattered)
{
	double *v = made_counted(m, 0.4)->metric;

	v[METRIC_GLOBAL_LD_SECTORS] = v[METRIC_GLOBAL_LD_REQUESTS] * 32;
	v[METRIC_GLOBAL_LD_BYTES_PER_SECTOR] = 4;
	v[METRIC_L2_READ] = v[METRIC_GLOBAL_LD_SECTORS];
	v[METRIC_L2_SECTORS] = v[METRIC_L2_READ] + v[METRIC_L2_WRITE];
	v[METRIC_L2_PCT] = 91;
}

FAULT(broadcast)	/* one sector, 4 bytes of it used: as it should be */
{
	double *v = made_counted(m, 0.9)->metric;

	v[METRIC_GLOBAL_LD_SECTORS] = v[METRIC_GLOBAL_LD_REQUESTS];
	v[METRIC_GLOBAL_LD_BYTES_PER_SECTOR] = 4;
}

FAULT(wide_unknown)
{
	double *v = made_counted(m, 0.9)->metric;

	v[METRIC_GLOBAL_LD_SECTORS] = v[METRIC_GLOBAL_LD_REQUESTS] * 8;
	v[METRIC_GLOBAL_LD_BYTES_PER_SECTOR] = NAN;
}

FAULT(spilling)
{
	struct kernel *k = made_counted(m, 0.5);

	k->shape.local_per_thread = 256;
	k->metric[METRIC_LOCAL_LD_SECTORS] =
	    k->metric[METRIC_GLOBAL_LD_SECTORS];
	k->metric[METRIC_LOCAL_ST_SECTORS] =
	    k->metric[METRIC_GLOBAL_LD_SECTORS];
	k->metric[METRIC_L2_SECTORS] *= 2;
	k->metric[METRIC_L2_PCT] = 85;
}

FAULT(conflicted)
{
	double *v = made_counted(m, 0.1)->metric, waves = 0.85 * 200e-6 * 1.98e9 * 132;

	v[METRIC_SHARED_LD_WAVEFRONTS] = waves;
	v[METRIC_SHARED_LD_CONFLICTS] = waves * 31 / 32;
	v[METRIC_SHARED_LD_INST] = waves / 32;
	v[METRIC_SHARED_ST_WAVEFRONTS] = v[METRIC_SHARED_ST_INST] = waves / 32;
	v[METRIC_SHARED_WAVEFRONTS] = waves * 33 / 32;
	v[METRIC_LSU_WAVEFRONTS] = waves * 34 / 32;
}

FAULT(padded)		/* a little arbitration, wide accesses */
{
	double *v = made_counted(m, 0.9)->metric, inst = 1e6;

	v[METRIC_SHARED_LD_WAVEFRONTS] = 4 * inst;
	v[METRIC_SHARED_LD_CONFLICTS] = 0.06 * 4 * inst;
	v[METRIC_SHARED_LD_INST] = inst;
	v[METRIC_SHARED_ST_WAVEFRONTS] = 1.05 * inst;
	v[METRIC_SHARED_ST_CONFLICTS] = 0.14 * inst;
	v[METRIC_SHARED_ST_INST] = inst;
	v[METRIC_SHARED_WAVEFRONTS] = 5.05 * inst;
}

static void
few_lanes(struct made *m, double lanes, double divergent)
{
	double *v = made_counted(m, 0.1)->metric;

	v[METRIC_THREAD_INST] = v[METRIC_INST_EXECUTED] * lanes;
	v[METRIC_THREAD_INST_PRED_ON] = v[METRIC_THREAD_INST];
	v[METRIC_BRANCH_DIVERGENT] = v[METRIC_BRANCH_UNIFORM] * divergent;
	v[METRIC_ISSUE_ACTIVE] = 85;
}

FAULT_IS(divergent, few_lanes(m, 16, 0.3))
FAULT_IS(idle, few_lanes(m, 8, 0))

FAULT(ragged_block)
{
	struct kernel *k;

	few_lanes(m, 16.5, 0);
	k = &m->kernel[0];
	k->shape.block_x = 33;
}

/* One block of 33 threads: blocks of whole warps would need as many warps. */
FAULT(ragged_alone)
{
	fault_ragged_block(m);
	m->kernel[0].shape.grid_x = 1;
}

FAULT(one_block)
{
	struct kernel *k = made_counted(m, 0.01);

	k->shape.grid_x = 1;
	k->occupancy.waves = 1.0 / 1056;
	k->metric[METRIC_SM_CYCLES_ACTIVE_AVG] = 1;
	k->metric[METRIC_SM_CYCLES_ACTIVE_MAX] = 132;
	k->metric[METRIC_OCCUPANCY] = 12.5;
}

/* As many blocks as SMs, a grid-stride loop, DRAM full: a good kernel. */
FAULT(persistent)
{
	struct kernel *k = made_counted(m, 0.85);

	k->shape.grid_x = 132;
	k->occupancy.waves = 1.0 / 8;
	k->metric[METRIC_OCCUPANCY] = 12.5;
}

FAULT(tiny_blocks)
{
	struct kernel *k = made_counted(m, 0.2);

	k->shape.block_x = 32;
	k->shape.grid_x *= 8;
	k->occupancy.ratio = 0.5;
	k->occupancy.blocks_per_sm = 32;
	k->occupancy.limiter = LIMITER_BLOCKS;
	k->occupancy.waves = 24;
	k->metric[METRIC_OCCUPANCY] = 20;
}

FAULT(many_registers)
{
	struct kernel *k = made_counted(m, 0.2);

	k->shape.regs = 128;
	k->occupancy.ratio = 0.25;
	k->occupancy.blocks_per_sm = 2;
	k->occupancy.limiter = LIMITER_REGISTERS;
	k->occupancy.best_ratio = 0.3125;
	k->occupancy.waves = 48;
	k->metric[METRIC_OCCUPANCY] = 24;
}

/* Low occupancy that does no harm, because the tensor pipe is full. */
FAULT(tensor_kernel)
{
	struct kernel *k;

	fault_many_registers(m);
	k = &m->kernel[0];
	k->metric[METRIC_PIPE_TENSOR] = 92;
}

/* The same, but the tensor pipe was not counted: no finding either. */
FAULT(tensor_uncounted)
{
	fault_many_registers(m);
	m->kernel[0].shape.smem_dynamic = 100000;
}

/* With the counters of Hopper's first groups: no requests, no conflict counter. */
FAULT(conflicted_sass)
{
	double *v;

	fault_conflicted(m);
	v = m->kernel[0].metric;
	v[METRIC_SHARED_LD_CONFLICTS] = v[METRIC_SHARED_ST_CONFLICTS] = NAN;
	v[METRIC_SHARED_WAVEFRONTS] = NAN;
}

FAULT(scattered_sass)
{
	double *v;

	fault_scattered(m);
	v = m->kernel[0].metric;
	v[METRIC_GLOBAL_LD_INST] = v[METRIC_GLOBAL_LD_REQUESTS];
	v[METRIC_GLOBAL_ST_INST] = v[METRIC_GLOBAL_ST_REQUESTS];
	v[METRIC_GLOBAL_LD_REQUESTS] = v[METRIC_GLOBAL_ST_REQUESTS] = NAN;
	v[METRIC_L2_FROM_L1] = v[METRIC_L2_SECTORS];
	v[METRIC_L2_READ] = v[METRIC_L2_WRITE] = v[METRIC_L1_HIT_RATE] = NAN;
	v[METRIC_STALL_LONG_SCOREBOARD] = NAN;
}

FAULT(partial_wave)
{
	struct kernel *k = made_counted(m, 0.2);

	k->occupancy.waves = 1.1;
	k->shape.grid_x = 1162;
	k->metric[METRIC_ISSUE_ACTIVE] = 85;
	k->metric[METRIC_SM_CYCLES_ACTIVE_AVG] = 56;
}

FAULT(uneven)
{
	struct kernel *k = made_counted(m, 0.2);

	k->metric[METRIC_OCCUPANCY] = 22;
	k->metric[METRIC_SM_CYCLES_ACTIVE_AVG] = 60;
}

FAULT(small_copies)
{
	fault_good(m);
	m->small[0] = (struct small_copies){ .kind = COPY_H2D,
	    .host = MEMORY_PINNED, .groups = 10, .copies = 200000,
	    .bytes = 200000 * 4096ull, .gpu_ns = 400 * MS,
	    .span_ns = 1500 * MS };
	m->run.smalls = 1;
	m->copy[0] = (struct copy_class){ .kind = COPY_H2D,
	    .src = MEMORY_PINNED, .dst = MEMORY_DEVICE, .async = true,
	    .size_class = 12, .count = 200000, .bytes = 200000 * 4096ull,
	    .gpu_ns = 400 * MS, .exposed_ns = 400e6 };
	m->run.copies = 1;
	m->run.idle_ns[IDLE_API] = 1100 * MS;
	m->run.idle_total_ns += 1100 * MS;
}

static void
one_copy(struct made *m, enum wire_memory host, uint64_t count)
{
	fault_good(m);
	/* Copies of 8 MiB each at 11 GB/s, or 53 GB/s. */
	m->copy[0] = (struct copy_class){ .kind = COPY_H2D, .src = host,
	    .dst = MEMORY_DEVICE, .async = true, .size_class = 23,
	    .count = count, .bytes = count << 23, .gpu_ns = count *
	    (host == MEMORY_PAGEABLE ? 762000 : 158000) };
	m->copy[0].exposed_ns = (double)m->copy[0].gpu_ns;
	m->run.copies = 1;
}

FAULT_IS(pageable, one_copy(m, MEMORY_PAGEABLE, 1000))
FAULT_IS(pinned, one_copy(m, MEMORY_PINNED, 1000))

FAULT(taking_turns)
{
	one_copy(m, MEMORY_PINNED, 10000);
	m->device[0].copy_ns = m->copy[0].gpu_ns;
	m->device[0].cycle_ns = m->device[0].kernel_ns <
	    m->device[0].copy_ns ? m->device[0].kernel_ns :
	    m->device[0].copy_ns;
	m->device[0].busy_ns = m->device[0].kernel_ns + m->device[0].copy_ns;
}

FAULT(overlapped)
{
	fault_taking_turns(m);
	m->device[0].copy_hidden_ns = m->device[0].copy_ns * 9 / 10;
	m->copy[0].exposed_ns *= 0.1;
}

FAULT(allocating)
{
	fault_good(m);
	m->call[0] = (struct call_class){ .call = CALL_MALLOC, .count = 5001,
	    .total_ns = 700 * MS, .hot_count = 5000, .hot_ns = 600 * MS,
	    .hot_idle_ns = 500 * MS };
	m->run.calls = 1;
	m->run.idle_ns[IDLE_ALLOCATION] = 500 * MS;
	m->run.idle_total_ns += 500 * MS;
}

FAULT(allocating_once)
{
	fault_good(m);
	m->call[0] = (struct call_class){ .call = CALL_MALLOC, .count = 50,
	    .total_ns = 700 * MS };
	m->run.calls = 1;
}

FAULT(launch_bound)
{
	made_kernel(m, "_Z5smallPf", 400000, 2000);
	m->sequence[0] = (struct sequence){ .length = 20, .repeats = 20000,
	    .kernel = { 1 }, .kernel_ns = 800 * MS, .idle_ns = 1200 * MS,
	    .gaps = 400000 };
	m->run.sequences = 1;
	m->run.idle_ns[IDLE_LAUNCH] = 1200 * MS;
	m->run.idle_total_ns += 1200 * MS;
}

FAULT(in_graph)
{
	fault_launch_bound(m);
	m->sequence[0].in_graph = true;
	m->sequence[0].idle_ns = m->run.idle_ns[IDLE_LAUNCH] = 300 * MS;
	m->kernel[0].graph_launches = m->kernel[0].launches;
}

FAULT(blocking)
{
	one_copy(m, MEMORY_PINNED, 1000);
	m->copy[0].async = false;
	m->copy[0].idle_after_ns = m->copy[0].idle_waited_ns = 400 * MS;
	made_gaps(m, IDLE_AFTER_SYNC, 1000, 400000);
}

FAULT(syncing)
{
	fault_good(m);
	m->sync[0] = (struct sync_class){ .call = CALL_DEVICE_SYNC,
	    .count = 10000, .wait_ns = 2 * S, .idle_after_ns = 400 * MS,
	    .followed = 9999 };
	m->run.syncs = 1;
	made_gaps(m, IDLE_AFTER_SYNC, 10000, 40000);
}

FAULT(syncing_once)
{
	fault_syncing(m);
	m->sync[0].count = m->sync[0].followed = 3;
	m->sync[0].idle_after_ns = MS;
	m->run.idle_ns[IDLE_AFTER_SYNC] = MS;
	memset(m->run.gap, 0, sizeof(m->run.gap));
}

FAULT(waiting)
{
	fault_good(m);
	made_gaps(m, IDLE_HOST, 1000, 3 * MS);
}

/* A few long phases on the host and a slow start: no recurring gaps. */
FAULT(one_phase)
{
	fault_good(m);
	m->run.idle_ns[IDLE_STARTUP] = 4 * S;
	m->run.idle_total_ns += 3 * S;
	made_gaps(m, IDLE_HOST, 1, 2 * S);
	made_gaps(m, IDLE_HOST, 4, 200 * MS);
	made_gaps(m, IDLE_HOST, 5, 100 * MS);
	made_gaps(m, IDLE_LAUNCH, 40, 10000);
}

FAULT(failing)
{
	fault_good(m);
	m->failure[0] = (struct failure){ .call = "cudaLaunchKernel",
	    .error = "cudaErrorInvalidConfiguration", .result = 9, .count = 3,
	    .unread = 3, .launch = true };
	m->run.failures = 1;
}

FAULT(failing_checked)
{
	fault_failing(m);
	m->failure[0].unread = 0;
	m->failure[1] = (struct failure){ .call = "cudaEventQuery",
	    .error = "cudaErrorNotReady", .result = 600, .count = 3,
	    .unread = 3 };
	m->run.failures = 2;
}

FAULT(leaking)
{
	fault_good(m);
	m->leak[0] = (struct leak){ .kind = MEMORY_DEVICE, .count = 100,
	    .late = 50,
	    .bytes = 100 << 20, .largest = 1 << 20 };
	m->run.leaks = 1;
}

FAULT(still_running)
{
	fault_leaking(m);
	m->run.contexts_gone = false;
}
