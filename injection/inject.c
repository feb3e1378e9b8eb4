#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "inject.h"

struct inject inject;

INJECT_HOT uint64_t
inject_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ull + (uint64_t)ts.tv_nsec;
}

INJECT_HOT uint32_t
inject_tid(void)
{
	static _Thread_local uint32_t tid;

	if (tid == 0)
		tid = (uint32_t)syscall(SYS_gettid);
	return tid;
}
