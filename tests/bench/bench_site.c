/*
 * bench_site.c: what call stacks cost the program: a call after the last stack
 * was taken, asking whether the host was away, and taking a stack, by its depth. With
 * Python frames: bench_site.py. Looks from outside: bench_look.py.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "unit/site_host.h"
#include "wire/record.h"

#define CALLS 100000000ul

static volatile int sink;

static uint64_t
now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ull + (uint64_t)ts.tv_nsec;
}

static __attribute__((noinline, noclone)) void
deep(struct signature *s, unsigned depth)
{
	if (depth == 0)
		host_launch(s);
	else
		deep(s, depth - 1);
	sink++;
}

static void
stacks(unsigned depth)
{
	static uint32_t id;
	uint64_t begin = host_cost();
	unsigned i, n = 100;

	for (i = 0; i < n; i++) {
		struct signature *s = host_signature(++id);

		deep(s, depth);
		deep(s, depth);
	}
	printf("stack of %2u frames  %8.2f us\n", depth,
	    (double)(host_cost() - begin) / (2.0 * n) / 1e3);
}

int
main(void)
{
	unsigned long i;
	uint64_t begin;

	host_begin(LEVEL_COUNTERS);
	stacks(5);
	stacks(10);
	stacks(20);
	stacks(40);
	stacks(60);
	for (i = 0; host_next(CALL_MEMCPY) != UINT64_MAX && i < CALLS; i++)
		host_call(CALL_MEMCPY);
	printf("calls until looking ends  %lu, %.1f us in all\n", i,
	    (double)host_cost() / 1e3);
	begin = now();
	for (i = 0; i < CALLS; i++)
		host_call(CALL_MEMCPY);
	printf("call after that  %8.2f ns\n",
	    (double)(now() - begin) / (double)CALLS);
	begin = now();
	for (i = 0; i < CALLS; i++)	/* a call each 2 us */
		host_back(CALL_MEMCPY, NULL, 2000 * (i + 1));
	printf("was the host away?  %5.2f ns\n",
	    (double)(now() - begin) / (double)CALLS);
	return 0;
}
