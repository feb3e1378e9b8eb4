/*
 * rules/evidence/resident.c: see resident.h.
 */
#include <math.h>
#include <string.h>

#include "rules/evidence/elected.h"
#include "rules/evidence/resident.h"
#include "source/operand.h"
#include "source/slice.h"

/* "Little is left": of the instructions, none of which is in a loop. */
#define LITTLE (1.0 / 3)

#define BARRIERS_MOST 64	/* that are looked at */

double
resident_warps(const struct rule_view *x)
{
	const struct occupancy *o = &x->kernel->occupancy;
	double sms = fmax(1, x->device->limits.sms);
	double blocks = o->waves >= 1 ? o->blocks_per_sm :
	    fmin(rule_blocks(x->kernel) / sms, o->blocks_per_sm);

	return rule_metric(x, METRIC_OCCUPANCY) / 100 *
	    x->device->limits.max_warps_per_sm / fmax(1, blocks);
}

/* Does ${i} wait for the whole block? With a second operand, it is for as many threads;
 * some only arrive. */
static bool
waits_for_block(const struct sass_instruction *i)
{
	const char *operands = opcode_operands(i);

	return i->flags & SASS_BARRIER && !operand_has(i, "ARV") &&
	    operands != NULL && strchr(operands, ',') == NULL;
}

/* Instructions up to the last exit: idle loops and padding follow. */
static uint32_t
end_of(const struct sass *s)
{
	uint32_t end = (uint32_t)s->instructions;

	while (end > 0 && !(s->instruction[end - 1].flags & SASS_EXIT))
		end--;
	return end;
}

/* Is there a loop behind instruction ${at}, or, ${elected}, one of a single warp? */
static bool
loops_behind(struct electing *e, const struct sass *s, uint32_t at, uint32_t end,
    bool elected)
{
	for (size_t n = 0; n < s->loops; n++) {
		uint32_t head = s->loop[n].head;

		if (head > at && head < end && (!elected ||
		    elected_of(e, head) & ELECTED_WARP))
			return true;
	}
	return false;
}

/* Do all warps stay until the barrier ${at}, and is that nearly all the time? */
static bool
keeps_all(struct electing *e, const struct sass *s, uint32_t at, uint32_t end)
{
	bool looped = sass_loop_of(s, at) != NULL;

	return (looped || end - at < LITTLE * end) &&
	    !(elected_of(e, at) & ELECTED_WARP) &&
	    !loops_behind(e, s, at, end, looped);
}

bool
resident_together(const struct code *c)
{
	const struct sass *s = &c->sass;
	struct electing *e = NULL;
	struct slices *t;
	bool found = false;
	uint32_t end;
	int looked = 0;

	if (!c->disassembled || s->loops * s->instructions > SASS_STEPS_MOST)
		return false;
	t = slices_new(s);
	if (t != NULL)
		e = elected_new(s, t);
	end = end_of(s);
	for (uint32_t at = 0; e != NULL && !found && at < end &&
	    looked < BARRIERS_MOST; at++) {
		if (!waits_for_block(&s->instruction[at]))
			continue;
		looked++;
		found = keeps_all(e, s, at, end);
	}
	elected_free(e);
	slices_free(t);
	return found;
}
