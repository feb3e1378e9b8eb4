#include <pthread.h>
#include <stddef.h>
#include <time.h>

#include "worker.h"
#include "relax.h"
#include "thread.h"

static struct {
	pthread_mutex_t lock;
	pthread_cond_t wake, done;
	bool started, failed;
	void (*action)(void *);		/* NULL: the worker is idle */
	void *argument;
	void (*begin)(void);		/* may be NULL */
} worker = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void *
run(void *cookie)
{
	void (*action)(void *);

	(void)cookie;
	if (worker.begin != NULL)
		worker.begin();
	relax_begin();
	pthread_mutex_lock(&worker.lock);
	for (;;) {
		while (worker.action == NULL)
			pthread_cond_wait(&worker.wake, &worker.lock);
		action = worker.action;
		pthread_mutex_unlock(&worker.lock);
		action(worker.argument);
		pthread_mutex_lock(&worker.lock);
		worker.action = NULL;
		pthread_cond_broadcast(&worker.done);
	}
	return NULL;
}

/* Starts the thread unless it was started. Call with the lock held. */
static bool
is_started(void)
{
	pthread_condattr_t monotonic;

	if (worker.started || worker.failed)
		return worker.started;
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&worker.wake, &monotonic);
	pthread_cond_init(&worker.done, &monotonic);
	pthread_condattr_destroy(&monotonic);
	worker.started = thread_start("cudadvise-work", run) == 0;
	worker.failed = !worker.started;
	return worker.started;
}

/* Call with the lock held. */
static bool
wait_until_done(uint64_t patience)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	patience += (uint64_t)until.tv_nsec;
	until.tv_sec += (time_t)(patience / 1000000000u);
	until.tv_nsec = (long)(patience % 1000000000u);
	while (worker.action != NULL)
		if (pthread_cond_timedwait(&worker.done, &worker.lock,
		    &until) != 0)
			break;
	return worker.action == NULL;
}

bool
worker_do(void (*action)(void *), void *argument, uint64_t patience,
    bool *begun)
{
	bool ours, done = false;

	pthread_mutex_lock(&worker.lock);
	ours = worker.action == NULL && is_started();
	if (ours) {
		worker.action = action;
		worker.argument = argument;
		pthread_cond_signal(&worker.wake);
		done = patience > 0 && wait_until_done(patience);
	}
	pthread_mutex_unlock(&worker.lock);
	if (begun != NULL)
		*begun = ours;
	return done;
}

void
worker_begins(void (*begin)(void))
{

	worker.begin = begin;
}

bool
worker_wait(uint64_t patience)
{
	bool idle;

	pthread_mutex_lock(&worker.lock);
	idle = !worker.started || wait_until_done(patience);
	pthread_mutex_unlock(&worker.lock);
	return idle;
}

void
worker_fork_child(void)
{

	pthread_mutex_init(&worker.lock, NULL);
	worker.started = false;
	worker.failed = true;
	worker.action = NULL;
}
