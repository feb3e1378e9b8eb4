#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "activity.h"
#include "budget.h"
#include "counters.h"
#include "diag.h"
#include "emit.h"
#include "episode.h"
#include "family.h"
#include "function.h"
#include "gate.h"
#include "gpu_lock.h"
#include "hold.h"
#include "inject.h"
#include "nap.h"
#include "plan.h"
#include "prepare.h"
#include "relax.h"
#include "sampling.h"
#include "sass.h"
#include "target.h"
#include "window.h"

#define LOOK_NS 20000ull	/* shorter checks of a busy GPU are not charged */
#define RESERVE_NS 100000000ull	/* part of the budget that is kept for kernels known
				 * to take time: two windows of the headline on an
				 * H200 */
#define TRIES 4			/* windows per pass that a signature may use */
#define COUNT_TRIES 3		/* windows that a signature may use for counts by
				 * instruction */
#define FAILURES_MAX 5		/* failed windows in a row before counters are given up */
#define EMPTY_MAX 4		/* windows in a row without a count, before counts by
				 * instruction are given up */
#define COUNTED_WAIT_NS 500000000ull	/* how long the next launch waits for a
					 * kernel with patched code that takes longer
					 * than expected: it would run patched, too */
#define COUNTED_WAITS 4			/* launches that wait so */
#define LOAD_WAITS 4		/* how often, while a window is deferred in which nothing is
				 * traced, loads of code wait for it, */
#define LOAD_WAIT_NS 100000000ull	/* for so long at most */
#define OTHERS_NS 20000000ull		/* at most, at the end of a window, for what other
					 * threads launched in it */
#define CLOSE_WAIT_NS 2000000000ull	/* wait for the window at exit: 1 s if it is
					 * the first since boot */
#define GONE_WAIT_NS 200000000ull	/* wait for the window, and for work of our
					 * own, when a context is destroyed */
#define SETTLE_NS 2000000ull	/* between attempts to close a deferred window */
/* SM cycles between the begin of a range and the first warp of its kernel, plus those
 * between the last warp and the end of the range, if nothing but the kernel is in the
 * range: 2,660 to 3,100 for kernels of 2 to 110 us on an H200. */
#define LAUNCH_CYCLES 2900

/* What a window measures. */
enum kind { KIND_COUNTERS, KIND_INSTRUCTIONS };

/* The open window. All static data here is guarded by the window (window.h). */
static struct {
	enum kind kind;
	struct target *target;
	struct signature *signature;
	CUcontext context;
	CUstream stream;
	struct signature_launch launch;
	struct signature *trial;	/* whose launch is a trial, see needs_trial */
	uint64_t begin_ns;		/* when the hold began */
	uint64_t reserve_ns;		/* time needed to close it */
	uint64_t patching_ns;		/* time that the launch call took */
	uint64_t waited_ns;		/* time waited for its kernel, which took
					 * that long or longer */
	_Atomic unsigned awaits;	/* launches that may still be held for its
					 * kernel */
	bool untraced;			/* no launch is traced before it is closed */
	unsigned load_waits;		/* how often loads may still wait for it */
	uint64_t load_ns;		/* until when they wait now */
} now_open;

static unsigned failures, empty;	/* windows in a row */
static _Atomic uint64_t settle_ns;	/* next attempt to close a deferred window */

/* Kernels that lack something may be launched for hours after the budget was used up. */
INJECT_HOT static bool
is_affordable(const struct signature *s)
{
	uint64_t at = atomic_load_explicit(&s->affordable_ns,
	    memory_order_relaxed);

	return at == 0 || inject_now() >= at;
}

INJECT_HOT bool
counters_wanted(const struct signature *s, bool asked)
{

	if (!inject.profiles || s->skip != SKIP_NONE || window_is_shut())
		return false;
	if (target_put_away())
		return true;
	if (!episode_allows_window(s))
		return asked || episode_is_on();
	return asked && !atomic_load_explicit(&s->measured, memory_order_relaxed) &&
	    (target_refusal() == SKIP_NONE || plan_wants_instructions(s)) &&
	    is_affordable(s);
}

/* Asks for the function attributes that the launch's activity record would have
 * told. */
static void
learn_resources(struct signature *s, const void *function)
{
	static const CUfunction_attribute want[] = {
		CU_FUNC_ATTRIBUTE_NUM_REGS, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
		CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES };
	uint32_t v[3], carveout;
	int i;

	if (atomic_load(&s->announced) || atomic_load(&s->resources.asked) ||
	    atomic_exchange(&s->resources.asked, true))
		return;
	for (i = 0; i < 3; i++)
		if (!function_attribute(function, s->shape.device, want[i],
		    &v[i])) {
			atomic_store(&s->resources.asked, false);
			return;
		}
	s->resources.regs = v[0];
	s->resources.smem_static = v[1];
	s->resources.local_per_thread = v[2];
	/* Negative if the program requested none: use 255. */
	s->resources.carveout = function_attribute(function, s->shape.device,
	    CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, &carveout) &&
	    carveout <= 100 ? carveout : 255;
	atomic_store(&s->resources.known, true);
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
	if (r != CUPTI_SUCCESS)	/* no kernel is traced from here on */
		diag_cupti("kernel tracing, on again", r);
	gate_traced(true);
}

static void
release(void)
{

	gate_loads_until(0);
	gate_open();
	activity_resume();
	window_release();
}

/* Charges a hold in which nothing was measured. */
static void
end_hold(uint64_t begin, enum wire_overhead kind)
{
	uint64_t ns = inject_now() - begin;

	hold_add(HOLD_MEASURE, ns);
	if (ns > LOOK_NS)
		budget_spend(begin, kind);
}

/* Waits for an idle GPU: other work would be counted, and CUPTI waits for it when it
 * turns something on or off. The work that follows takes ${cost} ns. The gate stays
 * closed, also for other GPUs, because nothing is traced in a window. */
static bool
drain(struct signature *s, CUcontext context, uint64_t begin, uint64_t cost)
{

	if (gate_close(s->shape.device, gate_ours()) && gate_drain(context,
	    s->shape.device, hold_left(begin, cost)) &&
	    gate_widen(gate_ours()))
		return true;
	s->beside = true;
	return false;
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

/* Opens a window; the gate is closed and the GPU idle. 0, or -1 with the refusal
 * noted. */
static int
open_window(struct target *t, struct signature *s, enum kind kind,
    size_t pass)
{
	const char *where = "";
	int r = CUPTI_SUCCESS;

	now_open.kind = kind;
	now_open.target = t;
	now_open.signature = s;
	if (kind == KIND_COUNTERS && !inject.replay)
		r = profiler_turn(&t->p, pass, &where);
	if (kind == KIND_COUNTERS)
		memcpy(t->p.image, s->passes != 0 && s->image != NULL &&
		    s->config == t->p.config ? s->image : t->p.pristine,
		    t->p.size);
	tracing(false);
	if (r == CUPTI_SUCCESS)
		r = kind == KIND_COUNTERS ? profiler_start(&t->p, &where) :
		    sass_begin(t->p.context, &where);
	if (kind == KIND_INSTRUCTIONS)
		atomic_store(&t->patched, true);
	if (r == CUPTI_SUCCESS)
		return 0;
	tracing(true);
	now_open.signature = NULL;
	if (kind == KIND_COUNTERS)
		target_refuse(where, r);
	else
		target_refuse_instructions(where, r, NULL);
	return -1;
}

static enum wire_overhead
cost_kind(enum kind kind)
{

	return kind == KIND_COUNTERS ? OVERHEAD_COUNTERS : OVERHEAD_SOURCE;
}

/* What to measure at a launch. */
struct choice {
	enum kind kind;
	size_t pass;
	uint64_t cost;			/* estimated nanoseconds */
};

/* Whether this launch of ${s} is left alone: a window on a kernel that waits for the
 * host would only make it wait. If it may be one, the trace of one launch tells. */
static bool
spares(struct signature *s)
{

	if (signature_awaits(s)) {
		s->waits = s->counted = true;
		s->hopeless = ~0u;
		return true;
	}
	if (s->spared || s->outlasted < SIGNATURE_AWAITS ||
	    !signature_may_await(s))
		return false;
	s->spared = true;
	return true;
}

/* Decides what to measure at this launch; false: nothing. Counts by instruction come
 * first: they tell most if few launches are left. */
static bool
choose(struct target *t, struct signature *s, uint64_t begin,
    struct choice *c)
{
	bool spared = spares(s);
	uint64_t needed;

	plan_keep(t, s);
	plan_check(s);
	if (spared || t->failed || atomic_load(&s->measured) ||
	    plan_yields(t, s))
		return false;
	c->kind = KIND_INSTRUCTIONS;
	if (!plan_instructions(t, s, begin, &c->cost)) {
		c->kind = KIND_COUNTERS;
		if (!plan_pass(t, s, begin, &c->pass, &c->cost))
			return false;
	}
	needed = c->cost + (plan_matters(s) ? 0 : RESERVE_NS);
	if (budget_allows(begin, needed))
		return true;
	atomic_store(&s->affordable_ns, budget_when(needed));
	return false;
}

/* Disable a profiler that has had no window for a while. */
static void
rest(struct target *t, struct signature *s, CUcontext context, uint64_t begin)
{

	if (!target_is_idle(t, begin) || drain(s, context, begin,
	    target_rest_ns()))
		target_rest(t, begin);
	else
		target_stay(t);
}

/*
 * Whether CUPTI must not wait for this kernel yet. CUPTI waits for a kernel that it
 * replays or whose code it has patched. A kernel that waits for something that the
 * host, another stream or another GPU does after the launch would then never end. Where
 * that is possible, the kernel first has to end once while the host is held: in a
 * window in which CUPTI does not wait, or in a trial, which measures nothing.
 */
static bool
needs_trial(const struct target *t, const struct signature *s,
    const struct choice *c)
{

	return !s->alone && gate_is_shared() && (inject.replay ||
	    c->kind == KIND_INSTRUCTIONS || c->pass >= t->p.config->patched);
}

static void
end_trial(struct signature *s, bool launched)
{

	now_open.trial = NULL;
	s->alone = launched && gate_wait_stream(now_open.stream,
	    hold_left(now_open.begin_ns, 0));
	if (launched && s->alone) {
		s->outlasted = 0;
	} else if (launched) {
		s->outlasted++;
		/* While code is loaded, its end cannot be seen. */
		if (!gate_loading() || s->outlasted >= SIGNATURE_AWAITS) {
			s->waits = s->counted = true;
			s->hopeless |= inject.replay ? ~0u : plan_patched();
			plan_check(s);
		}
	}
	end_hold(now_open.begin_ns, OVERHEAD_COUNTERS);
	release();
}

/* False: another process measures this GPU. */
static bool
lock_gpu(struct signature *s)
{

	s->elsewhere = !gpu_lock_take(s->shape.device);
	return !s->elsewhere;
}

/* Measures ${c} with the window and the GPU lock held. True: a window or a trial is
 * open now. */
static bool
measure(struct target *t, struct signature *s, const struct counters_launch *l,
    const struct choice *c, uint64_t begin)
{
	uint64_t half = inject.max_stall_ns / 2;

	/* A count by instruction may take longer than this hold: wait for the GPU for
	 * half of the hold at most. */
	if (!drain(s, l->data->context, begin,
	    c->kind == KIND_INSTRUCTIONS && c->cost > half ? half : c->cost))
		return false;
	now_open.begin_ns = begin;
	now_open.stream = l->stream;
	now_open.context = l->data->context;
	if (needs_trial(t, s, c)) {
		gate_open();
		now_open.trial = s;
		return true;
	}
	if (open_window(t, s, c->kind, c->pass) != 0)
		return false;
	now_open.reserve_ns = c->kind == KIND_COUNTERS ?
	    t->p.close_ns[t->p.pass] : 0;
	now_open.awaits = c->kind == KIND_INSTRUCTIONS ? COUNTED_WAITS : 1;
	now_open.load_waits = LOAD_WAITS;
	now_open.load_ns = 0;
	gate_loads_until(begin + inject.max_stall_ns);
	describe_launch(l, inject_now());
	gate_running(true);
	return true;
}

/* The rest of counters_enter, in relaxed capture mode. */
static bool
enter(struct signature *s, const struct counters_launch *l)
{
	struct prepare_wish wish;
	struct choice choice;
	struct target *t;
	bool wished, chosen, owed = false;
	uint64_t begin;

	/* Now at the latest the driver loads the function's code, for which it may wait
	 * for everything queued: this is the launch's own time. */
	learn_resources(s, l->function);
	begin = inject_now();
	if (l->asked)
		prepare_process(l->data, s->shape.device);
	begin = prepare_waited(begin);
	/* Another thread is preparing the process. */
	if (!target_prepared() && target_refusal() == SKIP_NONE)
		return false;
	if (!episode_allows_window(s) && episode_enter(s, l))
		return true;
	/* An idle profiler is disabled even if nothing more may be measured. */
	if (!episode_allows_window(s) || !counters_wanted(s, l->asked) ||
	    !window_try())
		return false;
	t = target_find(l->data->contextUid);
	wished = l->asked && plan_profiler(t, s, &wish);
	if (wished &&
	    (t = prepare_target(l->data, s, &wish, begin)) == NULL)
		return false;		/* prepare_target has released the window */
	begin = prepare_waited(begin);
	chosen = l->asked && choose(t, s, begin, &choice);
	if (wished && !chosen && !plan_has_now(t, s))
		atomic_store(&s->affordable_ns, prepare_when(&wish));
	/* CUPTI patches code inside the launch: this must not overlap a flush. */
	if ((!chosen && !target_put_away()) || !activity_pause()) {
		window_release();
		return false;
	}
	if (!chosen)
		rest(t, s, l->data->context, begin);
	else if (lock_gpu(s)) {
		owed = measure(t, s, l, &choice, begin);
		/* An enabled profiler holds a GPU lock of its own. */
		gpu_lock_release(s->shape.device);
	}
	if (!owed) {
		end_hold(begin, OVERHEAD_COUNTERS);
		release();
	}
	return owed;
}

bool
counters_enter(struct signature *s, const struct counters_launch *l)
{
	struct relax before;
	bool owed;

	gate_stream(l->stream, s->shape.device);
	if (gate_capturing())
		return false;
	before = relax_begin();
	owed = enter(s, l);
	relax_end(&before);
	return owed;
}

struct signature *
counters_graph(uint32_t device, const struct counters_launch *l)
{
	struct signature *s = episode_graphs(device);
	struct relax before;
	bool owed;

	if (!level_samples(inject.level) || s == NULL ||
	    episode_allows_window(s) || window_is_shut())
		return NULL;
	gate_stream(l->stream, s->shape.device);
	if (gate_capturing())
		return NULL;
	before = relax_begin();
	owed = episode_enter(s, l);
	relax_end(&before);
	return owed ? s : NULL;
}

/* The range of a window is longer than its kernel. Scales metrics of elapsed time to
 * the cycles in which an SM was active. Changes nothing if the range was as tight as
 * the kernel. */
static void
tighten(const struct metrics *m, double *value)
{
	int active = metrics_find(m, "sm__cycles_active.max");
	int elapsed = metrics_find(m, "sm__cycles_elapsed.max");
	int time = metrics_find(m, "gpu__time_duration.sum");
	double part;
	size_t i;

	if (active < 0 || elapsed < 0 || !(value[elapsed] > 0) ||
	    !(value[active] > 0))
		return;
	part = (value[active] + LAUNCH_CYCLES) / value[elapsed];
	if (part >= 1)
		return;
	value[elapsed] *= part;
	if (time >= 0)
		value[time] *= part;
	for (i = 0; i < m->count; i++)
		if (strstr(m->name[i], ".pct_of_peak_sustained_elapsed") !=
		    NULL)
			value[i] = fmin(value[i] / part, 100);
}

/* Evaluates the passes that the image has into the signature's values. */
static void
evaluate(struct target *t, struct signature *s)
{
	const struct metrics *m = t->p.metrics;
	size_t i, config = (size_t)(t->p.config - m->config);
	double value[METRICS_MAX];
	int r;

	if (s->value == NULL) {
		s->value = malloc(m->count * sizeof(*s->value));
		if (s->value == NULL)
			return;
		for (i = 0; i < m->count; i++)
			s->value[i] = NAN;
	}
	for (i = 0; i < m->count; i++)
		value[i] = NAN;
	if ((r = metrics_evaluate(m, config, &inject.api, t->p.image,
	    t->p.size, value)) != CUPTI_SUCCESS) {
		target_refuse("cuptiProfilerHostEvaluateToGpuValues", r);
		return;
	}
	tighten(m, value);
	for (i = 0; i < m->count; i++)
		if (!isnan(value[i]))
			s->value[i] = value[i];
}

/* Takes in one more pass, which the image has now. */
static void
take_pass(struct target *t, struct signature *s, size_t pass)
{
	uint32_t all = metrics_bits(t->p.config);

	s->windows++;
	if (1u << pass & plan_headline())
		family_counted(s->family);
	s->passes |= inject.replay ? all : 1u << pass;
	evaluate(t, s);
	/* The images of two configurations differ in size. */
	if ((s->passes & all) == all || s->config != t->p.config) {
		free(s->image);
		s->image = NULL;
	}
	s->config = t->p.config;
	if ((s->passes & all) == all)
		return;
	if (s->image == NULL)
		s->image = malloc(t->p.size);
	if (s->image != NULL)
		memcpy(s->image, t->p.image, t->p.size);
	else
		s->passes &= ~all;
}

/* Kernel tracing was off: records when the kernel of the window ran. */
static void
keep_launch(struct signature *s, uint64_t end)
{
	struct signature_launch *l = &now_open.launch;
	uint64_t duration = 0;

	if (s->value != NULL && s->value[0] > 0)
		duration = (uint64_t)s->value[0];	/* metric 0 is
							 * gpu__time_duration */
	else if (gate_polluted())	/* other kernels ran until the end */
		duration = signature_time(s);
	/* Without that counter: an upper bound. */
	if (duration == 0)
		duration = end - l->launch_ns;
	if (!gate_polluted())
		s->window_ns = duration;
	/* The GPU was idle: the kernel started with the launch. If the kernel was
	 * replayed, its last run counts. */
	l->start_ns = inject.replay && duration < end - l->launch_ns ?
	    end - duration : l->launch_ns;
	l->end_ns = inject.replay ? end : l->launch_ns + duration;
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
	size_t pass = t->p.pass;
	bool dropped = false;
	const char *where;
	int r;

	r = profiler_stop(&t->p, &dropped, &where);
	tracing(true);
	/* The window after a count by instruction may fail, and the next one
	 * succeed. */
	if (r == CUPTI_ERROR_UNKNOWN && ++failures < FAILURES_MAX)
		dropped = true;
	else if (r != CUPTI_SUCCESS)
		target_refuse(where, r);
	else
		failures = 0;
	if (r == CUPTI_SUCCESS && good && !dropped && !gate_polluted())
		take_pass(t, s, pass);
	s->tries += gate_polluted() ? TRIES : 1;	/* a polluted window cost two
							 * holds */
	if (s->tries > target_metrics()->passes * TRIES)
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
		/* An empty kernel counts nothing, but EMPTY_MAX in a row mean that
		 * counting fails. */
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

/* Closes the window; the hold around it began at ${begin}. */
static void
close_window(bool good, uint64_t begin)
{
	struct target *t = now_open.target;
	struct signature *s = now_open.signature;
	enum kind kind = now_open.kind;
	uint64_t end = inject_now();

	now_open.signature = NULL;
	s->stalls = s->stalls && gate_polluted();
	s->beside = s->beside || gate_polluted();
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
	    inject_now() - begin;
	if (kind == KIND_INSTRUCTIONS)
		plan_learn_cost(now_open.patching_ns + inject_now() - end);
	plan_check(s);
	atomic_store(&s->dirty, true);
	budget_spend(begin, cost_kind(kind));
	hold_add(inject.replay && kind == KIND_COUNTERS ? HOLD_REPLAY :
	    HOLD_MEASURE, inject_now() - begin);
	release();
}

/* Notes that the host waited for the kernel from ${begin} until now. */
static void
learn_wait(uint64_t begin)
{
	struct signature *s = now_open.signature;

	now_open.waited_ns += inject_now() - begin;
	if (now_open.kind == KIND_INSTRUCTIONS &&
	    now_open.waited_ns > s->patched_ns)
		s->patched_ns = now_open.waited_ns;
}

/* The deferred window cannot be closed while a thread loads code, and with several that
 * load one often does. Loads that come now wait for a while. */
static void
pause_loads(void)
{
	uint64_t now = inject_now(), most = LOAD_WAIT_NS;

	if (!now_open.untraced || now_open.load_waits == 0 ||
	    now < now_open.load_ns)
		return;
	now_open.load_waits--;
	if (most > inject.max_stall_ns)
		most = inject.max_stall_ns;
	/* As long again without: the kernel may wait for a load. */
	now_open.load_ns = now + 2 * most;
	gate_loads_until(now + most);
}

/* The kernel has not ended: defer the window and let the program go on. Until the
 * window is closed, launches are traced again if possible, and pollute it. */
static void
leave_window(void)
{

	/* SASS metrics exclude tracing. CUPTI enables tracing in the code that is
	 * loaded: not while a thread loads, and meanwhile none begins. */
	gate_running(false);
	now_open.untraced = now_open.kind != KIND_COUNTERS || gate_loading();
	if (!now_open.untraced)
		tracing(true);
	pause_loads();
	gate_give_up();
	activity_resume();
	end_hold(now_open.begin_ns, cost_kind(now_open.kind));
	window_defer();
}

/* Whether CUPTI makes the window's kernel slower, by patched code or by replay. */
static bool
is_slowed(void)
{
	const struct profiler *p = &now_open.target->p;

	return now_open.kind == KIND_INSTRUCTIONS || inject.replay ||
	    p->pass >= p->config->patched;
}

/* Holds launches again and waits for what other threads launched since the window's
 * kernel began: CUPTI waits for it when it turns something off, and it may wait for a
 * launch that the gate holds. False: it has not ended. */
static bool
others_ended(void)
{
	uint64_t left = hold_left(now_open.begin_ns, now_open.reserve_ns);

	return gate_recheck(gate_ours()) && (!gate_polluted() ||
	    gate_drain(now_open.context, now_open.signature->shape.device,
	    left < OTHERS_NS ? left : OTHERS_NS));
}

/* For how long a launch waits for the kernel of the deferred window, in a hold that
 * began at ${begin}. */
static uint64_t
patience_of_launch(uint64_t begin)
{

	if (now_open.awaits == 0)
		return 0;
	now_open.awaits--;
	return now_open.kind == KIND_INSTRUCTIONS ? COUNTED_WAIT_NS :
	    gate_polluted() ? 0 : hold_left(begin, now_open.reserve_ns);
}

/* Tries to close the resumed window. With ${patient} waits until its kernel has ended,
 * for as long as a hold may last. ${held}: a thread of the program waits. */
static void
settle_window(uint64_t begin, bool patient, bool held)
{
	uint64_t patience = 0;

	/* Launches that come now wait at the gate; calls under way end this attempt,
	 * which is none of those for which launches are held. */
	if (activity_pause()) {
		if (gate_recheck(gate_ours())) {
			if (patient)
				patience = patience_of_launch(begin);
			if (gate_drain(now_open.context,
			    now_open.signature->shape.device, patience)) {
				learn_wait(begin);
				close_window(true, begin);
				return;
			}
		}
		activity_resume();
	}
	if (gate_loading())
		pause_loads();
	if (patience > 0) {
		learn_wait(begin);
		now_open.signature->stalls = true;
	}
	if (held)
		end_hold(begin, cost_kind(now_open.kind));
	gate_give_up();
	atomic_store(&settle_ns, inject_now() + SETTLE_NS);
	window_defer();
}

static void
settle(uint64_t begin, bool patient, bool held)
{
	struct relax before;

	if (gate_capturing() || !window_resume())
		return;
	before = relax_begin();
	settle_window(begin, patient, held);
	relax_end(&before);
}

void
counters_settle(bool at_once)
{
	uint64_t begin;

	if (!window_is_deferred())
		return;
	begin = inject_now();
	if (at_once || begin >= atomic_load(&settle_ns))
		settle(begin, false, at_once);
}

void
counters_await(void)
{

	if (window_is_deferred() && (now_open.awaits > 0 ||
	    inject_now() >= atomic_load(&settle_ns)))
		settle(inject_now(), true, true);
}

/* The context of the deferred window is destroyed: the counts are lost, but the launch
 * is recorded. */
static void
drop_window(CUcontext handle)
{
	struct signature *s;

	/* Resumed first: meanwhile it could be closed and another one be deferred. */
	if (!window_resume())
		return;
	if (now_open.context != handle) {
		window_defer();
		return;
	}
	s = now_open.signature;
	now_open.signature = NULL;
	gate_running(false);
	tracing(true);
	keep_launch(s, inject_now());
	activity_pause();	/* release() resumes */
	release();
}

/* The rest of counters_exit, in relaxed capture mode. */
static void
leave(struct signature *s, bool launched)
{
	uint64_t patience, begin = inject_now();

	if (episode_exit(s))
		return;
	if (now_open.trial == s) {
		end_trial(s, launched);
		return;
	}
	if (now_open.signature != s)
		return;
	patience = hold_left(now_open.begin_ns, now_open.reserve_ns);
	now_open.patching_ns = begin - now_open.launch.launch_ns;
	now_open.waited_ns = 0;
	if (launched && !gate_wait_stream(now_open.stream, patience)) {
		s->outlasted += !is_slowed();
		learn_wait(begin);
		leave_window();
		return;
	}
	if (launched) {
		s->alone = true;
		s->outlasted = 0;
		learn_wait(begin);
	}
	if (launched && !others_ended()) {
		leave_window();
		return;
	}
	if (launched && now_open.kind == KIND_INSTRUCTIONS)
		plan_learn_patched(s, now_open.waited_ns);
	close_window(launched, now_open.begin_ns);
}

void
counters_exit(struct signature *s, bool launched)
{
	struct relax before = relax_begin();

	leave(s, launched);
	relax_end(&before);
}

void
counters_close(void)
{
	uint64_t begin = inject_now();

	if (!level_profiles(inject.level) || getpid() != inject.pid ||
	    !window_shut())
		return;
	/* Charged without records: the program may have called exit in a handler that
	 * interrupted this thread in emit.c, with its lock held. */
	prepare_finish();
	hold_add(HOLD_SETUP, inject_now() - begin);
	begin = inject_now();
	/* The window is never released. Do not wait for a deferred window, or for one
	 * that this very thread holds. */
	while (!window_try() && !window_is_deferred() && !window_is_own() &&
	    nap_within(begin, CLOSE_WAIT_NS, 500000))
		continue;
	hold_add(HOLD_MEASURE, inject_now() - begin);
}

static void
context_gone(CUcontext handle, uint32_t context)
{
	const uint64_t hold = inject.max_stall_ns;
	uint64_t begin;

	counters_settle(true);
	drop_window(handle);
	sampling_off(handle);
	begin = inject_now();
	prepare_gone(handle);
	gate_context_gone(handle, hold < GONE_WAIT_NS ? hold : GONE_WAIT_NS);
	/* The sender and windows of other contexts hold the window briefly. */
	while (!window_try())
		if (window_is_deferred() || window_is_shut() ||
		    !nap_within(begin, GONE_WAIT_NS, 100000)) {
			target_abandon(context);
			end_hold(begin, OVERHEAD_WAIT);
			return;
		}
	target_gone(context);
	window_release();
	end_hold(begin, OVERHEAD_COUNTERS);
}

void
counters_context_gone(CUcontext handle, uint32_t context)
{
	struct relax before = relax_begin();

	context_gone(handle, context);
	relax_end(&before);
}
