#include <stdatomic.h>

#include "budget.h"
#include "diag.h"
#include "emit.h"
#include "inject.h"

#define ALLOWANCE_NS 2500000000ull	/* set-up and first values, once */
#define SOURCE_ALLOWANCE_NS 3000000000ull	/* instructions and samples */

static _Atomic uint64_t spent_ns;
static _Atomic bool exceeded;

uint64_t
budget_tell(uint64_t begin, enum wire_overhead kind)
{
	struct record_OVERHEAD r = { .kind = kind, .tid = inject_tid(),
	    .start_ns = begin, .end_ns = inject_now() };

	EMIT(OVERHEAD, &r);
	return (r.end_ns - begin);
}

void
budget_spend(uint64_t begin, enum wire_overhead kind)
{

	atomic_fetch_add(&spent_ns, budget_tell(begin, kind));
}

bool
budget_left(uint64_t now)
{
	uint64_t allowed = ALLOWANCE_NS + (inject.level >= LEVEL_SOURCE ?
	    SOURCE_ALLOWANCE_NS : 0) +
	    (uint64_t)(inject.budget * (double)(now - inject.begin_ns));

	if (atomic_load(&spent_ns) <= allowed)
		return (true);
	if (!atomic_exchange(&exceeded, true))
		diag_report(DIAG_BUDGET, SEVERITY_INFO, 0, "counters",
		    "the overhead budget is used up: kernels that appear from "
		    "here on are measured later or not at all "
		    "(--overhead-budget raises it)");
	return (false);
}

bool
budget_exceeded(void)
{

	return (atomic_load(&exceeded));
}
