/*
 * rules/evidence/spare.c: see spare.h.
 */
#include <math.h>
#include <stdlib.h>

#include "facts/warp.h"
#include "rules/evidence/affine.h"
#include "rules/evidence/spare.h"
#include "source/callee.h"

#define ALL 0.99		/* of the warps */

/* What a warp would access if all guards were open; NaN: not known. */
struct asked {
	double loads, stores;			/* sectors */
	double load_inst, store_inst;		/* instructions */
	double inst;				/* all, if there is no loop */
	bool waits;				/* at a barrier */
	bool one;				/* each store is the whole block's result */
};

static void
ask(struct asked *a, const struct rule_view *x, const struct affine *address)
{
	const struct sass *s = &x->kernel->code->sass;
	uint32_t last = 0;

	for (uint32_t i = 0; i < s->instructions; i++) {
		const struct sass_instruction *in = &s->instruction[i];
		bool store = in->flags & SASS_STORE;
		double n = affine_sectors(&address[i], in->bytes,
		    &x->kernel->shape);

		last = in->flags & SASS_EXIT ? i : last;
		a->waits = a->waits || in->flags & SASS_BARRIER;
		if ((in->flags & SASS_CALL && !callee_is_rare(in)) ||
		    in->flags & SASS_ASYNC || in->space == SPACE_TEXTURE ||
		    in->space == SPACE_GENERIC)
			a->loads = NAN;
		if (in->space != SPACE_GLOBAL)
			continue;
		if (in->flags & SASS_ATOMIC || sass_loop_of(s, i) != NULL ||
		    address[i].kind != AFFINE_STEPS)
			n = NAN;
		a->one = a->one && (!store || affine_is_one(&address[i]));
		*(store ? &a->stores : &a->loads) += n;
		++*(store ? &a->store_inst : &a->load_inst);
	}
	a->inst = s->loops == 0 ? last + 1 : NAN;
}

/*
 * How much of the kernel the threads without data execute, 0..1, if ${used} of all have
 * some: by the length of the code, or, with loops, all of it if they may not leave
 * before a barrier, else as often as they come to the loads.
 */
static double
stays(const struct asked *a, double inst, double loads, double used)
{
	if (isfinite(a->inst) && inst > 0)
		return clamp01((inst / a->inst - used) / (1 - used));
	return a->waits ? 1 : clamp01((loads / a->load_inst - used) / (1 - used));
}

bool
spare_of(struct spare *s, const struct rule_view *x)
{
	const struct code *c = x->kernel->code;
	double ld = rule_metric(x, METRIC_GLOBAL_LD_SECTORS);
	double st = rule_metric(x, METRIC_GLOBAL_ST_SECTORS);
	double warps = rule_blocks(x->kernel) *
	    ceil(rule_threads(x->kernel) / (double)WARP);
	struct asked a = { .one = true };
	struct affine *address;
	double stores;

	if (c == NULL || !c->disassembled || !(ld > 0) || !(st > 0) ||
	    !(warps > 0))
		return false;
	address = affine_addresses(c, &x->kernel->shape);
	if (address == NULL) {
		x->arena->failed = true;
		return false;
	}
	ask(&a, x, address);
	free(address);
	if (!(a.stores > 0) || !(a.loads > 0))
		return false;
	s->used = fmin(1, ld / (a.loads * warps));
	s->left = s->used;
	/* A result of the whole block is stored by one thread, whatever the others do.
	 * In a loop they may search what one thread has loaded. */
	if (!a.one || isnan(a.inst)) {
		s->used = fmin(1, fmax(s->used, st / (a.stores * warps)));
		/* Warps that come to a store; all do where a predicate guards it. */
		stores = rule_metric(x, METRIC_GLOBAL_ST_INST) /
		    (a.store_inst * warps);
		s->left = stores < ALL ? fmax(s->used, stores) : s->used;
	}
	if (s->left < 1)
		s->left /= s->left + (1 - s->left) * stays(&a,
		    rule_metric(x, METRIC_INST_EXECUTED) / warps,
		    or_zero(rule_metric(x, METRIC_GLOBAL_LD_INST)) / warps,
		    s->left);
	return true;
}
