#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "budget.h"
#include "emit.h"
#include "gate.h"
#include "hold.h"
#include "inject.h"
#include "nap.h"
#include "worker.h"

#define DEVICES 16
#define STREAMS 256			/* that launched in this process, at most */
#define OTHER_WAIT_NS 20000000ull	/* at most, by another thread's launch, while
					 * the window's kernel runs */
#define ACTION_WAIT_NS 2000000000ull	/* while a profiler is turned on or off with
					 * the GPU idle, which ends by itself: 0.3 s
					 * at most as measured on an H200. From the
					 * begin of that: if it takes longer, not
					 * every launch waits so long */
#define GATE_WAIT_NS 2000000ull		/* for launches under way to return */
#define LEAST_NS 10000ull		/* shorter waits are not charged */
#define SPIN_NS 200000ull		/* poll without sleeping for short kernels */
#define ASKED_WAIT_NS 20000000ull	/* for one query of the driver, where the driver may
					 * hold a lock */
#define ANSWER_WAIT_NS 2000000000ull	/* for the same elsewhere: a query waits for a lock
					 * that loading code may hold */
#define SYNC_NS 1000000ull		/* for cuCtxSynchronize on an idle context */
#define VAIN_NS 500000000ull	/* limit of the time waited in vain for an idle GPU,
				 * summed over successive holds: work that was queued
				 * at the first has ended by then */
#define REST_TIMES 20		/* then only poll, for so many times as long: waiting
				 * takes a 20th of the run */

static struct {
	_Atomic uint32_t closed;	/* device + 1; 0 open */
	_Atomic uint64_t shut_ns;	/* when it was closed, or loads were stopped */
	_Atomic bool setup;
	_Atomic bool given_up;
	_Atomic bool polluted;
	_Atomic bool untraced;		/* launches leave no activity record */
	_Atomic uint64_t running_ns;	/* when the window's kernel began; 0: it does
					 * not run */
	_Atomic uint32_t launching[DEVICES];	/* calls between their enter and exit
						 * callbacks */
	_Atomic uint32_t loading;	/* calls under way that load or unload code */
	_Atomic uint64_t load_ns;	/* when the latest of them began */
	_Atomic bool loads_stopped;
	_Atomic uint64_t loads_until_ns;
	_Atomic uint32_t made;		/* streams created */
	_Atomic bool shared;
	uint64_t vain_ns;	/* time waited since the GPU was last found idle */
	uint64_t rest_ns;		/* until then gate_drain only polls */
} gate;

static struct {
	pthread_mutex_t lock;
	uintptr_t captured[STREAMS];	/* values of gate_key; 0: free */
	struct launched {
		CUstream stream;
		uint32_t device;
		bool waiter;	/* a kernel that waits for the host may run */
	} launched[STREAMS];
	unsigned launches;
	bool more;		/* the table is full: other streams launched, too */
	_Atomic unsigned capturing;
	_Atomic(CUstream) asked;	/* cuStreamQuery is being called for this
					 * stream */
	_Atomic bool asking;		/* by the holder of the window */
	_Atomic(CUcontext) synchronizing;	/* cuCtxSynchronize is being called
						 * for this context; NULL: none */
} streams = { .lock = PTHREAD_MUTEX_INITIALIZER };

static _Thread_local struct {
	uint32_t launching, device;
	uint32_t loading;
} here;

static bool
is_closed(uint32_t device)
{
	uint32_t closed = atomic_load(&gate.closed);

	return closed != 0 && (closed == GATE_ALL || closed == device + 1);
}

/*
 * Whether a launch has waited long enough at the gate. A window lasts 1 to 50 ms,
 * turning a profiler on or off up to 0.3 s: waiting that long keeps this launch traced
 * and the window unpolluted. Once the window's kernel runs, the wait is short: that
 * kernel may wait for this launch.
 */
static bool
waited_enough(uint64_t begin)
{
	uint64_t now = inject_now(), running = atomic_load(&gate.running_ns);

	if (atomic_load(&gate.given_up) || now - begin >= ACTION_WAIT_NS ||
	    now - atomic_load(&gate.shut_ns) >= ACTION_WAIT_NS)
		return true;
	if (running > begin)
		begin = running;
	return running != 0 && now > begin && now - begin >= OTHER_WAIT_NS;
}

/* Charge a wait at the gate that began at ${begin}: until ${setup_ns} (0: none) to
 * set-up, the rest to measuring. */
static void
charge_wait(uint64_t begin, uint64_t setup_ns)
{
	uint64_t now = inject_now();

	if (now - begin < LEAST_NS)
		return;
	if (setup_ns > begin) {
		budget_charge(begin, setup_ns, OVERHEAD_SETUP);
		hold_add(HOLD_SETUP, setup_ns - begin);
		begin = setup_ns;
	}
	if (now - begin < LEAST_NS)
		return;
	budget_charge(begin, now, OVERHEAD_WAIT);
	hold_add(HOLD_MEASURE, now - begin);
}

INJECT_HOT bool
gate_launch_begin(uint32_t device)
{
	uint64_t begin = 0, setup_ns = 0;
	bool capturing;

	device %= DEVICES;
	here.launching++;
	here.device = device;
	for (;;) {
		atomic_fetch_add(&gate.launching[device], 1);
		if (!is_closed(device)) {
			if (begin != 0)
				charge_wait(begin, setup_ns);
			return gate_capturing();
		}
		if (atomic_load(&gate.setup))
			setup_ns = inject_now();
		if (begin == 0)
			begin = inject_now();
		if (waited_enough(begin))
			break;
		atomic_fetch_sub(&gate.launching[device], 1);
		nap(50000);
	}
	charge_wait(begin, setup_ns);
	capturing = gate_capturing();
	if (!is_closed(device))
		return capturing;
	atomic_store(&gate.polluted, true);
	/* Nobody expects a record of it (silence.h), as it may be part of the capture. */
	if (atomic_load(&gate.untraced) && capturing)
		emit_lost(LOSS_CUPTI, 1);
	return capturing;
}

INJECT_HOT void
gate_launch_end(void)
{

	/* An exit callback without its enter: the call began before the callbacks were
	 * enabled. */
	if (here.launching == 0)
		return;
	here.launching--;
	atomic_fetch_sub(&gate.launching[here.device], 1);
}

uint32_t
gate_ours(void)
{

	return here.launching;
}

static uint32_t
under_way(uint32_t device)
{
	uint32_t i, n = 0;

	if (device != GATE_ALL)
		return atomic_load(&gate.launching[device % DEVICES]);
	for (i = 0; i < DEVICES; i++)
		n += atomic_load(&gate.launching[i]);
	return n;
}

/*
 * Calls that passed the gate before it was closed have to return before tracing is
 * turned off; otherwise their kernels would be neither traced nor counted as lost.
 */
static bool
wait_under_way(uint32_t device, uint32_t ours)
{
	uint64_t begin = inject_now();

	/* A load may take seconds, and each is waited for once only. Those that come
	 * now wait. */
	while (gate_loading())
		if (!nap_within(atomic_load(&gate.load_ns), GATE_WAIT_NS,
		    5000))
			return false;
	while (under_way(device) > ours)
		if (!nap_within(begin, GATE_WAIT_NS, 5000))
			return false;
	return !gate_capturing() && !gate_loading();
}

bool
gate_close(uint32_t device, uint32_t ours)
{

	atomic_store(&gate.polluted, false);
	atomic_store(&gate.given_up, false);
	atomic_store(&gate.shut_ns, inject_now());
	atomic_store(&gate.closed, device == GATE_ALL ? GATE_ALL :
	    device % DEVICES + 1);
	return wait_under_way(device, ours);
}

bool
gate_widen(uint32_t ours)
{

	atomic_store(&gate.closed, GATE_ALL);
	return wait_under_way(GATE_ALL, ours);
}

bool
gate_recheck(uint32_t ours)
{

	atomic_store(&gate.shut_ns, inject_now());
	atomic_store(&gate.running_ns, 0);
	atomic_store(&gate.given_up, false);
	return wait_under_way(GATE_ALL, ours);
}

void
gate_open(void)
{

	atomic_store(&gate.running_ns, 0);
	atomic_store(&gate.closed, 0);
	atomic_store(&gate.given_up, false);
	atomic_store(&gate.setup, false);
}

void
gate_setup(bool on)
{

	atomic_store(&gate.setup, on);
}

void
gate_running(bool on)
{

	atomic_store(&gate.running_ns, on ? inject_now() : 0);
}

void
gate_traced(bool on)
{

	atomic_store(&gate.untraced, !on);
}

void
gate_give_up(void)
{

	atomic_store(&gate.given_up, true);
}

bool
gate_polluted(void)
{

	return atomic_load(&gate.polluted);
}

void
gate_stream(CUstream stream, uint32_t device)
{
	struct launched *l;
	unsigned i;

	/* This handle means another stream in each thread: they cannot be told apart
	 * here. */
	if (stream == CU_STREAM_PER_THREAD) {
		gate_shared();
		return;
	}
	pthread_mutex_lock(&streams.lock);
	for (i = 0; i < streams.launches; i++) {
		l = &streams.launched[i];
		if (l->stream == stream && l->device == device)
			break;
	}
	if (i == STREAMS)
		streams.more = true;
	else if (i == streams.launches)
		streams.launched[streams.launches++] =
		    (struct launched){ stream, device, false };
	if (streams.launches > 1)
		gate_shared();
	pthread_mutex_unlock(&streams.lock);
}

void
gate_shared(void)
{

	atomic_store_explicit(&gate.shared, true, memory_order_relaxed);
}

bool
gate_is_shared(void)
{

	return atomic_load_explicit(&gate.shared, memory_order_relaxed);
}

void
gate_stream_made(bool blocking)
{

	if (atomic_fetch_add(&gate.made, 1) > 0 || !blocking)
		gate_shared();
}

/* Handles are addresses of driver objects: aligned, and never as small as these
 * values. */
uintptr_t
gate_key(CUstream stream, bool per_thread)
{

	if (stream == CU_STREAM_PER_THREAD || (stream == NULL && per_thread))
		return (uintptr_t)inject_tid() << 4 | 2;
	if (stream == NULL || stream == CU_STREAM_LEGACY)
		return 1;
	return (uintptr_t)stream;
}

/* A capture that begins waits at the gate: a profiler must not be turned on or off
 * inside a capture. */
static void
let_pass(void)
{
	uint64_t begin = inject_now(), setup_ns = 0;

	while (atomic_load(&gate.closed) != 0 && !waited_enough(begin)) {
		if (atomic_load(&gate.setup))
			setup_ns = inject_now();
		nap(50000);
	}
	charge_wait(begin, setup_ns);
}

/* is_busy looks for captures and loads first and calls the driver then: wait until its
 * call has returned. For cuCtxSynchronize wait only briefly: both may begin while it
 * runs. */
static void
wait_asked(void)
{
	uint64_t begin = inject_now();

	while (nap_within(begin, atomic_load(&streams.asking) ? ASKED_WAIT_NS :
	    atomic_load(&streams.synchronizing) != NULL ? SYNC_NS : 0, 20000))
		continue;
	charge_wait(begin, 0);
}

/* Whether a load that waits since ${begin} (0: it has not waited) still has to. */
static bool
load_waits(uint64_t begin)
{
	uint64_t until = atomic_load(&gate.loads_until_ns), now = inject_now();

	/* It is no further away than a hold may last, unless the clock was set back. */
	if (now < until && until - now <= inject.max_stall_ns)
		return true;
	return (atomic_load(&gate.closed) != 0 ||
	    atomic_load(&gate.loads_stopped)) &&
	    (begin == 0 || !waited_enough(begin));
}

void
gate_load_begin(void)
{
	uint64_t begin = 0, setup_ns = 0;

	here.loading++;
	for (;;) {
		atomic_fetch_add(&gate.loading, 1);
		if (!load_waits(begin))
			break;
		atomic_fetch_sub(&gate.loading, 1);
		if (atomic_load(&gate.setup))
			setup_ns = inject_now();
		if (begin == 0)
			begin = inject_now();
		nap(50000);
	}
	atomic_store(&gate.load_ns, inject_now());
	if (begin != 0)
		charge_wait(begin, setup_ns);
	wait_asked();
}

void
gate_load_end(void)
{

	/* As in gate_launch_end. */
	if (here.loading == 0)
		return;
	here.loading--;
	atomic_fetch_sub(&gate.loading, 1);
}

bool
gate_loading(void)
{

	return atomic_load(&gate.loading) > 0;
}

bool
gate_loads_stop(void)
{

	atomic_store(&gate.setup, true);
	atomic_store(&gate.shut_ns, inject_now());
	atomic_store(&gate.loads_stopped, true);
	return !gate_loading();
}

void
gate_loads_until(uint64_t ns)
{

	atomic_store(&gate.loads_until_ns, ns);
}

void
gate_loads_go(void)
{

	atomic_store(&gate.loads_stopped, false);
	atomic_store(&gate.setup, false);
}

void
gate_capture(uintptr_t stream, bool on)
{
	unsigned i, n = 0;
	bool found = false;

	pthread_mutex_lock(&streams.lock);
	for (i = 0; i < STREAMS && !found; i++)
		if (streams.captured[i] == (on ? 0 : stream)) {
			streams.captured[i] = on ? stream : 0;
			found = true;
		}
	for (i = 0; i < STREAMS; i++)
		n += streams.captured[i] != 0;
	atomic_store(&streams.capturing, n);
	pthread_mutex_unlock(&streams.lock);
	if (on) {
		wait_asked();
		let_pass();
	}
}

INJECT_HOT bool
gate_capturing(void)
{

	return atomic_load(&streams.capturing) > 0;
}

/* Waits until cuStreamQuery of ${stream}, which the program is about to destroy, has
 * returned: it would go on with a stream that is not there any more. */
static void
wait_answer(CUstream stream, uint64_t patience)
{
	uint64_t begin = inject_now();

	while (atomic_load(&streams.asking) &&
	    atomic_load(&streams.asked) == stream &&
	    nap_within(begin, patience, 20000))
		continue;
	charge_wait(begin, 0);
}

static void
forget_stream(CUstream stream, uint64_t patience)
{
	unsigned i;

	pthread_mutex_lock(&streams.lock);
	for (i = 0; i < streams.launches; i++)
		if (streams.launched[i].stream == stream) {
			streams.launched[i] =
			    streams.launched[--streams.launches];
			break;
		}
	pthread_mutex_unlock(&streams.lock);
	wait_answer(stream, patience);
}

void
gate_stream_ends(CUstream stream)
{

	/* These cannot be destroyed. */
	if (stream != NULL && stream != CU_STREAM_LEGACY &&
	    stream != CU_STREAM_PER_THREAD)
		forget_stream(stream, ANSWER_WAIT_NS);
}

void
gate_stream_gone(CUstream stream)
{

	gate_capture(gate_key(stream, false), false);
	forget_stream(stream, ASKED_WAIT_NS);
}

void
gate_context_gone(CUcontext context, uint64_t patience)
{
	uint64_t begin = inject_now();

	pthread_mutex_lock(&streams.lock);
	streams.launches = 0;
	streams.more = false;
	pthread_mutex_unlock(&streams.lock);
	while (atomic_load(&streams.synchronizing) == context &&
	    nap_within(begin, patience, 100000))
		continue;
}

/* Whether the driver may be asked about ${stream}: it has launched and is not destroyed.
 * If other streams launched than the table has, nothing is known of one that is not in
 * it: then only ${ours} may be asked about, the stream of this thread's launch. Call
 * with the lock held. */
static bool
is_there(CUstream stream, bool ours)
{
	unsigned i;

	if (stream == CU_STREAM_PER_THREAD || (ours && streams.more))
		return true;
	for (i = 0; i < streams.launches; i++)
		if (streams.launched[i].stream == stream)
			return true;
	return false;
}

/* Whether ${stream} has unfinished work, or that cannot be told; false if it was
 * destroyed. */
static bool
is_busy(CUstream stream, bool ours)
{
	bool known, busy;

	if (inject.api.cuStreamQuery == NULL)
		return false;
	pthread_mutex_lock(&streams.lock);
	known = is_there(stream, ours);
	atomic_store(&streams.asked, stream);
	atomic_store(&streams.asking, known);
	pthread_mutex_unlock(&streams.lock);
	busy = known && (gate_capturing() || gate_loading() ||
	    inject.api.cuStreamQuery(stream) == CUDA_ERROR_NOT_READY);
	atomic_store(&streams.asking, false);
	return busy;
}

static bool
wait_stream(CUstream stream, bool ours, uint64_t patience)
{
	uint64_t begin = inject_now();

	for (;;) {
		/* A query could invalidate a capture. */
		if (gate_capturing())
			return false;
		if (!is_busy(stream, ours))
			return true;
		if (!nap_within(begin, patience,
		    inject_now() - begin > SPIN_NS ? 10000 : 0))
			return false;
	}
}

bool
gate_wait_stream(CUstream stream, uint64_t patience)
{

	return wait_stream(stream, true, patience);
}

bool
gate_synchronize(CUcontext context)
{
	CUcontext before;
	CUresult r;

	if (inject.api.cuCtxSynchronize == NULL ||
	    inject.api.cuCtxPushCurrent == NULL ||
	    inject.api.cuCtxPopCurrent == NULL)
		return false;
	atomic_store(&streams.synchronizing, context);
	r = inject.api.cuCtxPushCurrent(context);
	if (r == CUDA_SUCCESS) {
		r = gate_capturing() || gate_loading() ? CUDA_ERROR_NOT_READY :
		    inject.api.cuCtxSynchronize();
		inject.api.cuCtxPopCurrent(&before);
	}
	atomic_store(&streams.synchronizing, NULL);
	return r == CUDA_SUCCESS;
}

/* Argument and result of synchronize(), which runs on the worker thread. Guarded by the
 * window. */
static struct {
	CUcontext context;
	bool idle;
} question;

static void
synchronize(void *cookie)
{

	(void)cookie;
	question.idle = gate_synchronize(question.context);
}

/* Marks ${stream} in the table. */
static void
set_waiter(CUstream stream, uint32_t device, bool on)
{
	unsigned i;

	pthread_mutex_lock(&streams.lock);
	for (i = 0; i < streams.launches; i++)
		if (streams.launched[i].stream == stream &&
		    streams.launched[i].device == device)
			streams.launched[i].waiter = on;
	pthread_mutex_unlock(&streams.lock);
}

void
gate_waiter(CUstream stream, uint32_t device)
{

	gate_stream(stream, device);
	set_waiter(stream, device, true);
}

/* Copies the table of streams. */
static unsigned
copy_launched(struct launched *copy)
{
	unsigned n;

	pthread_mutex_lock(&streams.lock);
	n = streams.launches;
	memcpy(copy, streams.launched, n * sizeof(*copy));
	pthread_mutex_unlock(&streams.lock);
	return n;
}

bool
gate_waiter_runs(uint32_t device)
{
	struct launched copy[STREAMS];
	unsigned i, n = copy_launched(copy);

	for (i = 0; i < n; i++) {
		if (!copy[i].waiter || copy[i].device != device)
			continue;
		if (is_busy(copy[i].stream, false))
			return true;
		set_waiter(copy[i].stream, device, false);
	}
	return false;
}

static bool
all_ended(uint32_t device, uint64_t patience)
{
	struct launched copy[STREAMS];
	uint64_t begin = inject_now(), used;
	unsigned i, n;

	if (gate_loading() || gate_waiter_runs(device))
		return false;
	n = copy_launched(copy);
	for (i = 0; i < n; i++) {
		if (copy[i].device != device)
			continue;
		used = inject_now() - begin;
		if (!wait_stream(copy[i].stream, false, used < patience ?
		    patience - used : 0))
			return false;
	}
	return true;
}

/* Queries the streams that launched one by one: this is cheap and finds most work. The
 * default stream belongs to the current context, and threads of the library have
 * none. */
bool
gate_looks_idle(CUcontext context, uint32_t device, uint64_t patience)
{
	CUcontext before;
	bool ended;

	if (inject.api.cuCtxPushCurrent == NULL ||
	    inject.api.cuCtxPopCurrent == NULL ||
	    inject.api.cuCtxPushCurrent(context) != CUDA_SUCCESS)
		return false;
	ended = all_ended(device, patience);
	inject.api.cuCtxPopCurrent(&before);
	return ended;
}

/* Only the driver knows of other work: copies, host functions, streams of libraries.
 * cuCtxSynchronize runs on the worker thread, because it may never return. */
static bool
context_ended(CUcontext context, uint64_t patience)
{

	/* The last cuCtxSynchronize may still be running. */
	if (!worker_wait(0))
		return false;
	question.context = context;
	question.idle = false;
	return worker_do(synchronize, NULL, patience > SYNC_NS ? patience :
	    SYNC_NS, NULL) && question.idle;
}

bool
gate_drain(CUcontext context, uint32_t device, uint64_t patience)
{
	uint64_t begin = inject_now(), used;

	if (begin < gate.rest_ns)
		patience = 0;
	if (gate_looks_idle(context, device, patience)) {
		used = inject_now() - begin;
		if (context_ended(context, used < patience ? patience - used :
		    0)) {
			gate.vain_ns = 0;
			return !gate_capturing();
		}
	}
	if (patience == 0)
		return false;
	gate.vain_ns += inject_now() - begin;
	if (gate.vain_ns > VAIN_NS) {
		gate.rest_ns = inject_now() + REST_TIMES * gate.vain_ns;
		gate.vain_ns = 0;
	}
	return false;
}
