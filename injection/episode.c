#include <stdatomic.h>
#include <stdint.h>

#include "activity.h"
#include "budget.h"
#include "counters.h"
#include "diag.h"
#include "episode.h"
#include "gate.h"
#include "gpu_lock.h"
#include "hold.h"
#include "inject.h"
#include "sampling.h"
#include "signature.h"
#include "target.h"
#include "window.h"

#define SHORT_NS 50000ull	/* kernel time to sample per signature: 1500 samples
				 * of a kernel that fills an H200 */
#define LATER_TIMES 8		/* times as long in the second episode, since the
				 * program is not a short one */
#define LAUNCH_NS 4000ull	/* host time of the launch call that is part of a
				 * timed launch */
#define LEAST_NS 1000ull	/* shortest kernel time assumed */
#define ROUNDS 40		/* or so many launches per signature */
#define SETTLED 5		/* in both cases: no new signature in the last
				 * SETTLED / 2 launches per signature */
#define LONGEST_NS 2000000000ull
#define EPISODES 2		/* for the first launches, and for later signatures */
#define ON_NS 85000000ull	/* to turn sampling on, with the launch in which
				 * CUPTI does it: 65 to 98 ms on an H200, depending
				 * on the buffer */
#define OFF_NS 55000000ull	/* to turn it off: 43 to 54 ms */
#define LOOK_NS 20000ull	/* shorter checks of a busy GPU are not charged */
#define DEVICES 16

enum phase { PHASE_WINDOWS, PHASE_SAMPLING };

static struct {
	_Atomic int phase;
	_Atomic bool first;		/* the launch that turns sampling on has not
					 * returned: it takes 100 ms */
	const struct signature *opener;
	CUcontext context;
	uint64_t begin_ns;
	_Atomic unsigned episodes;
	/* Of this episode: */
	_Atomic uint32_t launches, last_new, signatures;
	uint64_t sampled_ns;		/* estimated kernel time so far */
	const struct signature *timed;	/* signature whose launch is being timed */
	CUstream stream;		/* its stream */
	uint64_t timed_ns, hold_ns;	/* begin of the timed launch, and of its hold */
} now = { .phase = PHASE_WINDOWS };

static struct signature graphs[DEVICES];

struct signature *
episode_graphs(uint32_t device)
{

	if (device >= DEVICES)
		return NULL;
	graphs[device].shape.device = device;
	return &graphs[device];
}

static int
phase(void)
{

	return atomic_load_explicit(&now.phase, memory_order_relaxed);
}

bool
episode_is_on(void)
{

	return phase() == PHASE_SAMPLING;
}

/* Whether ${s} was not sampled yet and can still be. */
static bool
is_new(const struct signature *s)
{

	return atomic_load_explicit(&s->sampled, memory_order_relaxed) == 0 &&
	    atomic_load_explicit(&now.episodes, memory_order_relaxed) <
	    EPISODES;
}

/*
 * Whether this run has PC sampling. As measured on an H200, CUPTI attributes no sample
 * to a function that was launched in a window before. With --replay the first window,
 * which comes first, collects all counters.
 */
static bool
is_sampled(void)
{

	return level_samples(inject.level) && inject.api.sampling &&
	    (!inject.replay || target_refusal() != SKIP_NONE);
}

bool
episode_allows_window(const struct signature *s)
{

	return !is_sampled() || (phase() != PHASE_SAMPLING && !is_new(s));
}

/* No further episodes: everything is measured in windows. */
static void
no_more(void)
{

	atomic_store(&now.episodes, EPISODES);
	atomic_store(&now.phase, PHASE_WINDOWS);
}

static void
begin_episode(struct signature *s, CUcontext context, uint64_t started)
{

	now.context = context;
	now.opener = s;
	now.begin_ns = started;
	now.sampled_ns = 0;
	atomic_fetch_add(&s->sampled, 1);
	atomic_store(&now.launches, 1);
	atomic_store(&now.last_new, 1);
	atomic_store(&now.signatures, 1);
	atomic_fetch_add(&now.episodes, 1);
	atomic_store(&now.first, true);
	atomic_store(&now.phase, PHASE_SAMPLING);
}

/* Opens the gate and allows flushes again. The episode holds a GPU lock of its own. */
static void
leave(const struct signature *s)
{

	gpu_lock_release(s->shape.device);
	gate_open();
	activity_resume();
}

/* Charges the time since ${begin}, for which this thread waited for an idle GPU. */
static void
charge_wait(uint64_t begin)
{
	uint64_t later = inject_now();

	if (later - begin > LOOK_NS)
		budget_charge(begin, later, OVERHEAD_SAMPLING);
}

/* Begins an episode; the window is held. True: episode_exit has to be called. */
static bool
begin(struct signature *s, const struct counters_launch *l)
{
	const char *where = "";
	uint64_t started = inject_now();
	int r;

	if ((s->elsewhere = !gpu_lock_take(s->shape.device)))
		return false;
	/* CUPTI sets up sampling inside the launch that follows. A flush, or a launch
	 * of another thread, at the same time would deadlock with it. */
	if (!activity_pause()) {
		gpu_lock_release(s->shape.device);
		return false;
	}
	if (!gate_close(s->shape.device, gate_ours()) ||
	    !gate_drain(l->data->context, s->shape.device,
	    hold_left(started, ON_NS))) {
		leave(s);
		s->beside = true;
		charge_wait(started);
		hold_add(HOLD_MEASURE, inject_now() - started);
		return false;
	}
	if (!targets_pause()) {
		leave(s);
		no_more();
		return false;
	}
	r = sampling_on(l->data->context, s->shape.device, &where);
	if (r == CUPTI_SUCCESS) {
		begin_episode(s, l->data->context, started);
		return true;
	}
	leave(s);
	if (r != SAMPLING_LATER) {
		no_more();
		diag_refused(DIAG_SAMPLING_FAILED, where, r);
	}
	return false;
}

static bool
is_power_of_two(uint64_t n)
{

	return n >= 2 && (n & (n - 1)) == 0;
}

/* Whether the launches so far are sampled enough. */
static bool
enough(uint32_t launches, uint64_t time)
{
	uint32_t n = atomic_load(&now.signatures);
	uint64_t want = SHORT_NS * n *
	    (atomic_load(&now.episodes) > 1 ? LATER_TIMES : 1);

	if (sampling_enough() || time - now.begin_ns >= LONGEST_NS)
		return true;
	return launches - atomic_load(&now.last_new) >= SETTLED * n / 2 &&
	    (now.sampled_ns >= want || launches >= ROUNDS * n);
}

/*
 * At the 2nd, 4th, 8th … sampled launch of a kernel, wait for its end. This duration,
 * times the launches since the last one, is taken as the time for which the kernel was
 * sampled. Launches that are only queued do not show their duration, and their activity
 * records come too late.
 */
static bool
begin_timing(struct signature *s, CUcontext context, CUstream stream)
{
	uint64_t begin = inject_now();

	if (!is_power_of_two(atomic_load(&s->sampled)) || gate_capturing() ||
	    signature_may_await(s))
		return false;
	if (!gate_looks_idle(context, s->shape.device, hold_left(begin,
	    inject.max_stall_ns / 2))) {
		hold_add(HOLD_MEASURE, inject_now() - begin);
		budget_spend(begin, OVERHEAD_SAMPLING);
		return false;
	}
	now.timed = s;
	now.stream = stream;
	now.hold_ns = begin;
	now.timed_ns = inject_now();
	return true;
}

static void
end_timing(struct signature *s)
{
	bool ended = gate_wait_stream(now.stream, hold_left(now.hold_ns, 0));
	uint64_t time = inject_now() - now.timed_ns;

	hold_add(HOLD_MEASURE, inject_now() - now.hold_ns);
	/* If the kernel ended this was its own time; if not, a lower bound. */
	if (ended) {
		s->alone = true;
		s->outlasted = 0;
	} else {
		/* While code is loaded, its end cannot be seen. */
		s->outlasted += !gate_loading();
		budget_spend(now.timed_ns, OVERHEAD_SAMPLING);
	}
	time = time > LAUNCH_NS + LEAST_NS ? time - LAUNCH_NS : LEAST_NS;
	now.sampled_ns += time * ((atomic_load(&s->sampled) + 1) / 2);
	now.timed = NULL;
}

/* Ends the episode. True: sampling is off. */
static bool
end(const struct signature *s)
{
	uint64_t started = inject_now();
	bool idle;

	if (!activity_pause())
		return false;
	idle = gate_close(s->shape.device, gate_ours()) && gate_drain(
	    now.context, s->shape.device, hold_left(started, OFF_NS));
	charge_wait(started);
	/* sampling_off charges its own cost. */
	if (idle && sampling_off(now.context))
		atomic_store(&now.phase, PHASE_WINDOWS);
	gate_open();
	activity_resume();
	hold_add(HOLD_MEASURE, inject_now() - started);
	/* If sampling stays on, nothing else can be measured. */
	return phase() == PHASE_WINDOWS;
}

/* Counts a sampled launch of ${s}; returns their number in this episode. */
static uint32_t
count_launch(struct signature *s)
{
	uint32_t launches = atomic_fetch_add(&now.launches, 1) + 1;

	if (atomic_fetch_add(&s->sampled, 1) == 0) {
		atomic_fetch_add(&now.signatures, 1);
		atomic_store(&now.last_new, launches);
	}
	return launches;
}

bool
episode_enter(struct signature *s, const struct counters_launch *l)
{
	uint32_t launches = 0;
	bool owed = false;

	if (phase() == PHASE_SAMPLING)
		launches = count_launch(s);
	if (atomic_load(&now.first) || !window_try())
		return false;
	if (phase() == PHASE_SAMPLING) {
		if (enough(launches, inject_now()))
			s->beside = !end(s);
		else
			owed = begin_timing(s, l->data->context,
			    l->stream);
	} else if (is_new(s)) {
		if (budget_allows(inject_now(), ON_NS + OFF_NS))
			owed = begin(s, l);
		else
			no_more();
	}
	if (!owed)
		window_release();
	return owed;
}

bool
episode_exit(struct signature *s)
{

	if (now.timed == s && s != NULL) {
		end_timing(s);
		window_release();
		return true;
	}
	if (!atomic_load(&now.first) || now.opener != s)
		return false;
	budget_spend(now.begin_ns, OVERHEAD_SAMPLING);
	hold_add(HOLD_MEASURE, inject_now() - now.begin_ns);
	now.begin_ns = inject_now();
	now.opener = NULL;
	atomic_store(&now.first, false);
	leave(s);
	window_release();
	return true;
}
