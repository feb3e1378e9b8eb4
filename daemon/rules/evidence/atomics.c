/*
 * rules/evidence/atomics.c: see atomics.h.
 */
#include <math.h>
#include <stdlib.h>

#include "facts/cycles.h"
#include "rules/evidence/affine.h"
#include "rules/evidence/atomics.h"
#include "rules/evidence/inst.h"
#include "source/operand.h"

/* Seconds between two atomics on the same word. Measured on an H200: 1.75 to
 * 1.76 ns in four programs that add floats, with 4 to 34 million atomics; 0.73
 * ns in one that adds integers, with 31 million. */
#define SERIAL_S 1.75e-9
#define SERIAL_INTEGER_S 0.73e-9

#define RATE_MOST 0.25		/* of the sectors that L2 could move */
/* Share of the atomics' sectors that may come from DRAM; with more they go to
 * many addresses. */
#define MISSED_MOST 0.5

/* Of the time: most of it, whatever else the launch does; half of that bounds no gain
 * that a finding could claim. */
#define LINE_LEAST 0.5

#define FAULTS_MOST 0.05	/* of the kernels' time: pages in migration */
#define HOST_MOST 0.05	/* of L2's sectors: to host memory */

/* Sectors of spilled registers and local arrays: NaN if they were not counted
 * and there may be some. */
static double
local_sectors(const struct rule_view *x)
{
	double ld = rule_metric(x, METRIC_LOCAL_LD_SECTORS);
	double st = rule_metric(x, METRIC_LOCAL_ST_SECTORS);

	return x->kernel->shape.local_per_thread == 0 ? 0 : ld + st;
}

double
atomics_explained(const struct rule_view *x, double atomics)
{
	double inst = or_zero(rule_metric(x, METRIC_INST_EXECUTED));
	double loads = or_zero(rule_metric(x, METRIC_GLOBAL_LD_INST));
	const struct load *l = x->load;
	double cycles = rule_metric(x, METRIC_OCCUPANCY) / 100 * l->spread *
	    l->time_s * x->ceiling->sm_hz * x->device->limits.sms *
	    x->device->limits.max_warps_per_sm;

	if (!(cycles > 0) || !(inst > 0))
		return NAN;
	return (inst * CYCLES_ISSUE + (loads + fmin(atomics, inst)) *
	    CYCLES_TRIP) / cycles;
}

bool
atomics_elsewhere(const struct rule_view *x)
{
	double host = rule_metric(x, METRIC_L2_SYSMEM);
	const struct unified *u = &x->run->unified;
	double kernels = 0;

	for (size_t i = 0; i < x->run->devices; i++)
		kernels += (double)x->run->device[i].kernel_ns * 1e-9;
	return host > HOST_MOST * rule_metric(x, METRIC_L2_SECTORS) ||
	    (u->used && !u->watched) ||
	    rule_fault_s(x->run) > FAULTS_MOST * kernels;
}

bool
atomics_are_few(const struct rule_view *x, double lanes)
{
	return lanes * 32 < RATE_MOST * x->ceiling->l2_bytes_per_s *
	    x->load->time_s;
}

double
atomics_each_s(const struct code *c)
{
	bool integers = false;

	if (c == NULL || !c->disassembled)
		return SERIAL_S;
	for (size_t i = 0; i < c->sass.instructions; i++) {
		const struct sass_instruction *s = &c->sass.instruction[i];

		if (!(s->flags & SASS_ATOMIC) || s->space == SPACE_SHARED)
			continue;
		if (operand_has(s, "F32") || operand_has(s, "F64") ||
		    operand_has(s, "F16x2") || operand_has(s, "BF16x2") ||
		    operand_has(s, "CAS"))
			return SERIAL_S;
		integers = true;
	}
	return integers ? SERIAL_INTEGER_S : SERIAL_S;
}

static bool
has_global(const struct code *c)
{
	for (size_t i = 0; i < c->instructions; i++)
		if (inst_global(c, i) == INST_ATOMIC &&
		    inst_value(c, i, SOURCE_INST) > 0)
			return true;
	return false;
}

double
atomics_line_s(const struct kernel *k, double time)
{
	const struct code *c = k->code;
	struct affine *address;
	double placed = 0, line;

	if (c == NULL || !c->counted || !c->disassembled || !has_global(c))
		return 0;
	address = affine_addresses(c, &k->shape);
	for (size_t i = 0; address != NULL && i < c->instructions; i++) {
		const struct sass_instruction *s = inst_sass(c, i);
		double inst = inst_value(c, i, SOURCE_INST), lanes;

		if (s == NULL || inst_global(c, i) != INST_ATOMIC ||
		    !(inst > 0) ||
		    !affine_is_one(&address[s - c->sass.instruction]))
			continue;
		lanes = inst * inst_lanes(c, i);
		placed += isfinite(lanes) ? lanes : inst;
	}
	free(address);
	line = placed * atomics_each_s(c);
	return line >= LINE_LEAST * time && line <= ATOMICS_LINE_MOST * time ?
	    line : 0;
}

/* Does the code request sectors from L2 only by loads, stores and local memory:
 * no texture, no bulk copy? */
static bool
is_plain(const struct code *c)
{
	if (c == NULL || !c->disassembled)
		return false;
	for (size_t i = 0; i < c->sass.instructions; i++)
		if (c->sass.instruction[i].space == SPACE_TEXTURE ||
		    c->sass.instruction[i].flags & SASS_ASYNC)
			return false;
	return true;
}

static bool
is_slow(const struct atomics *a, const struct rule_view *x)
{
	double missed = rule_metric(x, METRIC_DRAM_READ) / 32 - a->others;

	return atomics_are_few(x, a->least) && missed < MISSED_MOST * a->least;
}

bool
atomics_wait(const struct atomics *a, double least)
{
	return a->line >= least && a->explained < ATOMICS_EXPLAINED_MOST &&
	    (a->line <= ATOMICS_LINE_MOST || a->slow);
}

const struct reason *
atomics_of(struct atomics *a, const struct rule_view *x)
{
	double asked = rule_metric(x, METRIC_L2_FROM_L1);
	double ld = rule_metric(x, METRIC_GLOBAL_LD_SECTORS);
	double st = rule_metric(x, METRIC_GLOBAL_ST_SECTORS);
	double waves = rule_metric(x, METRIC_LSU_WAVEFRONTS);
	double each = atomics_each_s(x->kernel->code);
	double other = asked - ld - st - local_sectors(x);

	if (isnan(asked) || isnan(ld) || isnan(st) || !(x->load->time_s > 0))
		return &reason_row[REASON_GLOBAL_ATOMICS_UNCOUNTED];
	a->others = ld + st;
	/* L1 merges stores that follow each other within a sector. */
	a->most = st < asked ? asked - st : asked;
	/* The sectors that loads and stores do not explain. Textures and bulk
	 * copies pass L1, too, without a wavefront per sector in its data pipe.
	 * So do atomics on different addresses. */
	a->least = other > 0 && (other <= waves ||
	    is_plain(x->kernel->code)) ? other : 0;
	a->line = a->least * each / x->load->time_s;
	a->line_most = a->most * each / x->load->time_s;
	/* As if each atomic were an instruction that its warp waits for. */
	a->explained = atomics_explained(x, a->least);
	a->slow = is_slow(a, x);
	return NULL;
}
