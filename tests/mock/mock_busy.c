/* The driver's current activity, for those calls of CUPTI that would disturb it. */
#include <time.h>

#include "mock_internal.h"

int mock_capturing;
uint32_t mock_correlation = 1;

void
mock_wait_until(uint64_t ns)
{
	struct timespec t = { (time_t)(ns / 1000000000u),
	    (long)(ns % 1000000000u) };

	while (clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL) != 0)
		;
}

void
mock_captured(const char *function)
{

	if (__atomic_load_n(&mock_capturing, __ATOMIC_SEQ_CST) > 0)
		mock_say("captured", function);
}

void
mock_idle(struct mock_context *c, const char *function)
{
	uint64_t until;

	pthread_mutex_lock(&c->lock);
	until = c->kernels_until;
	pthread_mutex_unlock(&c->lock);
	mock_captured(function);
	mock_unloaded(function);
	if (until > mock_now()) {
		mock_say("busy", function);
		mock_wait_until(until);
	}
}

void
mock_alone(struct mock_context *c, const char *function)
{
	bool racing;

	pthread_mutex_lock(&c->lock);
	racing = c->launching > 0;
	pthread_mutex_unlock(&c->lock);
	if (racing)
		mock_say("racing", function);
	mock_idle(c, function);
}

void
mock_kernel_own(struct mock_context *c)
{
	CUpti_ActivityKernel10 r = {
	    .kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
	    .deviceId = c->device, .contextId = c->id,
	    .gridX = 1, .gridY = 1, .gridZ = 1,
	    .blockX = 1, .blockY = 1, .blockZ = 1,
	    .correlationId = __atomic_load_n(&mock_correlation,
	    __ATOMIC_RELAXED) - 1, .name = "WaitNs" };

	r.start = mock_now();
	r.end = r.completed = r.start + 1000;
	if (mock_kind_on(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL))
		mock_emit(&r, sizeof(r));
}
