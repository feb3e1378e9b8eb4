#include <math.h>
#include <string.h>

#include "rules/made.h"
#include "rules/engine/rule.h"

#define S 1000000000ull

void
made_init(struct made *m)
{
	struct device *d = &m->device[0];

	memset(m, 0, sizeof(*m));
	d->name = "NVIDIA Test GPU";
	d->chip = "gh100";
	d->uuid = "00112233445566778899aabbccddeeff";
	d->limits.cc_major = 9;
	d->sm = chip_of(9, 0);
	d->limits.sms = 132;
	d->limits.max_threads_per_sm = 2048;
	d->limits.max_threads_per_block = 1024;
	d->limits.max_blocks_per_sm = 32;
	d->limits.max_warps_per_sm = 64;
	d->limits.warp_size = 32;
	d->limits.regs_per_sm = d->limits.regs_per_block = 65536;
	d->limits.smem_per_sm = 233472;
	d->limits.smem_reserved = 1024;
	d->limits.core_khz = 1980000;
	d->limits.memory_bandwidth = 4800ull * S;
	m->run.command = "./app --n 3";
	m->run.wall_ns = 10 * S;
	m->run.idle_ns[IDLE_STARTUP] = S;
	m->run.idle_total_ns = S;
	m->run.contexts_gone = true;
	m->run.device = m->device;
	m->run.devices = 1;
	m->run.kernel = m->kernel;
	m->run.copy = m->copy;
	m->run.small = m->small;
	m->run.sync = m->sync;
	m->run.call = m->call;
	m->run.sequence = m->sequence;
	m->run.leak = m->leak;
	m->run.failure = m->failure;
	m->run.check = m->check;
	m->run.defect = m->defect;
	m->run.peer = m->peer;
	m->run.resent = m->resent;
	m->run.size = m->size;
	ceilings_settle(&m->run);
}

struct device *
made_device(struct made *m)
{
	m->device[1] = m->device[0];
	m->device[1].id = 1;
	m->device[1].uuid = "ffeeddccbbaa99887766554433221100";
	m->device[1].kernel_ns = m->device[1].busy_ns = 0;
	m->run.devices = 2;
	ceilings_settle(&m->run);
	return &m->device[1];
}

struct kernel *
made_kernel(struct made *m, const char *name, uint64_t launches,
    uint64_t mean_ns)
{
	struct kernel *k = &m->kernel[m->run.kernels++];

	memset(k, 0, sizeof(*k));
	k->id = (uint32_t)m->run.kernels;
	k->mangled = k->name = k->short_name = name;
	k->shape.grid_x = 132 * 8 * 12;
	k->shape.grid_y = k->shape.grid_z = 1;
	k->shape.block_x = 256;
	k->shape.block_y = k->shape.block_z = 1;
	k->shape.regs = 32;
	k->occupancy = (struct occupancy){ .known = true, .ratio = 1,
	    .blocks_per_sm = 8, .limiter = LIMITER_WARPS, .waves = 12,
	    .best_block = 256, .best_ratio = 1, .best_min_grid = 1056 };
	for (uint64_t i = 0; i < launches; i++)
		stat_add(&k->time, mean_ns);
	k->launches = launches;
	k->total_ns = launches * mean_ns;
	k->exposed_ns = k->alone_ns = (double)k->total_ns;
	for (int i = 0; i < METRIC_COUNT; i++)
		k->metric[i] = NAN;
	k->skip = SKIP_LEVEL;
	m->run.launches += launches;
	m->device[0].kernel_ns += k->total_ns;
	m->device[0].busy_ns += k->total_ns;
	m->run.gpus_busy_ns += k->total_ns;
	return k;
}

void
made_counters(struct made *m, struct kernel *k, double dram)
{
	double t = stat_mean(&k->time) * 1e-9, *v = k->metric;
	double bytes = (t - 1.5e-6) * m->device[0].ceilings.dram_bytes_per_s * dram;
	double sectors = bytes / 2 / 32, inst = sectors / 4 * 10;

	k->skip = SKIP_NONE;
	k->metric_complete = true;
	k->metric_launches = 1;
	v[METRIC_DRAM_READ] = v[METRIC_DRAM_WRITE] = bytes / 2;
	v[METRIC_L2_SECTORS] = 2 * sectors;
	v[METRIC_L2_READ] = v[METRIC_L2_WRITE] = sectors;
	v[METRIC_L1_HIT_RATE] = 0;
	v[METRIC_GLOBAL_LD_SECTORS] = v[METRIC_GLOBAL_ST_SECTORS] = sectors;
	v[METRIC_GLOBAL_LD_REQUESTS] = sectors / 4;
	v[METRIC_GLOBAL_ST_REQUESTS] = sectors / 4;
	v[METRIC_GLOBAL_LD_BYTES_PER_SECTOR] = 32;
	v[METRIC_GLOBAL_ST_BYTES_PER_SECTOR] = 32;
	v[METRIC_LOCAL_LD_SECTORS] = v[METRIC_LOCAL_ST_SECTORS] = 0;
	v[METRIC_LSU_WAVEFRONTS] = sectors / 2;
	v[METRIC_SHARED_WAVEFRONTS] = 0;
	v[METRIC_SHARED_LD_WAVEFRONTS] = v[METRIC_SHARED_ST_WAVEFRONTS] = 0;
	v[METRIC_SHARED_LD_CONFLICTS] = v[METRIC_SHARED_ST_CONFLICTS] = 0;
	v[METRIC_SHARED_LD_INST] = v[METRIC_SHARED_ST_INST] = 0;
	v[METRIC_INST_EXECUTED] = inst;
	v[METRIC_THREAD_INST] = v[METRIC_THREAD_INST_PRED_ON] = inst * 32;
	v[METRIC_WARPS_LAUNCHED] = inst / 200;
	v[METRIC_BRANCH_UNIFORM] = inst / 10;
	v[METRIC_BRANCH_DIVERGENT] = 0;
	v[METRIC_ISSUE_ACTIVE] = 15;
	v[METRIC_OCCUPANCY] = 95 * k->occupancy.ratio;
	v[METRIC_SM_CYCLES_ACTIVE_AVG] = 99;
	v[METRIC_SM_CYCLES_ACTIVE_MAX] = 100;
	v[METRIC_STALL_LONG_SCOREBOARD] = 12;
	v[METRIC_STALL_LG_THROTTLE] = 0;
	v[METRIC_STALL_SHORT_SCOREBOARD] = v[METRIC_STALL_MIO_THROTTLE] = 0;
}

struct kernel *
made_measured(struct made *m, const char *name, uint64_t launches,
    uint64_t mean_ns, double dram)
{
	struct kernel *k = made_kernel(m, name, launches, mean_ns);

	made_counters(m, k, dram);
	return k;
}

struct kernel *
made_counted(struct made *m, double dram)
{

	return made_measured(m, "_Z4workPf", 10000, 200000, dram);
}

void
made_strides(struct kernel *k)
{
	static struct sass_instruction line[] = {
		{ .pc = 0x00, .text = "S2R R0,SR_TID.X", .opcode = "S2R" },
		{ .pc = 0x10, .text = "ULDC UR4,c[0x0][0xc]",
		  .opcode = "ULDC" },
		{ .pc = 0x20, .text = "IADD3 R0,R0,UR4,RZ",
		  .opcode = "IADD3" },
		{ .pc = 0x30, .text = "@P0 BRA 0x20", .opcode = "BRA",
		  .flags = SASS_BRANCH | SASS_BACKWARD, .target = 0x20 },
	};
	static struct sass_loop loop = { .head = 2, .tail = 3 };
	static uint32_t inner[] = { SASS_NONE, SASS_NONE, 0, 0 };
	static struct code code = { .disassembled = true,
	    .sass = { .instruction = line, .instructions = 4, .loop = &loop,
	    .loops = 1, .inner = inner } };

	code.uncounted = &reason_row[REASON_UNCOUNTED];
	k->code = &code;
}

void
made_gaps(struct made *m, enum idle_cause cause, uint64_t count,
    uint64_t each_ns)
{
	struct gap_class *c =
	    &m->run.gap[63u - (unsigned)__builtin_clzll(each_ns)];

	c->count += count;
	c->idle_ns[cause] += count * each_ns;
	m->run.idle_gaps += count;
	m->run.idle_ns[cause] += count * each_ns;
	m->run.idle_total_ns += count * each_ns;
	if (each_ns > m->run.idle_longest_ns) {
		m->run.idle_longest_ns = each_ns;
		memset(m->run.idle_longest_by, 0,
		    sizeof(m->run.idle_longest_by));
		m->run.idle_longest_by[cause] = each_ns;
	}
}

static void
withhold_code(struct code *c, unsigned need)
{
	const struct reason *refused = &reason_row[REASON_PERMISSION];

	if (need == NEED_SOURCE) {
		c->counted = false;
		c->uncounted = refused;
	} else if (need == NEED_CODE) {
		c->disassembled = false;
		c->no_sass = refused;
	} else if (need == NEED_SAMPLES) {
		c->sampled = false;
	} else if (need == NEED_CUBIN) {
		c->no_cubin = &reason_row[REASON_NO_CODE];
	}
}

void
made_withhold(struct made *m, unsigned need)
{
	if (need == NEED_KERNELS)
		m->run.refused = 1u << REFUSED_KERNELS;
	else if (need == NEED_COPIES)
		m->run.refused = 1u << REFUSED_COPIES;
	else if (need == NEED_CALLS)
		m->run.refused = 1u << REFUSED_CALLS;
	else if (need == NEED_MEMORY)
		m->run.refused = 1u << REFUSED_MEMORY;
	else if (need == NEED_CHECK)
		m->run.checks = m->run.defects = 0;
	for (size_t i = 0; i < m->run.kernels; i++) {
		struct kernel *k = &m->kernel[i];

		for (int c = 0; need == NEED_COUNTERS && c < METRIC_COUNT; c++)
			k->metric[c] = NAN;
		if (need == NEED_COUNTERS)
			k->skip = SKIP_PERMISSION;
		if (k->code != NULL)	/* the tests' own, see code.h */
			withhold_code((struct code *)k->code, need);
	}
}

double
made_kernel_s(const struct kernel *k)
{
	return (double)k->total_ns * 1e-9;
}

void
made_load(const struct made *m, struct load *l)
{
	load_of(l, &m->kernel[0], &m->device[0]);
}

double
made_speedup(const struct load *l, const struct fix *f, enum gain_view v)
{
	return l->time_s / gain_time(l, f, v);
}

struct advice *
made_advice(const struct made *m)
{
	return advice_make(&m->run, NULL);
}

const struct verdict *
made_verdict(const struct advice *a, const char *rule)
{
	for (size_t i = 0; i < a->verdicts; i++)
		if (strcmp(a->verdict[i].rule, rule) == 0)
			return &a->verdict[i];
	return NULL;
}

const struct finding *
made_finding(const struct advice *a, const char *rule)
{
	for (size_t i = 0; i < a->findings; i++)
		if (strcmp(a->finding[i].rule, rule) == 0)
			return &a->finding[i];
	return NULL;
}
