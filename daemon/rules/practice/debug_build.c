/*
 * debug-build: device code compiled with -G, that is without optimisation;
 * measurements of it say little about the program.
 */
#include "rules/evidence/inst.h"
#include "rules/evidence/lines.h"

enum rule_state
rule_debug_build(struct rule_view *x)
{
	struct draft *d;
	double share;
	bool speaks;

	if (!x->kernel->code->debug)
		return RULE_CLEAN;
	share = inst_share(x, &speaks);
	if (share < rule_value(x, "min_share") || !speaks)
		return RULE_CLEAN;
	d = rule_found(x, NULL);
	d->leads = true;
	d->f.confidence = CONF_HIGH;
	d->f.limiter = NULL;
	rule_evidence(x, d, "time_ratio", share,
	    "its part of the time of all kernels",
	    .measured = "kernel activity records", .key = "min_share");
	d->f.summary = arena_format(x->arena, "%s of the kernel time is spent "
	    "in code that was compiled for debugging (-G), without "
	    "optimisation", say_percent(x->arena, share));
	d->f.advice = "build without -G (CMake: CMAKE_BUILD_TYPE=Release or "
	    "RelWithDebInfo) and with -lineinfo, then measure again: other "
	    "findings about this kernel may be gone";
	d->f.gain_note = "optimised code is faster by a factor that only the "
	    "rebuild shows; several times is usual";
	lines_time(x, d);
	d->f.next = "cudadvise run, after the rebuild";
	return RULE_FOUND;
}
