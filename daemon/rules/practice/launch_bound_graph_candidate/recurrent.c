/*
 * rules/practice/launch_bound_graph_candidate/recurrent.c: a framework's recurrent layer
 * that takes one position after the other.
 */
#include <math.h>

#include "rules/evidence/framework.h"
#include "rules/evidence/steps.h"
#include "rules/practice/launch_bound_graph_candidate/bound.h"

/* Whether an output of a recurrent layer is the next input, with which the loop over
 * positions has to stay, no record says: of the price so much is certain, and not more than a
 * graph of one turn of the loop saves. Arithmetic: one digit. */
#define RECURRENT_LOW 0.1

/* What is launched for each position of a recurrent layer repeats about as often as the layer is
 * called: in the same loop a tenth of that is enough, of one shape of several (arithmetic: what
 * comes once a step comes less often), elsewhere nearly all; and of its gaps beyond those that
 * are launching for certain nearly all go, if each position has such a gap. */
#define TURNS_OWN 0.1
#define TURNS_LEAST 0.9
#define LONG 0.9

/* A turn of the loop that is forward and backward, each in this share of its launches, is a
 * batch whose gradient is added to others': it may take whole sequences. Arithmetic: forward is
 * a third of a batch; of a loop over positions (192, of an LSTM of three layers) no launch of
 * the forward turns is in backward passes alone, and none the other way round. It comes for at
 * least every second call. */
#define BATCH_LEAST 0.1
#define BATCH_CALLS 0.5

/* The layer is the place, and what is said: the loop is around its line, and the sequence
 * with the most gaps may be another part of the loop's body. */
void
bound_say_recurrent(const struct rule_view *x, const struct recurrent *r, struct draft *d)
{
	d->f.site = r->site;
	/* One call does not wait between positions. */
	d->barred &= ~BAR_WAIT;
	d->claim[0].pools |= POOL_IDLE(IDLE_AFTER_SYNC);
	d->f.location = arena_format(x->arena, "the recurrent layer, called %s times in "
	    "each step of the optimizer", say_count(x->arena, (uint64_t)(r->calls + 0.5)));
	rule_evidence(x, d, "calls_per_step", r->calls, "calls of the layer for each step "
	    "of the optimizer", .estimated = "kernel records, call sites",
	    .unit = "call", .key = "min_calls");
	d->f.confidence = CONF_MEDIUM;
	d->f.summary = arena_format(x->arena, "the framework's recurrent layer is called for "
	    "one position after the other, %s times a step; of that loop %s",
	    say_count(x->arena, (uint64_t)(r->calls + 0.5)), d->f.summary);
	d->f.gain_note = "the inputs of all positions are known in front of the loop, so that "
	    "one call takes them, and what follows takes all of its outputs";
}

static bool
is_no_backward(const struct site *s)
{
	return !framework_differentiates(s);
}

/* Is ${s} a batch, with its backward pass, of which a step of ${r}'s takes several? The
 * layer's own launches are in streams of their own, or of both passes. */
static bool
is_batch(const struct rule_view *x, const struct sequence *s, const struct recurrent *r)
{
	size_t n = steps_length(s);
	double all = 0, forward = 0, back = 0;

	for (size_t i = 0; i < n; i++) {
		const struct kernel *k = steps_kernel(x, s, i);

		if (k == NULL || r->of[k - x->run->kernel])
			continue;
		all++;
		forward += steps_all(x->run, k, is_no_backward);
		back += steps_all(x->run, k, framework_differentiates);
	}
	return (double)s->repeats >= BATCH_CALLS * r->calls * r->steps && all > 0 &&
	    fmin(forward, back) >= BATCH_LEAST * all;
}

/* Does candidate ${i} of ${c} come with the positions of ${r}, in the loop of ${first}? Of that
 * loop, if it is Python's, what does not come once a step; what other threads launch, as the
 * backward pass, if it comes about as often meanwhile. */
static bool
is_turn(const struct bound_candidate *c, size_t i, size_t first, const struct recurrent *r)
{
	bool own = c[i].loop == first && c[i].python;

	return (double)c[i].s->repeats >= (own ? TURNS_OWN : TURNS_LEAST) * r->calls * r->steps &&
	    (own || bound_meanwhile(c[i].s, c[first].s));
}

/* The gaps in front of the launches of ${s}, seconds, of kernels of which ${launches}, by index,
 * are counted already. */
static double
turns_s(const struct rule_view *x, const struct sequence *s, double *launches)
{
	size_t n = steps_length(s);
	double gaps = 0;

	for (size_t i = 0; i < n; i++) {
		const struct kernel *k = steps_kernel(x, s, i);
		double more;

		if (k == NULL || k->launches == 0)
			continue;
		more = fmin((double)s->repeats, (double)k->launches -
		    launches[k - x->run->kernel]);
		launches[k - x->run->kernel] += more;
		gaps += more / (double)k->launches * (double)k->gap_before_ns * 1e-9;
	}
	return gaps;
}

/* Does each repeat of ${s} have a gap that is too long to be counted, or is after a wait? The
 * others were counted, so that no launch was in the queue. */
static bool
has_long_gaps(const struct sequence *s)
{
	double n = (double)s->repeats, all = (double)s->length * n, gaps = (double)s->gaps;

	return s->length > 1 && gaps >= GAPS_ALL * (all - n) &&
	    fmax(all - gaps, (double)s->syncs) >= GAPS_ALL * n;
}

/* If the loop ${l} of candidate ${first} launches the layer of ${r}, prices one call in place
 * of ${r}'s: of all that is launched for each position, once for all. The gaps in front of
 * these launches go with them, also longer ones and those after waits. Nearly all of these are
 * believed where each position has one, else half: some are the host's own work for all
 * positions. Arithmetic. */
void
bound_price_recurrent(const struct rule_view *x, const struct bound_candidate *c, size_t n,
    size_t first, const struct recurrent *r, struct bound_loop *l)
{
	const struct run *run = x->run;
	double *launches = arena_get(x->arena, (run->kernels + 1) * sizeof(*launches));
	double goes = 1 - 1 / r->calls, mid = 0, most = 0;
	bool layer = false;

	if (launches == NULL)
		return;
	for (size_t i = 0; i < n; i++) {
		double gaps, sure;

		if (c[i].loop == first && is_batch(x, c[i].s, r))
			return;
		if (!is_turn(c, i, first, r) || is_batch(x, c[i].s, r))
			continue;
		gaps = fmax(turns_s(x, c[i].s, launches), c[i].idle_s);
		sure = fmin(0.95 * c[i].part * c[i].gain_s, gaps);
		mid += sure + (has_long_gaps(c[i].s) ? LONG : BETWEEN) * (gaps - sure);
		most += gaps;
	}
	for (size_t i = 0; i < run->kernels; i++)
		layer |= launches[i] > 0 && r->of[i];
	if (!layer)
		return;
	l->recurrent = r;
	l->gain.mid = goes * mid;
	l->gain.high = goes * most;
	l->gain.low = fmin(l->gain.low, RECURRENT_LOW * l->gain.mid);
}

/* Is most of the loop of candidate ${first} a part of the one around the positions of ${r}, of
 * ${around}? */
bool
bound_is_taken(const struct bound_candidate *c, size_t n, size_t first, size_t around,
    const struct recurrent *r)
{
	double all = 0, taken = 0;

	if (around >= n || first == around)
		return false;
	for (size_t i = first; i < n; i++)
		if (c[i].loop == first) {
			all += c[i].idle_s;
			taken += is_turn(c, i, around, r) ? c[i].idle_s : 0;
		}
	return 2 * taken > all;
}

/* The loop around the positions of ${r}: of those that launch its kernels the one with the
 * largest gain; others evaluate. ${n}: none. */
size_t
bound_recurrent_loop(const struct rule_view *x, const struct bound_candidate *c, size_t n,
    const struct recurrent *r, const struct bound_updates *u)
{
	double most = 0;
	size_t at = n;

	for (size_t i = 0; r->site != NULL && i < n; i++) {
		struct bound_loop l;

		if (c[i].loop != i)
			continue;
		l = bound_loop(c, n, i, u);
		bound_price_recurrent(x, c, n, i, r, &l);
		if (l.recurrent != NULL && l.gain.mid > most) {
			most = l.gain.mid;
			at = i;
		}
	}
	return at;
}
