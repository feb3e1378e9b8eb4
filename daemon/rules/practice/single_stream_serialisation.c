/*
 * single-stream-serialisation: kernels that leave most SMs idle run one after
 * another in one stream. On separate streams they could run at once, if they do
 * not depend on each other.
 *
 * No record says whether different kernels do. For one kernel launched repeatedly,
 * the code may show that each thread accesses only the elements of its own index,
 * and thus how large its arrays are: if the program has more arrays of that size
 * than a launch takes, launches on different ones do not depend on each other.
 */
#include <math.h>
#include <string.h>

#include "rules/evidence/library.h"
#include "rules/evidence/lines.h"
#include "rules/evidence/parameters.h"
#include "rules/evidence/pointwise.h"

#define CHAIN_MAX 8
#define ALWAYS 0.9		/* of the launches */
#define LINKED 0.4		/* share of what is read that the kernel before wrote */
#define STORED 0.01		/* relative difference of an array's size and what
				 * a launch stores: a partial sector a block */
#define QUEUED 0.1		/* idle time between them / their time: with
				 * more, the host's launches are the limit */

struct chain {
	uint32_t kernel[CHAIN_MAX];	/* indexes */
	size_t length;
	double count, sum_s, longest_s, fill_s;	/* of one pass over the chain */
	bool null;		/* in the default stream */
};

static double
fill_of(const struct rule_view *x, const struct kernel *k)
{
	double sms = x->run->device[k->device].limits.sms;

	return sms > 0 ? rule_blocks(k) / sms : 1;
}

static bool
is_small(const struct rule_view *x, const struct kernel *k)
{
	double t = (double)k->total_ns;

	return k->device < x->run->devices && rule_blocks(k) > 0 &&
	    fill_of(x, k) <= rule_value(x, "max_fill") && k->launches > 0 &&
	    t * 1e-9 >= rule_value(x, "min_time") * (double)k->launches &&
	    k->alone_ns >= ALWAYS * t && !(k->shape.flags &
	    (SIGNATURE_COOPERATIVE | SIGNATURE_COMMUNICATION)) &&
	    !library_owns(x->run, k);
}

/* Judged by volumes, does ${b} read what ${a} wrote? */
static bool
is_linked(const struct kernel *a, const struct kernel *b)
{
	double made = a->metric[METRIC_GLOBAL_ST_SECTORS];
	double read = b->metric[METRIC_GLOBAL_LD_SECTORS];

	return isfinite(made) && isfinite(read) && made >= LINKED * read &&
	    made > 0;
}

/* The kernel that always follows ${k} and could run at the same time; NULL. */
static const struct kernel *
next_of(const struct rule_view *x, const struct kernel *k)
{
	const struct run *run = x->run;
	const struct kernel *n;

	if (k->next == 0 || k->next > run->kernels || k->next == k->id ||
	    (double)k->next_count < rule_value(x, "min_repeats") ||
	    (double)k->next_count < ALWAYS * (double)k->launches ||
	    k->graph_launches > 0)
		return NULL;
	n = &run->kernel[k->next - 1];
	if (n->device != k->device || !is_small(x, k) || !is_small(x, n) ||
	    is_linked(k, n) || (double)k->next_idle_ns >
	    QUEUED * (double)k->total_ns)
		return NULL;
	return n;
}

static void
chain_add(const struct rule_view *x, struct chain *c, const struct kernel *k)
{
	double t = (double)k->total_ns * 1e-9 / (double)k->launches;

	c->kernel[c->length++] = (uint32_t)(k - x->run->kernel);
	c->sum_s += t;
	c->longest_s = fmax(c->longest_s, t);
	c->fill_s += t * fill_of(x, k);
}

/* Builds the chain that starts at ${k}; each kernel is in it once. */
static void
follow(const struct rule_view *x, const struct kernel *k, bool *seen,
    struct chain *c)
{
	const struct run *run = x->run;
	const struct kernel *n = k, *last;

	*c = (struct chain){ .count = (double)k->next_count,
	    .null = k->next_null };
	while (n != NULL && c->length < CHAIN_MAX && !seen[n - run->kernel]) {
		seen[n - run->kernel] = true;
		chain_add(x, c, n);
		last = n;
		n = next_of(x, n);
		if (n != NULL && !seen[n - run->kernel])
			c->count = fmin(c->count, (double)last->next_count);
	}
}

/* Seconds saved: all at once take as long as the longest, or as the SMs need
 * for all. */
static double
saved_of(const struct chain *c)
{
	return c->count * fmax(0, c->sum_s - fmax(c->longest_s, c->fill_s));
}

/* Are all kernels of ${c} launches of one function, maybe in several shapes? */
static bool
is_one_function(const struct run *run, const struct chain *c)
{
	const char *name = run->kernel[c->kernel[0]].name;

	for (size_t i = 1; i < c->length; i++) {
		const char *other = run->kernel[c->kernel[i]].name;

		if (name == NULL || other == NULL || strcmp(name, other) != 0)
			return false;
	}
	return true;
}

static void
found(struct rule_view *x, const struct chain *c)
{
	const struct kernel *first = &x->run->kernel[c->kernel[0]];
	const struct kernel *last = &x->run->kernel[c->kernel[c->length - 1]];
	const char *from = first->short_name != NULL ? first->short_name :
	    "(unnamed kernel)";
	const char *to = last->short_name != NULL ? last->short_name :
	    "(unnamed kernel)";
	bool one = is_one_function(x->run, c);
	double saved = saved_of(c), fill = 0;
	struct draft *d = rule_found(x, arena_format(x->arena, "%s %s", from,
	    to));

	for (size_t i = 0; i < c->length; i++)
		fill = fmax(fill, fill_of(x, &x->run->kernel[c->kernel[i]]));
	lines_launch(x, d, first->id);
	d->claim[0] = (struct claim){ POOL_TURNS, { 0, 0.5 * saved, saved } };
	d->claims = 1;
	d->cap = SEV_LOW;	/* whether they may run at once is unknown */
	d->f.confidence = CONF_LOW;
	d->f.where = c->null ? "the default stream" : "one stream";
	d->f.location = one ? arena_format(x->arena, "%zu launches of %s in a "
	    "row, %s times", c->length, from, say_whole(x->arena, c->count)) :
	    arena_format(x->arena, "%zu kernels from %s to %s, %s times",
	    c->length, from, to, say_whole(x->arena, c->count));
	d->f.location_missing = &reason_row[REASON_LINE_NO_SITE];
	rule_evidence(x, d, "repeats", c->count, "times they follow each other",
	    .measured = "kernel records", .unit = "repeat",
	    .key = "min_repeats");
	rule_evidence(x, d, "fill_ratio", fill, "blocks / SMs of the largest",
	    .derived = "kernel activity record", .key = "max_fill");
	rule_evidence(x, d, "turn_s", c->sum_s,
	    "all of them, one after another", .measured = "kernel records");
	rule_evidence(x, d, "bound_s", fmax(c->longest_s, c->fill_s),
	    "at once, at best", .derived = "kernel records");
	d->f.summary = arena_format(x->arena, "%zu kernels with blocks for at "
	    "most %s of the SMs run one after another in %s, %s times",
	    c->length, say_percent(x->arena, fill), d->f.where,
	    say_whole(x->arena, c->count));
	d->f.limiter = "each leaves most SMs idle while it runs";
	d->f.advice = "launch those that do not need each other's results on "
	    "streams of their own (or as parallel branches of a graph), and "
	    "join them by events; or give each a larger grid";
	d->f.gain_note = "an upper bound, half of it in the middle: holds only "
	    "for kernels that do not depend on each other, which no record "
	    "shows; those that read what the one before wrote, by their "
	    "volumes, are left out";
}

/* The number of device allocations as long as the array that the grid of ${k}
 * covers, with an element of ${bytes} per thread; the last block may be partial. Or as
 * long as what a launch stores: each thread may have several elements. */
static double
arrays_of(const struct run *run, const struct kernel *k, uint32_t bytes)
{
	double block = (double)rule_threads(k) * bytes;
	double all = rule_blocks(k) * block, n = 0;
	double stored = k->metric[METRIC_GLOBAL_ST_SECTORS] * 32;

	for (size_t i = 0; i < run->sizes; i++) {
		double size = (double)run->size[i].bytes;

		if (run->size[i].device == k->device &&
		    ((size <= all && size > all - block) || (stored > 0 &&
		    fabs(size - stored) <= STORED * stored)))
			n += (double)run->size[i].most;
	}
	return n;
}

/* The number of sets of arrays for ${k}, which takes one per launch, without
 * the arrays that other functions may take. 0: not known. */
static double
sets_of(const struct rule_view *x, const struct kernel *k)
{
	uint32_t bytes = pointwise_bytes(k->code, &k->shape);
	struct pointwise_state state;
	int own = parameters_pointers(k->name);
	const struct run *run = x->run;
	double rest;

	if ((bytes == 0 && !(pointwise_in_place(&state, k->code, &k->shape) &&
	    state.others == OTHERS_NONE)) || own < 1)
		return 0;
	rest = arrays_of(run, k, bytes);
	for (size_t i = 0; i < run->kernels && rest > 0; i++) {
		int others = parameters_pointers(run->kernel[i].name);

		if (run->kernel[i].mangled == k->mangled)
			continue;
		rest = others < 0 ? 0 : rest - others;
	}
	return floor(rest / own);
}

/* For a kernel that follows itself: how many of its launches could run at once;
 * otherwise 1. */
static double
ways_of(const struct rule_view *x, const struct kernel *k)
{
	double each;

	if (k->next != k->id || k->graph_launches > 0 || !is_small(x, k) ||
	    (double)k->next_count < rule_value(x, "min_repeats") ||
	    (double)k->next_count < ALWAYS * (double)k->launches ||
	    (double)k->next_idle_ns > QUEUED * (double)k->total_ns)
		return 1;
	each = (double)k->total_ns * 1e-9 / (double)k->launches;
	/* The host launches one after the other. */
	return fmin(fmin(sets_of(x, k), 1 / fill_of(x, k)), each /
	    x->run->device[k->device].ceilings.launch_gap_s);
}

/* The fix: the blocks of ${ways} launches run at once. */
static struct fix
fix_of(double ways)
{
	struct fix fix = FIX_NONE;

	fix.spread = fix.grid = fmax(1, ways);
	return fix;
}

static int
found_sets(struct rule_view *x, const struct kernel *k, double ways)
{
	struct part *part = arena_get(x->arena, sizeof(*part));
	double sets = sets_of(x, k);
	struct draft *d = rule_found(x, k->short_name);

	if (part == NULL)
		return -1;
	part->kernel = k;
	part->load = &x->loads[k - x->run->kernel];
	/* Two launches are certainly independent. The middle view has half of
	 * the sets, as if the others were kept for something else. */
	part->fix[VIEW_LOW] = fix_of(fmin(2, ways));
	part->fix[VIEW_MID] = fix_of(fmin(fmax(2, sets / 2), ways));
	part->fix[VIEW_HIGH] = fix_of(ways);
	d->part = part;
	d->parts = 1;
	d->waits = BAR_TURNS;
	lines_launch(x, d, k->id);
	d->f.confidence = CONF_LOW;
	d->f.where = k->short_name != NULL ? k->short_name :
	    "(unnamed kernel)";
	d->f.location = say_shape(x->arena, k);
	rule_evidence(x, d, "repeats", (double)k->next_count,
	    "times it follows itself", .measured = "kernel records",
	    .unit = "repeat", .key = "min_repeats");
	rule_evidence(x, d, "fill_ratio", fill_of(x, k), "blocks / SMs",
	    .derived = "kernel activity record", .key = "max_fill");
	rule_evidence(x, d, "sets", sets,
	    "arrays as long as its grid reaches, for each that it takes",
	    .derived = "disassembly, memory records", .unit = "set");
	d->f.summary = arena_format(x->arena, "%s has blocks for %s of the SMs, "
	    "and its launches run one after another in %s, %s times; each "
	    "thread touches its own element alone, and there are %s sets of "
	    "arrays of that length: launches on different ones do not need each "
	    "other", d->f.where, say_percent(x->arena, fill_of(x, k)),
	    k->next_null ? "the default stream" : "one stream",
	    say_count(x->arena, k->next_count), say_whole(x->arena, sets));
	d->f.limiter = "each leaves most SMs idle while it runs";
	d->f.advice = "launch what works on different arrays on streams of their "
	    "own, or as one launch with the array's number in the grid "
	    "(blockIdx.y): they can run at once";
	d->f.gain_note = "half of the sets in use at a time; which array a "
	    "launch has no record shows";
	return 0;
}

enum rule_state
rule_single_stream_serialisation(struct rule_view *x)
{
	const struct run *run = x->run;
	bool *seen = arena_get(x->arena, run->kernels + 1), any = false;
	double window = rule_window_s(run);

	if (seen == NULL)
		return RULE_NOT_MEASURED;
	for (size_t i = 0; i < run->kernels; i++) {
		double ways = ways_of(x, &run->kernel[i]);
		struct chain c;

		if (ways >= 2) {
			if (found_sets(x, &run->kernel[i], ways) != 0)
				return RULE_NOT_MEASURED;
			any = true;
		}
		if (seen[i] || next_of(x, &run->kernel[i]) == NULL)
			continue;
		follow(x, &run->kernel[i], seen, &c);
		if (c.length < 2 || !(saved_of(&c) >=
		    rule_value(x, "min_share") * window) || !(window > 0))
			continue;
		found(x, &c);
		any = true;
	}
	return any ? RULE_FOUND : RULE_CLEAN;
}
