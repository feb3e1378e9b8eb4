/*
 * Gaps in which the loader of a framework makes the next batch: it has too few processes, or
 * they are started again and again, or batches are late on the way from them; or it puts them
 * together on the GPU, element by element.
 */
#include <math.h>

#include "rules/evidence/framework.h"
#include "rules/evidence/reads.h"
#include "rules/practice/gpu_idle_gaps/idle.h"

/* From this share on the loader is the cause, and below that one it is not, whatever is
 * copied: arithmetic, half and a quarter of what the GPU waits for. */
#define LOADING_MOST 0.5
#define LOADING_LEAST 0.25

/* From this share of the processors on, more processes that prepare input bring little:
 * the program's own thread and the one that copies need some, too. Arithmetic: half as
 * many again at most, which saves a third: the low value of loader_goes. */
#define CROWDED 0.67

/* What more workers leave of a loader's time: four a quarter (see BEYOND_PYTHON), two a
 * half; where it works as many already as there are cores, a third may be saved within
 * each. The GPU's work limits none of that: a batch is there sooner. */
static const double loader_goes[VIEWS] = { 0.33, 0.75, 1 };

/* Is it a copy to the GPU that a framework's loader makes? */
static bool
is_loaded(const struct site *s)
{
	return idle_to_gpu(s) && framework_loads(s) && !framework_within(s);
}

/* Does a loader make at least ${least} copies to the GPU? */
static bool
has_loader(const struct run *run, double least)
{
	double n = 0;

	for (size_t i = 0; i < run->sites; i++)
		if (run->site[i].call < 64 && (IDLE_COPIES >> run->site[i].call & 1) &&
		    is_loaded(&run->site[i]))
			n += (double)run->site[i].count;
	return n >= least;
}

/* The share of the gaps' time in which the program's Python waits in a framework's loader, or
 * does its work; NAN: not known. */
static double
loading(const struct rule_view *x)
{
	return looks_or_apart(x->run, rule_value(x, "min_gaps"), framework_loads);
}

void
idle_add_loading(const struct rule_view *x, struct again *a)
{
	double waits, s = looks_apart(x->run, rule_value(x, "min_gaps"), framework_loads,
	    &waits);

	a->host += s;
	a->base += s;
	a->gaps += s > 0 ? waits - 1 : 0;
}

bool
idle_by_loader(const struct rule_view *x, struct idle_gaps *g)
{
	return g->python && loading(x) >= LOADING_MOST && g->idle > g->launching;
}

bool
idle_by_loaded(const struct rule_view *x, struct idle_gaps *g)
{
	return g->python && g->a.input + g->a.fed > fmax(0.5 * g->idle, g->launching) &&
	    !(loading(x) < LOADING_LEAST) && has_loader(x->run, rule_value(x, "min_gaps"));
}

/* The share of the ${late} seconds of late input in gaps ${a} that goes in the middle. Workers
 * that prepare it work for as long as the loop takes; if there were as many as two thirds of
 * the processors, for so much shorter, and only what exceeds the rest of the loop is waited
 * for. Arithmetic, as it is in CROWDED; some is left in any case (eight workers of a
 * DataLoader left 0.02 on an H200, 2026-11-23). */
static double
loader_mid(const struct draft *d, const struct again *a, double late)
{
	const struct site *s = d->f.site;
	double left;

	if (!idle_is(d, "workers") || !(late > 0))
		return loader_goes[VIEW_MID];
	left = fmax(0, a->base * s->workers / (CROWDED * s->processors) -
	    (a->base - late));
	return fmin(0.95, fmax(loader_goes[VIEW_LOW], 1 - left / late));
}

struct gain
idle_loader_gain(const struct rule_view *x, const struct draft *d, const struct idle_gaps *g,
    double busy)
{
	double share = loading(x), idle = g->idle;
	double late = share > 0 ? share * idle : g->a.input + g->a.fed;

	return (struct gain){ loader_goes[VIEW_LOW] * late,
	    loader_mid(d, &g->a, late) * late + 0.85 * fmin(idle - late, busy),
	    loader_goes[VIEW_HIGH] * (idle + g->late) };
}

void
idle_loader_place(const struct rule_view *x, struct draft *d, const struct idle_gaps *g)
{
	d->f.location = arena_format(x->arena, "%s, most of it beside "
	    "copies to the GPU that the loader makes", d->f.location);
	d->f.site = gaps_away(x->arena, x->run, AWAY_TOLD * g->idle,
	    rule_value(x, "min_gaps"), is_loaded);
	if (d->f.site == NULL)
		lines_site_of(x, d, IDLE_COPIES, is_loaded);
}

void
idle_copy_workers(const struct run *run, struct site *to)
{
	for (size_t i = 0; i < run->sites; i++) {
		if (run->site[i].workers <= to->workers)
			continue;
		to->workers = run->site[i].workers;
		to->processors = run->site[i].processors;
	}
}

/* Processes that the loop waits for work nearly all the time; those that use a processor for
 * less have batches in time, and are waited for because of the way from them. Arithmetic: a
 * worker that reads files waits for these, too, a third of the time. */
#define WORKING_LEAST 0.67

/* Do the workers, which use a processor for ${working} of their time, have time left, and does
 * no thread pin what they make? */
static bool
has_batches_in_time(const struct run *run, double working)
{
	double pageable = 0, pinned = 0;

	for (size_t i = 0; i < run->copies; i++) {
		const struct copy_class *c = &run->copy[i];

		if (c->memset || c->kind != COPY_H2D)
			continue;
		pageable += c->src == MEMORY_PAGEABLE ? (double)c->count : 0;
		pinned += c->src == MEMORY_PINNED ? (double)c->count : 0;
	}
	return working > 0 && working < WORKING_LEAST && pageable > pinned;
}

/* Of the waits for a loader so much is in starting and ending its workers: arithmetic, a
 * third. */
#define STARTING_LEAST 0.33

static bool
starts_workers(const struct rule_view *x)
{
	return looks_or_apart(x->run, rule_value(x, "min_gaps"), framework_starts_workers) >
	    STARTING_LEAST * loading(x);
}

/* Says how many processes there are, which use a processor for ${working} of their time. */
static void
say_workers(struct rule_view *x, struct draft *d, double working)
{
	const struct site *s = d->f.site;

	if ((!idle_is(d, "input") && !idle_is(d, "loader")) || s == NULL ||
	    s->workers == 0 || s->processors == 0)
		return;
	d->variant = starts_workers(x) ? "started" :
	    has_batches_in_time(x->run, working) ? "received" :
	    s->workers < CROWDED * s->processors ? "workers" : "crowded";
	/* They work beside the loop: if its launches take less, it waits for them longer. */
	d->residual = false;
	d->f.gain_note = "a batch is waited for until the workers have it, whatever else "
	    "the loop does meanwhile";
	d->f.location = arena_format(x->arena, "%s, with %s for %s", d->f.location,
	    say_counted(x->arena, s->workers, "worker process"),
	    say_counted(x->arena, s->processors, "processor"));
	rule_evidence(x, d, "workers", s->workers, "processes that the program has forked "
	    "to prepare its input", .measured = "the kernel's list of them",
	    .unit = "process");
	if (working > 0)
		rule_evidence(x, d, "working_ratio", working, "of the time each of "
		    "them uses a processor, in the mean", .measured =
		    "the kernel's account of their time");
	rule_evidence(x, d, "processors", s->processors, "processors that it may use",
	    .measured = "its affinity", .unit = "processor");
}

void
idle_say_workers(struct rule_view *x, struct draft *d)
{

	say_workers(x, d, x->run->working);
}

/* How much each worker uses a processor when the program is in a loader, 0..1, and *${n}, how
 * many there are, in the mean; NAN: not known. */
static double
working_meanwhile(const struct run *run, struct looks_of of, double *n)
{
	double s = 0, worked = 0, there = 0, some = 0;

	for (size_t i = 0; i < run->looks; i++) {
		double share;

		if (!looks_counts(run, &run->look[i], of) ||
		    isnan(share = workers_worked(run, run->look[i].at_ns, &some)))
			continue;
		s += run->look[i].s;
		worked += share * run->look[i].s;
		there += some * run->look[i].s;
	}
	*n = s > 0 ? there / s : 0;
	return s > 0 ? worked / s : NAN;
}

/* The finding of a loader that the line of ${at} waits for, ${s} seconds in the gaps ${a}, while
 * its workers work for ${working} of the time. */
static void
find_waited(struct rule_view *x, const struct again *a, struct site *at, double s,
    double working)
{
	struct draft *d = rule_found(x, "waited");

	d->variant = "loader";
	d->feeds = true;
	d->cause_s = s;
	d->f.site = at;
	d->f.location = "the host is in the loader, here";
	say_workers(x, d, working);
	/* The GPU's work limits none of it: a batch is there sooner. */
	d->claim[0] = (struct claim){ POOL_IDLE(IDLE_HOST) | POOL_IDLE(IDLE_API) |
	    POOL_IDLE(IDLE_AFTER_SYNC), { loader_goes[VIEW_LOW] * s,
	    loader_mid(d, a, s) * s, s } };
	d->claims = 1;
	rule_evidence(x, d, "waited_ratio", s / a->base, "the host in the loader while the GPU "
	    "has nothing to do, part of first to last work without its phases",
	    .measured = "looks at the program's stacks", .key = "min_share");
	d->f.summary = arena_format(x->arena, "the loop waits for its loader again and again, "
	    "%s in all (%s of GPU work and the gaps in it, one-off phases excluded)",
	    say_seconds(x->arena, s), say_percent(x->arena, s / a->base));
	d->f.limiter = "the loader's processes, which work meanwhile: if the rest of the loop "
	    "is faster, it waits for them longer";
	d->f.advice = "let more processes prepare the input, or give each of them less to do";
	reads_doubt_idle(x, d);
}

void
idle_find_waited(struct rule_view *x, const struct again *a)
{
	struct looks_of of = { .least = rule_value(x, "min_gaps"), .is = framework_loads };
	double s = 0, n, working = working_meanwhile(x->run, of, &n);
	const struct site *at;
	struct site *site;

	/* Those that have time left are not what the loop waits for. */
	if (!(working >= WORKING_LEAST) ||
	    (at = looks_waiting(x->arena, x->run, of, &s)) == NULL ||
	    s < rule_value(x, "min_share") * a->base ||
	    (site = arena_get(x->arena, sizeof(*site))) == NULL)
		return;
	*site = *at;
	idle_copy_workers(x->run, site);
	if (site->workers > n && n > 0)
		site->workers = (unsigned)fmax(1, round(n));	/* not of another loader */
	if (site->workers > 0 && site->processors > 0)
		find_waited(x, a, site, s, working);
}

void
idle_find_collating(struct rule_view *x, const struct again *a)
{
	struct in_front f = gaps_in_front(x->run, framework_collates);
	struct draft *d;

	if (f.site == NULL || f.launches < rule_value(x, "min_gaps") ||
	    f.s < rule_value(x, "min_share") * a->base)
		return;
	d = rule_found(x, "collate");
	d->variant = "collate";
	/* What is in its place takes a launch or two. */
	d->claim[0] = (struct claim){ POOL_IDLE(IDLE_HOST) |
	    POOL_IDLE(IDLE_API) | POOL_IDLE(IDLE_AFTER_SYNC),
	    { 0.5 * f.s, 0.95 * f.s, f.s } };
	d->claims = 1;
	d->cause_s = f.s;
	d->f.site = f.site;
	d->f.location = say_counted(x->arena, f.launches, "launch");
	rule_evidence(x, d, "collate_s", f.s, "GPU idle in front of launches that "
	    "put a batch together", .measured = "kernel and API records");
	rule_evidence(x, d, "launches", f.launches, "such launches",
	    .measured = "kernel records", .unit = "launch");
	d->f.summary = arena_format(x->arena, "the loader puts batches together on "
	    "the GPU, one element at a time: the GPU waits %s for it",
	    say_seconds(x->arena, f.s));
	d->f.limiter = "the host, which takes each element of a batch by itself";
	d->f.advice = "take a whole batch from the device's arrays at once, by an "
	    "array of indices";
	d->f.gain_note = "a batch that is taken at once needs one launch for each "
	    "array";
	reads_doubt_idle(x, d);
}

/* Does the program have processes that prepare its input? */
static bool
has_workers(const struct run *run)
{
	struct site most = { .workers = 0 };

	idle_copy_workers(run, &most);
	return most.workers > 0;
}

bool
idle_find_fetching(struct rule_view *x, struct idle_gaps *g)
{
	struct looks_of of = idle_looks(x);
	double share = looks_share(x->run, of, framework_fetches), within, s;
	double all = g->idle + g->launching;
	struct draft *d;

	s = share > 0 ? fmin(share * all, g->a.host) : 0;
	if (!g->python || !(s >= rule_value(x, "min_share") * g->a.base) ||
	    has_workers(x->run) || idle_by_loader(x, g) || idle_by_loaded(x, g))
		return false;
	d = rule_found(x, "fetching");
	d->variant = "loader";
	d->claim[0] = (struct claim){ POOL_IDLE(IDLE_HOST) | POOL_IDLE(IDLE_API) |
	    POOL_IDLE(IDLE_AFTER_SYNC) | POOL_IDLE(IDLE_LAUNCH), { loader_goes[VIEW_LOW] * s,
	    loader_goes[VIEW_MID] * s, loader_goes[VIEW_HIGH] * s } };
	d->claims = 1;
	d->feeds = true;
	of.is = framework_fetches;
	d->f.site = looks_place(x->arena, x->run, of, LOOKED_TOLD, &within);
	d->f.location = "the loader makes batches in what this line calls";
	d->f.location_missing = &reason_row[REASON_LINE_HOST];
	rule_evidence(x, d, "fetching_ratio", s / g->a.base, "GPU idle while the loader makes "
	    "batches in the loop's own thread, part of first to last work without its phases",
	    .derived = "looks at its stacks, kernel and API records", .key = "min_share");
	d->f.summary = arena_format(x->arena, "the loader makes each batch in the loop's own "
	    "thread: the GPU waits %s for it (%s of GPU work and the gaps in it, one-off phases "
	    "excluded)", say_seconds(x->arena, s), say_percent(x->arena, s / g->a.base));
	d->f.limiter = "the loader, which has no worker processes";
	d->f.advice = "let processes of the loader's make batches ahead";
	d->f.gain_note = "workers make batches beside the loop, as far as there are processors "
	    "for them";
	idle_take_input(g, s);
	reads_doubt_idle(x, d);
	return true;
}
