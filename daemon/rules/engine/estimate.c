/*
 * rules/engine/estimate.c: counters from samples, see estimate.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "facts/warp.h"
#include "model/alike.h"
#include "rules/engine/estimate.h"
#include "rules/evidence/affine.h"
#include "rules/evidence/coded_estimate.h"
#include "source/operand.h"
#include "source/flow.h"

/* A function's samples are of all its launch shapes: they count if shapes like
 * the view's have this share of its time. */
#define PART_LEAST 0.6
/* Of the time of the GPU's kernels: a shape with less is not worth the
 * estimate; a thousand shapes are enough. */
#define SHARE_LEAST 0.001

#define LINE_SECTORS 4

static double
selected_of(const struct code *c)
{
	return fmax(1, c->samples.stall[STALL_SELECTED]);
}

/* The share of the function's time in the view's launch shape and those like it. */
static double
part_of(const struct rule_view *x)
{
	double all = 0, own = 0;

	for (size_t i = 0; i < x->run->kernels; i++) {
		const struct kernel *k = &x->run->kernel[i];

		if (!inst_is_same(x->kernel, k))
			continue;
		all += (double)k->total_ns;
		if (k == x->kernel || alike_shapes(x->kernel, k))
			own += (double)k->total_ns;
	}
	return all > 0 ? own / all : 0;
}

static const struct reason *
lacks(const struct rule_view *x)
{
	const struct reason *reason = inst_lacks(x, NEED_SAMPLES | NEED_CODE);

	if (reason != NULL)
		return reason;
	if (x->kernel->code->samples.all == 0)
		return &reason_row[REASON_NO_SAMPLE];
	if (x->kernel->code->sample_kernels > 1 && (double)x->kernel->total_ns <
	    SHARE_LEAST * (double)x->device->kernel_ns)
		return &reason_row[REASON_SHARED_SAMPLES];
	if (part_of(x) < PART_LEAST)
		return &reason_row[REASON_SHARED_SAMPLES];
	return NULL;
}

/* Busy share of the issue slots on the SMs at work, 0..1. */
static double
issue_of(const struct code *c)
{
	double all = (double)c->samples.all;

	return fmin(1, fmax(0, 1 - (double)c->samples.not_issued / all));
}

/* Sets the executions of the instructions of block ${b}, the same for each;
 * ${scale}: warp instructions per sample. */
static void
set_block(struct code *c, const struct block *b, double scale)
{
	double sum = 0, each;

	for (uint32_t s = b->first; s <= b->last; s++) {
		size_t i = inst_of_sass(c, s);

		if (i != SIZE_MAX)
			sum += c->instruction[i].samples.stall[STALL_SELECTED];
	}
	each = scale * sum / (b->last - b->first + 1);
	for (uint32_t s = b->first; s <= b->last; s++) {
		size_t i = inst_of_sass(c, s);

		if (i == SIZE_MAX)
			continue;
		c->instruction[i].value[SOURCE_INST] = each;
		c->instruction[i].value[SOURCE_THREADS_ON] = each * WARP;
	}
}

/* Sets the executions in ${c}, a copy of the kernel's code, so that they sum up
 * to ${total}. False without memory. */
static bool
set_executions(struct code *c, double total)
{
	const struct instruction *old = c->instruction;
	struct flow f;

	if (flow_make(&f, &c->sass) != 0)
		return false;
	c->instruction = calloc(c->instructions + 1, sizeof(*c->instruction));
	if (c->instruction == NULL) {
		flow_free(&f);
		return false;
	}
	if (c->instructions > 0)
		memcpy(c->instruction, old,
		    c->instructions * sizeof(*old));
	for (int m = 0; m < SOURCE_COUNT; m++) {
		c->total[m] = NAN;
		for (size_t i = 0; i < c->instructions; i++)
			c->instruction[i].value[m] = NAN;
	}
	for (uint32_t b = 0; b < f.blocks; b++)
		set_block(c, &f.block[b], total / selected_of(c));
	flow_free(&f);
	c->total[SOURCE_INST] = total;
	c->total[SOURCE_THREADS_ON] = total * WARP;
	c->counted = true;
	c->uncounted = NULL;
	return true;
}

/* Executed instructions with a flag in ${flags}. */
static double
executed(const struct code *c, uint32_t flags)
{
	double sum = 0;

	for (uint32_t s = 0; s < c->sass.instructions; s++)
		if (c->sass.instruction[s].flags & flags)
			sum += inst_executed(c, s);
	return sum;
}

/* Bytes that global accesses would move if every lane accessed bytes of its own
 * and all caches missed. */
static double
accessed_bytes(const struct code *c, uint32_t flags)
{
	double sum = 0;

	for (uint32_t s = 0; s < c->sass.instructions; s++) {
		const struct sass_instruction *i = &c->sass.instruction[s];

		if (i->space == SPACE_GLOBAL && i->flags & flags)
			sum += inst_executed(c, s) * WARP * i->bytes;
	}
	return sum;
}

static void
fill(struct kernel *k, enum metric_id id, double v)
{
	if (!isfinite(k->metric[id]) && isfinite(v) && v >= 0)
		k->metric[id] = v;
}

/* Sets the sectors of local accesses, which are contiguous for a warp. */
static void
fill_local(struct kernel *k, const struct code *c)
{
	double inst[2] = { 0 }, sectors[2] = { 0 };

	for (uint32_t s = 0; s < c->sass.instructions; s++) {
		const struct sass_instruction *i = &c->sass.instruction[s];
		int store = (i->flags & SASS_STORE) != 0;

		if (i->space != SPACE_LOCAL)
			continue;
		inst[store] += inst_executed(c, s);
		sectors[store] += inst_executed(c, s) * i->bytes;
	}
	fill(k, METRIC_LOCAL_LD_INST, inst[0]);
	fill(k, METRIC_LOCAL_ST_INST, inst[1]);
	fill(k, METRIC_LOCAL_LD_SECTORS, sectors[0]);
	fill(k, METRIC_LOCAL_ST_SECTORS, sectors[1]);
}

/* Sets the wavefronts of shared accesses: of all wavefronts counted, those that
 * global and local accesses do not need. */
static void
fill_shared(struct kernel *k, const struct code *c)
{
	static const uint32_t way[2] = { SASS_LOAD, SASS_STORE };
	double all = k->metric[METRIC_LSU_WAVEFRONTS], inst[2] = { 0 }, global;

	for (uint32_t s = 0; s < c->sass.instructions; s++)
		for (int i = 0; i < 2; i++)
			if (c->sass.instruction[s].space == SPACE_SHARED &&
			    c->sass.instruction[s].flags & way[i])
				inst[i] += inst_executed(c, s);
	global = load_wavefronts(k->metric[METRIC_GLOBAL_LD_INST],
	    k->metric[METRIC_GLOBAL_LD_SECTORS]) +
	    load_wavefronts(k->metric[METRIC_GLOBAL_ST_INST],
	    k->metric[METRIC_GLOBAL_ST_SECTORS]) +
	    (k->metric[METRIC_LOCAL_LD_SECTORS] +
	    k->metric[METRIC_LOCAL_ST_SECTORS]) / LINE_SECTORS;
	if (!isfinite(all) || !isfinite(global))
		return;
	all = inst[0] + inst[1] > 0 ? fmax(0, all - global) /
	    (inst[0] + inst[1]) : 0;
	fill(k, METRIC_SHARED_LD_WAVEFRONTS, inst[0] * all);
	fill(k, METRIC_SHARED_ST_WAVEFRONTS, inst[1] * all);
}

static const struct { enum metric_id id; enum stall stall; } stalls[] = {
	{ METRIC_STALL_LONG_SCOREBOARD, STALL_LONG_SCOREBOARD },
	{ METRIC_STALL_LG_THROTTLE, STALL_LG_THROTTLE },
	{ METRIC_STALL_SHORT_SCOREBOARD, STALL_SHORT_SCOREBOARD },
	{ METRIC_STALL_MIO_THROTTLE, STALL_MIO_THROTTLE },
	{ METRIC_STALL_BARRIER, STALL_BARRIER },
	{ METRIC_STALL_MATH_THROTTLE, STALL_MATH_THROTTLE },
	{ METRIC_STALL_WAIT, STALL_WAIT },
};
#define STALLS (sizeof(stalls) / sizeof(stalls[0]))

static void
fill_stalls(struct kernel *k, const struct code *c)
{
	for (size_t i = 0; i < STALLS; i++)
		fill(k, stalls[i].id, c->samples.stall[stalls[i].stall] /
		    selected_of(c));
}

/* The samples tell more stall reasons than the seven stall counters; those are
 * used where samples are too few. */
static void
set_load(struct estimate *e, const struct rule_view *x)
{
	struct kernel k = e->kernel;

	for (size_t i = 0; i < STALLS; i++)
		k.metric[stalls[i].id] = x->kernel->metric[stalls[i].id];
	load_of(&e->load, &k, x->device);
	if (!e->load.stalls_known)
		load_of(&e->load, &e->kernel, x->device);
	e->load.grounds = GROUNDS_PART;
}

const struct reason *
estimate_of(struct estimate *e, const struct rule_view *x)
{
	const struct reason *reason = lacks(x);
	const struct chip *chip = x->device->sm;
	const struct load *l = x->load;
	double issue, slots, total, seconds, moved;
	struct code *c = &e->code;

	if (reason != NULL)
		return reason;
	e->kernel = *x->kernel;
	e->code = *x->kernel->code;
	e->selected = selected_of(c);
	/* Scheduler cycles of a launch, on the SMs that have blocks. */
	seconds = fmax(0, l->time_s - l->fixed_s);
	slots = seconds * x->ceiling->sm_hz * chip->schedulers *
	    fmax(1, x->device->limits.sms) * fmax(l->spread, 1e-3);
	issue = issue_of(c);
	total = issue * slots;
	if (rule_metric(x, METRIC_INST_EXECUTED) > 0)
		total = rule_metric(x, METRIC_INST_EXECUTED);
	if (!(total > 0) || !isfinite(total))
		return &reason_row[REASON_TIME_UNKNOWN];
	if (!c->counted && !set_executions(c, total)) {
		x->arena->failed = true;
		return &reason_row[REASON_NO_MEMORY];
	}
	e->instruction = x->kernel->code->counted ? NULL : c->instruction;
	e->kernel.code = c;
	fill(&e->kernel, METRIC_INST_EXECUTED, total);
	fill(&e->kernel, METRIC_ISSUE_ACTIVE, 100 * issue * l->spread);
	fill(&e->kernel, METRIC_OCCUPANCY, 100 * fmin(l->occupancy, issue *
	    (double)c->samples.all / e->selected * chip->schedulers /
	    fmax(1, x->device->limits.max_warps_per_sm)));
	fill(&e->kernel, METRIC_PIPE_XU, 100 * fmin(1, load_cycles(chip, chip->xu) *
	    executed(c, SASS_XU | SASS_CONVERT) / slots));
	fill(&e->kernel, METRIC_PIPE_FP64, 100 * fmin(1, load_cycles(chip, chip->fp64) *
	    executed(c, SASS_FP64) / slots));
	moved = accessed_bytes(c, SASS_LOAD | SASS_STORE);
	fill(&e->kernel, METRIC_DRAM_PCT, 100 * fmin(1, moved /
	    (x->ceiling->dram_bytes_per_s * seconds)));
	fill(&e->kernel, METRIC_GLOBAL_LD_SECTORS,
	    accessed_bytes(c, SASS_LOAD) / SECTOR);
	fill(&e->kernel, METRIC_GLOBAL_ST_SECTORS,
	    accessed_bytes(c, SASS_STORE) / SECTOR);
	fill(&e->kernel, METRIC_SM_CYCLES_ACTIVE_AVG, slots / chip->schedulers /
	    fmax(1, x->device->limits.sms));
	fill_local(&e->kernel, c);
	fill_shared(&e->kernel, c);
	fill_stalls(&e->kernel, c);
	set_load(e, x);
	return NULL;
}

bool
estimate_accesses(struct estimate *e, const struct rule_view *x)
{
	static const enum metric_id guessed[] = {
		METRIC_GLOBAL_LD_SECTORS, METRIC_GLOBAL_ST_SECTORS
	};
	const double *counted = x->kernel->metric;
	struct affine *address;

	if (e->instruction == NULL)
		return false;
	address = affine_addresses(&e->code, &e->kernel.shape);
	if (address == NULL) {
		x->arena->failed = true;
		return false;
	}
	coded_accesses(&e->code, address, &e->kernel.shape, counted);
	free(address);
	for (size_t i = 0; i < sizeof(guessed) / sizeof(guessed[0]); i++)
		e->kernel.metric[guessed[i]] = counted[guessed[i]];
	coded_memory(e->kernel.metric, &e->code);
	set_load(e, x);
	return true;
}

void
estimate_clear(struct estimate *e)
{
	free(e->instruction);
}
