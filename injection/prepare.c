#include <stdatomic.h>
#include <stdbool.h>

#include "activity.h"
#include "budget.h"
#include "gate.h"
#include "gpu_lock.h"
#include "hold.h"
#include "inject.h"
#include "nap.h"
#include "prepare.h"
#include "signature.h"
#include "target.h"
#include "window.h"
#include "worker.h"

#define SETUP_NS 400000000ull	/* expected first set-up: 0.25 to 0.35 s on an H200,
				 * 0.8 s once per boot */
#define TURN_NS 250000000ull	/* to another configuration: 11 ms off, 0.14 to 0.24
				 * s on */
#define SETUP_WAIT_NS 2000000000ull	/* for a set-up that ends by itself, since
					 * the GPU was idle */
#define ASKING_WAIT_NS 50000000ull	/* at exit, for cuCtxSynchronize in the driver */
#define LAST_NS 20000000ull	/* for work launched since cuCtxSynchronize */
#define WINDOW_TRIES 100	/* attempts to take the window, 0.1 ms apart */
#define RETRY_NS 10000000ull	/* pause after the GPU was not idle; doubled each time, */
#define RETRY_MOST_NS 1000000000ull	/* up to this */

/* The set-up under way. Written by the thread that has set ${active}, then by the
 * worker thread. */
static struct {
	_Atomic bool active;
	_Atomic int stage;
	_Atomic bool elsewhere;		/* another process measures that GPU */
	_Atomic uint64_t retry_ns;
	uint64_t wait_ns;
	_Atomic(CUcontext) handle;
	uint32_t context, device, ours;
	size_t config;
	bool process;			/* prepare only the process, no context */
	_Atomic uint64_t took_ns;	/* the longest set-up of a context so far */
} job;

/*
 * STAGE_PROCESS is inside CUPTI and ends by itself. STAGE_WAITING calls
 * cuCtxSynchronize, which may never return; it may be cancelled. STAGE_GOING_ON holds
 * the window inside CUPTI, and ends by itself.
 *
 * The thread that started the job waits for the stages that end by themselves: CUPTI's
 * libraries free their state when the program ends, and on an H200 they crashed when
 * another thread was inside them.
 */
enum { STAGE_PROCESS, STAGE_WAITING, STAGE_GOING_ON, STAGE_CANCELLED };

static _Thread_local uint64_t waited_until;

static bool
is_ready(const struct target *t)
{

	return t->p.object != NULL &&
	    t->p.config == &target_metrics()->config[job.config];
}

/* Call with the gate closed. */
static bool
is_idle(void)
{

	/* Work that other threads launched since ends within LAST_NS, unless it waits
	 * for a launch that the gate holds. */
	return gate_looks_idle(job.handle, job.device, LAST_NS) &&
	    gate_synchronize(job.handle) && !gate_polluted();
}

static bool
set_up_idle(void)
{
	struct target *t;
	CUcontext other;

	if (!is_idle())
		return false;
	t = target_make(job.handle, job.context, job.device);
	if (t == NULL || t->failed)
		return false;
	/* Even if counters are refused, instructions may be counted. */
	if (is_ready(t) || target_refusal() != SKIP_NONE)
		return true;
	other = target_in_the_way(t);
	return (other == NULL || (gate_looks_idle(other, job.device, 0) &&
	    gate_synchronize(other))) && target_enable(t, job.config) == 0;
}

/* Call with the window held. */
static bool
set_up_alone(void)
{
	uint64_t begin = inject_now(), took;
	bool done = false;

	atomic_store(&job.elsewhere, !gpu_lock_take(job.device));
	if (atomic_load(&job.elsewhere))
		return false;
	if (activity_pause()) {
		gate_setup(true);
		if (gate_close(job.device, job.ours))
			done = set_up_idle();
		gate_open();
		activity_resume();
	}
	gpu_lock_release(job.device);
	took = inject_now() - begin;
	if (done && took > atomic_load(&job.took_ns))
		atomic_store(&job.took_ns, took);
	return done;
}

/* The sender holds the window briefly now and then. */
static bool
take_window(void)
{
	int i;

	for (i = 0; i < WINDOW_TRIES; i++) {
		if (window_try())
			return true;
		nap(100000);
	}
	return false;
}

/* CUPTI prepares the process, but not while a thread loads code. */
static bool
prepare(uint32_t device)
{
	bool done;

	if (target_prepared())
		return target_prepare(device) == 0;
	done = gate_loads_stop() && target_prepare(device) == 0;
	gate_loads_go();
	return done;
}

/* Runs on the worker thread, because the program's work on the GPU may never end. */
static bool
set_up(void)
{
	int stage = STAGE_PROCESS;
	bool done;

	done = prepare(job.device);
	if (!atomic_compare_exchange_strong(&job.stage, &stage, STAGE_WAITING))
		return false;
	if (!done || job.process)
		return done;
	stage = STAGE_WAITING;
	if (!gate_synchronize(job.handle) || !take_window())
		return false;
	done = atomic_compare_exchange_strong(&job.stage, &stage,
	    STAGE_GOING_ON) && set_up_alone();
	window_release();
	return done;
}

static void
run(void *cookie)
{

	(void)cookie;
	if (set_up()) {
		job.wait_ns = 0;
	} else {
		job.wait_ns = job.wait_ns == 0 ? RETRY_NS : 2 * job.wait_ns;
		if (job.wait_ns > RETRY_MOST_NS)
			job.wait_ns = RETRY_MOST_NS;
	}
	atomic_store(&job.retry_ns, inject_now() + job.wait_ns);
	atomic_store(&job.active, false);
}

/* Expected duration of the next set-up; ${turn}: the context has another
 * configuration. */
static uint64_t
cost(bool turn)
{
	uint64_t took = atomic_load(&job.took_ns);

	return took > (turn ? TURN_NS : SETUP_NS) ? took :
	    turn ? TURN_NS : SETUP_NS;
}

uint64_t
prepare_when(const struct prepare_wish *w)
{

	return budget_when(cost(w->turn));
}

/* Starts the set-up on the worker thread; without ${w} only for the process. */
static bool
begin_job(const CUpti_CallbackData *d, uint32_t device,
    const struct prepare_wish *w)
{
	uint64_t now = inject_now();
	bool begun;

	if (now < atomic_load(&job.retry_ns) ||
	    (target_refusal() != SKIP_NONE &&
	    (target_metrics()->count == 0 || !target_counts_instructions())) ||
	    window_is_shut() || gate_loading() ||
	    !budget_allows(now, cost(w != NULL && w->turn)) ||
	    atomic_exchange(&job.active, true))
		return false;
	job.handle = d->context;
	job.context = d->contextUid;
	job.device = device;
	job.ours = w != NULL ? gate_ours() : 0;
	job.config = w != NULL ? w->config : 0;
	job.process = w == NULL;
	atomic_store(&job.stage, STAGE_PROCESS);
	worker_do(run, NULL, 0, &begun);
	if (!begun)
		atomic_store(&job.active, false);
	return begun;
}

/* Waits for the set-up; while it waits for an idle GPU, not longer than a hold may
 * last. */
static void
wait_for_job(uint64_t begin)
{

	while (atomic_load(&job.active) && nap_within(begin,
	    atomic_load(&job.stage) == STAGE_WAITING ? inject.max_stall_ns :
	    SETUP_WAIT_NS, 100000))
		continue;
	waited_until = inject_now();
	budget_spend(begin, OVERHEAD_SETUP);
	hold_add(HOLD_SETUP, waited_until - begin);
}

void
prepare_process(const CUpti_CallbackData *d, uint32_t device)
{
	uint64_t begin = inject_now();

	if (level_profiles(inject.level) && !target_prepared() &&
	    target_refusal() == SKIP_NONE &&
	    begin_job(d, device, NULL))
		wait_for_job(begin);
}

struct target *
prepare_target(const CUpti_CallbackData *d, struct signature *s,
    const struct prepare_wish *w, uint64_t begin)
{
	struct target *t;
	int stage = STAGE_WAITING;
	bool begun, vain = gate_waiter_runs(s->shape.device);

	s->beside = true;
	window_release();
	begun = !vain && begin_job(d, s->shape.device, w);
	if (begun) {
		wait_for_job(begin);
		/* This launch goes on: cancel the set-up if it still waits. */
		atomic_compare_exchange_strong(&job.stage, &stage,
		    STAGE_CANCELLED);
	}
	s->elsewhere = atomic_load(&job.elsewhere);
	if (!window_try())
		return NULL;
	/* Even without a profiler instructions can be counted. */
	t = target_find(d->contextUid);
	if (t == NULL) {
		window_release();
		return NULL;
	}
	s->beside = w->turn &&
	    t->p.config != &target_metrics()->config[w->config];
	t->turns += w->turn && begun;
	return t;
}

void
prepare_finish(void)
{
	uint64_t begin = inject_now();
	int stage = STAGE_WAITING;

	atomic_compare_exchange_strong(&job.stage, &stage, STAGE_CANCELLED);
	while (atomic_load(&job.active) && nap_within(begin,
	    atomic_load(&job.stage) == STAGE_CANCELLED ? ASKING_WAIT_NS :
	    SETUP_WAIT_NS, 500000))
		continue;
}

void
prepare_gone(CUcontext context)
{
	int process = STAGE_PROCESS, waiting = STAGE_WAITING;

	if (!atomic_load(&job.active) || job.handle != context)
		return;
	if (!atomic_compare_exchange_strong(&job.stage, &process,
	    STAGE_CANCELLED))
		atomic_compare_exchange_strong(&job.stage, &waiting,
		    STAGE_CANCELLED);
}

uint64_t
prepare_waited(uint64_t begin)
{

	return waited_until > begin ? waited_until : begin;
}
