/*
 * allocation-in-hot-path: device memory is allocated and released again and
 * again between launches, or in a program that launches nothing. cudaFree waits
 * for the whole device, cudaMalloc maps memory. Arrays are memory, too; texture and
 * surface objects are made for them.
 */
#include <math.h>

#include "rules/evidence/framework.h"
#include "rules/evidence/gaps.h"
#include "rules/evidence/lines.h"
#include "rules/evidence/reads.h"
#include "rules/evidence/slope.h"

/* A smaller share of the calls' time is not mentioned. */
#define DELAYED_TOLD 0.2

#define ALLOCATIONS (CALL_BIT(MALLOC) | CALL_BIT(FREE) |			\
	CALL_BIT(MALLOC_HOST) | CALL_BIT(FREE_HOST) | CALL_BIT(MALLOC_MANAGED) | \
	CALL_BIT(MALLOC_ARRAY) | CALL_BIT(FREE_ARRAY) |			\
	CALL_BIT(CREATE_TEXTURE) | CALL_BIT(DESTROY_TEXTURE) |		\
	CALL_BIT(CREATE_SURFACE) | CALL_BIT(DESTROY_SURFACE))

/* The share of ${made} allocations that reuse would spare, 0..1: all but the
 * largest number that lived at the same time, wherever that one is made. A
 * caching allocator that grows during the first step has made no others. */
static double
spared_of(const struct run *run, uint64_t made, uint64_t peak)
{
	if (made == 0)			/* none was recorded */
		return run->launches > 0 ? 1 : 0;
	return 1 - fmin(1, (double)peak / (double)made);
}

/* The share of the time in these calls that reuse would spare, 0..1. Memory and
 * objects are kept independently of each other. */
static double
spared(const struct run *run)
{
	double memory = spared_of(run, run->allocations, run->peak_allocations);
	double objects = spared_of(run, run->objects, run->peak_objects);
	double all = 0, part = 0;

	for (size_t i = 0; i < run->calls; i++) {
		if (!rule_allocates(run->call[i].call))
			continue;
		all += (double)run->call[i].hot_ns;
		if (call_is_object(run->call[i].call))
			part += (double)run->call[i].hot_ns;
	}
	return memory + (objects - memory) * (all > 0 ? part / all : 0);
}

/* The reason why launches cannot be ruled out; NULL: nothing was launched. */
static const struct reason *
may_launch(const struct run *run)
{
	const struct reason *refused = reads_refused(run, NEED_KERNELS |
	    NEED_MEMORY);

	if (refused != NULL)
		return refused;
	if (run->state == RUN_LIVE)
		return &reason_row[REASON_NO_LAUNCH_YET];
	for (size_t i = 0; i < run->calls; i++)
		if ((run->call[i].call == CALL_LAUNCH ||
		    run->call[i].call == CALL_GRAPH_LAUNCH) &&
		    run->call[i].count > 0)
			return &reason_row[REASON_LAUNCHES_UNSEEN];
	return run->lost > 0 ? &reason_row[REASON_LAUNCHES_LOST] : NULL;
}

static const struct call_class *
most_time(const struct run *run)
{
	const struct call_class *top = NULL;

	for (size_t i = 0; i < run->calls; i++) {
		const struct call_class *c = &run->call[i];

		if (rule_allocates(c->call) &&
		    (top == NULL || c->hot_ns > top->hot_ns))
			top = c;
	}
	return top;
}

static double
idle_inside(const struct run *run)
{
	double idle = 0;

	for (size_t i = 0; i < run->calls; i++)
		if (rule_allocates(run->call[i].call))
			idle += (double)run->call[i].hot_idle_ns * 1e-9;
	return idle;
}

/* The GPU may also starve after the call, until the host catches up. */
#define POOLS_HOST (POOL_IDLE(IDLE_ALLOCATION) | POOL_IDLE(IDLE_API) |	\
	POOL_IDLE(IDLE_HOST) | POOL_IDLE(IDLE_LAUNCH) |			\
	POOL_IDLE(IDLE_AFTER_SYNC))

/* The time that the share of these calls is relative to: the time between first
 * and last GPU work, of which calls between launches are part, so that a
 * start-up of a minute does not hide them; without launches the whole run. */
static double
whole_s(const struct run *run)
{
	return run->launches > 0 ? rule_active_s(run) : rule_own_s(run);
}

/* How surely ${count} calls belong to a loop and not to set-up, 0..1: 0 up to
 * half of min_count, 1 from min_count on, linear in between. */
static double
enough(const struct rule_view *x, uint64_t count)
{
	return slope((double)count, rule_value(x, "min_count") / 2,
	    rule_value(x, "min_count"));
}

/* What to write instead of the call that takes most of the time. */
static const char *
cure(enum wire_call top)
{
	if (top == CALL_MALLOC_ARRAY || top == CALL_FREE_ARRAY ||
	    call_is_object(top))
		return "create the array and its texture or surface object once "
		    "before the loop, and put new data into the same array with "
		    "cudaMemcpy2DToArrayAsync (cudaMemcpy3DAsync for three "
		    "dimensions or layers); an object stays valid as long as its "
		    "array";
	return "allocate once before the loop and reuse, or take "
	    "stream-ordered memory: cudaMallocAsync and cudaFreeAsync with a "
	    "release threshold on the pool";
}

/* The parts of the finding that are the same with and without launches. */
static struct draft *
found(struct rule_view *x, uint64_t count, double hot, const char *where)
{
	const struct run *run = x->run;
	const struct call_class *top = most_time(run);
	struct draft *d = rule_found(x, "hot");

	lines_site(x, d, ALLOCATIONS);
	d->claims = 1;
	d->f.where = PLACE_RUN;
	d->f.location = arena_format(x->arena, "%s%s, most time in %s",
	    say_counted(x->arena, (double)count, "call"), where,
	    wire_call_name((uint16_t)top->call));
	rule_evidence(x, d, "hot_calls", (double)count, arena_format(x->arena,
	    "allocations and releases%s", where), .measured = "API records",
	    .unit = "call", .key = "min_count");
	rule_evidence(x, d, "hot_ratio", hot / whole_s(run), run->launches > 0 ?
	    "their part of first to last GPU work" : "their part of the run",
	    .measured = "API records", .key = "min_share");
	d->f.confidence = CONF_HIGH;
	d->f.advice = cure(top->call);
	return d;
}

/* The share of the calls that are the host's only wait for the GPU, 0..1. Each
 * other wait cancels one call: without the call, the host would wait there instead. */
static double
only_here(const struct run *run, uint64_t count)
{
	double waits = 0;

	for (size_t i = 0; i < run->syncs; i++)
		waits += (double)run->sync[i].count;
	return 1 - fmin(1, waits / (double)count);
}

/* The number of calls that release memory, each of which waits for the GPU. */
static double
releases(const struct run *run)
{
	double n = 0;

	for (size_t i = 0; i < run->calls; i++)
		if (run->call[i].call == CALL_FREE)
			n += (double)run->call[i].hot_count;
	return n;
}

/* Seconds saved: the GPU's idle time inside the calls, and, as far as the GPU waits for
 * the host in other recurring gaps, the time that the host spent in the calls while the
 * GPU worked plus one round trip per release, by which the host arrives earlier. Four
 * programs changed to allocate once gained 0.94 to 1.3 of this; H200, 2026-11-23. */
static double
spared_s(const struct rule_view *x, uint64_t count, double hot, double idle)
{
	double other = gaps_s(x->run, rule_value(x, "min_count"), INFINITY);

	return idle + only_here(x->run, count) * fmin(hot - idle +
	    releases(x->run) * ROUND_TRIP_S, other);
}

/* Kernels of several streams that took turns because of the calls. */
static void
add_turns(const struct rule_view *x, struct draft *d, double part)
{
	const struct device *most = NULL;
	double s;

	for (size_t i = 0; i < x->run->devices; i++)
		if (most == NULL ||
		    x->run->device[i].released_ns > most->released_ns)
			most = &x->run->device[i];
	if (most == NULL || !(most->released_ns > 0))
		return;
	s = part * most->released_ns * 1e-9;
	d->claim[1] = (struct claim){ POOL_TURNS, { 0.3 * s, 0.8 * s, s } };
	d->claims = 2;
	rule_evidence(x, d, "turns_s", s, "kernels of several streams that "
	    "could overlap, and took turns", .derived =
	    "API, kernel and stream records");
	d->f.summary = arena_format(x->arena, "%s; each release waits for all "
	    "streams: %s of them take turns, for %s", d->f.summary,
	    say_whole(x->arena, most->released_streams),
	    say_seconds(x->arena, s));
	d->f.gain_note = arena_format(x->arena, "%s; and streams that do not "
	    "wait for each other", d->f.gain_note);
}

static enum rule_state
between_launches(struct rule_view *x, uint64_t count, double hot)
{
	double idle = fmin(idle_inside(x->run), hot);
	/* Memory for a compiler's trials is no part of the loop. */
	double part = enough(x, count) * spared(x->run) *
	    (1 - framework_tuned(x->run, ALLOCATIONS));
	double usual = 1 - x->run->allocating_delayed;
	double saved = usual * spared_s(x, count, hot, idle);
	struct draft *d;

	if (usual * hot * part < rule_value(x, "min_share") * whole_s(x->run))
		return RULE_CLEAN;
	d = found(x, count, hot, " between launches");
	d->waits = BAR_ALLOCATION;
	d->claim[0] = (struct claim){ POOLS_HOST,
	    { 0.8 * part * usual * idle, part * saved, fmax(hot, idle +
	    gaps_s(x->run, rule_value(x, "min_count"), INFINITY)) } };
	rule_evidence(x, d, "idle_s", idle, "GPU idle meanwhile",
	    .measured = "API and kernel records");
	d->f.summary = arena_format(x->arena, "%s allocations and releases "
	    "between launches take %s; the GPU is idle for %s of it",
	    say_count(x->arena, count), say_seconds(x->arena, hot),
	    say_seconds(x->arena, idle));
	d->f.limiter = idle > 0 ? "the host is inside the allocator, and the "
	    "GPU waits" : "the host is inside the allocator";
	d->f.gain_note = saved > usual * idle ? "the GPU idle time inside these "
	    "calls; and no other wait takes their place, so that the host is "
	    "earlier at its next launches" :
	    "the GPU idle time inside these calls";
	if (usual < 1 - DELAYED_TOLD) {
		rule_evidence(x, d, "delayed_ratio", 1 - usual, "part of the calls' "
		    "time beyond what they take where nothing delays them",
		    .derived = "API records");
		d->f.gain_note = arena_format(x->arena, "%s; without what delayed "
		    "single calls, which another program in the driver does",
		    d->f.gain_note);
	}
	add_turns(x, d, part);
	return RULE_FOUND;
}

/* A program, or the recorded part of one, that launches nothing: only its host
 * can be slow. */
static enum rule_state
without_launches(struct rule_view *x, uint64_t count, double hot)
{
	const struct run *run = x->run;
	double saved = hot * spared(run) * enough(x, count);
	double peak = (double)(run->peak_allocations + run->peak_objects);
	struct draft *d;

	if (saved < rule_value(x, "min_share") * whole_s(run))
		return RULE_CLEAN;
	d = found(x, count, hot, "");
	d->claim[0] = (struct claim){ POOLS_HOST | POOL_IDLE(IDLE_STARTUP),
	    { 0.5 * saved, saved, hot } };
	rule_evidence(x, d, "peak_allocations", peak, run->objects > 0 ?
	    "allocations and objects that lived at once, at most" :
	    "allocations that lived at once, at most",
	    .measured = run->objects > 0 ? "memory and API records" :
	    "memory records", .unit = "allocation");
	d->f.summary = arena_format(x->arena, "%s allocations and releases take "
	    "%s; at most %s allocations lived at once, and no kernel was "
	    "launched", say_count(x->arena, count), say_seconds(x->arena, hot),
	    say_count(x->arena, (uint64_t)peak));
	d->f.limiter = "the host is inside the allocator";
	d->f.gain_note = "the calls that memory which is kept would spare: all "
	    "but one for each allocation that lived at the same time";
	return RULE_FOUND;
}

enum rule_state
rule_allocation_in_hot_path(struct rule_view *x)
{
	const struct run *run = x->run;
	uint64_t count;
	double hot = rule_allocating_s(run, &count);
	const struct reason *unknown = run->launches == 0 ? may_launch(run) :
	    NULL;

	if (unknown != NULL)
		return rule_unmeasured_for(x, unknown);
	if (!(enough(x, count) > 0) ||
	    hot < rule_value(x, "min_share") * whole_s(run))
		return RULE_CLEAN;
	return run->launches == 0 ? without_launches(x, count, hot) :
	    between_launches(x, count, hot);
}
