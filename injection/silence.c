#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "diag.h"
#include "emit.h"
#include "inject.h"
#include "launch.h"
#include "silence.h"

#define LOOK_NS 4000000000ull	/* time without a record before the first check,
				 * which scans a large table; doubled after each
				 * check */
#define ENDED 64		/* report if so many ended kernels have no record, */
#define PENDING 32768		/* or so many kernels in all: the GPU can be 1,024
				 * launches behind in each of its 32 queues */

#define COUNT_NS 5000000000ull	/* between two counts of single records, which scan the
				 * table, too */
#define LATE_NS 10000000000ull	/* a record is lost if one of a kernel that was launched so
				 * much later is there: in another queue it may wait */

static _Atomic bool watched;
static _Atomic uint64_t excused;	/* records that are counted elsewhere */
static uint64_t counted_ns, counted_until;	/* of the sender thread */
static uint64_t excused_left;	/* of them, not met in a count yet */
static _Atomic uint64_t synced;
static _Atomic uint64_t newest;	/* launch time of the latest kernel with a record */
static _Atomic uint64_t look_ns;	/* time of the next check, counted from newest */

void
silence_watch(void)
{

	newest = inject.begin_ns;
	look_ns = LOOK_NS;
	atomic_store(&watched, true);
}

void
silence_excuse(uint64_t n)
{

	atomic_fetch_add(&excused, n > 0 ? n : 1);
}

void
silence_synced(uint64_t ns)
{

	atomic_store_explicit(&synced, ns, memory_order_relaxed);
}

void
silence_seen(uint64_t launch_ns)
{

	if (launch_ns > newest) {
		newest = launch_ns;
		look_ns = LOOK_NS;
	}
}

/* The number of kernels without a record, which is reported; 0 if there are so few that
 * their records may be on the way. */
static uint64_t
missing(uint64_t now)
{
	uint64_t n, ended;
	char text[200];

	if (!atomic_load(&watched) || atomic_load(&excused) > 0)
		return 0;
	ended = launch_kernels(newest, atomic_load(&synced));
	n = launch_kernels(newest, now);
	if (ended < ENDED && n < PENDING)
		return 0;
	snprintf(text, sizeof(text), "another profiler in the program receives "
	    "CUPTI's records: there are none of the last %llu kernels or more. "
	    "Run without it (torch.profiler, for one)", (unsigned long long)n);
	diag_report(DIAG_SUBSCRIBER, SEVERITY_WARNING, 0, "records", text);
	return n;
}

/* Counts the kernels launched until ${until} that have no record as lost, each once. */
static void
count(uint64_t until)
{
	static uint64_t met;		/* of excused */
	uint64_t n, known = atomic_load(&excused);

	if (counted_until == 0)
		counted_until = inject.begin_ns;
	if (!atomic_load(&watched) || until <= counted_until)
		return;
	n = launch_kernels(counted_until, until);
	counted_until = until;
	excused_left += known - met;
	met = known;
	if (n <= excused_left) {
		excused_left -= n;
		return;
	}
	emit_lost(LOSS_CUPTI, n - excused_left);
	excused_left = 0;
}

void
silence_look(uint64_t now)
{

	if (now > counted_ns && now - counted_ns >= COUNT_NS && newest > LATE_NS) {
		counted_ns = now;
		count(newest - LATE_NS);
	}
	if (now > newest && now - newest >= look_ns) {
		look_ns *= 2;
		missing(now);
	}
}

void
silence_end(void)
{
	uint64_t now = inject_now();

	missing(now);
	count(now);
}
