/*
 * rules/evidence/locks.c: see locks.h.
 */
#include <math.h>

#include "facts/warp.h"
#include "rules/evidence/inst.h"
#include "rules/evidence/locks.h"
#include "source/operand.h"

/* Instructions that a lock guards, at most: what is longer is looked at in vain. */
#define GUARDED_MOST 256

static bool
takes(const struct sass_instruction *i)
{
	return i->flags & SASS_ATOMIC && i->space != SPACE_SHARED &&
	    (operand_has(i, "CAS") || operand_has(i, "CAST"));
}

static bool
frees(const struct sass_instruction *i)
{
	return i->space == SPACE_GLOBAL && ((i->flags & SASS_ATOMIC &&
	    operand_has(i, "EXCH")) || (i->flags & SASS_STORE &&
	    !(i->flags & SASS_ATOMIC)));
}

/* Where the lock that ${at} takes is set free: at the address in the same register;
 * SASS_NONE. */
static uint32_t
freed_at(const struct sass *s, uint32_t at)
{
	struct operands own, o;

	if (!operands_of(&own, &s->instruction[at]) || own.base == REGISTER_NONE)
		return SASS_NONE;
	for (uint32_t n = at + 1; n < s->instructions &&
	    n - at <= GUARDED_MOST; n++) {
		if (!operands_of(&o, &s->instruction[n]))
			continue;
		if (frees(&s->instruction[n]) && o.base == own.base &&
		    o.offset == own.offset)
			return n;
		if (o.def != REGISTER_NONE && own.base >= o.def &&
		    own.base < o.def + o.defs)
			return SASS_NONE;
	}
	return SASS_NONE;
}

bool
locks_of(struct locks *k, const struct code *c)
{
	const struct sass *s = &c->sass;

	*k = (struct locks){ 0 };
	for (uint32_t at = 0; at < s->instructions; at++) {
		uint32_t end = takes(&s->instruction[at]) &&
		    sass_loop_of(s, at) != NULL ? freed_at(s, at) : SASS_NONE;
		size_t i = end != SASS_NONE ? inst_of_sass(c, end) : SIZE_MAX;
		double lanes;

		if (i == SIZE_MAX || !(inst_executed(c, at) > 0))
			continue;
		lanes = inst_lanes(c, i);
		k->acquired += inst_executed(c, end) *
		    (isfinite(lanes) ? lanes : WARP);
		for (uint32_t n = at + 1; n < end; n++) {
			const struct sass_instruction *in = &s->instruction[n];
			size_t own = inst_of_sass(c, n);

			if (in->space != SPACE_GLOBAL || own == SIZE_MAX ||
			    in->flags & SASS_ATOMIC)
				continue;
			k->sectors += or_zero(inst_value(c, own,
			    SOURCE_GLOBAL_SECTORS));
			if (in->flags & SASS_LOAD)
				k->loads += inst_executed(c, n);
		}
	}
	return k->acquired > 0;
}
