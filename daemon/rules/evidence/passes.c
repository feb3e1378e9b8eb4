/*
 * rules/evidence/passes.c: see passes.h.
 */
#include <math.h>
#include <stdlib.h>

#include "facts/warp.h"
#include "rules/evidence/affine.h"
#include "rules/evidence/passes.h"
#include "rules/evidence/reuse.h"

#define DENSE 1.25	/* arithmetic: sectors that a warp may need, of the fewest */
#define FULL_LEAST 24	/* bytes of a sector; arithmetic: with fewer a quarter is waste */

/* The sectors that a warp needs for the widest load in its loops of which the code shows
 * that neighbouring threads load neighbouring elements; 0: none does. */
static double
dense_sectors(const struct rule_view *x)
{
	const struct code *c = x->kernel->code;
	struct affine *address;
	double most = 0;

	if (c == NULL || !c->disassembled ||
	    (address = affine_addresses(c, &x->kernel->shape)) == NULL)
		return 0;
	for (uint32_t s = 0; s < c->sass.instructions; s++) {
		const struct sass_instruction *i = &c->sass.instruction[s];
		double least = (double)WARP * i->bytes / SECTOR;

		if (i->space == SPACE_GLOBAL && i->flags & SASS_LOAD &&
		    sass_loop_of(&c->sass, s) != NULL &&
		    affine_sectors(&address[s], i->bytes, &x->kernel->shape) <=
		    DENSE * least)
			most = fmax(most, least);
	}
	free(address);
	return most;
}

/* Does a request take no more sectors than such a load, on average? */
static bool
is_dense(const struct rule_view *x)
{
	return x->load->ld_sectors / x->load->requests_ld <=
	    DENSE * dense_sectors(x);
}

bool
passes_of(struct passes *p, const struct rule_view *x)
{
	double used = rule_metric(x, METRIC_GLOBAL_LD_BYTES_PER_SECTOR);

	*p = (struct passes){ .dram = rule_metric(x, METRIC_DRAM_READ),
	    .memory = reuse_memory(x->run) };
	p->again = p->dram / p->memory;
	return rule_is_bound(x, RES_DRAM) && isfinite(p->again) &&
	    p->memory >= REUSE_SEEN_LEAST * (double)x->device->limits.l2_bytes &&
	    (isnan(used) ? is_dense(x) : used >= FULL_LEAST);
}
