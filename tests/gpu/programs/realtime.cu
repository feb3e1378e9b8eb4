/*
 * realtime: runs on one processor and, if permitted, with SCHED_FIFO, and so do
 * the threads started in it; waits for the GPU without sleeping. Prints how its
 * own threads are scheduled.
 */
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "check.h"

static void
say(const char *who)
{
	struct sched_param p = {};
	cpu_set_t set;
	int policy;

	if (pthread_getschedparam(pthread_self(), &policy, &p) ||
	    pthread_getaffinity_np(pthread_self(), sizeof(set), &set))
		exit(1);
	printf("%s: policy %d, priority %d, %d processor%s\n", who, policy,
	    p.sched_priority, CPU_COUNT(&set), CPU_COUNT(&set) > 1 ? "s" : "");
}

static void *
one_thread(void *out)
{
	say("thread");
	*(uint32_t *)out = work(0, 500);
	say("thread");
	return NULL;
}

int
main(void)
{
	struct sched_param p = {};
	pthread_t thread;
	cpu_set_t set, one;
	uint32_t h;
	int cpu = 0;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 1;
	while (cpu < CPU_SETSIZE - 1 && !CPU_ISSET(cpu, &set))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		return 1;
	p.sched_priority = 10;
	printf("SCHED_FIFO: %s\n", sched_setscheduler(0, SCHED_FIFO, &p) ?
	    "not permitted" : "permitted");
	need_gpu();
	CHECK(cudaSetDeviceFlags(cudaDeviceScheduleSpin));
	say("main");
	printf("%08x\n", work(0, 1000));
	if (pthread_create(&thread, NULL, one_thread, &h) ||
	    pthread_join(thread, NULL))
		return 1;
	printf("%08x\n", h);
	say("main");
	return 0;
}
