/*
 * shared-bank-conflicts: lanes access different rows of one bank, one after the other.
 *
 * The hardware's conflict counter includes arbitration with other users of the
 * pipe, and a 16-byte access takes 4 wavefronts by design. So a finding needs
 * both: a share of conflicts, and more wavefronts than the accesses explain.
 * Bytes per wavefront tell the latter, where they were measured. With counts by
 * instruction, wavefronts and ideal wavefronts of each tell both exactly.
 */
#include <math.h>
#include <stdlib.h>

#include "rules/evidence/inst.h"
#include "rules/evidence/lines.h"

struct side {
	const char *what;
	enum metric_id waves, conflicts, inst;
	double share, ways, keep;
	bool bad, estimated;
	bool exact;		/* counted by instruction */
};

#define WIDEST 4	/* wavefronts of a 16-byte access without conflict */

static bool
look(const struct rule_view *x, struct side *s, double used)
{
	double waves = rule_metric(x, s->waves);
	double conflicts = rule_metric(x, s->conflicts);
	double inst = rule_metric(x, s->inst);

	s->keep = 1;
	if (isnan(waves))
		return false;
	if (!(waves > 0))
		return true;
	if (isnan(conflicts)) {
		/* The widest access takes WIDEST wavefronts: more prove conflicts,
		 * fewer than two exclude them; in between it is not known. */
		if (!(inst > 0) || (waves > 1.2 * inst &&
		    waves < 1.2 * WIDEST * inst))
			return false;
		conflicts = fmax(0, waves - WIDEST * inst);
		s->estimated = true;
	}
	s->share = fmin(conflicts / waves, 1);
	s->ways = inst > 0 ? waves / inst :
	    1 / fmax(1 - s->share, 1.0 / 32);
	/* A wavefront carries 128 bytes. Narrow or partial accesses use less of it
	 * without a conflict: full use excludes one, low use does not prove one. */
	if (used >= 95)
		return true;
	s->bad = s->share >= rule_value(x, "min_share") &&
	    s->ways >= rule_value(x, "min_ways");
	if (s->bad)
		s->keep = fmax(1 - s->share, 1.0 / 32);
	return true;
}

static void
give_evidence(const struct rule_view *x, struct draft *d, const struct side *s)
{
	if (!s->bad)
		return;
	rule_evidence(x, d, "conflict_ratio", s->share, arena_format(x->arena,
	    "%s: conflicts / wavefronts", s->what), .source = s->estimated ?
	    "estimated" : "derived", .from = s->exact ?
	    source_metric_table[SOURCE_SHARED_IDEAL].name :
	    metric_table[s->estimated ? s->waves : s->conflicts].name,
	    .key = "min_share");
	rule_evidence(x, d, "wavefronts_per_inst", s->ways,
	    arena_format(x->arena, "%s: wavefronts per instruction", s->what),
	    .derived = s->exact ?
	    source_metric_table[SOURCE_SHARED_WAVEFRONTS].name :
	    metric_table[s->waves].name, .unit = "wavefront/inst",
	    .key = "min_ways");
}

static void
fill(struct rule_view *x, struct draft *d, const struct side *ld,
    const struct side *st, double used)
{
	const struct side *worst = st->bad && (!ld->bad || st->ways > ld->ways) ?
	    st : ld;
	struct fix fix = FIX_NONE;

	fix.shared_ld = ld->keep;
	fix.shared_st = st->keep;
	rule_fix(d, &fix, 0.8, 1);
	give_evidence(x, d, ld);
	give_evidence(x, d, st);
	if (isfinite(used))
		rule_evidence(x, d, "bytes_per_wavefront_percent", used,
		    "shared bytes used per wavefront",
		    .measured = metric_table[METRIC_SHARED_BYTES_PER_WAVEFRONT_PCT].name,
		    .unit = "%");
	d->f.confidence = isfinite(used) || worst->exact ? CONF_HIGH :
	    CONF_MEDIUM;
	d->f.summary = arena_format(x->arena, "%s of the shared-memory %s "
	    "wavefronts are conflicts: %s wavefronts an instruction%s",
	    say_percent(x->arena, worst->share), worst->what,
	    say_plain(x->arena, worst->ways), ld->bad && st->bad ?
	    "; loads and stores both" : "");
	d->f.advice = arena_format(x->arena, "pad the rows of the tile by one "
	    "element, or swizzle the column with the row, so that a %s of a "
	    "warp goes to 32 different banks%s", worst->what,
	    worst->ways > 24 ? " (32-way: a column of a 32-wide tile is "
	    "read)" : "");
	d->f.gain_note = "the same accesses with one wavefront where a "
	    "conflict makes several";
}

/* Sets both sides from exact counts; ${m} gets the lines. */
static void
look_exactly(const struct rule_view *x, struct side *ld, struct side *st,
    struct mark *m)
{
	const struct code *c = x->kernel->code;
	struct side *side[] = { ld, st };
	double waves[2] = { 0 }, ideal[2] = { 0 }, inst[2] = { 0 };

	for (size_t i = 0; i < c->instructions; i++) {
		enum inst_access kind = inst_shared(c, i);
		double w = inst_value(c, i, SOURCE_SHARED_WAVEFRONTS);
		double least = inst_value(c, i, SOURCE_SHARED_IDEAL);
		int k = kind == INST_STORE;

		if ((kind != INST_LOAD && kind != INST_STORE) || !(w > 0))
			continue;
		waves[k] += w;
		ideal[k] += fmin(w, least);
		inst[k] += inst_value(c, i, SOURCE_INST);
		m[i].weight = fmax(0, w - least);
		m[i].over = w;
		m[i].under = inst_value(c, i, SOURCE_INST);
	}
	for (int k = 0; k < 2; k++) {
		struct side *s = side[k];

		s->keep = 1;
		s->exact = true;
		if (!(waves[k] > 0) || !(ideal[k] > 0))
			continue;
		s->share = 1 - ideal[k] / waves[k];
		/* An instruction without an active lane takes no wavefront and
		 * has no ideal. */
		s->ways = waves[k] / fmax(fmin(inst[k], ideal[k]), 1);
		s->bad = s->share >= rule_value(x, "min_share") &&
		    waves[k] / ideal[k] >= rule_value(x, "min_ways");
		if (s->bad)
			s->keep = fmax(1 - s->share, 1.0 / 32);
	}
}

static enum rule_state
find_exactly(struct rule_view *x)
{
	struct side ld = { .what = "load" }, st = { .what = "store" };
	struct mark *m = marks_new(x);
	enum rule_state state = RULE_CLEAN;
	struct draft *d;

	if (m == NULL) {
		x->arena->failed = true;
		return RULE_NOT_MEASURED;
	}
	look_exactly(x, &ld, &st, m);
	if (ld.bad || st.bad) {
		state = RULE_FOUND;
		d = rule_found(x, NULL);
		fill(x, d, &ld, &st, NAN);
		lines_fill(x, d, m, "%s wavefronts an access");
	}
	free(m);
	return state;
}

static bool
is_counted(const struct rule_view *x)
{
	const struct code *c = x->kernel->code;

	return c != NULL && c->counted &&
	    isfinite(inst_total(c, SOURCE_SHARED_WAVEFRONTS)) &&
	    isfinite(inst_total(c, SOURCE_SHARED_IDEAL));
}

enum rule_state
rule_shared_bank_conflicts(struct rule_view *x)
{
	struct side ld = { .what = "load",
	    .waves = METRIC_SHARED_LD_WAVEFRONTS,
	    .conflicts = METRIC_SHARED_LD_CONFLICTS,
	    .inst = METRIC_SHARED_LD_INST };
	struct side st = { .what = "store",
	    .waves = METRIC_SHARED_ST_WAVEFRONTS,
	    .conflicts = METRIC_SHARED_ST_CONFLICTS,
	    .inst = METRIC_SHARED_ST_INST };
	double used = rule_metric(x, METRIC_SHARED_BYTES_PER_WAVEFRONT_PCT);
	bool known_ld, known_st;
	struct draft *d;

	if (is_counted(x))
		return find_exactly(x);
	known_ld = look(x, &ld, used);
	known_st = look(x, &st, used);
	if (ld.bad || st.bad) {
		d = rule_found(x, NULL);
		fill(x, d, &ld, &st, used);
		return RULE_FOUND;
	}
	if (known_ld && known_st)
		return RULE_CLEAN;
	if (rule_metric(x, METRIC_SHARED_WAVEFRONTS) == 0)
		return RULE_CLEAN;
	return rule_lacks(x);
}
