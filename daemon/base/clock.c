#include "base/clock.h"

uint64_t
clock_at(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t
clock_mono(void)
{
	return clock_at(CLOCK_MONOTONIC);
}

uint64_t
clock_real(void)
{
	return clock_at(CLOCK_REALTIME);
}
