#include <math.h>
#include <stddef.h>
#include <string.h>

#include "facts/warp.h"
#include "model/ceilings.h"
#include "rules/gain/gain.h"
#include "model/model.h"

#include "report/roofline.h"

/* The share of executed instructions that may lack a disassembly: their effect
 * is within the rounding of what is shown. */
#define UNKNOWN_MOST 0.01

const char *const flop_name[FLOP_KINDS] = {
	[FLOP_FP16] = "FP16", [FLOP_FP32] = "FP32", [FLOP_FP64] = "FP64",
	[FLOP_TENSOR] = "tensor"
};

static double
not_negative(double v)
{

	return isfinite(v) && v > 0 ? v : 0;
}

/* FLOP/s; for tensor cores dense FP16. */
static const double *
ceiling_of(const struct ceilings *c, enum flop_kind kind)
{

	switch (kind) {
	case FLOP_FP16:
		return &c->fp16_flops;
	case FLOP_FP64:
		return &c->fp64_flops;
	case FLOP_TENSOR:
		return &c->tensor_flops;
	default:
		return &c->fp32_flops;
	}
}

static const struct reason *
lacks_code(const struct code *code)
{

	if (code == NULL)
		return &reason_row[REASON_NEEDS_AUTO];
	if (!code->counted)
		return code->uncounted != NULL ? code->uncounted :
		    &reason_row[REASON_UNCOUNTED];
	if (!code->disassembled)
		return code->no_sass != NULL ? code->no_sass :
		    &reason_row[REASON_NO_SASS];
	return NULL;
}

/*
 * Operations of the counted launch, and how long they occupy each kind's pipes:
 * ${dense}, in operations of the unit's basic type. Returns NULL, or the reason
 * why they are not known.
 */
static const struct reason *
count_flops(const struct code *code, double flops[FLOP_KINDS],
    double dense[FLOP_KINDS])
{
	const struct sass_instruction *in;
	const struct instruction *i;
	double lanes, all = 0, unknown = 0;
	struct flops f;
	size_t n;
	int known;

	for (n = 0; n < code->instructions; n++) {
		i = &code->instruction[n];
		lanes = not_negative(i->value[SOURCE_THREADS_ON]);
		all += lanes;
		if (i->sass >= code->sass.instructions) {
			unknown += lanes;
			continue;
		}
		in = &code->sass.instruction[i->sass];
		known = flops_of(in, &f);
		if (known < 0 && lanes > 0)
			return &reason_row[REASON_SHAPE_UNSAID];
		if (known <= 0)
			continue;
		flops[f.kind] += lanes * f.lane;
		dense[f.kind] += lanes * f.lane / f.rate;
	}
	if (!(all > 0))
		return &reason_row[REASON_NONE_COUNTED];
	return unknown > UNKNOWN_MOST * all ?
	    &reason_row[REASON_SASS_PARTIAL] : NULL;
}

static void
compute(struct roofline *r, const struct code *code, const struct ceilings *c)
{
	double dense[FLOP_KINDS] = { 0 }, s, longest = 0;
	int kind;

	memset(r->flops, 0, sizeof(r->flops));
	r->kind = FLOP_KINDS;
	r->compute_ceiling = r->compute_ratio = r->all_flops = NAN;
	if ((r->no_flops = lacks_code(code)) == NULL)
		r->no_flops = count_flops(code, r->flops, dense);
	if (r->no_flops != NULL) {
		for (kind = 0; kind < FLOP_KINDS; kind++)
			r->flops[kind] = NAN;
		return;
	}
	r->all_flops = 0;
	for (kind = 0; kind < FLOP_KINDS; kind++) {
		r->all_flops += r->flops[kind];
		s = dense[kind] / *ceiling_of(c, (enum flop_kind)kind);
		if (!(s > longest) || !isfinite(s))
			continue;
		longest = s;
		r->kind = (enum flop_kind)kind;
		r->compute_ceiling = r->flops[kind] / s;
	}
	r->compute_ratio = longest / r->time_s;
}

/* Bytes of global loads and stores: sectors times the bytes of each that some
 * thread requested. */
static double
used_bytes(const struct kernel *k)
{
	double ld = metric(k, METRIC_GLOBAL_LD_SECTORS);
	double st = metric(k, METRIC_GLOBAL_ST_SECTORS);
	double bytes = 0;

	if (isnan(ld) || isnan(st))
		return NAN;
	if (ld > 0)
		bytes += ld * metric(k, METRIC_GLOBAL_LD_BYTES_PER_SECTOR);
	if (st > 0)
		bytes += st * metric(k, METRIC_GLOBAL_ST_BYTES_PER_SECTOR);
	return bytes;
}

static const char *
bound_name(const struct roofline *r, const struct load *l)
{
	const char *name = load_bound_name(l);

	if (r->kind < FLOP_KINDS && r->compute_ratio >= ROOF_NEAR &&
	    !(l->limit < RES_L1 && l->busy > r->compute_ratio))
		return flop_name[r->kind];
	return name;
}

void
roofline_of(struct roofline *r, const struct kernel *k,
    const struct ceilings *c, const struct load *l)
{
	double read = metric(k, METRIC_DRAM_READ);
	double written = metric(k, METRIC_DRAM_WRITE);

	r->time_s = l->time_s > 0 ? l->time_s : NAN;
	compute(r, k->code, c);
	r->used_bytes = used_bytes(k);
	r->l2_bytes = metric(k, METRIC_L2_SECTORS) * SECTOR;
	r->dram_bytes = read + written;
	r->no_bytes = NULL;
	if (isnan(r->used_bytes) || isnan(r->l2_bytes) || isnan(r->dram_bytes))
		r->no_bytes = reason_skip[k->skip];
	r->dram_ratio = r->dram_bytes / r->time_s / c->dram_bytes_per_s;
	r->l2_ratio = r->l2_bytes / r->time_s / c->l2_bytes_per_s;
	r->bound = bound_name(r, l);
}
