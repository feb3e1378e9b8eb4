/*
 * slow-math-functions: sinf, expf, powf and division with full precision, where
 * an intrinsic of a few instructions may do.
 *
 * The compiler inlines these functions without a name. They are recognised by the
 * constants of their range reductions, which each call uses once. The lengths down to
 * SQRT are those of the code that nvcc 12 and 13 generate for one call with an ordinary
 * argument; the code for rare arguments is counted by the calls that execute it. ATAN2's
 * is that of nvcc 13; from ATAN on they are estimated from its PTX, and from ATAN2 on the
 * fast ones are judged, not measured.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rules/evidence/division.h"
#include "rules/evidence/inst.h"
#include "rules/evidence/lines.h"
#include "source/operand.h"
#include "source/rare.h"
#include "source/remainder.h"

enum { SIN, EXP, LOG, POW, POWER, TANH, ERF, DIVIDE, SQRT, ATAN2, ATAN, ACOS, LOG1P, EXPM1,
	COSH, FMOD, FMOD_CONSTANT, FUNCTIONS };

#define WHOLE "x - n * truncf(x * inv) with inv = 1 / n made once"
#define NO_ANGLE "slopes or dot products where angles are only compared, else a polynomial"

static const struct slow_function {
	const char *name, *fast;
	double length, fast_length;	/* instructions */
} function[FUNCTIONS] = {
	[SIN] = { "sinf, cosf, tanf", "__sinf, __cosf, __tanf", 25, 2 },
	[EXP] = { "expf, exp10f", "__expf, __exp10f", 8, 3 },
	[LOG] = { "logf, log10f, log2f", "__logf, __log10f, __log2f", 25, 5 },
	/* The logarithm of the base, which may be the same for all iterations
	 * of a loop, and the power of 2. */
	[POW] = { "powf", "__powf", 38, 5 },
	[POWER] = { "powf", "__powf", 38, 3 },
	[TANH] = { "tanhf", "-use_fast_math (tanh.approx)", 14, 2 },
	[ERF] = { "erff, erfcf", "-use_fast_math", 16, 10 },
	[DIVIDE] = { "division", "__fdividef", 12, 2 },
	[SQRT] = { "sqrtf", "-prec-sqrt=false", 11, 3 },
	/* Without their division and root, which count by themselves. No intrinsic
	 * does these: a polynomial of a few terms does, in ten instructions, or no
	 * angle at all, in two: the geometric mean. */
	[ATAN2] = { "atan2f", NO_ANGLE, 36, 4 },
	[ATAN] = { "atanf", NO_ANGLE, 18, 4 },
	[ACOS] = { "acosf, asinf", NO_ANGLE, 26, 4 },
	/* Besides the logarithm in it. */
	[LOG1P] = { "log1pf, asinhf, acoshf, atanhf", "__logf(1 + x)", 14, 1 },
	[EXPM1] = { "expm1f", "__expf(x) - 1", 25, 4 },
	[COSH] = { "sinhf, coshf", "__expf", 18, 6 },
	/* The way of a quotient below 2^23 that needs no correction, counted in the code
	 * of nvcc 13; by a constant it is multiplied. A product, a rounding and a
	 * multiply-add do in their place. */
	[FMOD] = { "fmodf, remainderf", WHOLE, 27, 3 },
	[FMOD_CONSTANT] = { "fmodf, remainderf by a constant", WHOLE, 18, 3 }
};

/* Each value occurs once in every call of its function, and nowhere else. */
static const struct { float value; int function; } signature[] = {
	{ 0x1.45f306p-1f, SIN },	/* 2/π */
	{ 0x1p-23f, LOG },		/* extracts the argument's exponent */
	{ 0x1.a5cfb6p-9f, POW },	/* a coefficient of powf's polynomial, … */
	{ 0x1.3b30acp-7f, POWER },	/* … and of the other one */
	{ 0x1.715476p+1f, TANH },	/* 2 log2 e */
	{ 0x1.63d2d4p-14f, ERF },	/* likewise */
	{ 12583039, EXP },		/* makes an integer of the exponent */
	/* Coefficients of their polynomials, in libdevice of CUDA 13.0. */
	{ -0x1.00ee9p-6f, ATAN2 },
	{ -0x1.d7c29ep-7f, ATAN },
	{ 0x1.f80518p-6f, ACOS },
	{ 0x1.7f21dp-5f, ACOS },	/* of asinf */
	{ -0x1.54d1bap-3f, LOG1P },
	{ 0x1.5557c6p-5f, EXPM1 },
	{ 12583037, COSH },		/* as EXP's, of half of it */
};

/* Of a float: half the distance between two, as a share. (Two of the constants differ
 * by three times that.) */
#define FLOAT_DIGITS 0x1p-24

/* Cycles from an instruction to the warp's next one that needs its result. */
#define DEPENDENT_CYCLES 6

struct math {
	double calls[FUNCTIONS];	/* of warps */
	double slow;		/* instructions in all calls */
	double saved;		/* instructions saved by the fast ones */
	double total;
	double rare;		/* of them: in code for rare arguments */
	double table;		/* of these: loads of 2/π */
	int worst;
};

/* Counts the calls of fmodf and remainderf, and the executions of their loops for large
 * quotients; ${in}: the instructions of these. */
static double
count_remainders(const struct code *c, struct math *f, struct mark *m, bool *in)
{
	double sum = 0;

	for (size_t l = 0; l < c->sass.loops; l++) {
		struct remainder_call call;
		size_t i;
		int k;

		if (!remainder_of(&c->sass, &c->sass.loop[l], &call))
			continue;
		for (uint32_t s = call.first; s <= call.last; s++) {
			in[s] = true;
			sum += inst_executed(c, s);
			if ((i = inst_of_sass(c, s)) != SIZE_MAX)
				m[i].weight += inst_executed(c, s);
		}
		if (call.branch == SASS_NONE)
			continue;
		k = call.divides ? FMOD : FMOD_CONSTANT;
		f->calls[k] += inst_executed(c, call.branch);
		if ((i = inst_of_sass(c, call.branch)) != SIZE_MAX)
			m[i].weight += inst_executed(c, call.branch) *
			    function[k].length;
	}
	return sum;
}

/* Is there a decimal number among the operands? (A cheap test before parsing them.) */
static bool
has_number(const char *text)
{
	for (; *text != '\0'; text++)
		if ((*text == ',' || *text == '-') && text[1] >= '0' &&
		    text[1] <= '9' && text[2] != 'x')
			return true;
	return false;
}

/* The function that the instruction is the mark of, or FUNCTIONS. */
static int
function_of(const struct sass_instruction *i)
{
	struct operands o;

	if (opcode_is(i, "FCHK"))
		return DIVIDE;
	if (opcode_adds(i)) {
		/* Is the exponent in range? */
		if (i->text == NULL || strstr(i->text, "0x1800000") == NULL)
			return FUNCTIONS;
		operands_of(&o, i);
		return o.has_immediate && o.immediate == 0x1800000 ? DIVIDE :
		    FUNCTIONS;
	}
	if (!(i->flags & (SASS_FP32 | SASS_MULTIPLY | SASS_FMA)))
		return FUNCTIONS;
	if (i->text == NULL || !has_number(i->text))
		return FUNCTIONS;
	operands_of(&o, i);
	if (!o.has_float)
		return FUNCTIONS;
	for (size_t k = 0; k < sizeof(signature) / sizeof(signature[0]); k++)
		if (fabs((float)fabs(o.number) - fabs(signature[k].value)) <=
		    FLOAT_DIGITS * fabs(signature[k].value))
			return signature[k].function;
	return FUNCTIONS;
}

/* Is it the part of a square root that checks for arguments out of range? */
static bool
is_square_root(const struct code *c, uint32_t s)
{
	const struct sass_instruction *i = &c->sass.instruction[s];

	if (!opcode_is(i, "MUFU") || !operand_has(i, "RSQ"))
		return false;
	for (uint32_t k = s; k < s + 16 && k < c->sass.instructions; k++)
		if (c->sass.instruction[k].flags & SASS_CALL)
			return true;
	return false;
}

/* Instructions of code that is called inside the function: slow paths of the
 * compiler, other than for integers. */
static double
called_code(const struct code *c, struct mark *m)
{
	double sum = 0;

	for (uint32_t s = 0; s < c->sass.instructions; s++) {
		const struct sass_instruction *call = &c->sass.instruction[s];
		uint32_t at;

		if (!(call->flags & SASS_CALL) || call->target == SASS_NONE ||
		    !(inst_executed(c, s) > 0))
			continue;
		at = sass_at(&c->sass, call->target);
		if (at == SASS_NONE || division_begins(c, at))
			continue;
		for (; at < c->sass.instructions; at++) {
			size_t i = inst_of_sass(c, at);

			if (i == SIZE_MAX || m[i].under > 0)
				break;	/* counted with another call */
			m[i].weight = inst_executed(c, at);
			m[i].under = 1;
			sum += m[i].weight;
			if (opcode_is(&c->sass.instruction[at], "RET"))
				break;
		}
	}
	return sum;
}

/* Instructions executed in the compiler's code for rare arguments. */
static double
rare_code(const struct code *c, struct mark *m, double *table)
{
	double sum = 0;

	for (uint32_t s = 0; s < c->sass.instructions; s++) {
		size_t i = inst_of_sass(c, s);
		double inst = inst_executed(c, s);

		if (i == SIZE_MAX || !(inst > 0) || !(rare_share(&c->sass, s) > 0))
			continue;
		m[i].weight += inst;
		sum += inst;
		if (inst_global(c, i) == INST_LOAD)
			*table += inst;
	}
	return sum;
}

/* ${in}: false for each sass instruction. */
static void
count(const struct code *c, struct math *f, struct mark *m, bool *in)
{
	double called, most = 0;

	f->total = inst_total(c, SOURCE_INST);
	f->rare = rare_code(c, m, &f->table);
	called = called_code(c, m) + f->rare + count_remainders(c, f, m, in);
	for (uint32_t s = 0; s < c->sass.instructions; s++) {
		int k = is_square_root(c, s) ? SQRT :
		    function_of(&c->sass.instruction[s]);
		double inst = inst_executed(c, s);
		size_t i = inst_of_sass(c, s);

		if (k == FUNCTIONS || !(inst > 0) || in[s])
			continue;
		f->calls[k] += inst;
		m[i].weight += inst * function[k].length;
	}
	/* A power begins with a logarithm of its own. */
	f->calls[LOG] = fmax(0, f->calls[LOG] - f->calls[POW]);
	for (int k = 0; k < FUNCTIONS; k++) {
		double all = f->calls[k] * function[k].length;

		f->slow += all;
		f->saved += f->calls[k] *
		    (function[k].length - function[k].fast_length);
		if (all > most) {
			most = all;
			f->worst = k;
		}
	}
	f->slow += called;
	f->saved += called;
	/* Calls share instructions: no more than all there are. */
	if (f->slow > 0.95 * f->total) {
		f->saved *= 0.95 * f->total / f->slow;
		f->slow = 0.95 * f->total;
	}
}

static const char *
list(const struct rule_view *x, const struct math *f, bool fast)
{
	const char *s = "";

	for (int k = 0; k < FUNCTIONS; k++) {
		double calls = k == POW ? fmax(f->calls[POW],
		    f->calls[POWER]) : f->calls[k];

		if (k == POWER || calls * function[k].length < 0.05 * f->slow)
			continue;
		s = arena_format(x->arena, "%s%s%s", s, *s != '\0' ?
		    (fast ? "; " : ", ") : "", fast ? arena_format(x->arena,
		    "for %s %s", function[k].name, function[k].fast) :
		    function[k].name);
	}
	return s;
}

/*
 * The share of a warp's life that its instructions take one after the other, where
 * too few warps reside to hide it: the cycles from an instruction to the next that
 * needs its result, over the cycles between two issues of a warp; 0: unknown.
 */
static double
own_share(const struct rule_view *x)
{
	double issue = rule_metric(x, METRIC_ISSUE_ACTIVE) / 100;
	double warps = rule_metric(x, METRIC_OCCUPANCY) / 100 *
	    x->device->limits.max_warps_per_sm / x->device->sm->schedulers;

	if (x->load->bound >= 0.5 || !(issue > 0) || !(warps > 0))
		return 0;
	return fmin(1, DEPENDENT_CYCLES * issue / warps);
}

/* How much arithmetic, its issue or its latency matters to this kernel, 0..1. */
static double
how_much(const struct rule_view *x)
{
	static const enum resource r[] = {
		RES_ISSUE, RES_ALU, RES_FMA, RES_XU
	};
	double most = own_share(x);

	for (size_t i = 0; i < 4; i++)
		most = fmax(most, fmax(0, rule_busy(x, r[i])));
	return most;
}

/* The fix without local memory and the loads of 2/π: L1's requests to L2 other
 * than global loads and stores go, with the warps' waiting for them. */
static void
leave_rare(const struct rule_view *x, struct fix *fix, double table)
{
	const struct load *l = x->load;
	double asked = rule_metric(x, METRIC_L2_FROM_L1);
	double rest = asked - or_zero(l->ld_sectors) - or_zero(l->st_sectors);

	fix->local = 0;
	if (l->requests_ld > 0)
		fix->global_ld = 1 - fmin(1, table / l->requests_ld) *
		    fmin(1, l->requests_ld / fmax(l->ld_sectors, 1));
	if (rest > 0 && l->l2_sectors > 0)
		fix->part[RES_L2] = fmax(0, 1 - rest / l->l2_sectors);
}

/* No intrinsic does remainders, nor does -use_fast_math. */
static void
advise_whole(struct draft *d)
{

	d->f.advice = "where the quotients are small and an error in the last bits "
	    "does no harm, take the whole part of a product off: " WHOLE " (for the "
	    "nearest image rintf instead of truncf); next to a whole quotient the "
	    "result may be a divisor's worth off, as a rounded quotient is; "
	    "numbers that are whole anyway are better integers";
	d->f.bad_code = "d = fmodf(d, edge);\nif (d > 0.5f * edge)\n    d -= edge;\n"
	    "if (d < -0.5f * edge)\n    d += edge;";
	d->f.good_code = "d -= edge * rintf(d * inv);      // inv = 1 / edge";
}

static enum rule_state
report(struct rule_view *x, const struct math *f, const struct mark *m)
{
	struct draft *d = rule_found(x, NULL);
	double share = f->slow / f->total;
	struct fix fix = FIX_NONE;

	fix.inst = 1 - fmin(0.9, f->saved / f->total);
	if (f->rare > 0)	/* they keep words in local memory */
		leave_rare(x, &fix, f->table);
	rule_fix(d, &fix, 0.5, 1);
	d->f.confidence = CONF_MEDIUM;
	rule_evidence(x, d, "math_ratio", share,
	    "instructions of exact math functions, of all",
	    .derived = "disassembly, warp instructions", .key = "min_share");
	rule_evidence(x, d, "calls", f->calls[f->worst], arena_format(x->arena,
	    "%s: calls of a warp, a launch", function[f->worst].name),
	    .measured = source_metric_table[SOURCE_INST].name, .unit = "call");
	rule_evidence(x, d, "busy_ratio", fmax(own_share(x), x->load->busy),
	    own_share(x) > x->load->busy ?
	    "a warp's time for its instructions, one after the other" :
	    arena_format(x->arena, "%s busy", resource_said[x->load->limit]),
	    .derived = "counters", .key = "min_busy");
	d->f.summary = arena_format(x->arena, "about %s of the instructions "
	    "compute the accurate %s", say_percent(x->arena, share),
	    list(x, f, false));
	d->f.advice = arena_format(x->arena, "where a relative error of about "
	    "1e-6 does no harm use intrinsics (%s), or build the file with "
	    "-use_fast_math; use sincosf, rsqrtf, exp2f and products instead "
	    "of powf with a small exponent in any case",
	    list(x, f, true));
	if (f->worst == FMOD || f->worst == FMOD_CONSTANT)
		advise_whole(d);
	d->f.gain_note = "the intrinsics' few instructions in the place of "
	    "these; results differ in the last bits";
	lines_fill(x, d, m, NULL);
	return rule_settle(x, d);
}

enum rule_state
rule_slow_math_functions(struct rule_view *x)
{
	const struct code *c = x->kernel->code;
	struct math f = { .worst = 0 };
	enum rule_state state = RULE_CLEAN;
	struct mark *m;
	bool *in;

	if (isnan(inst_total(c, SOURCE_INST)))
		return rule_unmeasured(x, REASON_UNCOUNTED);
	if (x->load->limit < 0)
		return rule_lacks(x);
	if (how_much(x) < rule_value(x, "min_busy") ||
	    (m = marks_new(x)) == NULL)
		return RULE_CLEAN;
	in = calloc(c->sass.instructions + 1, sizeof(*in));
	if (in == NULL) {
		x->arena->failed = true;
	} else {
		count(c, &f, m, in);
		if (f.total > 0 &&
		    f.slow >= rule_value(x, "min_share") * f.total)
			state = report(x, &f, m);
	}
	free(in);
	free(m);
	return state;
}
