/*
 * double-precision: arithmetic in double on float data, because of a literal
 * without an f or a call of a double function. It is found by the conversions.
 *
 * Double on purpose is not a fault: summing many floats in double (one
 * conversion per addition), or double data. If doubles are neither loaded nor
 * stored, and more is done with them than summing, they come from the type of a
 * variable. If they are most of what the kernel does, and memory only gets what
 * was decided with them (the number of iterations of a point, say), float may
 * do: found with low confidence. So is any double that limits the kernel on a
 * GPU whose double rate is a fraction of its float rate.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rules/evidence/called.h"
#include "rules/evidence/inst.h"
#include "rules/evidence/lines.h"
#include "source/slice.h"
#include "source/operand.h"

#define TABLES_MAX 64		/* loads whose address is examined */

#define RATE_POOR 0.125		/* double / float: below it, a consumer GPU */

/*
 * Functions of the library and operations that the compiler puts in place, by an
 * instruction that each call executes once: its instructions in double and in float on
 * their usual path, without literals that double code moves into registers. Counted in
 * the code of nvcc 13.0 for compute capability 9.0. A double has twice the terms of a
 * float's polynomial, and where the special-function unit does the rest, it has all.
 */
enum { EXP, LOG, ANGLE, ROOT, QUOTIENT, TWINS };

static const struct {
	const char *opcode, *part;	/* the part: of its opcode; NULL: none */
	double number;			/* among its operands; 0: none */
	double length, twin;
} twin[TWINS] = {
	[EXP] = { "DFMA", NULL, 0x1.8p52, 23, 8 },	/* rounds the exponent */
	[LOG] = { "DMUL", NULL, 0x1p54, 60, 24 },	/* of denormal numbers */
	/* Sine, cosine or both: is it too large for the usual reduction? */
	[ANGLE] = { "DSETP", "GE", 0x1p31, 31, 24 },
	[ROOT] = { "MUFU", "RSQ64H", 0, 18, 11 },
	[QUOTIENT] = { "MUFU", "RCP64H", 0, 17, 12 }
};

struct doubles {
	double arithmetic, conversions, total;
	double longer;		/* instructions by which the library's functions are
				 * longer than their float twins */
	double back;		/* of the conversions, to float */
	double compared;	/* comparisons in double */
	double literals;	/* 32-bit halves of double literals moved into
				 * registers: a float literal is part of its
				 * instruction */
	bool loaded;		/* the kernel's data are doubles */
	bool stored;		/* its result may be doubles: it stores 8 bytes
				 * a lane */
	bool returned;		/* few conversions, but as many values go back to
				 * float as came from it */
	double tables;		/* sectors of the double functions' coefficient tables:
				 * float functions have theirs in their instructions */
};

/* Does the instruction only put a constant into a register? */
static bool
is_literal(const struct sass_instruction *s)
{
	struct operands o;

	if (!opcode_is(s, "MOV") && !opcode_is(s, "UMOV") &&
	    !opcode_is(s, "HFMA2") && !(opcode_is(s, "IMAD") &&
	    operand_has(s, "MOV")))
		return false;
	operands_of(&o, s);
	return o.uses == 0 && o.parameter == 0 &&
	    (o.has_immediate || o.has_float);
}

/* Loads of doubles: the kernel's data, or, if the address comes from no parameter
 * of the launch, coefficients of the library's sine, cosine and the like. */
static void
count_loaded(const struct code *c, struct doubles *n)
{
	struct slices *t = slices_new(&c->sass);
	int looked = 0;

	for (size_t i = 0; t != NULL && i < c->instructions; i++) {
		const struct sass_instruction *s = inst_sass(c, i), *use;
		double sectors = inst_value(c, i, SOURCE_GLOBAL_SECTORS);
		struct slice a;
		size_t at;

		if (inst_global(c, i) != INST_LOAD || !(sectors > 0) ||
		    s == NULL || s->bytes < 8 || looked++ == TABLES_MAX)
			continue;
		slice_of(&a, t, c->instruction[i].sass);
		at = inst_first_use(c, i);
		use = at < c->instructions ? inst_sass(c, at) : NULL;
		if (use == NULL || !(use->flags & SASS_FP64))
			continue;
		if (a.known && a.parameters == 0)
			n->tables += sectors;
		else
			n->loaded = true;
	}
	slices_free(t);
}

/* The operation that the instruction marks a call of, or TWINS. */
static int
twin_of(const struct sass_instruction *s)
{
	struct operands o;

	for (int k = 0; k < TWINS; k++) {
		if (!opcode_is(s, twin[k].opcode) || (twin[k].part != NULL &&
		    !operand_has(s, twin[k].part)))
			continue;
		if (twin[k].number == 0)
			return k;
		operands_of(&o, s);
		if (o.has_float && o.number == twin[k].number)
			return k;
	}
	return TWINS;
}

/* Sets by how much double functions are longer than float ones, without the conversions
 * and literals in them. */
static void
count_twins(const struct code *c, struct doubles *n)
{
	double calls[TWINS + 1] = { 0 };

	for (size_t i = 0; i < c->instructions; i++) {
		const struct sass_instruction *s = inst_sass(c, i);
		double inst = inst_value(c, i, SOURCE_INST);

		if (s != NULL && inst > 0 && s->flags & (SASS_FP64 | SASS_XU))
			calls[twin_of(s)] += inst;
	}
	/* A logarithm divides once. */
	calls[QUOTIENT] = fmax(0, calls[QUOTIENT] - calls[LOG]);
	for (int k = 0; k < TWINS; k++)
		n->longer += calls[k] * (twin[k].length - twin[k].twin);
}

static void
count(const struct code *c, struct doubles *n, struct mark *m)
{
	n->total = inst_total(c, SOURCE_INST);
	count_twins(c, n);
	for (size_t i = 0; i < c->instructions; i++) {
		const struct sass_instruction *s = inst_sass(c, i);
		double inst = inst_value(c, i, SOURCE_INST);

		if (s == NULL || !(inst > 0) || s->flags & SASS_TENSOR)
			continue;
		if (is_literal(s))
			n->literals += inst;
		/* Local memory is no result: the exact path of a double sine
		 * keeps words of its argument there. */
		n->stored |= (s->flags & SASS_STORE) != 0 && s->bytes >= 8 &&
		    s->space != SPACE_LOCAL;
		if (s->flags & SASS_F32_F64) {
			n->conversions += inst;
			if (strstr(s->opcode, "F32.F64") != NULL)
				n->back += inst;
		} else if (s->flags & SASS_FP64) {
			n->arithmetic += inst;
			if (s->flags & SASS_PREDICATE)
				n->compared += inst;
		} else {
			continue;
		}
		m[i].weight = inst;
	}
}

/* Double rate / float rate, at most 1. */
static double
rate_of(const struct rule_view *x)
{
	return fmin(1, x->ceiling->fp64_flops / x->ceiling->fp32_flops);
}

static enum rule_state
report(struct rule_view *x, const struct doubles *n, double rate, bool floats,
    const struct mark *m)
{
	double fp64 = rule_busy(x, RES_FP64);
	struct draft *d = rule_found(x, NULL);
	struct fix fix = FIX_NONE;

	/* Each operation has at most one literal, of two halves. */
	fix.inst = 1 - fmin(0.9, (n->conversions + n->longer +
	    fmin(n->literals, 2 * n->arithmetic)) / n->total);
	/* The same operations at the float rate. */
	fix.part[RES_FP64] = rate;
	/* A float operation takes its pipe no longer than its issue. */
	fix.slow = 0;
	/* Conversions run on the XU pipe. */
	fix.part[RES_XU] = 1 - fmin(0.95, n->conversions /
	    fmax(n->conversions, 0.2 * n->total));
	fix.stall = 1 - fmin(0.5, (n->arithmetic + n->conversions) / n->total);
	if (x->load->ld_sectors > 0)
		fix.global_ld = 1 - fmin(1, n->tables / x->load->ld_sectors);
	rule_fix(d, &fix, 0.5, 1);
	d->f.confidence = n->returned ? CONF_MEDIUM : floats ? CONF_HIGH : CONF_LOW;
	if (!floats && d->cap > SEV_MEDIUM)
		d->cap = SEV_MEDIUM;
	rule_evidence(x, d, "double_ratio", n->arithmetic / n->total,
	    "double instructions, of all",
	    .measured = source_metric_table[SOURCE_INST].name,
	    .key = "min_share");
	if (n->returned)
		rule_evidence(x, d, "returned_ratio", n->back /
		    fmax(1, n->conversions - n->back),
		    "results that are converted back to float, per float that "
		    "was made a double",
		    .measured = source_metric_table[SOURCE_INST].name);
	else
		rule_evidence(x, d, "conversion_ratio", n->arithmetic > 0 ?
		    (n->back + fmin(n->compared, n->conversions - n->back)) /
		    n->arithmetic : 1,
		    "results that are converted back to float, or compared as "
		    "doubles, per double instruction",
		    .measured = source_metric_table[SOURCE_INST].name,
		    .key = "min_conversions");
	if (isfinite(fp64))
		rule_evidence(x, d, "busy_ratio", fp64, "the FP64 pipe busy",
		    .measured = metric_table[METRIC_PIPE_FP64].name);
	d->f.summary = floats ? arena_format(x->arena, "%s of the instructions "
	    "compute in double, and floats are converted back and forth (%s "
	    "conversions for each)", say_percent(x->arena, n->arithmetic /
	    n->total), say_plain(x->arena, n->conversions /
	    fmax(n->arithmetic, 1))) : arena_format(x->arena, "%s of the "
	    "instructions compute in double, at %s of the float rate",
	    say_percent(x->arena, n->arithmetic / n->total),
	    say_percent(x->arena, rate));
	d->f.advice = floats ? "write literals as 0.5f, call the float "
	    "functions (sqrtf, fabsf …) and keep intermediate values float; "
	    "where a sum needs double, only add in double" :
	    "if the accuracy allows, compute in float; add in double, or with "
	    "compensation, only what needs it";
	d->f.gain_note = "the same operations at the float rate, without the "
	    "conversions and without the moves that make double literals";
	lines_fill(x, d, m, NULL);
	return rule_settle(x, d);
}

enum rule_state
rule_double_precision(struct rule_view *x)
{
	const struct code *c = x->kernel->code;
	enum rule_state state = RULE_CLEAN;
	struct doubles n = { 0 };
	double rate = rate_of(x);
	struct mark *m;
	bool floats, inside;

	if (x->library != NULL)
		return called_double(x, rate);
	if (isnan(inst_total(c, SOURCE_INST)))
		return rule_unmeasured(x, REASON_UNCOUNTED);
	m = marks_new(x);
	if (m == NULL)
		return RULE_CLEAN;
	count(c, &n, m);
	count_loaded(c, &n);
	/* A sum in double only converts to double. Values that are converted back
	 * to float or compared as doubles were meant to be float; so were values
	 * made from floats alone in more operations than there are conversions,
	 * and those of which as many go back to float as came from it, however
	 * many operations a function like exp() has in between. */
	floats = n.back + fmin(n.compared, n.conversions - n.back) >=
	    rule_value(x, "min_conversions") * n.arithmetic ||
	    (!n.loaded && n.back > 0 && n.conversions > n.back &&
	    n.arithmetic > n.conversions && n.conversions >=
	    rule_value(x, "min_conversions") * n.arithmetic);
	n.returned = !floats && !n.loaded && n.back > 0 &&
	    n.back >= n.conversions - n.back;
	/* Doubles inside the kernel only; few conversions, so not a sum of many
	 * floats. */
	inside = !n.loaded && !n.stored && rate < 1 && n.conversions - n.back <
	    rule_value(x, "min_conversions") * n.arithmetic &&
	    n.arithmetic >= rule_value(x, "min_inside") * n.total;
	if (n.arithmetic > 0 && n.arithmetic + n.conversions >=
	    rule_value(x, "min_share") * n.total && (floats || n.returned || inside ||
	    (rate <= RATE_POOR && rule_is_bound(x, RES_FP64))))
		state = report(x, &n, rate, floats || n.returned, m);
	free(m);
	return state;
}
