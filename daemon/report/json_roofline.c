#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "model/ceilings.h"
#include "model/model.h"
#include "report/roofline.h"
#include "report/json_util.h"
#include "report/names.h"

#include "report/json_roofline.h"

static json_t *
json_flops(const struct roofline *r)
{

	if (r->no_flops != NULL)
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:o}",
	    "fp16", json_number(r->flops[FLOP_FP16]),
	    "fp32", json_number(r->flops[FLOP_FP32]),
	    "fp64", json_number(r->flops[FLOP_FP64]),
	    "tensor", json_number(r->flops[FLOP_TENSOR]));
}

/* Utilisation of the pipes while SMs were active: known without the source tier. */
static json_t *
json_pipes(const struct kernel *k)
{
	const double *m = k->metric;

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
	    "issue_ratio", json_number(m[METRIC_ISSUE_ACTIVE] / 100),
	    "alu_ratio", json_number(m[METRIC_PIPE_ALU] / 100),
	    "fma_ratio", json_number(m[METRIC_PIPE_FMA] / 100),
	    "fp64_ratio", json_number(m[METRIC_PIPE_FP64] / 100),
	    "xu_ratio", json_number(m[METRIC_PIPE_XU] / 100),
	    "lsu_ratio", json_number(m[METRIC_PIPE_LSU] / 100),
	    "tensor_ratio", json_number(m[METRIC_PIPE_TENSOR] / 100));
}

/* a / b; null if that is not a number. */
static json_t *
json_quotient(double a, double b)
{

	return json_number(b > 0 ? a / b : NAN);
}

json_t *
json_roofline(const struct kernel *k, const struct roofline *r)
{

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
	    "flops", json_flops(r),
	    "no_flops", json_reason(r->no_flops),
	    "flops_per_s", json_quotient(r->all_flops, r->time_s),
	    "dram_flop_per_byte", json_quotient(r->all_flops, r->dram_bytes),
	    "l2_flop_per_byte", json_quotient(r->all_flops, r->l2_bytes),
	    "compute", json_text(r->kind < FLOP_KINDS ? flop_name[r->kind] :
	    NULL),
	    "compute_ceiling_flops_per_s", json_number(r->compute_ceiling),
	    "compute_ratio", json_number(r->compute_ratio),
	    "pipes", json_pipes(k),
	    "bound", json_text(r->bound));
}

json_t *
json_bandwidth(const struct roofline *r, const struct ceilings *c)
{

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
	    "used_bytes", json_number(r->used_bytes),
	    "l2_bytes", json_number(r->l2_bytes),
	    "dram_bytes", json_number(r->dram_bytes),
	    "used_bytes_per_s", json_quotient(r->used_bytes, r->time_s),
	    "l2_bytes_per_s", json_quotient(r->l2_bytes, r->time_s),
	    "dram_bytes_per_s", json_quotient(r->dram_bytes, r->time_s),
	    "used_ratio", json_quotient(r->used_bytes,
	    r->time_s * c->dram_bytes_per_s),
	    "dram_ratio", json_number(r->dram_ratio),
	    "l2_ratio", json_number(r->l2_ratio),
	    "reason", json_reason(r->no_bytes));
}

static const struct {
	const char *name, *label, *unit;
	size_t offset;
} ceiling[] = {
#define C(field, label, unit) { #field, label, unit, \
	offsetof(struct ceilings, field) }
	C(dram_bytes_per_s, "DRAM, reads and writes", "B/s"),
	C(l2_bytes_per_s, "L2", "B/s"),
	C(shared_bytes_per_s, "shared memory, all SMs", "B/s"),
	C(fp32_flops, "FP32", "FLOP/s"),
	C(fp64_flops, "FP64", "FLOP/s"),
	C(fp16_flops, "FP16 without tensor cores", "FLOP/s"),
	C(tensor_flops, "tensor cores, FP16, dense", "FLOP/s"),
#undef C
};

json_t *
json_ceilings(const struct ceilings *c)
{
	json_t *items = json_array();
	const double *v;
	size_t i;

	for (i = 0; items != NULL && i < sizeof(ceiling) / sizeof(ceiling[0]);
	    i++) {
		v = (const double *)(const void *)((const char *)c +
		    ceiling[i].offset);
		if (!(*v > 0))	/* GPUs without tensor cores */
			continue;
		json_array_append_new(items,
		    json_pack("{s:s, s:s, s:o, s:s, s:s}",
		    "name", ceiling[i].name,
		    "label", ceiling[i].label,
		    "value", json_number(*v),
		    "unit", ceiling[i].unit,
		    "source", ceilings_source(c, v)));
	}
	return json_pack("{s:o, s:o}",
	    "from", json_text(c->from),
	    "items", items);
}
