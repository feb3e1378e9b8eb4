#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "activity.h"
#include "budget.h"
#include "choose.h"
#include "claim.h"
#include "counters.h"
#include "diag.h"
#include "emit.h"
#include "function.h"
#include "gate.h"
#include "inject.h"
#include "phases.h"
#include "sampling.h"
#include "sass.h"
#include "target.h"
#include "window.h"

#define LOOK_NS 1000000ull	/* that the GPU is not idle costs nothing */
#define TRIES 4			/* windows a signature may use up, per pass */
#define COUNT_TRIES 3		/* and to be counted by instruction */
#define FAILURES_MAX 5		/* windows that failed, in a row */
#define CLOSE_WAIT_NS 2000000000ull	/* at exit, for a window: 1 s if it is the
					 * first of the machine */
#define GONE_WAIT_NS 200000000ull	/* for others, as a context goes */
#define EMPTY_MAX 4		/* windows that counted nothing, in a row */

/* What measures in a window. */
enum kind { KIND_COUNTERS, KIND_INSTRUCTIONS };

struct window window;

/* The window that is open; like all here guarded by window.busy. */
static struct {
	enum kind kind;
	struct target *target;
	struct signature *signature;
	CUstream stream;
	struct signature_launch launch;
	bool turning;			/* its pass is there already */
	struct signature *trial;	/* in place of a window: does it end? */
	uint64_t trial_ns;		/* the host is held since */
} now_open;

static unsigned failures, empty;	/* windows in a row without a count */

bool
counters_wanted(const struct signature *s)
{

	if (inject.level < LEVEL_COUNTERS || s->skip != SKIP_NONE ||
	    atomic_load_explicit(&window.closed, memory_order_relaxed))
		return (false);
	if (!phases_window(s) || target_put_away())
		return (true);
	return (!atomic_load_explicit(&s->measured, memory_order_relaxed) &&
	    (atomic_load_explicit(&window.refused, memory_order_relaxed) ==
	    SKIP_NONE || choose_wants_instructions(s)));
}

/* What an activity record would have said of the function. */
static void
learn_resources(struct signature *s, const void *function)
{
	static const CUfunction_attribute want[] = {
		CU_FUNC_ATTRIBUTE_NUM_REGS, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
		CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES };
	uint32_t v[3], carveout;
	int i;

	if (s->resources.known || atomic_load(&s->announced))
		return;
	for (i = 0; i < 3; i++)
		if (!function_attribute(function, s->shape.device, want[i],
		    &v[i]))
			return;
	s->resources.regs = v[0];
	s->resources.smem_static = v[1];
	s->resources.local_per_thread = v[2];
	/* Negative where nothing was asked for: then it is not told. */
	s->resources.carveout = function_attribute(function, s->shape.device,
	    CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, &carveout) &&
	    carveout <= 100 ? carveout : 255;
	s->resources.known = true;
}

static void
tracing(bool on)
{
	CUptiResult r;

	if (!on) {
		gate_traced(false);
		inject.api.cuptiActivityDisable(
		    CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
		return;
	}
	r = inject.api.cuptiActivityEnable(
	    CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
	if (r != CUPTI_SUCCESS)	/* no launch is seen from here on */
		diag_cupti("kernel tracing, on again", r);
	gate_traced(true);
}

static void
release(void)
{

	gate_open();
	activity_resume();
	atomic_store(&window.deferred, false);
	atomic_store(&window.busy, false);
}

/* The GPU has to be empty: others' work would be counted, and CUPTI waits for it
 * where it turns something on or off. The gate stays closed. */
static bool
drain(struct signature *s, uint64_t begin)
{

	if (gate_close() && !gate_capturing())
		return (inject.api.cuCtxSynchronize == NULL ||
		    inject.api.cuCtxSynchronize() == CUDA_SUCCESS);
	s->beside = true;
	if (gate_never_idle())
		target_refuse_concurrent();
	if (inject_now() - begin > LOOK_NS)
		budget_spend(begin, OVERHEAD_COUNTERS);
	return (false);
}

static void
describe_launch(const struct counters_launch *l, uint64_t now)
{
	uint32_t stream = 0;

	if (inject.api.cuptiGetStreamIdEx != NULL &&
	    inject.api.cuptiGetStreamIdEx(l->data->context, l->stream, 0,
	    &stream) != CUPTI_SUCCESS)
		stream = 0;
	now_open.stream = l->stream;
	now_open.launch = (struct signature_launch){ .launch_ns = now,
	    .context = l->data->contextUid, .stream = stream,
	    .correlation = l->data->correlationId, .tid = inject_tid() };
}

/*
 * The passes that ${s} has so far, if they are of the active group. Where the
 * profiler stands at one of them, the window only turns it on to the next: the
 * same pass twice would add up.
 */
static void
resume_passes(struct target *t, struct signature *s)
{
	struct profiler *p = &t->p;

	if (s->passes_group != t->active)
		s->passes = 0;
	s->passes_group = t->active;
	now_open.turning = (s->passes & 1u << p->position) != 0;
	memcpy(p->image, s->passes != 0 && !now_open.turning ? s->image :
	    p->pristine, p->size);
}

/* The gate is closed and the GPU empty. */
static int
open_window(struct target *t, struct signature *s, enum kind kind)
{
	const char *where = "";
	int r;

	now_open.kind = kind;
	now_open.target = t;
	now_open.signature = s;
	if (kind == KIND_COUNTERS)
		resume_passes(t, s);
	tracing(false);
	r = kind == KIND_COUNTERS ? profiler_start(&t->p, &where) :
	    sass_begin(t->p.context, &where);
	if (r == CUPTI_SUCCESS)
		return (0);
	tracing(true);
	now_open.signature = NULL;
	if (kind == KIND_COUNTERS)
		target_refuse(where, r);
	else
		target_refuse_instructions(where, r, NULL);
	return (-1);
}

static void close_window(bool good);

/* A kernel that did not end within the bound may have ended by now. */
static void
close_deferred(void)
{

	if (!atomic_load(&window.deferred) ||
	    !atomic_exchange(&window.deferred, false))
		return;
	/* close_window gives back what counters_exit did not keep. */
	if (gate_busy(now_open.stream) || !activity_pause()) {
		atomic_store(&window.deferred, true);
		return;
	}
	close_window(false);
}

static enum wire_overhead
cost_kind(enum kind kind)
{

	return (kind == KIND_COUNTERS ? OVERHEAD_COUNTERS : OVERHEAD_SOURCE);
}

/* What the launch of ${s} is measured for. Where few launches are left,
 * instructions tell the most. */
static bool
choose(struct target *t, struct signature *s, enum kind *kind, size_t *group)
{

	choose_check(s);
	if (t->failed || atomic_load(&s->measured))
		return (false);
	*kind = KIND_INSTRUCTIONS;
	if (choose_instructions(t, s))
		return (true);
	*kind = KIND_COUNTERS;
	return (choose_group(t, s, group));
}

/* The profiler that lies idle goes. */
static void
rest(struct target *t, struct signature *s, uint64_t begin)
{

	if (drain(s, begin))
		target_rest(t, begin);
	else
		target_stay(t);
}

/* The first launch of a context. */
static struct target *
set_up(const struct signature *s, const struct counters_launch *l)
{
	uint64_t begin = inject_now();
	bool first = !target_prepared();
	struct target *t = target_of(l->data->context, s->shape.device);

	if (first)
		budget_spend(begin, OVERHEAD_SETUP);
	return (t);
}

/*
 * A kernel may wait for what the host, another stream or another GPU does after
 * its launch. A window of the range profiler may then never come back from CUPTI
 * (a program whose kernel polls managed memory hung on an H200): where that can
 * be, a kernel first has to end by itself, with the host held but not for long.
 */
static bool
needs_trial(const struct signature *s)
{

	return (!s->alone && gate_is_shared());
}

static void
end_trial(struct signature *s, bool launched)
{

	now_open.trial = NULL;
	if (!launched || signature_try(s, now_open.stream, now_open.trial_ns,
	    OVERHEAD_COUNTERS))
		budget_spend(now_open.trial_ns, OVERHEAD_COUNTERS);
	release();
}

/* True: no other process measures that GPU now. */
static bool
claim(struct signature *s)
{

	s->elsewhere = !claim_take(s->shape.device);
	return (!s->elsewhere);
}

bool
counters_enter(struct signature *s, const struct counters_launch *l)
{
	uint64_t begin = inject_now();
	struct target *t;
	bool claimed = false;
	enum kind kind;
	size_t group;

	gate_stream(l->stream);
	if (gate_capturing())
		return (false);
	close_deferred();
	if (!phases_window(s) && phases_launch(s, l))
		return (true);
	/* What lies idle goes even when nothing more may be measured. */
	if (!phases_window(s) || !counters_wanted(s) || (!budget_left(begin) &&
	    !target_put_away()) || atomic_exchange(&window.busy, true))
		return (false);
	/* CUPTI patches code inside the launch: not while it flushes. */
	if (!activity_pause()) {
		atomic_store(&window.busy, false);
		return (false);
	}
	if (!target_possible(l->data->context, &t))
		goto out;
	if (target_put_away())
		rest(t, s, begin);
	if (!budget_left(begin) || (t != NULL && !choose(t, s, &kind, &group)))
		goto out;
	if (!(claimed = claim(s)) || !drain(s, begin))
		goto out;
	if (needs_trial(s)) {
		gate_open();
		now_open.trial = s;
		now_open.trial_ns = inject_now();
		now_open.stream = l->stream;
		claim_give(s->shape.device);
		return (true);
	}
	learn_resources(s, l->function);
	/* What was queued had to run anyhow: our cost begins behind it. */
	begin = inject_now();
	if (t == NULL) {
		t = set_up(s, l);
		begin = inject_now();
		if (t == NULL || !choose(t, s, &kind, &group))
			goto out;
	}
	if ((kind == KIND_COUNTERS && target_turn(t, group) != 0) ||
	    open_window(t, s, kind) != 0)
		goto spent;
	budget_spend(begin, cost_kind(kind));
	*(kind == KIND_COUNTERS ? &s->cost_ns : &s->count_ns) +=
	    inject_now() - begin;
	describe_launch(l, inject_now());
	gate_running(true);
	/* The profiler that is on has its own. */
	claim_give(s->shape.device);
	return (true);

spent:
	budget_spend(begin, cost_kind(kind));
out:
	if (claimed)
		claim_give(s->shape.device);
	release();
	return (false);
}

struct signature *
counters_graph(uint32_t device, const struct counters_launch *l)
{
	struct signature *s = phases_graphs(device);

	if (inject.level < LEVEL_SOURCE || s == NULL || phases_window(s) ||
	    atomic_load_explicit(&window.closed, memory_order_relaxed))
		return (NULL);
	gate_stream(l->stream);
	if (gate_capturing())
		return (NULL);
	close_deferred();
	return (phases_launch(s, l) ? s : NULL);
}

/* The values of the passes that are in the image into the signature's. */
static void
evaluate(struct target *t, struct signature *s)
{
	const struct metrics *m = t->p.metrics;
	double value[METRICS_MAX];
	size_t i;
	int r;

	if (s->value == NULL) {
		s->value = malloc(window.set.count * sizeof(*s->value));
		if (s->value == NULL)
			return;
		for (i = 0; i < window.set.count; i++)
			s->value[i] = NAN;
	}
	if ((r = metrics_evaluate(m, &inject.api, t->p.image, t->p.size,
	    value)) != CUPTI_SUCCESS) {
		target_refuse("cuptiProfilerHostEvaluateToGpuValues", r);
		return;
	}
	for (i = 0; i < m->count; i++)
		if (!isnan(value[i]))
			s->value[m->first + i] = value[i];
}

/* One more pass of the active group is in the image. */
static void
take_pass(struct target *t, struct signature *s, size_t pass)
{
	size_t n = t->p.metrics->passes;

	s->windows++;
	s->passes |= 1u << pass;
	evaluate(t, s);
	if (inject.replay || s->passes == (uint32_t)((1ull << n) - 1)) {
		s->groups |= 1u << t->active;
		s->passes = 0;
		return;
	}
	/* Images differ in size from group to group. */
	free(s->image);
	if ((s->image = malloc(t->p.size)) != NULL)
		memcpy(s->image, t->p.image, t->p.size);
	else
		s->passes = 0;
}

/* Kernel tracing was off: the window knows best when the kernel ran. */
static void
keep_launch(struct signature *s, uint64_t end)
{
	struct signature_launch *l = &now_open.launch;
	uint64_t duration = 0;

	if (s->value != NULL && s->value[0] > 0)
		duration = (uint64_t)s->value[0];	/* gpu__time_duration */
	l->end_ns = end;
	l->start_ns = end - duration;
	if (duration == 0 || l->start_ns < l->launch_ns)
		l->start_ns = l->launch_ns;
	if (s->launch == NULL)
		s->launch = calloc(SIGNATURE_UNTRACED, sizeof(*s->launch));
	if (s->launch != NULL && s->untraced < SIGNATURE_UNTRACED)
		s->launch[s->untraced++] = *l;
	else
		emit_lost(LOSS_TABLE, 1);
	atomic_store(&s->dirty, true);
}

static void
end_counters(struct target *t, struct signature *s, bool good)
{
	size_t pass = t->p.position;
	bool dropped = false;
	const char *where;
	int r;

	r = profiler_stop(&t->p, &dropped, &where);
	tracing(true);
	/* Just after instructions were counted a window may fail, and the next
	 * one not. */
	if (r == CUPTI_ERROR_UNKNOWN && ++failures < FAILURES_MAX)
		dropped = true;
	else if (r != CUPTI_SUCCESS)
		target_refuse(where, r);
	else
		failures = 0;
	if (r == CUPTI_SUCCESS && good && !dropped && !now_open.turning &&
	    !gate_polluted())
		take_pass(t, s, pass);
	if (++s->tries > window.set.groups * TRIES)
		s->hopeless = ~0u;
}

static void
end_instructions(struct target *t, struct signature *s, bool good)
{
	struct sass_counts *counts;
	const char *where;
	int r;

	r = sass_end(t->p.context, &counts, &where);
	tracing(true);
	s->count_tries++;
	if (r != CUPTI_SUCCESS) {
		target_refuse_instructions(where, r, NULL);
	} else if (counts == NULL) {
		/* An empty kernel counts nothing; all of them do not. */
		if (good && ++empty >= EMPTY_MAX)
			target_refuse_instructions("cuptiSassMetricsFlushData", 0,
			    "CUPTI delivered no counts by instruction");
	} else if (good && !gate_polluted()) {
		empty = 0;
		sass_free(s->counts);
		s->counts = counts;
		s->counted = true;
		counts = NULL;
	}
	sass_free(counts);
	if (s->count_tries >= COUNT_TRIES)
		s->counted = true;
}

static void
close_window(bool good)
{
	struct target *t = now_open.target;
	struct signature *s = now_open.signature;
	enum kind kind = now_open.kind;
	uint64_t end = inject_now();

	now_open.signature = NULL;
	if (t->p.object != NULL)
		target_used(t, end);
	gate_running(false);
	if (kind == KIND_COUNTERS)
		end_counters(t, s, good);
	else
		end_instructions(t, s, good);
	if (good)
		keep_launch(s, end);
	*(kind == KIND_COUNTERS ? &s->cost_ns : &s->count_ns) +=
	    inject_now() - end;
	choose_check(s);
	atomic_store(&s->dirty, true);
	budget_spend(end, cost_kind(kind));
	release();
}

void
counters_exit(struct signature *s, bool launched)
{

	if (phases_launched(s))
		return;
	if (now_open.trial == s) {
		end_trial(s, launched);
		return;
	}
	if (now_open.signature != s)
		return;
	/* One that is counted by instruction may take as long as two waits: were
	 * it given up, what follows would run patched as well. */
	if (launched && !gate_wait_stream(now_open.stream) &&
	    (now_open.kind != KIND_INSTRUCTIONS ||
	    !gate_wait_stream(now_open.stream))) {
		/* Perhaps it waits for the host: let the program go on and
		 * close the window when the kernel has ended. */
		tracing(true);
		atomic_store(&s->measured, true);
		gate_awaited();
		gate_give_up();
		activity_resume();
		atomic_store(&window.deferred, true);
		return;
	}
	close_window(launched);
}

void
counters_close(void)
{
	struct timespec nap = { 0, 500000 };
	uint64_t begin = inject_now();

	if (inject.level < LEVEL_COUNTERS || getpid() != inject.pid ||
	    atomic_exchange(&window.closed, true))
		return;
	/* Taken and never given back; a window whose kernel does not end, or
	 * one of this very thread, is not waited for. */
	while (atomic_exchange(&window.busy, true) &&
	    !atomic_load(&window.deferred) &&
	    inject_now() - begin < CLOSE_WAIT_NS)
		nanosleep(&nap, NULL);
}

void
counters_context_gone(CUcontext context)
{
	struct timespec nap = { 0, 100000 };
	uint64_t begin = inject_now();

	close_deferred();
	sampling_off(context);
	gate_context_gone();
	/* The sender and other contexts' windows hold it for a moment. */
	while (atomic_exchange(&window.busy, true)) {
		if (atomic_load(&window.deferred) ||
		    atomic_load(&window.closed) ||
		    inject_now() - begin > GONE_WAIT_NS)
			return;
		nanosleep(&nap, NULL);
	}
	target_gone(context);
	atomic_store(&window.busy, false);
}
