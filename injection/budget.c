#include <math.h>
#include <stdatomic.h>

#include "budget.h"
#include "diag.h"
#include "emit.h"
#include "inject.h"

#define ALLOWANCE_NS 2500000000ull	/* once, for set-up and first values */
#define SOURCE_ALLOWANCE_NS 3000000000ull	/* once, for counts by instruction
						 * and samples */
/* The share of the run's time falls: it is the whole share at first, half of it after
 * this time, a tenth after nine times as long. What a launch more tells falls likewise,
 * and a program of hours is not slowed for values that hardly change. 10 s, by
 * arithmetic: of a loop of 24 s behind a start of 9 s, the default share of 5 % then
 * adds 1.4 % to the second half. */
#define HALVING_NS 10e9

/* The allowance is for the first values of kernels: so long after the latest new function
 * what is left of it lapses. Else a loop whose kernels always lack something would be
 * measured out of it to the end: of a PyTorch loop of 40 s on an H200 the second half
 * paid 3.3 %, where the share alone is 1.1 %. */
#define LAPSE_NS 10000000000ull

static _Atomic uint64_t spent_ns;
static _Atomic bool exceeded;
static _Atomic uint64_t renewed_ns;	/* when the latest new function was launched */
static _Atomic uint64_t lapsed_ns;	/* the ${renewed_ns} after which the allowance
					 * lapsed; 0: it has not */
static _Atomic uint64_t kept_ns;	/* what of it had been used by then */

void
budget_charge(uint64_t begin, uint64_t end, enum wire_overhead kind)
{
	struct record_OVERHEAD r = { .kind = kind, .tid = inject_tid(),
	    .start_ns = begin, .end_ns = end };

	if (end < begin)	/* the clock was set back */
		return;
	EMIT(OVERHEAD, &r);
	atomic_fetch_add(&spent_ns, end - begin);
}

void
budget_spend(uint64_t begin, enum wire_overhead kind)
{

	budget_charge(begin, inject_now(), kind);
}

/* The share integrated over the run's time: share / (1 + t / HALVING_NS). */
static uint64_t
share(uint64_t now)
{

	return now < inject.begin_ns ? 0 : (uint64_t)(inject.budget * HALVING_NS *
	    log1p((double)(now - inject.begin_ns) / HALVING_NS));
}

/* Takes away what is left of the allowance at ${now}. The share is what was spent
 * last. */
static void
lapse(uint64_t now, uint64_t renewed, uint64_t all)
{
	uint64_t spent = atomic_load(&spent_ns), of_share = share(now);

	if (atomic_exchange(&lapsed_ns, renewed) != renewed)
		atomic_store(&kept_ns, spent < of_share ? 0 :
		    spent - of_share < all ? spent - of_share : all);
}

static uint64_t
allowance(uint64_t now)
{
	uint64_t all = ALLOWANCE_NS + (level_counts(inject.level) ?
	    SOURCE_ALLOWANCE_NS : 0);
	uint64_t renewed = atomic_load(&renewed_ns);

	/* A moment before it, if another thread renewed it meanwhile; long before it, if
	 * the clock was set back. */
	if (renewed == 0 || (now < renewed ? renewed - now : now - renewed) <
	    LAPSE_NS)
		return all;
	if (atomic_load(&lapsed_ns) != renewed)
		lapse(now, renewed, all);
	return atomic_load(&kept_ns);
}

void
budget_renew(uint64_t now)
{

	atomic_store(&renewed_ns, now);
}

static uint64_t
allowed(uint64_t now)
{

	return inject.budget <= 0 ? 0 : allowance(now) + share(now);
}

bool
budget_allows(uint64_t now, uint64_t cost)
{

	if (atomic_load(&spent_ns) + cost <= allowed(now))
		return true;
	if (!atomic_exchange(&exceeded, true))
		diag_report(DIAG_BUDGET, SEVERITY_INFO, 0, "counters",
		    "the overhead budget is used up: kernels that appear from "
		    "here on are measured later or not at all "
		    "(--overhead-budget raises it)");
	return false;
}

uint64_t
budget_when(uint64_t cost)
{
	uint64_t need = atomic_load(&spent_ns) + cost;
	uint64_t free = allowance(inject_now());
	double ns;

	if (inject.budget <= 0)
		return UINT64_MAX;
	if (need <= free)
		return inject.begin_ns;
	ns = HALVING_NS * expm1((double)(need - free) /
	    (inject.budget * HALVING_NS));
	return ns < (double)(UINT64_MAX / 2) ? inject.begin_ns + (uint64_t)ns :
	    UINT64_MAX;
}

bool
budget_exceeded(void)
{

	return atomic_load(&exceeded);
}
