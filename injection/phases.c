#include <stdatomic.h>
#include <stdint.h>

#include "activity.h"
#include "budget.h"
#include "counters.h"
#include "diag.h"
#include "gate.h"
#include "inject.h"
#include "phases.h"
#include "sampling.h"
#include "signature.h"
#include "target.h"
#include "window.h"

#define FEW_SIGNATURES 6	/* a program of few kernels: it may be short */
#define SHORT_NS 1000000ull	/* of kernels: 250 samples an SM */
#define ROUNDS 40		/* launches a signature, of many */
#define SETTLED 5		/* and none that is new for so many */
#define LONGEST_NS 2000000000ull
#define TIMEOUTS 3		/* after that many nothing is measured */

enum phase { PHASE_BEGIN, PHASE_SAMPLING, PHASE_WINDOWS };

static struct {
	_Atomic int phase;
	_Atomic bool first;		/* the launch that turned it on is not
					 * back: it takes 100 ms */
	const struct signature *opener;
	CUcontext context;
	uint64_t begin_ns;
	_Atomic uint32_t launches, last_new;
	const struct signature *timed;	/* whose launch is waited for */
	CUstream stream;		/* of it */
	uint64_t timed_ns;		/* since when */
	uint64_t sampled_ns;		/* kernels took so far, about */
	_Atomic bool enough;
	unsigned timeouts;		/* the GPU did not fall idle for its end */
} now = { .phase = PHASE_BEGIN };

bool
phases_measure(void)
{

	return (inject.level < LEVEL_SOURCE || !inject.api.sampling ||
	    atomic_load_explicit(&now.phase, memory_order_relaxed) ==
	    PHASE_WINDOWS);
}

/* With the window held. True: the launch's exit has to be told. */
static bool
begin(const struct signature *s, const struct counters_launch *l)
{
	uint64_t started = inject_now();
	const char *where = "";
	int r;

	/* The launch that follows sets it up inside CUPTI: a flush at the same
	 * time would wait for it, and it for the flush. */
	if (!activity_pause())
		return (false);
	r = sampling_on(l->data->context, s->shape.device, &where);
	if (r == CUPTI_SUCCESS) {
		now.context = l->data->context;
		now.opener = s;
		now.begin_ns = started;
		atomic_store(&now.first, true);
		atomic_store(&now.phase, PHASE_SAMPLING);
		return (true);
	}
	activity_resume();
	if (r != SAMPLING_LATER) {
		atomic_store(&now.phase, PHASE_WINDOWS);
		diag_refused(DIAG_SAMPLING_FAILED, where, r);
	}
	return (false);
}

static bool
is_power_of_two(uint64_t n)
{

	return (n >= 2 && (n & (n - 1)) == 0);
}

/* Have the launches so far been sampled enough? */
static bool
enough(uint32_t launches, uint64_t time)
{
	uint32_t n = signature_count();

	return (atomic_load(&now.enough) || sampling_enough() ||
	    time - now.begin_ns >= LONGEST_NS || (n >= FEW_SIGNATURES &&
	    launches >= ROUNDS * n && launches -
	    atomic_load(&now.last_new) >= SETTLED * n));
}

/*
 * Of few kernels one is waited for at its launches 2, 4, 8 …: how long it
 * takes, times the launches since, is how long it has been sampled. Launches
 * that are queued do not tell, and their records come too late.
 */
static bool
begin_timing(const struct signature *s, CUstream stream)
{

	if (signature_count() >= FEW_SIGNATURES ||
	    !is_power_of_two(atomic_load(&s->launches)) || gate_capturing() ||
	    !gate_wait_idle())
		return (false);
	now.timed = s;
	now.stream = stream;
	now.timed_ns = inject_now();
	return (true);
}

static void
end_timing(const struct signature *s)
{
	uint64_t time;

	if (gate_wait_stream(now.stream)) {
		time = inject_now() - now.timed_ns;
		now.sampled_ns += time * ((atomic_load(&s->launches) + 1) / 2);
		if (now.sampled_ns >= SHORT_NS)
			atomic_store(&now.enough, true);
	}
	now.timed = NULL;
}

static void
end(void)
{
	uint64_t started = inject_now();

	if (!activity_pause())
		return;
	/* Its own cost is accounted for by sampling_off. */
	if (gate_wait_idle() && sampling_off(now.context))
		atomic_store(&now.phase, PHASE_WINDOWS);
	activity_resume();
	/* It stays on, and beside it nothing can be measured. */
	if (atomic_load(&now.phase) != PHASE_WINDOWS &&
	    inject_now() - started > LONGEST_NS && ++now.timeouts >= TIMEOUTS) {
		target_refuse_concurrent();
		atomic_store(&now.phase, PHASE_WINDOWS);
	}
}

bool
phases_launch(struct signature *s, const struct counters_launch *l)
{
	uint32_t launches = atomic_fetch_add(&now.launches, 1) + 1;
	bool owed = false;

	if (atomic_load(&s->launches) == 1)
		atomic_store(&now.last_new, launches);
	if (atomic_load(&now.first) || atomic_exchange(&window.busy, true))
		return (false);
	if (atomic_load(&now.phase) == PHASE_BEGIN) {
		owed = begin(s, l);
	} else if (enough(launches, inject_now())) {
		end();
	} else {
		owed = begin_timing(s, l->stream);
	}
	if (!owed)
		atomic_store(&window.busy, false);
	return (owed);
}

bool
phases_launched(const struct signature *s)
{

	if (now.timed == s && s != NULL) {
		end_timing(s);
		atomic_store(&window.busy, false);
		return (true);
	}
	if (!atomic_load(&now.first) || now.opener != s)
		return (false);
	budget_spend(now.begin_ns, OVERHEAD_SAMPLING);
	now.begin_ns = inject_now();
	now.opener = NULL;
	atomic_store(&now.first, false);
	activity_resume();
	atomic_store(&window.busy, false);
	return (true);
}
