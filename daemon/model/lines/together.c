/*
 * model/lines/together.c: see together.h.
 */
#include <math.h>
#include <string.h>

#include "source/effect.h"
#include "source/sass.h"

#include "model/lines/together.h"

struct batch {
	bool pending[GENERAL_REGISTERS];	/* a load in flight will write it */
	double loads;			/* in flight */
	double sum, batches;		/* loads waited for, and such waits */
};

static bool
is_load(const struct sass_instruction *i)
{
	return i->space == SPACE_GLOBAL && (i->flags & SASS_LOAD) &&
	    !(i->flags & SASS_ATOMIC);
}

static int
depth_of(const struct sass *s, size_t i)
{
	const struct sass_loop *loop = sass_loop_of(s, (uint32_t)i);

	return loop == NULL ? -1 : (int)loop->depth;
}

static void
wait_for(struct batch *b)
{
	if (!(b->loads > 0))
		return;
	b->sum += b->loads;
	b->batches++;
	b->loads = 0;
	memset(b->pending, 0, sizeof(b->pending));
}

static bool
needs(const struct batch *b, const struct effect *e)
{
	for (uint32_t k = 0; k < e->reads; k++)
		for (uint32_t r = e->read[k].reg; r < GENERAL_REGISTERS &&
		    r < (uint32_t)e->read[k].reg + e->read[k].width; r++)
			if (b->pending[r])
				return true;
	return e->any;
}

/* Branches end a batch: only the order of the code is followed, not its paths. */
static void
step(struct batch *b, const struct sass_instruction *i, bool counts)
{
	struct effect e = effect_of(i);

	if ((i->flags & (SASS_BRANCH | SASS_EXIT | SASS_BARRIER)) ||
	    needs(b, &e))
		wait_for(b);
	if (!is_load(i) || !counts)
		return;
	b->loads++;
	for (uint32_t r = e.write; r < GENERAL_REGISTERS &&
	    r < (uint32_t)e.write + e.maybe; r++)
		b->pending[r] = true;
}

double
together_of(const struct sass *s)
{
	struct batch b = { .loads = 0 };
	int deepest = -2;

	for (size_t i = 0; i < s->instructions; i++) {
		const struct sass_instruction *in = &s->instruction[i];

		if (in->space == SPACE_GLOBAL && (in->flags & SASS_ASYNC))
			return NAN;
		if (is_load(in) && depth_of(s, i) > deepest)
			deepest = depth_of(s, i);
	}
	for (size_t i = 0; i < s->instructions; i++)
		step(&b, &s->instruction[i], depth_of(s, i) == deepest);
	wait_for(&b);
	return b.batches > 0 ? b.sum / b.batches : NAN;
}
