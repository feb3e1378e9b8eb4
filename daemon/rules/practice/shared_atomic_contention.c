/*
 * shared-atomic-contention: lanes of a warp, or warps of a block, add to the
 * same few words of shared memory, which is done one after the other.
 *
 * Atomics on scattered words conflict on banks now and then, three or four deep
 * for random words: that is not contention. These are: many wavefronts per
 * instruction, a compare-and-swap loop that iterates many times, or warps that
 * wait at the atomics for most of their time.
 */
#include <math.h>
#include <stdlib.h>

#include "rules/evidence/inst.h"
#include "rules/evidence/lines.h"
#include "source/often.h"

struct contention {
	double inst, wavefronts, executed;	/* executed: warp instructions
						 * of the kernel */
	double loads;		/* wavefronts of loads that are tried with them */
	double turns;		/* mean iterations of compare-and-swap loops; 0: none */
	double waiting;		/* share of all samples waiting there; NaN */
};

/* Wavefronts of an atomic after the advice: one with a column for each lane or with the
 * warp's sum made first; three and a half, as 32 lanes on random banks need, with a copy
 * for each warp. The geometric mean. */
#define NEEDED_EACH 1.85

#define MASK_WAIT (STALL_BIT(MIO_THROTTLE) | STALL_BIT(SHORT_SCOREBOARD) | \
	STALL_BIT(LG_THROTTLE) | STALL_BIT(LONG_SCOREBOARD) | \
	STALL_BIT(BRANCH_RESOLVING) | STALL_BIT(BARRIER) | STALL_BIT(WAIT))

/* Adds what the turns of ${l} load from shared memory, and the samples there. */
static double
look_around(const struct code *c, const struct sass_loop *l,
    struct contention *k)
{
	double samples = 0;

	for (uint32_t s = l->head; s <= l->tail; s++) {
		size_t at = inst_of_sass(c, s);

		if (at == SIZE_MAX)
			continue;
		samples += inst_stalled(c, at, MASK_WAIT);
		if (inst_shared(c, at) == INST_LOAD)
			k->loads += inst_value(c, at, SOURCE_SHARED_WAVEFRONTS);
	}
	return samples;
}

static void
count(const struct code *c, struct contention *k, struct mark *m)
{
	double turns = 0, entries = 0, samples = 0;

	for (size_t i = 0; i < c->instructions; i++) {
		const struct sass_loop *l;
		double inst;

		if (inst_shared(c, i) != INST_ATOMIC)
			continue;
		inst = inst_value(c, i, SOURCE_INST);
		if (!(inst > 0))
			continue;
		k->inst += inst;
		k->wavefronts += inst_value(c, i, SOURCE_SHARED_WAVEFRONTS);
		m[i].weight = m[i].over =
		    fmax(inst, inst_value(c, i, SOURCE_SHARED_WAVEFRONTS));
		m[i].under = inst;
		l = c->instruction[i].sass < c->sass.instructions ?
		    often_retry(&c->sass, c->instruction[i].sass) : NULL;
		if (l != NULL) {
			turns += inst;
			entries += l->head > 0 ?
			    inst_executed(c, l->head - 1) : inst;
			samples += look_around(c, l, k);
		} else {
			samples += inst_stalled(c, i, MASK_WAIT);
			if (i + 1 < c->instructions)
				samples += inst_stalled(c, i + 1, MASK_WAIT);
		}
	}
	k->executed = inst_total(c, SOURCE_INST);
	k->turns = entries > 0 ? turns / entries : 0;
	k->waiting = c->sampled && c->samples.all > 0 ?
	    fmin(1, samples / (double)c->samples.all) : NAN;
}

static void
set_fix(const struct rule_view *x, struct draft *d, const struct contention *k)
{
	double lsu = rule_metric(x, METRIC_LSU_WAVEFRONTS);
	double needed = fmin(k->wavefronts, NEEDED_EACH * k->inst) /
	    fmax(1, k->turns);
	double excess = fmax(0, k->wavefronts - needed) +
	    (k->turns > 1 ? k->loads * (1 - 1 / k->turns) : 0);
	struct fix fix = FIX_NONE;

	if (lsu > 0)
		fix.part[RES_L1] = 1 - fmin(0.97, excess / lsu);
	if (k->turns > 1 && k->executed > 0)
		fix.inst = 1 - fmin(0.9, 5 * k->inst * (1 - 1 / k->turns) /
		    k->executed);
	fix.stall = 1 - fmin(0.95, isfinite(k->waiting) ? k->waiting :
	    x->load->shared_stall);
	rule_fix(d, &fix, 0.3, 0.7);
}

static void
give_evidence(const struct rule_view *x, struct draft *d,
    const struct contention *k)
{
	rule_evidence(x, d, "wavefronts_per_atomic", k->wavefronts / k->inst,
	    "wavefronts per shared atomic",
	    .measured = source_metric_table[SOURCE_SHARED_WAVEFRONTS].name,
	    .unit = "wavefront/inst", .key = "min_wavefronts");
	if (k->turns > 0)
		rule_evidence(x, d, "turns", k->turns,
		    "turns of the compare-and-swap loops",
		    .derived = source_metric_table[SOURCE_INST].name,
		    .unit = "turn", .key = "min_turns");
	if (isfinite(k->waiting))
		rule_evidence(x, d, "waiting_ratio", k->waiting,
		    "samples that wait at them", .measured = "PC samples",
		    .key = "min_waiting");
	rule_evidence(x, d, "atomics_ratio", k->inst / k->executed,
	    "shared atomics, of all warp instructions",
	    .measured = source_metric_table[SOURCE_INST].name,
	    .key = "min_share");
}

static enum rule_state
report(struct rule_view *x, const struct contention *k, const struct mark *m)
{
	struct draft *d = rule_found(x, NULL);
	bool retries = k->turns >= rule_value(x, "min_turns");

	set_fix(x, d, k);
	give_evidence(x, d, k);
	d->f.confidence = isfinite(k->waiting) ? CONF_HIGH : CONF_MEDIUM;
	d->f.summary = retries ? arena_format(x->arena, "shared atomics are "
	    "tried %s times each until no other lane interferes",
	    say_plain(x->arena, k->turns)) : arena_format(x->arena,
	    "shared atomics take %s wavefronts each%s",
	    say_plain(x->arena, k->wavefronts / k->inst),
	    isfinite(k->waiting) ? arena_format(x->arena,
	    "; warps wait there for %s of the time",
	    say_percent(x->arena, k->waiting)) : "");
	d->f.advice = "give each warp a copy of its own and add the copies at "
	    "the end, or combine equal targets in a warp first "
	    "(__match_any_sync, or a shuffle reduction) so that one lane adds "
	    "for all";
	d->f.gain_note = "the same atomics without queueing";
	return lines_settle(x, d, m, "%s wavefronts an atomic");
}

enum rule_state
rule_shared_atomic_contention(struct rule_view *x)
{
	const struct code *c = x->kernel->code;
	struct contention k = { 0 };
	enum rule_state state = RULE_CLEAN;
	struct mark *m;

	if (isnan(inst_total(c, SOURCE_SHARED_ATOM)) && !c->disassembled)
		return rule_unmeasured(x, REASON_SHARED_ATOMICS_UNCOUNTED);
	m = marks_new(x);
	if (m == NULL)
		return RULE_CLEAN;
	count(c, &k, m);
	if (k.inst > 0 && k.inst >= rule_value(x, "min_share") * k.executed &&
	    (k.wavefronts >= rule_value(x, "min_wavefronts") * k.inst ||
	    k.turns >= rule_value(x, "min_turns") ||
	    k.waiting >= rule_value(x, "min_waiting")))
		state = report(x, &k, m);
	free(m);
	return state;
}
