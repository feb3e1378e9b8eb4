#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "emit.h"
#include "gate.h"
#include "inject.h"

#define STREAMS 256			/* that launched, per process */
#define IDLE_WAIT_NS 2000000000ull	/* for the GPU to drain, at most */
#define LOOKS 4096			/* at a GPU that is never idle */
#define OTHER_WAIT_NS 20000000ull	/* of another thread's launch, while the
					 * window's kernel runs */
#define SETUP_WAIT_NS 1000000000ull	/* and before and after */
#define GATE_WAIT_NS 2000000ull		/* for launches under way to return */
#define TRIAL_WAIT_NS 200000000ull	/* for a kernel, where another one waited */
#define SPIN_NS 200000ull		/* short kernels are waited for awake */
#define ASKED_WAIT_NS 20000000ull	/* for one question to the driver */

static struct {
	_Atomic bool closed;
	_Atomic bool given_up;
	_Atomic bool polluted;
	_Atomic bool untraced;		/* launches leave no record */
	_Atomic uint64_t running_ns;	/* since when its kernel runs; 0 */
	_Atomic uint32_t launching;	/* calls between enter and exit */
	_Atomic uint32_t made;		/* streams */
	_Atomic bool shared;
	_Atomic bool awaited;		/* a kernel waits for what comes later */
	_Atomic uint32_t looks;		/* then: the GPU was not idle */
} gate;

static struct {
	pthread_mutex_t lock;
	CUstream captured[STREAMS];
	CUstream launched[STREAMS];
	unsigned launches;
	bool more;			/* others launched, too */
	_Atomic unsigned capturing;
	_Atomic(CUstream) asked;	/* the driver is asked about it, */
	_Atomic bool asking;		/* by the holder of the window */
} streams = { .lock = PTHREAD_MUTEX_INITIALIZER };

static _Thread_local uint32_t launching_here;

/*
 * A window lasts 1 to 50 ms, the first one longer: let it pass, so that this
 * launch is traced and that one counted alone. But not for long once its kernel
 * runs: it may wait for us.
 */
static bool
waited_enough(uint64_t begin)
{
	uint64_t now = inject_now(), running = atomic_load(&gate.running_ns);

	if (atomic_load(&gate.given_up) || now - begin >= SETUP_WAIT_NS)
		return (true);
	if (running > begin)
		begin = running;
	return (running != 0 && now > begin && now - begin >= OTHER_WAIT_NS);
}

void
gate_launch_begin(void)
{
	struct timespec nap = { 0, 50000 };
	uint64_t begin = 0;

	launching_here++;
	for (;;) {
		atomic_fetch_add(&gate.launching, 1);
		if (!atomic_load(&gate.closed))
			return;
		if (begin == 0)
			begin = inject_now();
		if (waited_enough(begin))
			break;
		atomic_fetch_sub(&gate.launching, 1);
		nanosleep(&nap, NULL);
	}
	if (atomic_load(&gate.closed)) {
		atomic_store(&gate.polluted, true);
		if (atomic_load(&gate.untraced))
			emit_lost(LOSS_CUPTI, 1);
	}
}

void
gate_launch_end(void)
{

	/* An exit without its enter: the call was under way when we came. */
	if (launching_here == 0)
		return;
	launching_here--;
	atomic_fetch_sub(&gate.launching, 1);
}

/*
 * Who was past the gate already has to be back and the GPU empty again before
 * tracing may stop, or their kernels would be neither traced nor counted as
 * lost.
 */
bool
gate_close(void)
{
	struct timespec nap = { 0, 5000 };
	uint64_t begin = inject_now();

	if (gate_never_idle())
		return (false);
	atomic_store(&gate.polluted, false);
	atomic_store(&gate.given_up, false);
	atomic_store(&gate.closed, true);
	while (atomic_load(&gate.launching) > launching_here) {
		if (inject_now() - begin > GATE_WAIT_NS)
			return (false);
		nanosleep(&nap, NULL);
	}
	return (gate_wait_idle());
}

void
gate_open(void)
{

	atomic_store(&gate.running_ns, 0);
	atomic_store(&gate.closed, false);
	atomic_store(&gate.given_up, false);
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

	atomic_store(&gate.polluted, true);
	atomic_store(&gate.given_up, true);
}

bool
gate_polluted(void)
{

	return (atomic_load(&gate.polluted));
}

void
gate_stream(CUstream stream)
{
	unsigned i;

	pthread_mutex_lock(&streams.lock);
	for (i = 0; i < streams.launches; i++)
		if (streams.launched[i] == stream)
			break;
	if (i == STREAMS)
		streams.more = true;
	else if (i == streams.launches)
		streams.launched[streams.launches++] = stream;
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

	return (atomic_load_explicit(&gate.shared, memory_order_relaxed));
}

void
gate_awaited(void)
{

	atomic_store(&gate.awaited, true);
}

bool
gate_is_awaited(void)
{

	return (atomic_load(&gate.awaited));
}

void
gate_blocked(void)
{

	gate_awaited();
	atomic_store(&gate.looks, LOOKS);
}

void
gate_stream_made(bool blocking)
{

	if (atomic_fetch_add(&gate.made, 1) > 0 || !blocking)
		gate_shared();
}

void
gate_capture(CUstream stream, bool on)
{
	unsigned i, n = 0;
	bool found = false;

	pthread_mutex_lock(&streams.lock);
	for (i = 0; i < STREAMS && !found; i++)
		if (streams.captured[i] == (on ? NULL : stream)) {
			streams.captured[i] = on ? stream : NULL;
			found = true;
		}
	for (i = 0; i < STREAMS; i++)
		n += streams.captured[i] != NULL;
	atomic_store(&streams.capturing, n);
	pthread_mutex_unlock(&streams.lock);
}

bool
gate_capturing(void)
{

	return (atomic_load(&streams.capturing) > 0);
}

/* The driver may be inside a question about ${stream}, which the program is
 * about to destroy: it has come back before that goes on. */
static void
wait_answer(CUstream stream)
{
	struct timespec nap = { 0, 20000 };
	uint64_t begin = inject_now();

	while (atomic_load(&streams.asking) &&
	    atomic_load(&streams.asked) == stream &&
	    inject_now() - begin < ASKED_WAIT_NS)
		nanosleep(&nap, NULL);
}

void
gate_stream_gone(CUstream stream)
{
	unsigned i;

	gate_capture(stream, false);
	pthread_mutex_lock(&streams.lock);
	for (i = 0; i < streams.launches; i++)
		if (streams.launched[i] == stream) {
			streams.launched[i] =
			    streams.launched[--streams.launches];
			break;
		}
	pthread_mutex_unlock(&streams.lock);
	wait_answer(stream);
}

void
gate_context_gone(void)
{

	pthread_mutex_lock(&streams.lock);
	streams.launches = 0;
	streams.more = false;
	pthread_mutex_unlock(&streams.lock);
}

bool
gate_busy(CUstream stream)
{
	bool known, busy;
	unsigned i;

	pthread_mutex_lock(&streams.lock);
	known = streams.more;
	for (i = 0; i < streams.launches && !known; i++)
		known = streams.launched[i] == stream;
	atomic_store(&streams.asked, stream);
	atomic_store(&streams.asking, known);
	pthread_mutex_unlock(&streams.lock);
	busy = known &&
	    inject.api.cuStreamQuery(stream) == CUDA_ERROR_NOT_READY;
	atomic_store(&streams.asking, false);
	return (busy);
}

static bool
wait_stream(CUstream stream, uint64_t begin, uint64_t patience)
{
	struct timespec nap = { 0, 10000 };

	for (;;) {
		/* A query could invalidate a capture that began meanwhile. */
		if (gate_capturing())
			return (false);
		if (!gate_busy(stream))
			return (true);
		if (inject_now() - begin >= patience)
			return (false);
		if (inject_now() - begin > SPIN_NS)
			nanosleep(&nap, NULL);
	}
}

bool
gate_wait_idle(void)
{
	CUstream copy[STREAMS];
	bool awaited = gate_is_awaited();
	uint64_t begin = inject_now();
	unsigned i, n;

	if (inject.api.cuStreamQuery == NULL)
		return (true);
	pthread_mutex_lock(&streams.lock);
	n = streams.launches;
	memcpy(copy, streams.launched, n * sizeof(*copy));
	pthread_mutex_unlock(&streams.lock);
	for (i = 0; i < n; i++)
		if (!wait_stream(copy[i], begin, awaited ? 0 : IDLE_WAIT_NS)) {
			if (awaited)
				atomic_fetch_add(&gate.looks, 1);
			else if (!gate_capturing())
				gate_awaited();
			return (false);
		}
	return (true);
}

bool
gate_never_idle(void)
{

	return (atomic_load(&gate.looks) >= LOOKS);
}

static bool
wait_own(CUstream stream, uint64_t patience)
{

	if (inject.api.cuStreamQuery == NULL)
		return (true);
	/* It is there: a call on it is under way. Another thread's context may
	 * have taken all streams with it. */
	gate_stream(stream);
	return (wait_stream(stream, inject_now(), patience));
}

bool
gate_wait_stream(CUstream stream)
{

	return (wait_own(stream, IDLE_WAIT_NS));
}

bool
gate_wait_trial(CUstream stream)
{

	return (wait_own(stream, gate_is_awaited() ? TRIAL_WAIT_NS :
	    IDLE_WAIT_NS));
}
