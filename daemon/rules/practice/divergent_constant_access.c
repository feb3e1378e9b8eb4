/*
 * divergent-constant-access: lanes of a warp read constant memory at different
 * addresses, which the constant cache serves one after the other.
 *
 * The index is traced back through the code: it must depend on the thread's
 * number or on a loaded value, or be chosen by a predicate that does (chosen.h).
 * The number of addresses per warp is not counted.
 * The cost is the time that warps wait at such loads and at the first use of
 * their results, whatever the stall reason is called on this GPU. Without
 * samples it is the time that neither memory nor instructions explain, at most
 * what serving a separate address per lane can take.
 */
#include <math.h>
#include <stdlib.h>

#include "rules/evidence/chosen.h"
#include "rules/evidence/lines.h"
#include "source/operand.h"
#include "source/slice.h"

#define SLICES_MAX 128		/* loads whose index is examined */
#define TURN_CYCLES 2		/* cycles of an SM to serve one address:
				 * measured 2.09 on the pair's bad on an H200,
				 * where nothing else limits */
#define TURN_CYCLES_MOST 13	/* measured 12.4 with a table of 8 KiB, which
				 * the cache nearest to the warp does not hold */
#define STALLS_OWN (STALL_BIT(SELECTED) | STALL_BIT(NOT_SELECTED) |	\
	STALL_BIT(BARRIER) | STALL_BIT(BRANCH_RESOLVING) |		\
	STALL_BIT(MATH_THROTTLE) | STALL_BIT(NO_INSTRUCTION) |		\
	STALL_BIT(WAIT))

struct divergent {
	double inst;		/* warp instructions of such loads */
	double turns;		/* addresses to serve, if all lanes differ */
	double waits;		/* samples waiting for them */
	unsigned loads;
};

/* A load from constant memory at an index that may differ between lanes. */
static bool
is_divergent(const struct code *c, struct choosing *chosen, size_t i,
    struct operands *o)
{
	const struct sass_instruction *s = inst_sass(c, i);

	if (s == NULL || !opcode_is(s, "LDC") || !operands_of(o, s) ||
	    !(inst_lanes(c, i) > 1))
		return false;
	for (int u = 0; u < o->uses; u++) {
		struct slice from;

		if (o->use[u] >= UNIFORM_REGISTER)
			continue;
		slice_of_register(&from, chosen->slices, c->instruction[i].sass,
		    o->use[u]);
		/* What it was seen to depend on holds if it is not known whole. */
		if (from.loads || from.varies & VARIES_THREAD)
			return true;
		if (chosen_by_lane(chosen, c->instruction[i].sass, o->use[u]))
			return true;
	}
	return false;
}

/* Samples waiting at ${i}; 0 if ${i} was counted before. */
static double
wait_at(const struct code *c, size_t i, bool *seen)
{
	if (i >= c->instructions || seen[i])
		return 0;
	seen[i] = true;
	return inst_stalled(c, i, ~(uint32_t)STALLS_OWN);
}

static void
look(struct divergent *v, const struct code *c, const struct slices *t,
    bool *seen, struct mark *m)
{
	struct choosing chosen = { .sass = &c->sass, .slices = t };
	int slices = 0;

	for (size_t i = 0; i < c->instructions; i++) {
		double inst = inst_value(c, i, SOURCE_INST), waits;
		struct operands o;

		if (!(inst > 0) || slices >= SLICES_MAX ||
		    !opcode_is(inst_sass(c, i), "LDC"))
			continue;
		slices++;
		if (!is_divergent(c, &chosen, i, &o))
			continue;
		waits = wait_at(c, i, seen) + wait_at(c, inst_first_use(c, i),
		    seen);
		v->inst += inst;
		v->turns += inst * inst_lanes(c, i);
		v->waits += waits;
		v->loads++;
		m[i].weight = fmax(waits, 1e-3);
	}
}

/* How busy serving these loads keeps constant memory, 0..1, if all lanes differ
 * and each address takes ${each} cycles. */
static double
port_busy(const struct rule_view *x, const struct divergent *v, double each)
{
	double cycles = rule_metric(x, METRIC_SM_CYCLES_ACTIVE_AVG) *
	    x->device->limits.sms;

	return cycles > 0 ? fmin(1, v->turns * each / cycles) : 0;
}

/* The share of the warps' time spent waiting for them. */
static double
waiting_of(const struct rule_view *x, const struct divergent *v)
{
	const struct code *c = x->kernel->code;

	if (c->sampled)
		return fmin(1, v->waits / (double)c->samples.all);
	if (x->run->unified.used)	/* the waiting may be for page migration */
		return 0;
	return fmin(x->load->unexplained, port_busy(x, v, TURN_CYCLES_MOST));
}

static enum rule_state
report(struct rule_view *x, const struct divergent *v, double waiting,
    const struct mark *m)
{
	bool sampled = x->kernel->code->sampled;
	struct draft *d = rule_found(x, NULL);
	struct fix fix = FIX_NONE;
	double port;

	fix.stall = 1 - fmin(0.95, waiting);
	rule_fix_near(d, &fix, 0.5, sampled ? 0.8 : 1);
	/* The rest, 1 - waiting, is explained time at TRIPS_DOUBT times its
	 * expected length, in case warps wait for something else (load.h).
	 * These views take its expected length. */
	if (!sampled)
		d->fix[VIEW_MID].stall = d->fix[VIEW_HIGH].stall =
		    (1 - waiting) / TRIPS_DOUBT;
	/* If constant memory were busy all the time, all of the time would go. */
	port = fmin(0.98, port_busy(x, v, TURN_CYCLES));
	d->fix[VIEW_MID].stall = fmin(d->fix[VIEW_MID].stall,
	    (d->fix[VIEW_MID].stall + 1 - port) / 2);
	d->fix[VIEW_HIGH].stall = fmin(d->fix[VIEW_HIGH].stall, 1 - port);
	d->f.confidence = CONF_LOW;
	rule_evidence(x, d, "waiting_ratio", waiting, sampled ?
	    "samples that wait for constant loads whose lanes differ" :
	    "of the time of warps, what neither memory nor instructions "
	    "explain", .source = sampled ? "measured" : "estimated",
	    .from = sampled ? "PC samples" :
	    metric_table[METRIC_OCCUPANCY].name, .key = "min_waiting");
	rule_evidence(x, d, "constant_ratio", v->inst /
	    inst_total(x->kernel->code, SOURCE_INST),
	    "these loads, of all warp instructions",
	    .derived = source_metric_table[SOURCE_INST].name,
	    .key = "min_inst");
	d->f.summary = arena_format(x->arena, "%u load%s from constant memory "
	    "%s indexed by each lane on its own; warps spend %s of their time "
	    "waiting%s", v->loads, v->loads == 1 ? "" : "s",
	    v->loads == 1 ? "is" : "are", say_percent(x->arena, waiting),
	    sampled ? v->loads == 1 ? " for it" : " for them" :
	    ", which nothing else explains");
	d->f.advice = "keep constant memory for what all lanes of a warp read "
	    "alike. A table that lanes index by themselves belongs into shared "
	    "memory (copied there once per block), or into global memory through "
	    "a const __restrict__ pointer, where L1 holds it";
	d->f.gain_note = "the waiting for these loads, most of it: what the "
	    "other memory makes lanes wait is not known";
	return lines_settle(x, d, m, NULL);
}

enum rule_state
rule_divergent_constant_access(struct rule_view *x)
{
	const struct code *c = x->kernel->code;
	double all = (double)c->samples.all, inst;
	enum rule_state state = RULE_CLEAN;
	struct divergent v = { 0 };
	struct slices *t = slices_new(&c->sass);
	struct mark *m = marks_new(x);
	bool *seen = calloc(c->instructions + 1, sizeof(*seen));

	inst = inst_total(c, SOURCE_INST);
	if (t == NULL || m == NULL || seen == NULL) {
		x->arena->failed = true;
		state = RULE_NOT_MEASURED;
	} else {
		look(&v, c, t, seen, m);
		if (v.loads > 0 && c->sampled &&
		    all < rule_value(x, "min_samples"))
			state = rule_unmeasured(x, REASON_FEW_SAMPLES);
		else if (v.loads > 0 && v.inst >= rule_value(x, "min_inst") *
		    inst && waiting_of(x, &v) >= rule_value(x, "min_waiting"))
			state = report(x, &v, waiting_of(x, &v), m);
	}
	slices_free(t);
	free(m);
	free(seen);
	return state;
}
