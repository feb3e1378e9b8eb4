/*
 * rules/practice/launch_bound_graph_candidate/loop.c: the sequences that repeat in one
 * loop, and what a graph of it saves.
 */
#include <math.h>

#include "rules/evidence/grown.h"
#include "rules/practice/launch_bound_graph_candidate/bound.h"

/* Two sequences belong to one loop if so much of the shorter one's time is also the
 * other's; arithmetic: most of it. */
#define MEANWHILE 0.5

/* Do both repeat at the same time? */
bool
bound_meanwhile(const struct sequence *a, const struct sequence *b)
{
	double from = (double)(a->first_ns > b->first_ns ? a->first_ns : b->first_ns);
	double to = (double)(a->last_ns < b->last_ns ? a->last_ns : b->last_ns);

	return a->device == b->device && a->last_ns > a->first_ns &&
	    b->last_ns > b->first_ns && to - from >= MEANWHILE *
	    fmin((double)(a->last_ns - a->first_ns),
	    (double)(b->last_ns - b->first_ns));
}

/* Do both repeat in one stream at the same time, launched by Python? With a recurrent
 * ${layer} streams do not count: cuDNN launches it in several of its own. */
bool
bound_one_loop(const struct bound_candidate *c, const struct bound_candidate *d, bool layer)
{
	return c->python && d->python && (layer || c->s->stream == d->s->stream) &&
	    bound_meanwhile(c->s, d->s);
}

/* The small decompositions of ${u} that a loop contains whose span is that of ${s}; without
 * launches if there are none. */
static struct decomposed
small_in(const struct bound_updates *u, const struct sequence *s)
{
	static const struct decomposed none = { .most = NULL };
	const struct kernel *k = u->small.most;
	double first = (double)s->first_ns - u->origin_ns, last = (double)s->last_ns -
	    u->origin_ns;

	return k != NULL && last > first && fmin((double)k->last_ns, last) -
	    fmax((double)k->first_ns, first) >= MEANWHILE * (last - first) ?
	    u->small : none;
}

/* Adds what lies between the repeats of ${l}, whose span is that of ${s}, but for an
 * optimizer's ${u} and small decompositions. */
static void
add_between(const struct bound_candidate *c, const struct sequence *s,
    const struct bound_updates *u, struct bound_loop *l)
{
	struct decomposed small = small_in(u, s);
	double idle = (double)s->span_idle_ns * 1e-9;
	double between = fmax(0, idle - l->idle_s - u->dropped_s - small.gap_s -
	    fmax(0, u->idle_s - l->updates_s));
	double launches = (double)s->span_launches - small.launches -
	    fmax(0, u->launches - l->updates);
	double share = l->idle_s > 0 ? fmin(1, idle / l->idle_s) : 1;

	/* Sequences within sequences: their gaps count once. */
	if (s->span_launches > 0 && share < 1) {
		l->gain.low *= share;
		l->gain.mid *= share;
		l->gain.high *= share;
	}
	/* A graph ends at a call that reads back what it did. */
	l->parts = small.launches > 0;
	if (l->launches < LOOP_LEAST * launches)
		return;
	l->parts |= l->launches < PARTS_MOST * launches;
	l->between_s = between;
	between *= c->idle_s > 0 ? c->gain_s / c->idle_s : 0;
	l->gain.mid += BETWEEN * c->part * between;
	l->gain.high += between;
}

/* Adds to ${w} when ${s} repeats, in a run that began at ${origin}. */
static void
add_when(struct during *w, const struct sequence *s, double origin)
{
	struct during of = { (uint64_t)fmax(0, (double)s->first_ns - origin),
	    (uint64_t)fmax(0, (double)s->last_ns - origin) };

	w->from_ns = w->to_ns > 0 && w->from_ns < of.from_ns ? w->from_ns : of.from_ns;
	w->to_ns = w->to_ns > of.to_ns ? w->to_ns : of.to_ns;
}

/* The loop of candidate ${first} among ${n} of them. */
struct bound_loop
bound_loop(const struct bound_candidate *c, size_t n, size_t first, const struct bound_updates *u)
{
	struct bound_loop l = { .main = &c[first] };
	const struct sequence *longest = c[first].s;

	for (size_t i = first; i < n; i++) {
		const struct sequence *s = c[i].s;

		if (c[i].loop != first)
			continue;
		l.others += i != first;
		add_when(&l.during, s, u->origin_ns);
		l.main = c[i].gain_s > l.main->gain_s ? &c[i] : l.main;
		longest = s->span_launches > longest->span_launches ? s : longest;
		l.launches += (double)s->length * (double)s->repeats;
		l.idle_s += c[i].idle_s;
		l.updates += c[i].updates * (double)s->length * (double)s->repeats;
		l.updates_s += c[i].updates * c[i].idle_s;
		l.gain.low += 0.7 * c[i].part * c[i].sure_s;
		l.gain.mid += 0.95 * c[i].part * (c[i].sure_s +
		    (c[i].python ? 1 : BEYOND) * (c[i].gain_s - c[i].sure_s));
		l.gain.high += c[i].idle_s;
	}
	if (l.main->python)
		add_between(l.main, longest, u, &l);
	return l;
}

/* How often the grids of the sequences of the loop of candidate ${first} grow, launched by Python:
 * what grows there is an array of the program's. */
size_t
bound_sizes(const struct rule_view *x, const struct bound_candidate *c, size_t n, size_t first)
{
	const struct sequence **s = arena_get(x->arena, (n + 1) * sizeof(const struct sequence *));
	size_t have = 0;

	for (size_t i = first; s != NULL && i < n; i++)
		if (c[i].loop == first && c[i].python && !c[i].alike)
			s[have++] = c[i].s;
	return grown_sizes(x, s, have);
}
