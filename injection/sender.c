#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "activity.h"
#include "aside.h"
#include "call_site.h"
#include "callback.h"
#include "counters.h"
#include "emit.h"
#include "hold.h"
#include "inject.h"
#include "module.h"
#include "plan.h"
#include "range.h"
#include "sampling.h"
#include "seen.h"
#include "sender.h"
#include "silence.h"
#include "target.h"
#include "thread.h"
#include "transport.h"
#include "values.h"
#include "workers.h"

#define TICK_MS 50		/* between iterations */
#define MANAGED_TICK_MS 10
#define SEND_TICK_MS 5		/* while the socket is full: nothing wakes us when it
				 * has room */
#define FLUSH_SHARE 20		/* interval of flushes as a share of the run so far,
				 * which a killed program loses; */
#define FLUSH_LEAST_NS 20000000ull	/* at least this, */
#define FLUSH_MOST_NS 100000000ull	/* at most this. On an H200 one every 20, 100
					 * or 1,000 ms, or none, made no difference
					 * to a launch (+-0.1 us) or a PyTorch loop
					 * (+-5 %) */
#define MANAGED_FLUSH_NS 20000000ull	/* while managed memory migrates: an H200
					 * kept about 6,000 events between flushes, which
					 * faults made in 42 ms */
#define COMPLETE_NS 1000000000ull	/* longest time without a flush while buffers
					 * come back full; a flush delays launches */
#define CLOCK_NS 1000000000ull	/* between clock triples */
#define DECODE_NS 500000000ull	/* longest time to decode in one iteration */
#define MODULES_NS 1000000000ull	/* at exit, for cubins that are not sent yet */
#define ACK_WAIT_MS 1500	/* for the last acknowledgement */

static struct {
	_Atomic bool started;
	sem_t wake;		/* a semaphore, because the program cannot close it */
	_Atomic bool woken;
	_Atomic int finish;	/* enum wire_bye; 0: running */
	sem_t done;
} sender;

static void
emit_clock(void)
{
	struct record_CLOCK r;
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	r.mono_before_ns = (uint64_t)ts.tv_sec * 1000000000ull +
	    (uint64_t)ts.tv_nsec;
	r.real_ns = inject_now();
	clock_gettime(CLOCK_MONOTONIC, &ts);
	r.mono_after_ns = (uint64_t)ts.tv_sec * 1000000000ull +
	    (uint64_t)ts.tv_nsec;
	EMIT(CLOCK, &r);
}

/* Empties the queue of frames, which is bounded. */
static void
send_queue(int seal)
{

	transport_add(emit_take(seal));
	transport_pump();
}

static void
send_modules(void)
{
	uint64_t begin = inject_now();

	while (module_send() && inject_now() - begin < MODULES_NS)
		send_queue(1);
}

/* Decodes the buffers that CUPTI has returned. Returns their number. */
static unsigned
decode_all(void)
{
	uint64_t begin = inject_now();
	unsigned n, all = 0;

	while (inject_now() - begin < DECODE_NS &&
	    (n = activity_drain()) > 0) {
		all += n;
		send_queue(0);
	}
	return all;
}

static void
say_goodbye(enum wire_bye reason)
{
	struct record_BYE r = { .now_ns = inject_now(), .reason = reason };
	int i;

	values_finish();
	sampling_finish();
	/* Forced, since this is the last flush. Twice, since CUPTI may still be
	 * returning buffers of the first. */
	activity_flush(1);
	decode_all();
	for (i = 0; i < 3 && decode_all() > 0; i++)
		activity_flush(1);
	range_cut(inject_now());
	values_send(true);
	hold_send(true);
	send_modules();
	call_site_send(true);
	silence_end();
	callback_send_overhead();
	emit_losses(inject_now());
	emit_clock();
	r.records = emit_count() + 1;
	r.lost = emit_lost_total();
	EMIT(BYE, &r);
	transport_add(emit_take(1));
	transport_finish(ACK_WAIT_MS);
}

static struct timespec
mono_after(int ms)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	ts.tv_sec += ms / 1000;
	ts.tv_nsec += (long)(ms % 1000) * 1000000;
	if (ts.tv_nsec >= 1000000000) {
		ts.tv_sec++;
		ts.tv_nsec -= 1000000000;
	}
	return ts;
}

/* The interval between flushes. If the clock was set back it is the longest. */
static uint64_t
flush_every(uint64_t now)
{
	uint64_t share = (now - inject.begin_ns) / FLUSH_SHARE;

	if (activity_managed())
		return MANAGED_FLUSH_NS;
	return share < FLUSH_LEAST_NS ? FLUSH_LEAST_NS :
	    share > FLUSH_MOST_NS ? FLUSH_MOST_NS : share;
}

static void
sleep_until_work(uint64_t every)
{
	int tick = activity_managed() ? MANAGED_TICK_MS :
	    every < TICK_MS * 1000000ull ? (int)(every / 1000000) : TICK_MS;
	struct timespec until = mono_after(tick);

	if (transport_waits())
		transport_wait(SEND_TICK_MS);
	else
		sem_clockwait(&sender.wake, CLOCK_MONOTONIC, &until);
	while (sem_trywait(&sender.wake) == 0)
		continue;
	atomic_store(&sender.woken, false);
}

static void
look_for_others(void *lonely)
{

	*(bool *)lonely = thread_lonely();
}

/* Whether the program has ended with the last of its threads, as after pthread_exit in
 * main: a process ends with its last thread, and this one would keep it for ever. */
static bool
is_left(void)
{
	bool lonely = false;
	int running = 0;

	if (thread_first_ended())
		aside_do(look_for_others, &lonely);
	if (!lonely)
		return false;
	counters_close();
	return atomic_compare_exchange_strong(&sender.finish, &running,
	    (int)BYE_EXIT);
}

static void
look_for_workers(void *now)
{

	workers_look(*(uint64_t *)now);
}

static void *
sender_main(void *cookie)
{
	uint64_t now, every, flushed = 0, complete = 0, clocked = 0;
	bool left = false;
	int reason;

	(void)cookie;
	while ((reason = atomic_load(&sender.finish)) == 0) {
		now = inject_now();
		every = flush_every(now);
		/* Unsigned: if the clock was set back, this flushes at once. */
		if (now - flushed >= every && (activity_full() == 0 ||
		    now - complete >= COMPLETE_NS)) {
			activity_flush(0);
			complete = now;
		}
		if (now - flushed >= every)
			flushed = now;
		decode_all();
		counters_settle(false);
		values_send(false);
		hold_send(false);
		targets_idle(inject_now(), plan_done());
		sampling_drain();
		module_send();
		seen_start(call_site_seen);
		call_site_send(false);
		if (workers_due(now))
			aside_do(look_for_workers, &now);
		if (now - clocked >= CLOCK_NS) {
			emit_clock();
			emit_losses(now);
			if (!activity_waits())
				silence_look(now);
			clocked = now;
		}
		send_queue(1);
		if (!(left = is_left()))
			sleep_until_work(every);
	}
	say_goodbye((enum wire_bye)reason);
	atomic_store(&inject.state, INJECT_DONE);
	sem_post(&sender.done);
	if (left)	/* as the last thread does: the program's handlers run */
		exit(0);
	return NULL;
}

/* Without the aside.h thread the sender opens files itself, among the program's
 * descriptors. */
static void
start_aside(void)
{

	aside_init();
	if (thread_start("cudadvise-files", aside_main) == 0)
		aside_ready();
}

/* Called when there are buffers to decode. */
static void
wake(void)
{
	int saved = errno;

	if (sender.started && !atomic_exchange(&sender.woken, true))
		sem_post(&sender.wake);
	errno = saved;
}

int
sender_start(void)
{
	int error;

	sem_init(&sender.wake, 0, 0);
	sem_init(&sender.done, 0, 0);
	activity_wakes(wake);
	start_aside();
	transport_begin();
	if ((error = thread_start("cudadvise", sender_main)) == 0)
		sender.started = true;
	return error;
}

void
sender_finish(enum wire_bye reason, int wait_ms)
{
	struct timespec until = mono_after(wait_ms);

	if (!sender.started || atomic_exchange(&sender.finish, (int)reason))
		return;
	sem_post(&sender.wake);
	while (sem_clockwait(&sender.done, CLOCK_MONOTONIC, &until) != 0 &&
	    errno == EINTR)
		continue;
}

void
sender_fork_child(void)
{

	sender.started = false;
	aside_fork_child();
	transport_fork_child();
}
