/*
 * rules/engine/coded.c: see coded.h.
 */
#include <math.h>
#include <string.h>

#include "rules/engine/coded.h"
#include "rules/engine/estimate.h"
#include "rules/engine/instead.h"
#include "rules/engine/sampled.h"
#include "rules/evidence/coded_estimate.h"

/* The shares that the low and the middle view take of the largest gain that the
 * code allows. Low: nothing, as if the kernel waited for something else. Middle:
 * all of it. The eight pairs that have a prediction from code alone achieved 0.8
 * to 4.8 times that, but 1.05 to 7.4 times what half of it predicts. */
#define BELIEF_LOW 0
#define BELIEF_MID 1

/* The low view's share if the kernel's limit is known and only the executions
 * of instructions are estimated: that of any estimate (sampled.c). */
#define BELIEF_KNOWN 0.5

/* Samples at an issue needed to estimate executions: as many as rules that rest
 * on shares of them require (rules.def). */
#define SELECTED_LEAST 60

/* Of the time of the GPU's kernels: analysing code takes time, and a kernel
 * with less is not worth a change. */
#define SHARE_LEAST 0.01

/* Can the rule apply to the kernel at all, and is the kernel worth the analysis? */
static bool
is_worth(const struct rule_view *x)
{
	const struct kernel *k = x->kernel;
	const struct code *c = k->code;
	enum sass_space space = x->rule->coded.space;

	if (c == NULL || !c->disassembled || (double)k->total_ns < SHARE_LEAST *
	    (double)x->device->kernel_ns)
		return false;
	for (size_t i = 0; i < c->sass.instructions; i++)
		if (c->sass.instruction[i].flags &
		    x->rule->coded.flags && (space == SPACE_NONE ||
		    c->sass.instruction[i].space == space))
			return true;
	return false;
}

bool
coded_speaks(const struct rule *rule)
{
	return rule->coded.flags != 0;
}

bool
coded_counted(const struct rule *rule)
{
	return rule->coded.counted;
}

static void
say_source(const struct rule_view *x, struct draft *d, const char *from)
{
	for (size_t i = 0; i < d->f.evidences; i++) {
		if (d->f.evidence[i].from == NULL ||
		    instead_counted(x->own, &d->f.evidence[i]))
			continue;
		d->f.evidence[i].source = "estimated";
		d->f.evidence[i].from = from;
	}
	d->f.next = x->own->skip == SKIP_PERMISSION ? "cudadvise doctor, which "
	    "says how to get permission for counters" :
	    say_tool(x->arena, x->run, "cudadvise run --replay");
}

/* States in ${d} that it rests on estimates, and lowers its claim. */
static void
weaken(const struct rule_view *x, struct draft *d)
{
	d->f.confidence = CONF_LOW;
	if (d->cap > SEV_MEDIUM)
		d->cap = SEV_MEDIUM;
	d->fix[VIEW_LOW] = fix_part(&d->fix[VIEW_HIGH], BELIEF_LOW);
	d->fix[VIEW_MID] = fix_part(&d->fix[VIEW_HIGH], BELIEF_MID);
	say_source(x, d, CODED_FROM);
	d->f.summary = arena_format(x->arena, "%s (estimated from "
	    "the code: nothing was counted)", d->f.summary);
	d->f.limiter = NULL;
	d->f.gain_note = "what this takes at most, or nothing: without "
	    "counters it is not known what limits the kernel";
}

/* The same if the kernel was measured: its limit is known, but not what its
 * instructions do. */
static void
weaken_known(const struct rule_view *x, struct draft *d)
{
	d->f.confidence = CONF_LOW;
	d->fix[VIEW_LOW] = fix_part(&d->fix[VIEW_LOW], BELIEF_KNOWN);
	say_source(x, d, x->own->code->samples.all > 0 ? SAMPLED_FROM :
	    COUNTED_FROM);
	d->f.summary = arena_format(x->arena, "%s (estimated from "
	    "the code, not counted)", d->f.summary);
}

/* The same if the instructions were counted: their sums are as good as the counters
 * that were not read, but of another launch. */
static void
weaken_summed(const struct rule_view *x, struct draft *d)
{
	if (d->f.confidence > CONF_MEDIUM)
		d->f.confidence = CONF_MEDIUM;
	for (size_t i = 0; i < d->f.evidences; i++)
		if (d->f.evidence[i].from != NULL &&
		    instead_lacked(x->own, &d->f.evidence[i]))
			d->f.evidence[i].from = SUMMED_FROM;
}

/* Asks the rule with executions of the instructions estimated from samples. */
static enum rule_state
ask_sampled(struct rule_view *x)
{
	enum rule_state state = RULE_NOT_MEASURED;
	struct estimate e;

	if (x->kernel->code->samples.stall[STALL_SELECTED] < SELECTED_LEAST ||
	    estimate_of(&e, x) != NULL)
		return RULE_NOT_MEASURED;
	if (estimate_accesses(&e, x))
		state = instead_ask(x, x->rule->function, &e.kernel, &e.load,
		    weaken_known);
	estimate_clear(&e);
	return state;
}

enum rule_state
coded_ask(struct rule_view *x)
{
	enum rule_state state;
	struct coded e;

	if (!coded_speaks(x->rule) || x->kernel->launches == 0 ||
	    rule_is_debug(x) || x->library != NULL || !is_worth(x) ||
	    (coded_counted(x->rule) && x->load->limit < 0))
		return RULE_NOT_MEASURED;
	/* Rules that read the samples in a way of their own were asked before. */
	if (!x->kernel->code->counted &&
	    x->kernel->code->samples.all > 0)
		return sampled_speaks(x->rule) ? RULE_NOT_MEASURED :
		    ask_sampled(x);
	if (coded_of(&e, x) != 0)
		return RULE_NOT_MEASURED;
	state = instead_ask(x, x->rule->coded.function != NULL ?
	    x->rule->coded.function : x->rule->function, &e.kernel, &e.load,
	    x->kernel->code->counted ? weaken_summed :
	    load_counted(x->kernel) ? weaken_known : weaken);
	coded_clear(&e);
	return state;
}
