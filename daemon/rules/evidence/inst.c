/*
 * rules/evidence/inst.c: one kernel's instructions, see inst.h.
 */
#include <math.h>
#include <string.h>

#include "base/sort.h"
#include "rules/evidence/inst.h"
#include "source/operand.h"

#define REGISTERS_MOST 255.0	/* of a thread */
#define REGISTERS_SM 65536.0	/* since compute capability 5 */
#define AHEAD 256		/* instructions to search for the first use: unrolled
				 * code loads long before it uses */

double
inst_total(const struct code *c, enum source_metric m)
{
	double v = c->total[m];

	return isfinite(v) && v >= 0 ? v : NAN;
}

double
inst_value(const struct code *c, size_t i, enum source_metric m)
{
	double v = c->instruction[i].value[m];

	if (isfinite(v) && v >= 0)
		return v;
	return isnan(inst_total(c, m)) ? NAN : 0;
}

const struct sass_instruction *
inst_sass(const struct code *c, size_t i)
{
	uint32_t s = c->instruction[i].sass;

	return s < c->sass.instructions ? &c->sass.instruction[s] : NULL;
}

size_t
inst_at(const struct code *c, uint32_t pc)
{
	size_t low = FIRST_NOT(mid, 0, c->instructions,
	    c->instruction[mid].pc < pc);

	return low < c->instructions && c->instruction[low].pc == pc ?
	    low : SIZE_MAX;
}

size_t
inst_of_sass(const struct code *c, uint32_t s)
{
	if (s < c->instructions && c->instruction[s].sass == s)
		return s;	/* all of the instructions are known */
	return s < c->sass.instructions ?
	    inst_at(c, c->sass.instruction[s].pc) : SIZE_MAX;
}

double
inst_entered(const struct code *c, const struct sass_loop *l)
{
	double before = l->head > 0 ? inst_executed(c, l->head - 1) : 0;
	double behind = l->tail + 1 < c->sass.instructions ?
	    inst_executed(c, l->tail + 1) : 0;

	return fmax(before, behind);
}

size_t
inst_first_use(const struct code *c, size_t i)
{
	const struct sass_instruction *by = inst_sass(c, i);
	uint32_t at = c->instruction[i].sass;
	struct operands o, u;

	if (by == NULL || !operands_of(&o, by) || o.def == REGISTER_NONE)
		return SIZE_MAX;
	for (uint32_t s = at + 1; s < c->sass.instructions &&
	    s - at <= AHEAD; s++) {
		operands_of(&u, &c->sass.instruction[s]);
		for (int n = 0; n < u.uses; n++)
			if (u.use[n] >= o.def && u.use[n] < o.def + o.defs)
				return inst_of_sass(c, s);
		/* Another value from here on. */
		if (u.def == o.def && u.defs >= o.defs && !u.guarded)
			break;
	}
	return SIZE_MAX;
}

double
inst_executed(const struct code *c, uint32_t s)
{
	size_t i = inst_of_sass(c, s);
	double v = i != SIZE_MAX ? inst_value(c, i, SOURCE_INST) : 0;

	return isfinite(v) ? v : 0;
}

static enum inst_access
kind_of(const struct sass_instruction *s)
{
	return s->flags & SASS_ATOMIC ? INST_ATOMIC :
	    s->flags & SASS_STORE ? INST_STORE :
	    s->flags & SASS_LOAD ? INST_LOAD : INST_NONE;
}

enum inst_access
inst_global(const struct code *c, size_t i)
{
	const struct sass_instruction *s = inst_sass(c, i);

	if (inst_value(c, i, SOURCE_GLOBAL_ATOM) > 0 ||
	    inst_value(c, i, SOURCE_GLOBAL_RED) > 0)
		return INST_ATOMIC;
	if (inst_value(c, i, SOURCE_GLOBAL_ST) > 0)
		return INST_STORE;
	if (inst_value(c, i, SOURCE_GLOBAL_LD) > 0)
		return INST_LOAD;
	/* Asynchronous copies are counted only by their sectors. */
	if (s != NULL && s->space == SPACE_GLOBAL &&
	    !(s->flags & SASS_ASYNC))
		return kind_of(s);
	return INST_NONE;
}

enum inst_access
inst_shared(const struct code *c, size_t i)
{
	const struct sass_instruction *s = inst_sass(c, i);

	if (inst_value(c, i, SOURCE_SHARED_ATOM) > 0)
		return INST_ATOMIC;
	if (inst_value(c, i, SOURCE_SHARED_ST) > 0)
		return INST_STORE;
	if (inst_value(c, i, SOURCE_SHARED_LD) > 0)
		return INST_LOAD;
	if (s != NULL && s->space == SPACE_SHARED &&
	    !(s->flags & SASS_ASYNC))
		return kind_of(s);
	return INST_NONE;
}

double
inst_bytes(const struct code *c, size_t i)
{
	const struct sass_instruction *s = inst_sass(c, i);
	double ideal = inst_value(c, i, SOURCE_GLOBAL_IDEAL);
	double threads = inst_value(c, i, SOURCE_THREADS_ON);

	if (s != NULL && s->bytes > 0)
		return s->bytes;
	if (!(ideal > 0) || !(threads > 0))
		return 0;
	return exp2(round(log2(fmin(fmax(ideal * 32 / threads, 1), 16))));
}

double
inst_lanes(const struct code *c, size_t i)
{
	double inst = inst_value(c, i, SOURCE_INST);
	double threads = inst_value(c, i, SOURCE_THREADS_ON);

	if (isnan(threads))
		threads = inst_value(c, i, SOURCE_THREADS);
	return inst > 0 && isfinite(threads) ? threads / inst : NAN;
}

double
inst_stalled(const struct code *c, size_t i, uint32_t mask)
{
	return samples_stalled(&c->instruction[i].samples, mask);
}

double
inst_samples(const struct code *c, size_t i)
{
	return (double)c->instruction[i].samples.all;
}

double
inst_waiting(const struct code *c, uint32_t mask)
{
	if (!c->sampled || c->samples.all == 0)
		return NAN;
	return fmin(1, samples_stalled(&c->samples, mask) / (double)c->samples.all);
}

static const struct reason *
or_else(const struct reason *reason, enum reason_code other)
{
	return reason == NULL ? &reason_row[other] : reason;
}

/* Compilers use local memory when registers run out, or for arrays with computed
 * indices; with -G for everything. Is the kernel built like one with -G? */
static bool
is_like_debug(const struct kernel *k)
{
	double most = fmin(REGISTERS_MOST, REGISTERS_SM /
	    fmax(1, rule_threads(k)));

	return k->shape.local_per_thread > 0 && k->shape.regs > 0 &&
	    k->shape.regs < most / 2;
}

const struct reason *
inst_lacks(const struct rule_view *x, unsigned needs)
{
	const struct code *c = x->kernel->code;
	unsigned parts = level_parts(x->run->level);

	needs &= NEED_SOURCE | NEED_SAMPLES | NEED_CODE | NEED_CUBIN |
	    NEED_LINES;
	if (needs == 0)
		return NULL;
	if (c == NULL) {
		if (needs == NEED_CUBIN && is_like_debug(x->kernel))
			return &reason_row[REASON_LIKE_DEBUG];
		if (!(parts & LEVEL_COUNTS) &&
		    x->kernel->skip != SKIP_PERMISSION)
			return &reason_row[needs & NEED_SAMPLES ?
			    REASON_NEEDS_SOURCE : REASON_NEEDS_AUTO];
		/* The reason that it has no counters holds here, too. */
		if (x->kernel->skip != SKIP_NONE)
			return reason_skip[x->kernel->skip];
		return &reason_row[REASON_NOT_LOOKED_AT];
	}
	if (((needs & NEED_SOURCE) && !c->counted) ||
	    ((needs & NEED_LINES) && !c->counted && !c->sampled))
		return or_else(c->uncounted, REASON_UNCOUNTED);
	if ((needs & NEED_CODE) && !c->disassembled)
		return or_else(c->no_sass, REASON_NO_SASS);
	if ((needs & NEED_CUBIN) && c->no_cubin != NULL)
		return c->no_cubin;
	if ((needs & NEED_SAMPLES) && !c->sampled)
		return &reason_row[parts & LEVEL_SAMPLES ?
		    REASON_NO_SAMPLE : REASON_NEEDS_SOURCE];
	return NULL;
}

bool
inst_is_same(const struct kernel *a, const struct kernel *b)
{
	/* Names are interned (model/pool.h): to compare the text of 64 KiB of each kernel
	 * with that of all others would take hours. */
	return a == b || (a->code != NULL && b->code != NULL &&
	    a->code->cubin == b->code->cubin && a->code->function != NULL &&
	    a->code->function == b->code->function);
}

double
inst_share(const struct rule_view *x, bool *speaks)
{
	double all = 0, own = 0;

	*speaks = true;
	for (size_t i = 0; i < x->run->kernels; i++) {
		const struct kernel *k = &x->run->kernel[i];

		all += (double)k->total_ns;
		if (!inst_is_same(x->kernel, k))
			continue;
		own += (double)k->total_ns;
		if (k->total_ns > x->kernel->total_ns ||
		    (k->total_ns == x->kernel->total_ns && k < x->kernel))
			*speaks = false;
	}
	return all > 0 ? own / all : 0;
}
