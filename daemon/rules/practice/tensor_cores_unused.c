/*
 * tensor-cores-unused: a loop that multiplies matrices with FFMA or HFMA2, on a
 * GPU whose tensor cores would do it several times faster, with less precision.
 *
 * Such a loop has multiply-adds of two values that were both loaded in it, and
 * perhaps converted: from shared memory, where each is read many times, or from
 * global memory into registers that are used more than once. A sum of several
 * products that is added as a whole (acc += a * b + c * d) begins with a
 * multiplication and ends with an addition, which count, too. A filter whose
 * coefficients stay in registers, a polynomial or a product of vectors (each
 * value is used once) do not qualify. Neither the matrices' extents nor the
 * precision that the result needs are known: so the rule fires only where
 * multiply-adds or the loads that feed them are the limit, and with low
 * confidence.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rules/evidence/called.h"
#include "rules/evidence/inst.h"
#include "rules/evidence/lines.h"
#include "rules/evidence/product.h"
#include "rules/evidence/stored.h"
#include "source/operand.h"
#include "source/slice.h"

/* The number of times that a value from global memory must be used in registers;
 * a value in shared memory likewise, or it must be read so often by any threads. */
#define MIN_USES 2
#define MIN_READS 4

/* Fused multiply-adds of a warp that one tensor core instruction replaces: it
 * does 16 × 8 × 8 of them. */
#define FMAS_AN_INST 32

/* Fragments are loaded by warps, not by threads: about this share of a tile's
 * loads stays, as instructions and at best as work of the L1 pipe. */
#define LOADS_LEFT 0.25

/* A pair of 16 × 16 fragments of halves takes 8 wavefronts, or one of TF32 that a warp
 * uses twice, for as many multiply-adds as take the FMA pipe 32 cycles. After five such
 * changes on H200s the L1 pipe was busy for them 0.20 to 0.33 of the FMA pipe's old time. */
#define FRAGMENTS 0.25

/* A fragment of 16 × 16 values from global memory serves 16 × 16 × 16 multiply-adds:
 * 512 values for them, where each multiply-add loaded two of its own. */
#define GLOBAL_LEFT (512.0 / (2 * 4096))

#define BUDGET (1u << 20)	/* instructions of loops examined, in all */

enum origin { FROM_ELSEWHERE, FROM_SHARED, FROM_GLOBAL };

/* What a register holds. */
struct content {
	enum origin from;	/* a value that was loaded */
	bool narrow;		/* and was a half before it was converted */
	bool sum;		/* a product of two loaded values, or a sum of
				 * such that began in this iteration */
	uint32_t product;	/* index + 1 of the multiplication that it is,
				 * as long as nothing was added to it */
};

struct matrix {
	double fmas;		/* executed, of two loaded values */
	double products;	/* of them, without the additions of sums */
	double narrow;		/* of fmas: FFMA of converted halves */
	double global;		/* of them with a value from global memory */
	double loaded;		/* registers loaded from global memory … */
	double shared;		/* … and from shared memory, executed */
	double converted[2];	/* conversions of such values, likewise */
	double narrowed;	/* of them, of halves */
	double around;		/* all instructions of the loops that they are in,
				 * without those of other loops */
	double all;		/* all instructions of the FMA pipe */
	double tensor;		/* instructions on the tensor cores */
	double half;		/* of fmas: HFMA2 */
	double product;		/* of fmas: in a product from global memory,
				 * each with two loads of its own (product.h) */
	double store_sectors, stores;	/* of its sums, if the loop keeps them
					 * in memory (stored.h) */
};

static bool
is_multiply_add(const struct sass_instruction *i)
{
	return (i->flags & SASS_FMA) &&
	    (i->flags & (SASS_FP32 | SASS_FP16)) &&
	    !(i->flags & (SASS_FP64 | SASS_TENSOR));
}

static enum origin
origin_of(const struct sass_instruction *i)
{
	if (!(i->flags & SASS_LOAD) || i->flags & (SASS_ATOMIC | SASS_ASYNC))
		return FROM_ELSEWHERE;
	return i->space == SPACE_SHARED ? FROM_SHARED :
	    i->space == SPACE_GLOBAL ? FROM_GLOBAL : FROM_ELSEWHERE;
}

/* Does ${i} only convert, move or unpack the one value that it reads? */
static bool
is_passed_on(const struct sass_instruction *i, const struct operands *o)
{
	if (o->uses != 1 || o->defs < 1)
		return false;
	return i->flags & SASS_CONVERT || opcode_is(i, "MOV") ||
	    operand_has(i, "MOV") || opcode_is(i, "PRMT") ||
	    (opcode_is(i, "HADD2") && operand_has(i, "F32")) ||
	    (opcode_is(i, "IMAD") && operand_has(i, "U32"));
}

/* Were both factors loaded? ${uses}: the registers that the instruction reads. */
static bool
is_of_loaded(const struct operands *o, int uses, const struct content *h)
{
	return o->uses == uses && h[o->use[0]].from != FROM_ELSEWHERE &&
	    h[o->use[1]].from != FROM_ELSEWHERE;
}

static bool
is_product(const struct sass_instruction *i, const struct operands *o,
    const struct content *h)
{
	return i->flags & SASS_MULTIPLY && !(i->flags & SASS_FMA) &&
	    i->flags & SASS_FP32 && is_of_loaded(o, 2, h);
}

/* Does ${i} add a sum of products to something? */
static bool
is_sum_added(const struct sass_instruction *i, const struct operands *o,
    const struct content *h)
{
	return i->flags & SASS_ADD && i->flags & SASS_FP32 && o->uses == 2 &&
	    (h[o->use[0]].sum || h[o->use[1]].sum);
}

static void
add_mark(const struct code *c, uint32_t s, struct matrix *m, struct mark *mark)
{
	size_t k = inst_of_sass(c, s);

	m->fmas += inst_executed(c, s);
	if (k != SIZE_MAX)
		mark[k].weight += inst_executed(c, s);
}

/* The product in register ${r}, if it holds one, is added: counts it, once. */
static void
count_product(const struct code *c, struct content *r, struct matrix *m,
    struct mark *mark)
{
	if (r->product == 0)
		return;
	m->products += inst_executed(c, r->product - 1);
	add_mark(c, r->product - 1, m, mark);
	r->product = 0;
}

static void
count_one(const struct code *c, uint32_t s, const struct operands *o,
    struct content *h, struct matrix *m, struct mark *mark)
{
	const struct sass_instruction *i = &c->sass.instruction[s];
	double inst = inst_executed(c, s);

	if (origin_of(i) == FROM_GLOBAL)
		m->loaded += inst * o->defs;
	if (origin_of(i) == FROM_SHARED)
		m->shared += inst * o->defs;
	if (is_passed_on(i, o) && h[o->use[0]].from != FROM_ELSEWHERE) {
		m->converted[h[o->use[0]].from == FROM_GLOBAL] += inst;
		m->narrowed += opcode_is(i, "HADD2") ? inst : 0;
	}
	if (is_sum_added(i, o, h)) {
		count_product(c, &h[o->use[0]], m, mark);
		count_product(c, &h[o->use[1]], m, mark);
		add_mark(c, s, m, mark);
	}
	if (!is_multiply_add(i) || !is_of_loaded(o, 3, h))
		return;
	count_product(c, &h[o->use[2]], m, mark);
	add_mark(c, s, m, mark);
	m->products += inst;
	if (i->flags & SASS_FP16)
		m->half += inst;
	else if (h[o->use[0]].narrow && h[o->use[1]].narrow)
		m->narrow += inst;
	if (h[o->use[0]].from == FROM_GLOBAL || h[o->use[1]].from == FROM_GLOBAL)
		m->global += inst;
}

/* What the result of sass instruction ${s} is. */
static struct content
result_of(const struct sass_instruction *i, uint32_t s,
    const struct operands *o, const struct content *h)
{
	struct content r = { .from = origin_of(i) };

	if (is_passed_on(i, o)) {
		r.from = h[o->use[0]].from;
		r.narrow = h[o->use[0]].narrow || opcode_is(i, "HADD2");
	} else if (is_product(i, o, h)) {
		r.sum = true;
		r.product = s + 1;
	} else if (is_multiply_add(i) && is_of_loaded(o, 3, h)) {
		r.sum = h[o->use[2]].sum;
	}
	return r;
}

/* Walks the loop twice, so that values loaded at the end of an iteration for
 * the next are known; counts instructions that are in no inner loop. */
static void
count_loop(const struct code *c, const struct sass_loop *loop,
    struct matrix *m, struct mark *mark)
{
	struct content h[REGISTERS] = { { .from = FROM_ELSEWHERE } };
	double before = m->fmas, all = 0;

	for (int turn = 0; turn < 2; turn++)
		for (uint32_t s = loop->head; s <= loop->tail; s++) {
			const struct sass_instruction *i =
			    &c->sass.instruction[s];
			struct operands o;
			struct content r;

			operands_of(&o, i);
			if (turn == 1 && sass_loop_of(&c->sass, s) == loop) {
				count_one(c, s, &o, h, m, mark);
				all += inst_executed(c, s);
			}
			r = result_of(i, s, &o, h);
			for (int d = 0; d < o.defs &&
			    o.def + d < REGISTERS; d++)
				h[o.def + d] = r;
		}
	m->around += m->fmas > before ? all : 0;
}

static void
count(const struct code *c, struct matrix *m, struct mark *mark)
{
	uint32_t looked = 0;

	memset(m, 0, sizeof(*m));
	for (uint32_t s = 0; s < c->sass.instructions; s++) {
		const struct sass_instruction *i = &c->sass.instruction[s];

		if (i->flags & SASS_TENSOR)
			m->tensor += inst_executed(c, s);
		else if (i->flags & (SASS_MULTIPLY | SASS_ADD | SASS_FMA) &&
		    i->flags & (SASS_FP32 | SASS_FP16))
			m->all += inst_executed(c, s);
	}
	for (size_t k = 0; k < c->sass.loops && looked < BUDGET; k++) {
		const struct sass_loop *loop = &c->sass.loop[k];

		if (loop->tail >= c->sass.instructions)
			continue;
		looked += loop->tail - loop->head + 1;
		count_loop(c, loop, m, mark);
	}
}

/* Is each value used repeatedly, as those of matrices are? */
static bool
is_reused(const struct code *c, const struct matrix *m)
{
	double reads = inst_total(c, SOURCE_SHARED_LD);
	double writes = inst_total(c, SOURCE_SHARED_ST);

	if (m->global > 0.5 * m->products)
		return m->global >= MIN_USES * fmax(m->loaded, m->converted[1]);
	return isfinite(reads) && (reads >= MIN_READS * (isfinite(writes) ?
	    writes : 0) || m->products >=
	    MIN_USES * fmax(m->shared, m->converted[0]));
}

/* How busy the limiting resource is that tensor cores would relieve, in *${r};
 * NaN: another one limits. */
static double
busy_of(const struct rule_view *x, enum resource *r)
{
	const double *w = x->load->wavefronts;
	double fma = rule_busy(x, RES_FMA), l1 = rule_busy(x, RES_L1);
	double shared = w[USER_SHARED_LD] + w[USER_SHARED_ST], all = 0;

	for (int i = 0; i < USER_COUNT; i++)
		all += w[i];
	*r = RES_FMA;
	if (isfinite(l1) && shared >= 0.5 * all && shared > 0 &&
	    !(fma >= l1)) {
		*r = RES_L1;
		return l1;
	}
	return fma;
}

/* Can loads from shared memory be reduced without losing precision? Then that
 * comes first, and this rule's gain is only what surely remains. */
static bool
yields(const struct rule_view *x)
{
	return rule_said(x, "redundant-global-traffic") ||
	    rule_said(x, "shared-bank-conflicts");
}

/* Were the factors halves, converted for FFMA? */
static bool
is_narrow(const struct matrix *m)
{
	return m->narrow > 0.5 * m->products;
}

/* Wavefronts of shared memory that stay where fragments come from there, as is likely:
 * they need what the multiply-adds need, however well these used their loads, and
 * stores of halves to the tile are half as wide. */
static double
fragments_of(const struct load *l, double pipe)
{
	double shared = l->wavefronts[USER_SHARED_LD] +
	    l->wavefronts[USER_SHARED_ST];
	double now = l->resource_s[RES_L1] * shared / load_waves(l);

	return now > 0 && isfinite(l->resource_s[RES_FMA]) ? fmin(1,
	    fmax(LOADS_LEFT, FRAGMENTS * pipe * l->resource_s[RES_FMA] / now)) :
	    LOADS_LEFT;
}

static void
set_fix(const struct rule_view *x, struct draft *d, const struct matrix *m,
    double total, double ratio)
{
	bool tile = m->global <= 0.5 * m->products && !(m->product > 0);
	struct fix fix = FIX_NONE;
	/* The tensor cores take halves as they are. */
	double fmas = m->fmas + (is_narrow(m) ? m->narrowed : 0);
	double pipe = m->all > 0 ? fmin(1, fmas / m->all) : 1;

	/* In a product from global memory the loads of each multiply-add go, too. */
	fix.inst = 1 - fmin(0.95, (fmas * (1 - 1.0 / FMAS_AN_INST) +
	    2 * m->product * (1 - GLOBAL_LEFT) + m->stores) / total);
	if (m->product > 0) {
		double loads = fmin(1, 2 * m->product / x->load->requests_ld);

		fix.global_ld = fix.part[RES_L1] = 1 - loads *
		    (1 - GLOBAL_LEFT);
		fix.global_st = 1 - fmin(1, m->store_sectors /
		    fmax(1, or_zero(x->load->st_sectors)));
	}
	/* The pipe's time becomes that of the tensor pipe. */
	fix.part[RES_FMA] = fmin(1, (1 - pipe * (1 - 1 / ratio)) / fix.inst);
	if (tile)
		fix.shared_ld = LOADS_LEFT;
	rule_fix(d, &fix, 0.25, yields(x) ? 0.25 : 0.6);
	/* A tile's product is replaced with its loop: loads, addresses, conversions. How
	 * much its fragments take is what is not known. */
	if (tile && !yields(x)) {
		fix.inst = fmin(fix.inst, 1 - fmin(0.95, m->around *
		    (1 - LOADS_LEFT / 2) / total));
		fix.part[RES_FMA] = fmin(1, (1 - pipe * (1 - 1 / ratio)) /
		    fix.inst);
		fix.shared_ld = fix.shared_st = fragments_of(x->load, pipe);
		d->fix[VIEW_MID] = fix;
	}
}

static enum rule_state
report(struct rule_view *x, const struct matrix *m, double total,
    const struct mark *mark)
{
	const char *type = x->device->sm->tensor_type;
	bool half = m->half > 0.5 * m->fmas;
	bool keeps = half || is_narrow(m);
	double ratio = half ? x->device->sm->tensor_half_ratio :
	    x->device->sm->tensor_ratio;
	struct draft *d = rule_found(x, NULL);
	enum resource r;
	double busy = busy_of(x, &r);

	set_fix(x, d, m, total, ratio);
	d->f.confidence = CONF_LOW;
	rule_evidence(x, d, "multiply_add_ratio", m->fmas / total,
	    "multiply-adds of two loaded values, of all instructions",
	    .derived = "disassembly, warp instructions", .key = "min_share");
	rule_evidence(x, d, "tensor_inst", m->tensor,
	    "instructions on the tensor cores",
	    .measured = source_metric_table[SOURCE_INST].name, .unit = "inst");
	rule_evidence(x, d, "busy_ratio", busy, arena_format(x->arena,
	    "%s busy", resource_said[r]), .derived = "counters",
	    .key = m->product > 0 ? NULL : "min_busy");
	rule_evidence(x, d, "ceiling_ratio", ratio, arena_format(x->arena,
	    "tensor cores over the FMA pipe, %s", half ? "FP16" : type),
	    .estimated = "data sheets");
	d->f.summary = arena_format(x->arena, "%s of the instructions are %s "
	    "of two loaded values, as in a product of matrices; the tensor "
	    "cores are idle", say_percent(x->arena, m->fmas / total),
	    half ? "HFMA2" : "FFMA");
	d->f.advice = keeps ? "if it is a product of matrices, call cuBLAS "
	    "or CUTLASS, or write it with wmma: the tensor cores take the same "
	    "halves and add up in float, for extents that are multiples of "
	    "16" : arena_format(x->arena, "if it is a product of matrices, call "
	    "cuBLAS (CUBLAS_COMPUTE_32F_FAST_TF32) or CUTLASS, or write it with "
	    "wmma: if %s precision of the factors does (10 bits of the mantissa "
	    "in TF32 and FP16, 7 in BF16; FP16 ends at 65504; sums stay float), "
	    "for extents that are multiples of 16", type);
	d->f.gain_note = yields(x) ? "a quarter of the ratio of the ceilings: a "
	    "part of what the loads cost can be had without losing precision" :
	    "between a quarter and all of the ratio of the "
	    "ceilings: kernels seldom keep the tensor cores fed; unless the "
	    "factors were halves, results lose precision";
	lines_fill(x, d, mark, NULL);
	return rule_settle(x, d);
}

/* Looks for a product straight from global memory: whatever limits the kernel,
 * its loads are the cause. */
static bool
find_product(const struct rule_view *x, struct matrix *m, double total,
    struct mark *mark)
{
	const struct code *c = x->kernel->code;
	struct stored s = { 0 };
	struct product p;
	struct slices *t;

	if (m->tensor > 0 || !(x->load->requests_ld > 0) ||
	    product_of(&p, x, m->fmas > 0 ? NULL : mark) != 0 ||
	    !(p.fmas - p.wide > 0) || 3 * (p.fmas - p.wide) <
	    rule_value(x, "min_share") * total)
		return false;
	m->product = p.fmas - p.wide;
	m->fmas = fmax(m->fmas, m->product);
	m->half = fmax(m->half, p.half);
	t = slices_new(&c->sass);
	if (t != NULL)
		stored_of(&s, c, t, NULL);
	slices_free(t);
	m->store_sectors = s.store_sectors;
	m->stores = s.stores;
	return true;
}

enum rule_state
rule_tensor_cores_unused(struct rule_view *x)
{
	const struct code *c = x->kernel->code;
	double total = c != NULL ? inst_total(c, SOURCE_INST) : NAN;
	enum rule_state state = RULE_CLEAN;
	enum resource r;
	struct matrix m;
	struct mark *mark;

	if (x->device->sm->tensor_type == NULL)
		return rule_unmeasured(x, REASON_TENSOR_UNKNOWN);
	if (x->library != NULL)
		return called_tensor(x, x->device->sm->tensor_ratio,
		    x->device->sm->tensor_type);
	if (isnan(total))
		return rule_unmeasured(x, REASON_UNCOUNTED);
	if (isnan(rule_busy(x, RES_FMA)) && isnan(rule_busy(x, RES_L1)))
		return rule_lacks(x);
	if (rule_metric(x, METRIC_PIPE_TENSOR) >= 1)
		return RULE_CLEAN;
	mark = marks_new(x);
	if (mark == NULL)
		return RULE_CLEAN;
	count(c, &m, mark);
	if (find_product(x, &m, total, mark))
		state = report(x, &m, total, mark);
	else if (busy_of(x, &r) >= rule_value(x, "min_busy") &&
	    !(m.tensor > 0) && total > 0 && m.fmas > 0 &&
	    m.fmas >= rule_value(x, "min_share") * total && is_reused(c, &m))
		state = report(x, &m, total, mark);
	free(mark);
	return state;
}
