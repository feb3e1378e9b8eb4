#include <stdatomic.h>

#include "emit.h"
#include "hold.h"
#include "inject.h"

#define LEAST_NS 50000u		/* shorter ones count as the callback's own time */
#define LATE_NS 500000u		/* from the end of a wait until the program goes on:
				 * 60 us on an H200 */

static struct {
	_Atomic uint64_t count, total_ns, longest_ns;
} held[HOLD_REPLAY + 1];

bool
hold_fits(uint64_t begin, uint64_t cost)
{

	return inject_now() - begin + cost <= inject.max_stall_ns;
}

uint64_t
hold_left(uint64_t begin, uint64_t reserve)
{
	uint64_t used = inject_now() - begin + reserve + LATE_NS;

	return used < inject.max_stall_ns ? inject.max_stall_ns - used : 0;
}

void
hold_add(enum hold_kind kind, uint64_t ns)
{
	uint64_t longest = atomic_load(&held[kind].longest_ns);

	if (ns < LEAST_NS || ns > INT64_MAX)	/* the clock was set back */
		return;
	atomic_fetch_add(&held[kind].count, 1);
	atomic_fetch_add(&held[kind].total_ns, ns);
	while (longest < ns && !atomic_compare_exchange_weak(
	    &held[kind].longest_ns, &longest, ns))
		continue;
}

void
hold_send(bool final)
{
	static uint64_t sent;
	uint64_t all = 0;
	struct record_HELD r = {
		.count = held[HOLD_MEASURE].count,
		.total_ns = held[HOLD_MEASURE].total_ns,
		.longest_ns = held[HOLD_MEASURE].longest_ns,
		.setup_ns = held[HOLD_SETUP].total_ns,
		.setup_longest_ns = held[HOLD_SETUP].longest_ns,
		.replay_ns = held[HOLD_REPLAY].total_ns,
		.replay_longest_ns = held[HOLD_REPLAY].longest_ns,
		.limit_ns = inject.max_stall_ns };
	unsigned i;

	for (i = 0; i <= HOLD_REPLAY; i++)
		all += held[i].count;
	if (all == sent && !final)
		return;
	sent = all;
	EMIT(HELD, &r);
}
