/*
 * rules/engine/coded.c: see coded.h.
 */
#include <math.h>
#include <string.h>

#include "rules/engine/coded.h"
#include "rules/engine/instead.h"
#include "rules/evidence/coded_estimate.h"

/* Of what the code could gain at most: nothing for the pessimist, whose kernel
 * waits for something else; halfway in the middle. */
#define BELIEF_LOW 0
#define BELIEF_MID 0.5

/* Of the time of the GPU's kernels: looking into code takes its time, and less
 * than this is not worth a change. */
#define SHARE_LEAST 0.01

/* Could there be something in it? */
static bool
is_worth(const struct rule_view *x)
{
	const struct kernel *k = x->kernel;
	const struct code *c = k->code;
	enum sass_space space = x->rule->coded.space;

	if (c == NULL || !c->disassembled || (double)k->total_ns < SHARE_LEAST *
	    (double)x->device->kernel_ns)
		return false;
	for (size_t i = 0; i < c->sass.instructions; i++)
		if (c->sass.instruction[i].flags &
		    x->rule->coded.flags && (space == SPACE_NONE ||
		    c->sass.instruction[i].space == space))
			return true;
	return false;
}

bool
coded_speaks(const struct rule *rule)
{
	return rule->coded.flags != 0;
}

/* Say in ${d} what it rests on, and promise less. */
static void
weaken(const struct rule_view *x, struct draft *d)
{
	d->f.confidence = CONF_LOW;
	if (d->cap > SEV_MEDIUM)
		d->cap = SEV_MEDIUM;
	d->fix[VIEW_LOW] = fix_part(&d->fix[VIEW_HIGH], BELIEF_LOW);
	d->fix[VIEW_MID] = fix_part(&d->fix[VIEW_HIGH], BELIEF_MID);
	for (size_t i = 0; i < d->f.evidences; i++) {
		d->f.evidence[i].source = "estimated";
		d->f.evidence[i].from = CODED_FROM;
	}
	d->f.limiter = NULL;
	d->f.summary = arena_format(x->arena, "%s (read from the code: nothing "
	    "was counted)", d->f.summary);
	d->f.gain_note = "between nothing and what this takes at most: without "
	    "counters it is not known what limits the kernel";
	d->f.next = x->own->skip == SKIP_PERMISSION ? "cudadvise doctor, which "
	    "says how to get permission for counters" :
	    say_tool(x->arena, x->run, "cudadvise run --replay");
}

enum rule_state
coded_ask(struct rule_view *x)
{
	enum rule_state state;
	struct coded e;

	if (!coded_speaks(x->rule) || x->kernel->launches == 0 ||
	    rule_is_debug(x) || x->library != NULL || !is_worth(x) ||
	    coded_of(&e, x) != 0)
		return RULE_NOT_MEASURED;
	state = instead_ask(x, x->rule->function, &e.kernel, &e.load, weaken);
	coded_clear(&e);
	return state;
}
