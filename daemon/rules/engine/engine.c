/*
 * rules/engine/engine.c: evaluate every rule for every kernel and for the run.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stop.h"
#include "rules/engine/coded.h"
#include "rules/engine/group.h"
#include "rules/evidence/atomics.h"
#include "rules/evidence/framework.h"
#include "rules/evidence/inst.h"
#include "rules/evidence/library.h"
#include "rules/evidence/lines.h"
#include "rules/evidence/neighbour.h"
#include "rules/evidence/operator.h"
#include "rules/evidence/place.h"
#include "rules/evidence/reads.h"
#include "rules/evidence/texts.h"
#include "rules/evidence/tuning.h"
#include "rules/engine/rule.h"
#include "rules/engine/sampled.h"
#include "rules/engine/unmeasured.h"

/* The maximum number of findings kept that are not worth a change; all are counted. */
#define NOT_WORTH_MAX 1000
/* The maximum number of findings in all. */
#define FINDINGS_MAX 10000

#define REASONS_MAX 16

/* The advice and what it owns. */
struct advice_box {
	struct advice advice;	/* must be first: the caller has its address */
	struct arena arena;
};

/* The reasons why kernels were not measured, weighted by kernel time: what
 * matters is why the long ones were not. */
struct tally {
	const struct reason *reason[REASONS_MAX];
	double weight[REASONS_MAX];
	size_t reasons;
};

static void
tally_add(struct tally *t, const struct reason *reason,
    const struct kernel *k)
{
	size_t i;

	if (reason == NULL)
		return;
	for (i = 0; i < t->reasons; i++)
		if (strcmp(t->reason[i]->text, reason->text) == 0)
			break;
	if (i == REASONS_MAX)
		return;
	if (i == t->reasons) {
		t->reason[t->reasons++] = reason;
		t->weight[i] = 0;
	}
	t->weight[i] += 1 + (k != NULL ? (double)k->total_ns : 0);
}

static const struct reason *
tally_top(const struct tally *t)
{
	size_t top = 0;

	for (size_t i = 1; i < t->reasons; i++)
		if (t->weight[i] > t->weight[top])
			top = i;
	return t->reasons > 0 ? t->reason[top] : NULL;
}

static void
note(struct verdict *v, struct tally *t, struct rule_view *x,
    enum rule_state state)
{
	switch (state) {
	case RULE_FOUND:
		v->found++;
		break;
	case RULE_CLEAN:
		v->clean++;
		break;
	default:
		v->not_measured++;
		tally_add(t, x->reason, x->kernel);
	}
}

#define HIDDEN_LEAST 0.1	/* share of a kernel's time that is worth a word */

/* Says why a kernel that the host did not wait for is worth a change, and why its
 * low value is not. */
static void
say_hidden(struct rule_view *x, struct draft *d)
{
	const struct kernel *k = d->f.kernel;
	double share;

	if (k == NULL || d->load == NULL || !d->f.worth_it)
		return;
	share = k->hidden_ns / fmax((double)k->total_ns, 1);
	if (share >= HIDDEN_LEAST)
		d->f.gain_note = arena_format(x->arena, "%s%sfor %s of its "
		    "time the host meanwhile prepared for the results, which "
		    "only the low value leaves out", d->f.gain_note !=
		    NULL ? d->f.gain_note : "", d->f.gain_note != NULL ?
		    "; " : "", say_percent(x->arena, share));
}

/* Of the drafts from ${first} on, keeps those worth a change, and others while
 * there is room: 10,000 kernels must not cause 100,000 findings. A draft
 * without room adds its seconds to another one of the same cause, among the
 * rule's drafts, which begin at ${rule}. */
static void
prune(struct rule_view *x, size_t rule, size_t first, double noise_s,
    size_t *not_worth)
{
	size_t keep = first, n = x->drafts;

	x->drafts = first;	/* group_fold compares with kept drafts only */
	for (size_t i = first; i < n; i++) {
		struct draft *d = &x->draft[i];

		rank_kernel(d, noise_s);
		say_hidden(x, d);
		group_key(d);
		if ((!d->f.worth_it && (*not_worth)++ >= NOT_WORTH_MAX) ||
		    keep >= FINDINGS_MAX) {
			group_fold(x, rule, d);
			continue;
		}
		if (keep != i)
			x->draft[keep] = *d;
		keep++;
	}
	x->drafts = keep;
}

/* Does the kernel wait for other kernels, so that no change to it shortens its time? */
static bool
is_waiting(const struct rule_view *x)
{
	return x->kernel->waits &&
	    (x->rule->needs & (NEED_COUNTERS | NEED_TRACE));
}

/* Evaluates the rule for one kernel, if the kernel has the data. */
static enum rule_state
ask_measured(struct rule_view *x)
{
	unsigned needs = x->rule->needs;
	const struct reason *reason;

	if (x->kernel->launches == 0)
		return rule_unmeasured(x, REASON_NOT_SEEN);
	/* First: a higher --level would not help. */
	if (x->library != NULL && (needs & NEED_OWN))
		return rule_unmeasured(x, REASON_LIBRARY);
	if (x->library != NULL && (needs & NEED_CALLED))
		return x->rule->function(x);
	reason = inst_lacks(x, needs);
	x->lacking = reason != NULL;
	if (reason != NULL)
		return rule_unmeasured_for(x, reason);
	if (is_waiting(x))
		return rule_unmeasured(x, REASON_WAITING);
	x->lacking = (needs & NEED_COUNTERS) && !load_counted(x->kernel);
	if (x->lacking)
		return rule_lacks(x);
	if ((needs & (NEED_SOURCE | NEED_SAMPLES | NEED_CODE)) &&
	    rule_is_debug(x))
		return rule_unmeasured(x, REASON_DEBUG_BUILD);
	return x->rule->function(x);
}

/* What the rule lacks may be inferred from counters and code. */
static enum rule_state
infer(struct rule_view *x)
{
	const struct code *c = x->kernel->code;

	return x->rule->inferred == NULL || x->library != NULL || c == NULL ||
	    !c->disassembled || !load_counted(x->kernel) || rule_is_debug(x) ?
	    RULE_NOT_MEASURED : x->rule->inferred(x);
}

/* The same with fallbacks: without counters the samples may tell, without both
 * the code. */
static enum rule_state
ask_kernel(struct rule_view *x)
{
	enum rule_state state;
	const struct reason *reason;

	if (x->lost[x->kernel - x->run->kernel])
		return rule_unmeasured(x, REASON_TRIED_OUT);
	state = ask_measured(x);
	reason = x->reason;

	if (state == RULE_NOT_MEASURED && !is_waiting(x) &&
	    (sampled_ask(x) == RULE_FOUND || coded_ask(x) == RULE_FOUND ||
	    infer(x) == RULE_FOUND))
		return RULE_FOUND;
	x->reason = reason;
	return state;
}

static uint8_t
seen_of(const struct rule_view *x, enum rule_state state)
{
	if (state == RULE_FOUND)
		return SEEN_FOUND;
	if (state == RULE_CLEAN)
		return SEEN_CLEAN;
	return x->lacking && !is_waiting(x) ? SEEN_LACKING : SEEN_OTHER;
}

/* Fills in what the rule left open. */
static void
finish(const struct rule_view *x, struct draft *d)
{
	const struct rule_info *info = rule_info(x->order);

	if (d->f.next == NULL)
		d->f.next = say_next(x->arena, x->run, x->kernel, info->next);
	if (d->f.bad_code == NULL)
		d->f.bad_code = info->bad_code;
	if (d->f.good_code == NULL)
		d->f.good_code = info->good_code;
	framework_words(x, d);
	if (d->lead != NULL)
		d->f.advice = arena_format(x->arena, "%s; %s", d->lead, d->f.advice);
	if (d->more != NULL)
		d->f.advice = arena_format(x->arena, "%s; %s", d->f.advice, d->more);
}

static void
ask_kernel_rule(struct rule_view *x, const struct load *load, double noise_s,
    struct verdict *v)
{
	struct tally tally = { .reasons = 0 };
	const struct run *run = x->run;
	const struct reason *refused = reads_refused(run, NEED_KERNELS |
	    (x->rule->needs & NEED_MEMORY)), *reason;
	size_t not_worth = 0, rule = x->drafts;

	for (size_t i = 0; i < run->kernels; i++) {
		struct arena_mark mark = arena_mark(x->arena);
		size_t first = x->drafts;
		enum rule_state state;

		x->kernel = &run->kernel[i];
		x->reason = NULL;
		x->lacking = false;
		if (refused != NULL) {
			state = rule_unmeasured_for(x, refused);
		} else if (x->kernel->device >= run->devices) {
			state = rule_unmeasured(x, REASON_DEVICE_UNKNOWN);
		} else {
			x->device = &run->device[x->kernel->device];
			x->ceiling = &x->device->ceilings;
			x->load = &load[i];
			x->library = x->libraries[i].name != NULL ?
			    &x->libraries[i] : NULL;
			state = ask_kernel(x);
		}
		for (size_t k = first; k < x->drafts; k++) {
			lines_finish(x, &x->draft[k]);
			finish(x, &x->draft[k]);
		}
		note(v, &tally, x, state);
		x->seen[i] = seen_of(x, state);
		prune(x, rule, first, noise_s, &not_worth);
		if (x->drafts == first)	/* no draft refers to it */
			arena_reset(x->arena, mark);
	}
	neighbour_cover(x, rule);
	x->kernel = NULL;
	x->device = NULL;
	x->ceiling = NULL;
	x->load = NULL;
	x->library = NULL;
	/* Without a seen kernel nothing was examined. */
	reason = run->kernels == 0 ? reads_lack(run, NEED_KERNELS) :
	    v->found == 0 ? reads_lost(run, x->rule) : NULL;
	if (run->kernels == 0 || reason != NULL) {
		v->not_measured++;
		tally_add(&tally, reason != NULL ? reason :
		    &reason_row[REASON_NO_KERNEL], NULL);
	}
	v->reason = tally_top(&tally);
}

static void
ask_run_rule(struct rule_view *x, struct verdict *v)
{
	const struct reason *lack = reads_lack(x->run, reads_of(x->rule));
	const struct reason *lost = reads_lost(x->run, x->rule);
	struct tally tally = { .reasons = 0 };
	size_t first = x->drafts;
	enum rule_state state;

	x->reason = NULL;
	if (lack != NULL)
		state = rule_unmeasured_for(x, lack);
	else
		state = x->rule->function(x);
	for (size_t i = first; i < x->drafts; i++)
		finish(x, &x->draft[i]);
	if (state == RULE_CLEAN && lost != NULL)
		state = rule_unmeasured_for(x, lost);
	/* The lost records may have filled the gaps that were found. */
	for (size_t i = first; lost != NULL && i < x->drafts; i++)
		x->draft[i].f.confidence = CONF_LOW;
	note(v, &tally, x, state);
	v->reason = tally_top(&tally);
}

static void
ask_all(struct rule_view *x, struct advice *a, const struct load *load)
{
	x->loads = load;
	for (size_t r = 0; r < rule_table_size && !stop_asked(); r++) {
		struct verdict *v = &a->verdict[r];

		x->rule = &rule_table[r];
		x->order = r;
		v->rule = x->rule->id;
		if (x->rule->scope == SCOPE_KERNEL)
			ask_kernel_rule(x, load, a->noise_s, v);
		else
			ask_run_rule(x, v);
		v->state = v->found ? RULE_FOUND :
		    v->clean ? RULE_CLEAN : RULE_NOT_MEASURED;
		if (v->not_measured == 0)
			v->reason = NULL;
	}
}

static const struct library *
read_libraries(const struct run *run, struct arena *arena)
{
	struct library *l = arena_get(arena,
	    (run->kernels ? run->kernels : 1) * sizeof(*l));

	for (size_t i = 0; l != NULL && i < run->kernels; i++)
		library_of(&l[i], run, &run->kernel[i]);
	return l;
}

static const bool *
read_lost(const struct run *run, struct arena *arena)
{
	bool *lost = arena_get(arena, run->kernels ? run->kernels : 1);

	if (lost != NULL)
		tuning_lost(run, lost);
	return lost;
}

/* load_of, with what only the code tells. */
static void
take_load(struct load *l, const struct kernel *k, const struct device *d)
{
	load_of(l, k, d);
	l->line_s = atomics_line_s(k, l->time_s);
}

/* The finding of rule ${id} that is worth a change, if it is the only one; NULL. */
static struct finding *
only_of(struct advice *a, const char *id)
{
	struct finding *only = NULL;

	for (size_t i = 0; i < a->findings; i++) {
		if (!a->finding[i].worth_it || strcmp(a->finding[i].rule, id) != 0)
			continue;
		if (only != NULL)
			return NULL;
		only = &a->finding[i];
	}
	return only;
}

/* PyTorch's compiler, which launches a step as one graph, makes one kernel of its
 * pointwise operators in a row, too: the one change saves what two findings say. */
static void
say_both(struct advice *a, struct arena *arena)
{
	static const char change[] = "torch.compile";
	struct finding *graph = only_of(a, "launch-bound-graph-candidate");
	const struct finding *chain = only_of(a, "eager-pointwise-chain");

	if (graph == NULL || chain == NULL || graph > chain ||
	    graph->advice == NULL || strstr(graph->advice, change) == NULL ||
	    chain->advice == NULL || strstr(chain->advice, change) == NULL)
		return;
	graph->advice = arena_format(arena, "%s; %s makes one kernel of the pointwise "
	    "operators of %zu, too: %s for both", graph->advice, change,
	    (size_t)(chain - a->finding) + 1,
	    say_seconds(arena, fmin(a->together_s, graph->left_s + chain->left_s)));
}

struct advice *
advice_make(const struct run *run, const struct thresholds *t)
{
	struct advice_box *box = calloc(1, sizeof(*box));
	struct load *load = NULL;
	struct rule_view x = { .run = run, .thresholds = t };
	struct advice *a;

	if (box == NULL)
		return NULL;
	a = &box->advice;
	x.arena = &box->arena;
	x.ids = rule_ids_new();
	x.texts = texts_new(run);
	a->active_s = rule_active_s(run);
	a->noise_s = rank_noise_s(run);
	a->verdict = arena_get(&box->arena,
	    rule_table_size * sizeof(*a->verdict));
	load = calloc(run->kernels ? run->kernels : 1, sizeof(*load));
	x.libraries = read_libraries(run, &box->arena);
	x.lost = read_lost(run, &box->arena);
	x.seen = arena_get(&box->arena, run->kernels + 1);
	if (a->verdict == NULL || load == NULL || x.libraries == NULL || x.lost == NULL ||
	    x.seen == NULL)
		goto fail;
	x.framework = framework_of_run(&x);
	a->verdicts = rule_table_size;
	for (size_t i = 0; i < run->kernels; i++)
		if (run->kernel[i].device < run->devices)
			take_load(&load[i], &run->kernel[i],
			    &run->device[run->kernel[i].device]);
	ask_all(&x, a, load);
	group_all(&x);
	for (size_t i = 0; i < x.drafts; i++) {
		operator_place(&x, &x.draft[i]);
		place_detail(&x, &x.draft[i]);
	}
	a->unmeasured = unmeasured_note(run, load, &box->arena);
	a->finding = arena_get(&box->arena,
	    (x.drafts ? x.drafts : 1) * sizeof(*a->finding));
	if (box->arena.failed || stop_asked())
		goto fail;
	rank_all(x.draft, x.drafts, run, a);
	say_both(a, &box->arena);
	group_clear(&x);
	free(load);
	free(x.draft);
	free(x.ids);
	texts_free(x.texts);
	return a;
fail:
	group_clear(&x);
	free(load);
	free(x.draft);
	free(x.ids);
	texts_free(x.texts);
	advice_free(a);
	return NULL;
}

void
advice_free(struct advice *a)
{
	struct advice_box *box = (struct advice_box *)a;

	if (a == NULL)
		return;
	arena_free(&box->arena);
	free(box);
}
