/*
 * global-atomic-contention from code alone: a kernel without loops whose threads
 * all add to one address. The launch gives the number of atomics, and the time
 * of each, one after the other, was measured. If their sum is the kernel's time,
 * and nothing else in the code explains a third of it, they wait for each other.
 *
 * Or the data decide the addresses: if neither trips to memory nor instructions
 * explain half of the time, the addresses are few.
 */
#include <math.h>
#include <stdlib.h>

#include "facts/warp.h"
#include "rules/engine/coded.h"
#include "rules/evidence/affine.h"
#include "rules/evidence/atomics.h"
#include "rules/evidence/elected.h"
#include "rules/evidence/inst.h"
#include "rules/evidence/lines.h"
#include "source/slice.h"

#define ADVICE "add within the warp (shuffle), then within the block (a "	\
    "shared-memory copy with shared atomics), and to global memory once "	\
    "a block; where targets are few, spread them over several copies"

/* Share of the time that the code must leave unexplained, as no other sign is known. */
#define UNEXPLAINED_LEAST 0.5
/* Seconds of a launch without waiting: three dependent trips to memory (load
 * the address, load the value, add). 1.2 us by CYCLES_TRIP at 2 GHz; the rest
 * is margin, not measured. */
#define TRIPS_S 3e-6

/* Sectors that L1 requests for a warp whose lanes each add by themselves: 16
 * and more of 32 on an H200; half of that, as a margin. */
#define LANES_LEAST 8

/* Executions (of warps) of atomics in no loop whose address is the same for a whole
 * block: how many of these there are, the code and the launch tell. */
struct placed {
	double whole;		/* … by all lanes that come there */
	double single;		/* … by one lane of each warp, which the compiler
				 * lets add for the others, or the program; not
				 * those by one thread of a block */
	bool all;		/* the code has no other global atomic */
};

static struct placed
placed_of(const struct rule_view *x, const struct affine *address,
    struct mark *m)
{
	const struct code *c = x->kernel->code;
	struct slices *t = slices_new(&c->sass);
	struct electing *by = t != NULL ? elected_new(&c->sass, t) : NULL;
	struct placed p = { .all = by != NULL };
	double a_block = ceil(rule_threads(x->kernel) / (double)WARP);
	size_t looked = 0;

	for (uint32_t s = 0; by != NULL && s < c->sass.instructions; s++) {
		const struct sass_instruction *i = &c->sass.instruction[s];
		size_t at = inst_of_sass(c, s);
		double n = rule_blocks(x->kernel);
		unsigned e;

		if (at == SIZE_MAX || !(i->flags & SASS_ATOMIC) ||
		    (i->space != SPACE_GLOBAL && i->space != SPACE_GENERIC))
			continue;
		p.all = p.all && affine_is_one(&address[s]);
		if (!affine_is_one(&address[s]) ||
		    sass_loop_of(&c->sass, s) != NULL)
			continue;
		if (++looked * c->sass.instructions > SASS_STEPS_MOST) {
			p.all = false;
			break;
		}
		e = elected_of(by, s);
		/* Not in a loop: each warp that comes there does so once. */
		n *= e & ELECTED_WARP ? 1 : a_block;
		m[at].weight = n;
		if (!(e & ELECTED_LANE))
			p.whole += n;
		else if (!(e & ELECTED_WARP))
			p.single += n;
	}
	elected_free(by);
	slices_free(t);
	return p;
}

/* The atomics of a launch on one place: those of whole warps, lane by lane, and those of
 * one lane for its warp. */
struct in_line {
	double lanes, single;
	double line;		/* of the time: all, one after the other */
};

/* The share of them that is left if each block adds once. */
static double
left_of(const struct rule_view *x, const struct in_line *q)
{
	double a_block = fmax(1, ceil(rule_threads(x->kernel) / (double)WARP));

	return (q->lanes / WARP + q->single) / a_block / (q->lanes + q->single);
}

static enum rule_state
report(struct rule_view *x, const struct in_line *q, const struct mark *m)
{
	struct draft *d = rule_found(x, NULL);
	double all = q->lanes + q->single;
	struct fix fix = FIX_NONE;

	if (d == NULL)
		return RULE_NOT_MEASURED;
	fix.stall = fmax(0.01, 1 - fmin(1, q->line) * (1 - x->load->busy) *
	    (1 - left_of(x, q)));
	rule_fix(d, &fix, 0.5, 1);
	rule_evidence(x, d, "atomics", all,
	    "atomics of single lanes on one word, a launch, at most",
	    .estimated = metric_table[METRIC_INST_EXECUTED].name,
	    .unit = "atomic");
	rule_evidence(x, d, "line_ratio", q->line,
	    "of the kernel's time, that many one after the other",
	    .estimated = metric_table[METRIC_INST_EXECUTED].name,
	    .key = "min_line");
	rule_evidence(x, d, "busy_ratio", x->load->busy,
	    "of its time, what all else in its code takes",
	    .estimated = metric_table[METRIC_INST_EXECUTED].name);
	d->f.summary = arena_format(x->arena, "%s to one place, up "
	    "to %s times a launch, and all else in its code explains %s of the "
	    "time: they wait for each other", q->single > q->lanes ?
	    "one lane of each warp adds" : "its threads add",
	    say_plain(x->arena, all), say_percent(x->arena, x->load->busy));
	d->f.advice = ADVICE;
	lines_fill(x, d, m, NULL);
	return rule_settle(x, d);
}

/* Warp instructions: atomics at addresses that the data decide; all global accesses. */
struct binned {
	double atomics, all;
};

static struct binned
binned_of(const struct code *c, const struct affine *address, struct mark *m)
{
	struct binned b = { 0, 0 };

	for (uint32_t s = 0; s < c->sass.instructions; s++) {
		const struct sass_instruction *i = &c->sass.instruction[s];
		size_t at = inst_of_sass(c, s);

		if (at == SIZE_MAX || i->space != SPACE_GLOBAL)
			continue;
		b.all += inst_executed(c, s);
		if (!(i->flags & SASS_ATOMIC) ||
		    address[s].kind != AFFINE_LOADED)
			continue;
		b.atomics += inst_executed(c, s);
		m[at].weight = inst_executed(c, s);
	}
	return b;
}

/* The finding for such atomics: the addresses are few if nothing else in the
 * code can take as long; ${open} of the time is unexplained. */
static enum rule_state
report_bins(struct rule_view *x, double share, double open,
    const struct mark *m)
{
	struct draft *d = rule_found(x, NULL);
	struct fix fix = FIX_NONE;

	fix.stall = (1 - open) / TRIPS_DOUBT;
	rule_fix(d, &fix, 0.5, 1);
	rule_evidence(x, d, "atomics_ratio", share,
	    "atomics, of all global accesses",
	    .estimated = metric_table[METRIC_INST_EXECUTED].name,
	    .key = "min_share");
	rule_evidence(x, d, "unexplained_ratio", open,
	    "of its time, what nothing in its code explains",
	    .estimated = metric_table[METRIC_INST_EXECUTED].name,
	    .key = "min_waiting");
	d->f.summary = arena_format(x->arena, "%s of the global accesses are "
	    "atomics whose place the data decide, and nothing else in its code "
	    "explains %s of the time: few places, at which they wait for each "
	    "other", say_percent(x->arena, share),
	    say_percent(x->arena, open));
	d->f.advice = ADVICE;
	lines_fill(x, d, m, NULL);
	return rule_settle(x, d);
}

/*
 * The share of the time that nothing in the code explains but atomics ${b} one
 * after the other; 0: not known. With counters of the whole kernel it is what
 * trips and instructions leave, each at TRIPS_DOUBT times its expected length;
 * not for kernels with shared memory, which may wait at barriers, nor where the
 * atomics are so many that they keep L2 busy.
 */
static double
left_open(const struct rule_view *x, const struct binned *b)
{
	const struct record_SIGNATURE *shape = &x->kernel->shape;
	double open;

	if (isnan(x->own->metric[METRIC_L2_FROM_L1]))
		return x->load->unexplained;
	open = 1 - TRIPS_DOUBT * atomics_explained(x, b->atomics);
	return open > 0 && shape->smem_static == 0 && shape->smem_dynamic == 0 &&
	    atomics_are_few(x, b->atomics * WARP) && !atomics_elsewhere(x) ?
	    open : 0;
}

/*
 * The atomics on one place, if their number is known: that of lanes from L1's requests to
 * L2, where they were counted, if those tell it; without a loop in the code, which could
 * be what takes the time, from the launch.
 */
static struct in_line
queue_of(struct rule_view *x, const struct placed *p, const struct atomics *a)
{
	double each = atomics_each_s(x->kernel->code) /
	    fmax(x->load->time_s, 1e-9);
	bool loops = x->kernel->code->sass.loops > 0;
	struct in_line q = { .single = p->single };
	double whole = p->whole * WARP;

	/* If one lane adds for its warp, L1 requests one sector. */
	if (a == NULL)
		q.lanes = loops ? 0 : whole;
	else if (a->slow && a->least >= LANES_LEAST * p->whole)
		q.lanes = loops ? fmin(a->least, whole) : whole;
	/* All of them, those in loops, too. */
	if (a != NULL && a->slow && p->all && a->least > q.lanes + q.single)
		q.lanes = a->least - q.single;
	q.line = (q.lanes + q.single) * each;
	return q;
}

/* Does nothing else explain the time that they take? */
static bool
is_queue(const struct rule_view *x, const struct in_line *q,
    const struct placed *p, bool counted)
{
	double time = fmax(x->load->time_s, 1e-9);
	double most = ATOMICS_LINE_MOST * fmax(0, 1 - (x->load->fixed_s +
	    TRIPS_S) / time);
	double least = q->lanes < p->whole * WARP || q->lanes == 0 ? q->line :
	    p->whole * atomics_each_s(x->kernel->code) / time;

	return q->line >= rule_value(x, "min_line") && least <= most &&
	    x->load->busy < ATOMICS_EXPLAINED_MOST && (!counted ||
	    !(atomics_explained(x, p->whole + q->single) >=
	    ATOMICS_EXPLAINED_MOST));
}

enum rule_state
coded_global_atomics(struct rule_view *x)
{
	const struct code *c = x->kernel->code;
	struct affine *address = affine_addresses(c, &x->kernel->shape);
	enum rule_state state = RULE_NOT_MEASURED;
	struct mark *m = marks_new(x);
	/* L1's requests to L2 tell the number of atomics. */
	bool counted = isfinite(x->own->metric[METRIC_L2_FROM_L1]);
	struct atomics a = { 0 };
	struct placed p;
	struct in_line q;
	struct binned b;
	double open;

	if (address != NULL && m != NULL) {
		p = placed_of(x, address, m);
		counted = counted && atomics_of(&a, x) == NULL;
		q = queue_of(x, &p, counted ? &a : NULL);
		if (is_queue(x, &q, &p, counted))
			state = report(x, &q, m);
		if (state != RULE_FOUND && (counted || !(q.lanes > 0))) {
			b = binned_of(c, address, m);
			open = left_open(x, &b);
			if (b.atomics > 0 && open >= UNEXPLAINED_LEAST &&
			    b.atomics >= rule_value(x, "min_share") * b.all)
				state = report_bins(x, b.atomics / b.all, open,
				    m);
		}
	}
	free(address);
	free(m);
	return state;
}
