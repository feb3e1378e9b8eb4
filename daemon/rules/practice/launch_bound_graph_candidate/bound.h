/*
 * rules/practice/launch_bound_graph_candidate/bound.h: what the files of the practice
 * launch-bound-graph-candidate share. launch_bound_graph_candidate.c, beside this folder, has
 * the choice among the sequences; here is
 *
 *   loop.c       which of them are parts of one loop, and what a graph of it saves
 *   recurrent.c, inner.c, batches.c   changes that save more: one call of a recurrent layer,
 *                an inner loop that is unrolled, larger batches
 *   place.c      where the program launches a sequence, and the lines at which it waits
 *   variant.c    what is wrong with a step beside its launches
 *   sizes.c, function.c   turns of other sizes, and what to compile without a model
 *   words.c      the finding
 *
 * Pure, as all rules.
 */
#ifndef CADV_PRACTICE_BOUND_H
#define CADV_PRACTICE_BOUND_H

#include "rules/evidence/coalesced.h"
#include "rules/evidence/decomposed.h"
#include "rules/evidence/inner.h"
#include "rules/evidence/recurrent.h"

/* Of a gap, this many launch costs are certainly launching. The rest may be work of
 * the host that a graph does not remove: half of it is believed, or all of it in an
 * interpreter, whose framework spends it on each launch. In 145 captures only
 * interpreters had gaps that long: half or twice of BEYOND changes no finding. */
#define SURE_LAUNCHES 2.5
#define BEYOND 0.5

/* If the host waits in at least this share of the repeats, it decides there
 * what comes next, and a graph ends there. Half, since the gap before the first
 * repeats may be classified differently. */
#define WAITS_LEAST 0.5

#define GAPS_ALL 0.9	/* from this share of the launches on a gap is in front of all of
			 * them: arithmetic, their product is within a ninth of the sum */

/* From this share of the launches meanwhile on that repeat, what lies between them is of
 * the same loop, and compiling that shortens it; arithmetic: of less the sequence is a
 * detail. Half of the gaps between are believed, as of other late launches in Python
 * (gpu_idle_gaps.c). */
#define LOOP_LEAST 0.2
#define BETWEEN 0.5
#define PARTS_MOST 0.5	/* arithmetic: if most launches lie between, the repeats
			 * are parts of a step that is never the same */

struct bound_candidate {
	const struct sequence *s;
	bool alike;			/* in other shapes each time */
	bool python;			/* launched by Python */
	size_t loop;			/* the first of the same loop */
	const struct ceilings *c;
	double kernel_s, gap_s;		/* mean kernel, mean gap */
	double idle_s, gain_s;		/* over all repeats */
	double sure_s;			/* the part of the gain that is
					 * launching for certain */
	double part;			/* the part of the gain that is
					 * believed: slopes */
	double updates;			/* the part of its launches that
					 * updates single tensors */
};

/* The launches that update single tensors, if unfused-optimizer reports them. */
struct bound_updates {
	const double *share;		/* of each kernel's; NULL: none */
	double launches, idle_s;	/* all, and idle in front of them */
	double dropped_s;		/* idle in sequences that are such loops,
					 * but for that */
	/* And those of small decompositions, which grid-too-small reports: no graph reaches
	 * into the library's call. By kernel index; NULL: none. */
	const bool *decomposed;
	struct decomposed small;
	double origin_ns;		/* a sequence's times are not from there */
};

/* A sequence, and those that repeat beside it. */
struct bound_loop {
	const struct bound_candidate *main;	/* with the largest gain */
	size_t others;
	double launches, idle_s;	/* of all repeats */
	double updates, updates_s;	/* of these, those for single tensors */
	double between_s;		/* idle between them, in the same loop */
	bool parts;			/* most launches lie between */
	const struct recurrent *recurrent;	/* the layer that it calls for
					 * single positions; NULL */
	struct coalesced coalesced;	/* products in it with sparse matrices */
	struct inner inner;		/* loops of few turns in it: most launches */
	struct during during;		/* its repeats lie */
	double inner_s, turns_s;	/* all gaps in front of the loop's launches; of the time
					 * that the GPU was not the program's what goes */
	size_t like;			/* other loops with such, priced here */
	size_t sizes;			/* so often its sequences' grids grow */
	bool told;			/* in the finding about another */
	struct gain gain;
};

/* --- loop.c: the sequences of one loop ------------------------------------ */

/* bound_meanwhile(a, b): do both repeat at the same time? */
bool bound_meanwhile(const struct sequence *a, const struct sequence *b);

/* bound_one_loop(c, d, layer): do both repeat in one stream at the same time, launched by
 * Python? With a recurrent ${layer} streams do not count. */
bool bound_one_loop(const struct bound_candidate *c, const struct bound_candidate *d, bool layer);

/* bound_loop(c, n, first, u): the loop of candidate ${first} among ${n} of them.
 * bound_sizes(x, c, n, first): how often the grids of its sequences grow. */
struct bound_loop bound_loop(const struct bound_candidate *c, size_t n, size_t first,
    const struct bound_updates *u);
size_t bound_sizes(const struct rule_view *x, const struct bound_candidate *c, size_t n,
    size_t first);

/* --- recurrent.c ------------------------------------------------------------ */

/* bound_recurrent_loop(x, c, n, r, u): the candidate whose loop is the one around the positions
 * of ${r}; ${n}: none. bound_price_recurrent(x, c, n, first, r, l): prices one call in place of
 * ${r}'s in that loop. bound_is_taken(c, n, first, around, r): is most of the loop of candidate
 * ${first} a part of it? bound_say_recurrent(x, r, d): say so. */
size_t bound_recurrent_loop(const struct rule_view *x, const struct bound_candidate *c, size_t n,
    const struct recurrent *r, const struct bound_updates *u);
void bound_price_recurrent(const struct rule_view *x, const struct bound_candidate *c, size_t n,
    size_t first, const struct recurrent *r, struct bound_loop *l);
bool bound_is_taken(const struct bound_candidate *c, size_t n, size_t first, size_t around,
    const struct recurrent *r);
void bound_say_recurrent(const struct rule_view *x, const struct recurrent *r, struct draft *d);

/* --- inner.c ---------------------------------------------------------------- */

/* bound_unroll(g): what unrolling a compiled loop leaves of the gain ${g} of a graph.
 * bound_price_inner(x, l, gone): the same of inner loops, by kernel; bound_join_inner(l, n): all
 * loops with such are one finding; bound_say_inner(x, l, gone, d): say so. */
void bound_unroll(struct gain *g);
void bound_price_inner(const struct rule_view *x, struct bound_loop *l, double *gone);
void bound_join_inner(struct bound_loop *l, size_t n);
void bound_say_inner(const struct rule_view *x, const struct bound_loop *l, const double *gone,
    struct draft *d);

/* --- batches.c -------------------------------------------------------------- */

/* bound_offer_batches(x, l, d): beside the graph, or in front of it, a larger batch. */
void bound_offer_batches(const struct rule_view *x, const struct bound_loop *l, struct draft *d);

/* --- place.c ---------------------------------------------------------------- */

/* bound_has_python(s): is a frame of it Python's? bound_by_python(x, s): likewise, or of the run
 * if the site is not known. */
bool bound_has_python(const struct site *s);
bool bound_by_python(const struct rule_view *x, const struct site *s);

/* bound_frame(s, depth): the frame of Python at ${depth} from the outermost, which is 0; NULL.
 * bound_depth(x, s, at): the number of those within which all launches of ${s} lie.
 * bound_within(s, at, depth): is ${s} called in the function at ${depth} of ${at}? */
const struct site_frame *bound_frame(const struct site *s, size_t depth);
size_t bound_depth(const struct rule_view *x, const struct sequence *s, const struct site *at);
bool bound_within(const struct site *s, const struct site *at, size_t depth);

/* bound_place(x, d, s): sets the place of ${d}; which launch of ${s} that is.
 * bound_repeated(x, s, i, at): the one that it repeats at, in place of ${at}. */
size_t bound_place(const struct rule_view *x, struct draft *d, const struct sequence *s);
const struct site *bound_repeated(const struct rule_view *x, const struct sequence *s, size_t i,
    const struct site *at);

/* bound_waits(x, s, at): the lines at which the loop of ${s} waits; NULL: not known.
 * bound_reads(x, s, at): does the host read results there? */
const char *bound_waits(const struct rule_view *x, const struct sequence *s,
    const struct site *at);
bool bound_reads(const struct rule_view *x, const struct sequence *s, const struct site *at);

/* --- variant.c -------------------------------------------------------------- */

/* bound_variant(run, l): what is wrong beside the launches; NULL: nothing. bound_grows(variant):
 * do the arrays of a step grow? bound_loops_itself(run): has a framework compiled loops, which
 * the host runs launch by launch? */
const char *bound_variant(const struct run *run, const struct bound_loop *l);
bool bound_grows(const char *variant);
bool bound_loops_itself(const struct run *run);

/* --- sizes.c, function.c ---------------------------------------------------- */

/* bound_has_sizes(d): is it the variant in which each repeat has other sizes?
 * bound_sizes_again(x, s): how many come again and again; 0: not known, or others, too.
 * bound_offer_sizes(x, d, s, waits, again): what these, and the lines ${waits}, ask for. */
bool bound_has_sizes(const struct draft *d);
size_t bound_sizes_again(const struct rule_view *x, const struct sequence *s);
void bound_offer_sizes(const struct rule_view *x, struct draft *d, const struct sequence *s,
    const char *waits, size_t again);

/* bound_function(x, s, at): what to compile where no model launches ${s}; NULL. */
const char *bound_function(const struct rule_view *x, const struct sequence *s,
    const struct site *at);

/* --- words.c ---------------------------------------------------------------- */

/* bound_found(x, l, gone, less): reports the loop ${l}; ${gone} and ${less}: what of kernels goes
 * with inner loops, and with what is coalesced, by kernel. */
void bound_found(struct rule_view *x, const struct bound_loop *l, const double *gone,
    const struct gone *less);

#endif
