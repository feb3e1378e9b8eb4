#include <stdatomic.h>

#include "callers.h"

#define CALLERS 1024		/* a power of two */
#define PROBES 32		/* places at which a thread may be */

static _Atomic uint32_t caller[CALLERS];	/* 0: free */
static _Atomic bool full;

static _Atomic uint32_t *
place(uint32_t tid, uint32_t probe)
{

	return &caller[(tid + probe) % CALLERS];
}

void
callers_add(uint32_t tid)
{

	for (uint32_t i = 0; i < PROBES; i++) {
		uint32_t free = 0;

		if (atomic_compare_exchange_strong(place(tid, i), &free, tid) ||
		    free == tid)
			return;
	}
	atomic_store(&full, true);
}

bool
callers_has(uint32_t tid)
{

	for (uint32_t i = 0; i < PROBES; i++)
		if (atomic_load(place(tid, i)) == tid)
			return true;
	return atomic_load(&full);
}
