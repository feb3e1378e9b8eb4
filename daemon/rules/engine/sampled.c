/*
 * rules/engine/sampled.c: see sampled.h.
 */
#include <math.h>
#include <string.h>

#include "rules/engine/estimate.h"
#include "rules/engine/instead.h"
#include "rules/engine/sampled.h"

/* The low view's share of a gain that rests on estimates. */
#define BELIEF_LOW 0.5

bool
sampled_speaks(const struct rule *rule)
{
	return rule->sampled.function != NULL;
}

const char sampled_counted[] = "PC samples";

/* States in ${d} that it rests on estimates, and lowers its claim. */
static void
weaken(const struct rule_view *x, struct draft *d)
{
	if (d->f.confidence > x->rule->sampled.most)
		d->f.confidence = x->rule->sampled.most;
	d->fix[VIEW_LOW] = fix_part(&d->fix[VIEW_LOW], BELIEF_LOW);
	for (size_t i = 0; i < d->f.evidences; i++) {
		struct evidence *e = &d->f.evidence[i];

		if (e->from == NULL || e->from == sampled_counted ||
		    instead_counted(x->own, e))
			continue;
		e->source = "estimated";
		e->from = SAMPLED_FROM;
	}
	d->f.summary = arena_format(x->arena, "%s (estimated from %s PC "
	    "samples: it was not counted)", d->f.summary,
	    say_plain(x->arena, (double)x->kernel->code->samples.all));
	if (d->f.limiter != NULL)
		d->f.limiter = arena_format(x->arena, "by its samples %s",
		    d->f.limiter);
	d->f.next = say_tool(x->arena, x->run, "cudadvise run --replay");
}

static enum rule_state
ask(struct rule_view *x)
{
	enum rule_state state;
	struct estimate e;

	if (x->kernel->code == NULL || x->kernel->code->samples.
	    stall[STALL_SELECTED] < x->rule->sampled.least ||
	    estimate_of(&e, x) != NULL)
		return RULE_NOT_MEASURED;
	state = instead_ask(x, x->rule->sampled.function, &e.kernel, &e.load,
	    weaken);
	estimate_clear(&e);
	return state;
}

enum rule_state
sampled_ask(struct rule_view *x)
{
	if (!sampled_speaks(x->rule) || x->kernel->launches == 0 ||
	    rule_is_debug(x) ||
	    (x->library != NULL && x->rule->needs & (NEED_OWN | NEED_CALLED)))
		return RULE_NOT_MEASURED;
	return ask(x);
}
