/*
 * What of the idle time goes with the change: what is hidden behind the GPU's work, and what of
 * the host's work goes, by cause.
 */
#include <math.h>

#include "rules/practice/gpu_idle_gaps/idle.h"

bool
idle_goes(const struct rule_view *x, const struct idle_gaps *g)
{
	return g->a.input + (g->python ? g->a.brief : 0) > 0.5 * g->idle ||
	    looks_say(x, idle_looks(x)) != NULL;
}

/* What host work that hides behind the GPU's saves, of the gaps ${g}; ${busy} seconds the GPU
 * works. */
static struct gain
hidden_gain(const struct rule_view *x, const struct idle_gaps *g, double busy)
{
	bool goes = idle_goes(x, g);
	double idle = g->idle, mid, high;

	/* Host work hides behind GPU work only as far as there is any. With
	 * work queued ahead, launches leave no gaps either. */
	mid = 0.85 * fmin(idle, busy);
	high = idle + g->late;
	if (goes)
		mid += (g->python ? BEYOND_PYTHON : BEYOND) * fmax(0, idle - busy);
	return (struct gain){ 0.3 * fmin(idle, busy), mid, goes ? high : fmin(high, busy) };
}

void
idle_claim(const struct rule_view *x, struct draft *d, const struct idle_gaps *g)
{
	double busy = idle_busy_s(x->run);
	struct gain s = hidden_gain(x, g, busy);

	if (idle_is_of(d->variant, IDLE_LOADING))
		s = idle_loader_gain(x, d, g, busy);
	else if (idle_is_of(d->variant, IDLE_INPUT))
		s = idle_input_gain(x, d, g, s);
	else if (idle_is_of(d->variant, IDLE_LAUNCHING))
		s = idle_launches_gain(d, g, s);
	d->claim[0] = (struct claim){ POOL_IDLE(IDLE_HOST) | POOL_IDLE(IDLE_API) |
	    POOL_IDLE(IDLE_AFTER_SYNC) | POOL_IDLE(IDLE_LAUNCH), s };
	d->claims = 1;
}
