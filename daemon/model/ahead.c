/*
 * model/ahead.c: how much further ahead of the GPU the host would be without our
 * measuring.
 *
 * While we hold the host to measure, the GPU goes on with the work in its queues; and
 * tracing makes each launch call longer. Without that the host would have been
 * earlier. Where the GPU waited for its next launch, the gap would have been shorter
 * or there would have been none; at a synchronisation the host would have waited
 * longer for the GPU. The time we took from the host adds up here from launch to
 * launch, until a gap or a synchronisation uses it up.
 */
#include "model/host.h"
#include "model/internal.h"

/* An untraced launch takes the host 2.8 to 4.1 us on the machines we know (an empty
 * kernel in a loop); our callback adds at least 0.65 us. What tracing adds to a launch
 * is estimated from launches with nothing in between: the PACE quantile of their
 * distance, less LAUNCH_RAW, and at most TRACED_MOST, since a traced launch took 12 us
 * on the slowest machine. */
#define LAUNCH_RAW 4100u	/* ns */
#define TRACED_LEAST 650u	/* ns */
#define TRACED_MOST 7900u	/* ns */
#define PACE 0.1		/* quantile of the times between launches */
#define PACE_EVERY 64u		/* launches between two estimates */

/* A shorter wait was for work that had ended already. */
#define WAIT_LEAST 2000u	/* ns */

static void
ahead_pace(struct ahead *a, uint64_t apart)
{
	double ns;

	stat_add(&a->apart, apart);
	if (a->apart.count % PACE_EVERY != 0)
		return;
	ns = stat_quantile(&a->apart, PACE) - LAUNCH_RAW;
	a->each = ns < TRACED_LEAST ? TRACED_LEAST :
	    ns > TRACED_MOST ? TRACED_MOST : (uint64_t)ns;
}

/* The thread's last wait for the GPU that began in [from, to). */
static const struct wait *
ahead_wait(const struct thread *t, uint64_t from, uint64_t to)
{
	const struct wait *found = NULL;
	uint32_t i;

	for (i = host_first(t, from); i < t->count && t->wait[i].start < to;
	    i++)
		if (t->wait[i].kind == WAIT_SYNC && t->wait[i].start >= from)
			found = &t->wait[i];
	return found;
}

/* Add the time for which we held the host until ${to}, and subtract the time by which
 * the GPU worked longer because of us: without us the GPU would be earlier as well. */
static void
ahead_held(struct model *m, struct ahead *a, uint64_t to)
{
	uint64_t both;

	if (to > a->until)
		a->held = add_sat(a->held, spans_overlap(&m->held, a->until,
		    to));
	both = min_u64(a->longer, a->held);
	a->held -= both;
	a->longer -= both;
	both = min_u64(a->longer, a->traced);
	a->traced -= both;
	a->longer -= both;
}

static void
ahead_nothing(struct ahead *a)
{

	a->held = a->traced = a->longer = 0;
}

/* The host waited for the GPU in ${w}. Without us it would have waited longer by the
 * time we took from it, less the time by which the GPU had finished before. */
static void
ahead_sync(struct model *m, struct device_state *d, const struct wait *w)
{
	struct ahead *a = &d->ahead;
	uint64_t all, late = 0, inside = 0;

	if (d->actives > 0 && w->end - w->start < WAIT_LEAST)
		return;
	ahead_held(m, a, w->start);
	all = add_sat(a->held, a->traced);
	if (d->actives == 0 && w->start > d->frontier) {
		late = w->start - d->frontier;
		inside = spans_overlap(&m->held, d->frontier, w->start);
	}
	d->burst.late_ns = add_sat(d->burst.late_ns, sub_sat(all, late));
	a->gap = min_u64(sub_sat(a->held, inside), late - inside);
	ahead_nothing(a);
	a->until = max_u64(w->end, a->until);
	a->synced = true;
}

void
ahead_op(struct model *m, struct device_state *d, const struct op *op)
{
	struct ahead *a = &d->ahead;
	const struct wait *w = NULL;

	a->gap = 0;
	a->synced = false;
	if (op->launch == 0 || op->thread == IDMAP_NONE) {
		ahead_nothing(a);
		a->launch = 0;
		return;
	}
	if (op->launch <= a->launch)
		return;		/* the same graph, or another thread's call */
	if (a->launch == 0)
		a->until = op->launch;
	else
		w = ahead_wait(&m->thread[op->thread], a->launch, op->launch);
	if (w != NULL)
		ahead_sync(m, d, w);
	ahead_held(m, a, op->launch);
	if (a->launch != 0 && w == NULL && a->held == 0 &&
	    op->thread == a->thread && op->kind == OP_KERNEL)
		ahead_pace(a, op->launch - a->launch);
	a->traced = add_sat(a->traced, max_u64(a->each, TRACED_LEAST));
	a->until = a->launch = op->launch;
	a->thread = op->thread;
}

uint64_t
ahead_gap(struct model *m, struct device_state *d, const struct op *next,
    bool *none)
{
	struct ahead *a = &d->ahead;
	uint64_t inside = spans_overlap(&m->held, d->frontier,
	    max_u64(d->frontier, min_u64(next->start, a->until)));
	uint64_t gap = next->start - d->frontier - inside, taken;

	/* The caller subtracts our measuring inside the gap itself. */
	a->held = sub_sat(a->held, inside);
	taken = min_u64(a->synced ? a->gap : a->held, gap);
	gap -= taken;
	*none = !a->synced && gap <= a->traced;
	if (*none) {
		a->held = sub_sat(a->held, taken);
		a->traced -= gap;
	} else {
		ahead_nothing(a);
	}
	return taken;
}

void
ahead_longer(struct device_state *d, uint64_t ns)
{

	d->ahead.longer = add_sat(d->ahead.longer, ns);
}

void
ahead_last(struct model *m, struct device_state *d)
{
	struct ahead *a = &d->ahead;
	const struct wait *w;

	if (a->launch == 0)
		return;
	w = ahead_wait(&m->thread[a->thread], a->launch, UINT64_MAX);
	if (w != NULL)
		ahead_sync(m, d, w);
}
