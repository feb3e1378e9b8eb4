/*
 * What is taken out of the gaps before a cause is asked for: trials of compilers and libraries,
 * which come once, and the kernels of decompositions, which grid-too-small reports.
 */
#include <math.h>

#include "rules/evidence/decomposed.h"
#include "rules/evidence/framework.h"
#include "rules/evidence/tuning.h"
#include "rules/practice/gpu_idle_gaps/idle.h"

/* Idle time in which the next launch was on its way, not in longer gaps, s. */
static double
launching_s(const struct run *run)
{
	return fmax(0, (double)run->idle_ns[IDLE_LAUNCH] -
	    (double)run->idle_longest_by[IDLE_LAUNCH]) * 1e-9;
}

/* Leaves ${gaps} of the gaps ${a}, and ${waits} of the waits in front of them. */
static void
keep_part(struct again *a, double gaps, double waits)
{
	a->host *= gaps;
	a->api *= gaps;
	a->sync *= gaps;
	a->brief *= gaps;
	a->gaps *= gaps;
	a->waited *= waits;
	a->waits *= waits;
}

/* The share of the gaps' time in which the program's Python is in a compiler; NAN: not known.
 * Stacks of launches say less of it: most are taken of a kernel's first launches. */
static double
in_compiler(const struct rule_view *x)
{
	return looks_share(x->run, idle_looks(x), framework_in_compiler);
}

/* Takes out of the gaps ${a}, and out of the ${launching} seconds of late launches, what is
 * in front of trials of a library's variants: with each shape they come once. Returns what
 * is left of the launching. */
static double
leave_tried(const struct rule_view *x, struct again *a, double launching)
{
	const struct run *run = x->run;
	double looked = in_compiler(x), idle = a->host + a->api + a->sync;
	struct tried t = gaps_tried(run, looked >= 0 ?
	    framework_tunes_itself : framework_tunes);
	double compiled = looked > 0 ? looked * idle : 0;
	double left = idle > 0 ? 1 - fmin(1, (t.s + compiled) / idle) : 1;
	double late = run->launches > 0 ?
	    fmin(1, t.launches / (double)run->launches) : 0;
	double waits = t.launches > 0 ? 1 - framework_tuned(run, IDLE_WAITS) : 1;

	a->base -= (1 - left) * idle + late * launching;
	keep_part(a, left, waits);
	return (1 - late) * launching;
}

/* Takes out of the gaps ${a}, and of the ${launching} seconds of late launches, those in front
 * of the kernels of small decompositions: grid-too-small has them, and no larger batch and no
 * graph reaches into the library's call. Returns what is left of the launching. */
static double
leave_decomposed(const struct rule_view *x, struct again *a, double launching)
{
	double idle = a->host + a->api + a->sync, host, late;
	struct decomposed p;

	if (decomposed_all(x, &p) == NULL)
		return launching;
	host = fmin(idle, p.gap_s - p.late_s);
	late = fmin(launching, p.late_s);
	a->base -= host + late;
	if (idle > 0)
		keep_part(a, 1 - host / idle, 1 - host / idle);
	return launching - late;
}

static bool
is_any(const struct site *s)
{
	return s->frames > 0;
}

/* Takes out the same way what is in front of what compilers launch, to try it out or while
 * they compile: no change to the program's loop makes that shorter. */
static double
leave_compiling(const struct rule_view *x, struct again *a, double launching)
{
	const struct run *run = x->run;
	double idle = a->host + a->api + a->sync, all = gaps_in_front(run, is_any).s;
	double looked = in_compiler(x);
	double own = 1 - (looked >= 0 ? looked : gaps_in_front(run, framework_compiles).s /
	    fmax(fmax(all, idle), 1e-9));

	a->base -= (1 - own) * (idle + launching);
	keep_part(a, own, own);
	return own * launching;
}

double
idle_leave(const struct rule_view *x, struct again *a)
{
	double late = launching_s(x->run);

	late = (tuning_throughout(x->run) ? leave_compiling : leave_tried)(x, a, late);
	return leave_decomposed(x, a, late);
}

const struct reason *
idle_unsteady(const struct rule_view *x, const struct again *a)
{
	double all = rule_active_s(x->run);

	return rule_reason(x, REASON_UNSTEADY, "%s; one-off phases are %s of the %s from "
	    "first to last GPU work (%s)", reason_row[REASON_UNSTEADY].why,
	    say_seconds(x->arena, fmax(0, all - a->base)), say_seconds(x->arena, all),
	    reason_row[REASON_UNSTEADY].remedy);
}
