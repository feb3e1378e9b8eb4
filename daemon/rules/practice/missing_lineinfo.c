/*
 * missing-lineinfo: the code of a hot kernel has no line table, so that nothing
 * can be said about its lines. Reported once, not for each of its launch shapes.
 */
#include "rules/evidence/inst.h"
#include "rules/evidence/lines.h"

enum rule_state
rule_missing_lineinfo(struct rule_view *x)
{
	const struct code *c = x->kernel->code;
	struct draft *d;
	double share;
	bool speaks;

	if (c->has_lines)
		return RULE_CLEAN;
	/* Unknown is another case: the code itself may be missing. */
	if (c->lineless != NULL && c->lineless->code != REASON_NO_LINEINFO)
		return rule_unmeasured_for(x, c->lineless);
	share = inst_share(x, &speaks);
	if (share < rule_value(x, "min_share") || !speaks)
		return RULE_CLEAN;
	d = rule_found(x, NULL);
	d->f.confidence = CONF_HIGH;
	d->f.limiter = NULL;
	rule_evidence(x, d, "time_ratio", share,
	    "its part of the time of all kernels",
	    .measured = "kernel activity records", .key = "min_share");
	d->f.summary = arena_format(x->arena, "%s of the kernel time is spent "
	    "in code without a line table: its findings cannot name a line",
	    say_percent(x->arena, share));
	d->f.advice = "build it with nvcc -lineinfo (CMake: add $<$<COMPILE_"
	    "LANGUAGE:CUDA>:-lineinfo>; NVRTC: the option -lineinfo; CuPy: "
	    "options=('-lineinfo',)); it changes neither the code nor its speed";
	d->f.gain_note = "nothing by itself: the findings get lines";
	d->f.next = "cudadvise run, after the rebuild";
	return RULE_FOUND;
}
