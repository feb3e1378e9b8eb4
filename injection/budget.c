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

static _Atomic uint64_t spent_ns;
static _Atomic bool exceeded;

void
budget_charge(uint64_t begin, uint64_t end, enum wire_overhead kind)
{
	struct record_OVERHEAD r = { .kind = kind, .tid = inject_tid(),
	    .start_ns = begin, .end_ns = end };

	EMIT(OVERHEAD, &r);
	atomic_fetch_add(&spent_ns, end - begin);
}

void
budget_spend(uint64_t begin, enum wire_overhead kind)
{

	budget_charge(begin, inject_now(), kind);
}

static uint64_t
allowance(void)
{

	return ALLOWANCE_NS + (level_counts(inject.level) ?
	    SOURCE_ALLOWANCE_NS : 0);
}

/* The share integrated over the run's time: share / (1 + t / HALVING_NS). */
static uint64_t
allowed(uint64_t now)
{

	if (inject.budget <= 0)
		return 0;
	return allowance() + (uint64_t)(inject.budget * HALVING_NS *
	    log1p((double)(now - inject.begin_ns) / HALVING_NS));
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
	uint64_t need = atomic_load(&spent_ns) + cost, free = allowance();
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
