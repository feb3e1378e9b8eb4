/* The driver's lock, and the calls that hold it for long: they load or unload code. */
#include <stdatomic.h>
#include <time.h>

#include "mock_internal.h"

#define STUCK_NS 10000000u	/* a call that waits longer for the driver's lock */

static pthread_mutex_t driver = PTHREAD_MUTEX_INITIALIZER;
static _Atomic unsigned loads;		/* threads that load or unload */

void
mock_driver_lock(const char *function)
{
	uint64_t begin = mock_now();

	pthread_mutex_lock(&driver);
	if (function != NULL && mock_now() - begin > STUCK_NS)
		mock_say("stuck", function);
}

void
mock_driver_unlock(void)
{

	pthread_mutex_unlock(&driver);
}

/* The host may end a kernel early. */
static void
wait_kernels(struct mock_context *c)
{
	struct timespec t = { 0, 100000 };
	uint64_t until;

	for (;;) {
		pthread_mutex_lock(&c->lock);
		until = c->kernels_until;
		pthread_mutex_unlock(&c->lock);
		if (until <= mock_now())
			return;
		nanosleep(&t, NULL);
	}
}

void
mock_loads(struct mock_context *c, bool on)
{

	if (!on) {
		loads--;
		mock_driver_unlock();
		return;
	}
	mock_driver_lock(NULL);
	loads++;
	if (mock_env("MOCK_LOAD_WAITS", 0) != 0)
		wait_kernels(c);
}

void
mock_unloaded(const char *function)
{

	if (loads > 0)
		mock_say("loading", function);
}
