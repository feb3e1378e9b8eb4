/*
 * rules/evidence/reads.c: see reads.h.
 */
#include <string.h>

#include "rules/evidence/reads.h"

#define LOST_MOST 0.01		/* of all records: shares of time still hold */

#define ALL (NEED_KERNELS | NEED_COPIES | NEED_CALLS | NEED_MEMORY | NEED_JIT)

static const struct {
	unsigned needs;
	enum reason_code reason;
} refusals[REFUSED_KINDS] = {
	[REFUSED_CUPTI] = { ALL, REASON_CUPTI_UNUSABLE },
	[REFUSED_FREE] = { ALL, REASON_CUPTI_TAKEN },
	[REFUSED_TRACE] = { ALL, REASON_REFUSED_TRACE },
	[REFUSED_KERNELS] = { NEED_KERNELS, REASON_REFUSED_KERNELS },
	/* What was recorded before stays valid: see reads_lost. */
	[REFUSED_AGAIN] = { 0, REASON_REFUSED_AGAIN },
	[REFUSED_COPIES] = { NEED_COPIES, REASON_REFUSED_COPIES },
	[REFUSED_MEMSETS] = { NEED_COPIES, REASON_REFUSED_MEMSETS },
	[REFUSED_MEMORY] = { NEED_MEMORY, REASON_REFUSED_MEMORY },
	[REFUSED_JIT] = { NEED_JIT, REASON_REFUSED_JIT },
	[REFUSED_XLA] = { NEED_COPIES, REASON_REFUSED_XLA },
	[REFUSED_CALLS] = { NEED_CALLS | NEED_MEMORY,
	    REASON_REFUSED_CALLS },
};

unsigned
reads_of(const struct rule *rule)
{
	if (rule->scope == SCOPE_KERNEL || (rule->needs & (ALL | NEED_CHECK)))
		return rule->needs;
	return rule->needs | (strcmp(rule->category, "correctness") == 0 ?
	    NEED_CALLS | NEED_MEMORY : NEED_KERNELS | NEED_COPIES | NEED_CALLS);
}

const struct reason *
reads_refused(const struct run *run, unsigned needs)
{
	for (int i = 0; i < REFUSED_KINDS; i++)
		if ((run->refused >> i & 1) && (refusals[i].needs & needs) &&
		    !(i == REFUSED_XLA && (needs & NEED_IDLE)))
			return &reason_row[refusals[i].reason];
	return NULL;
}

const struct reason *
reads_lack(const struct run *run, unsigned needs)
{
	const struct reason *reason = reads_refused(run, needs);

	if (needs & NEED_CHECK)	/* compute-sanitizer's records, not CUPTI's */
		return NULL;
	if (reason != NULL)
		return reason;
	if (run->devices == 0 && run->failures == 0)
		return &reason_row[run->checks > 0 ? REASON_CHECKED_RUN :
		    REASON_NO_GPU];
	if (!(needs & (NEED_KERNELS | NEED_COPIES)) || run->launches > 0)
		return NULL;
	if (!(needs & NEED_COPIES))
		return &reason_row[run->lost > 0 ? REASON_LAUNCHES_LOST :
		    REASON_NO_KERNEL];
	if (run->copies > 0)
		return NULL;
	return &reason_row[run->lost > 0 ? REASON_WORK_LOST : REASON_NO_WORK];
}

const struct reason *
reads_lost(const struct run *run, const struct rule *rule)
{
	double all = (double)run->records + (double)run->lost;
	bool single = strcmp(rule->category, "correctness") == 0;

	/* What a tool did report stays valid. */
	if ((rule->needs & NEED_CHECK) && run->defects > 0)
		return NULL;
	if ((run->refused >> REFUSED_AGAIN & 1) &&
	    (reads_of(rule) & NEED_KERNELS || rule->scope == SCOPE_KERNEL))
		return &reason_row[REASON_REFUSED_AGAIN];
	if (run->lost == 0 || (!single &&
	    (double)run->lost <= LOST_MOST * all))
		return NULL;
	return &reason_row[REASON_RECORDS_LOST];
}

void
reads_doubt_idle(const struct rule_view *x, struct draft *d)
{
	if (!(x->run->refused >> REFUSED_XLA & 1))
		return;
	d->f.confidence = CONF_LOW;
	d->f.summary = arena_format(x->arena, "%s; copies were not traced and count "
	    "as idle time (XLA_FLAGS=--xla_gpu_enable_command_buffer= traces them)",
	    d->f.summary);
}
