/*
 * rules/evidence/reads.c: see reads.h.
 */
#include <string.h>

#include "rules/evidence/reads.h"

#define LOST_MOST 0.01		/* of all records: shares of time still hold */

#define ALL (NEED_KERNELS | NEED_COPIES | NEED_CALLS | NEED_MEMORY | NEED_JIT)

static const struct {
	unsigned needs;
	const char *reason;
} refusals[REFUSED_KINDS] = {
	[REFUSED_CUPTI] = { ALL,
	    "CUPTI could not be used in a process of the run" },
	[REFUSED_FREE] = { ALL, "CUPTI was not free in a process of the run" },
	[REFUSED_TRACE] = { ALL, "CUPTI refused to trace" },
	[REFUSED_KERNELS] = { NEED_KERNELS, "CUPTI refused to trace kernels" },
	/* What was seen before stands: reads_lost. */
	[REFUSED_AGAIN] = { 0, "CUPTI traced no kernels any more after one was "
	    "measured" },
	[REFUSED_COPIES] = { NEED_COPIES, "CUPTI refused to trace copies" },
	[REFUSED_MEMSETS] = { NEED_COPIES, "CUPTI refused to trace memsets" },
	[REFUSED_MEMORY] = { NEED_MEMORY,
	    "CUPTI refused to trace allocations" },
	[REFUSED_JIT] = { NEED_JIT, "CUPTI refused to trace compilations" },
	[REFUSED_CALLS] = { NEED_CALLS | NEED_MEMORY,
	    "CUPTI refused to report some API calls" },
};

unsigned
reads_of(const struct rule *rule)
{
	if (rule->scope == SCOPE_KERNEL || (rule->needs & (ALL | NEED_CHECK)))
		return rule->needs;
	return rule->needs | (strcmp(rule->category, "correctness") == 0 ?
	    NEED_CALLS | NEED_MEMORY : NEED_KERNELS | NEED_COPIES | NEED_CALLS);
}

const char *
reads_refused(const struct run *run, unsigned needs)
{
	for (int i = 0; i < REFUSED_KINDS; i++)
		if ((run->refused >> i & 1) && (refusals[i].needs & needs))
			return refusals[i].reason;
	return NULL;
}

const char *
reads_lack(const struct run *run, unsigned needs)
{
	const char *reason = reads_refused(run, needs);

	if (needs & NEED_CHECK)	/* its records come from elsewhere */
		return NULL;
	if (reason != NULL)
		return reason;
	if (run->devices == 0 && run->failures == 0)
		return run->checks > 0 ? "this run looked for errors; "
		    "`cudadvise run` measures" : "no GPU was used";
	if (!(needs & (NEED_KERNELS | NEED_COPIES)) || run->launches > 0)
		return NULL;
	if (!(needs & NEED_COPIES))
		return run->lost > 0 ? "no launch was seen, and records were "
		    "lost" : "no kernel was launched";
	if (run->copies > 0)
		return NULL;
	return run->lost > 0 ? "no work of the GPU was seen, and records were "
	    "lost" : "the GPU was given no work";
}

const char *
reads_lost(const struct run *run, const struct rule *rule)
{
	double all = (double)run->records + (double)run->lost;
	bool single = strcmp(rule->category, "correctness") == 0;

	/* What a tool did report stands. */
	if ((rule->needs & NEED_CHECK) && run->defects > 0)
		return NULL;
	if ((run->refused >> REFUSED_AGAIN & 1) &&
	    (reads_of(rule) & NEED_KERNELS || rule->scope == SCOPE_KERNEL))
		return refusals[REFUSED_AGAIN].reason;
	if (run->lost == 0 || (!single &&
	    (double)run->lost <= LOST_MOST * all))
		return NULL;
	return "records were lost, and what it looks for may be among them";
}
