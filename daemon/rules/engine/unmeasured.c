/*
 * rules/engine/unmeasured.c: see unmeasured.h.
 */
#include <math.h>
#include <stddef.h>

#include "rules/evidence/library.h"
#include "rules/engine/unmeasured.h"

#define MOST 0.5		/* of the kernels' time: more than all others */
#define KERNELS_LEAST 0.1	/* of first to last GPU work: with less, kernels
				 * could save under 10 % of it */
#define BEGUN 0.1		/* of the run's time: killed with less of it on the GPU
				 * a program had not begun its loops; a judgement: of
				 * one that was killed in its first steps it is 5 % */

struct unknown {
	const char *why, *remedy;	/* why NULL: it was examined */
};

static bool
has_code(const struct kernel *k)
{
	return k->code != NULL && (k->code->counted || k->code->sampled);
}

/* Is DRAM or the tensor pipe saturated? Then details of the instructions change
 * little. */
static bool
is_full(const struct load *l)
{
	return l->bound >= 0.5 && (l->limit == RES_DRAM ||
	    l->limit == RES_TENSOR);
}

/* What to do to get a kernel's counters, or else samples of its code. */
static const char *
remedy_of(const struct run *run, const struct reason *lack)
{
	if (lack->remedy != NULL)
		return lack->remedy;
	return lack->code == REASON_NO_COUNTERS || level_samples(run->level) ?
	    "`cudadvise doctor` says what keeps counters away" :
	    "`--level source` samples it";
}

static struct unknown
unknown_of(const struct run *run, const struct kernel *k, const struct load *l)
{
	struct unknown looked = { NULL, NULL };

	/* Left out on purpose, or not the user's to change. */
	if (k->launches == 0 || k->waits || k->skip == SKIP_NCCL ||
	    k->skip == SKIP_WAITS || has_code(k) || library_owns(run, k))
		return looked;
	if (!load_counted(k))
		return (struct unknown){ reason_skip[k->skip]->why,
		    remedy_of(run, reason_skip[k->skip]) };
	if (is_full(l))
		return looked;
	looked.why = l->bound >= 0.5 ? "its instructions, which limit it, were "
	    "not looked at" : "no counter shows what limits it, and its "
	    "instructions were not looked at";
	looked.remedy = !level_counts(run->level) ?
	    "run it at the default level" : !level_samples(run->level) ?
	    "run it with `--level source`" : "`ncu --set full` does";
	if (level_counts(run->level) && k->code != NULL &&
	    k->code->uncounted != NULL)
		looked.why = k->code->uncounted->why;
	return looked;
}

static double
time_of(const struct kernel *k)
{
	return (double)k->total_ns * 1e-9;
}

const char *
unmeasured_note(const struct run *run, const struct load *load,
    struct arena *arena)
{
	const struct kernel *longest = NULL, *first = NULL;
	double all = 0, open = 0;
	size_t others = 0;
	struct unknown of_first = { NULL, NULL };
	const char *more;

	if (run->state == RUN_KILLED && run->kernels > 0 &&
	    rule_active_s(run) < BEGUN * rule_wall_s(run))
		return arena_format(arena, "the program was killed when it had used "
		    "the GPU for %s of its %s: too little to judge; let it run on",
		    say_seconds(arena, rule_active_s(run)),
		    say_seconds(arena, rule_wall_s(run)));
	for (size_t i = 0; i < run->kernels; i++) {
		const struct kernel *k = &run->kernel[i];
		struct unknown u = unknown_of(run, k, &load[i]);

		all += time_of(k);
		if (longest == NULL || time_of(k) > time_of(longest))
			longest = k;
		if (u.why == NULL)
			continue;
		open += time_of(k);
		others += first != NULL;
		if (first == NULL || time_of(k) > time_of(first)) {
			first = k;
			of_first = u;
		}
	}
	if (first == NULL || all < KERNELS_LEAST * rule_active_s(run) ||
	    (open < MOST * all && first != longest))
		return NULL;
	more = others == 0 ? "" : arena_format(arena, " and %s",
	    say_counted(arena, (double)others, "other kernel"));
	return arena_format(arena, "%s%s, %s of the kernels' time: %s; %s",
	    first->short_name != NULL ? first->short_name : "(unnamed kernel)",
	    more, say_percent(arena, all > 0 ? open / all : 0),
	    of_first.why, of_first.remedy);
}
