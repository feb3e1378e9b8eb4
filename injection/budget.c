#include <stdatomic.h>

#include "budget.h"
#include "diag.h"
#include "emit.h"
#include "inject.h"

#define ALLOWANCE_NS 2500000000ull	/* once, for set-up and first values */
#define SOURCE_ALLOWANCE_NS 3000000000ull	/* once, for counts by instruction
						 * and samples */

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
allowed(uint64_t now)
{

	if (inject.budget <= 0)
		return 0;
	return ALLOWANCE_NS + (level_counts(inject.level) ?
	    SOURCE_ALLOWANCE_NS : 0) +
	    (uint64_t)(inject.budget * (double)(now - inject.begin_ns));
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

bool
budget_exceeded(void)
{

	return atomic_load(&exceeded);
}
