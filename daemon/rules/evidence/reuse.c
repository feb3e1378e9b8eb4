/*
 * rules/evidence/reuse.c: see reuse.h.
 *
 * Three kinds of global loads cannot be kept in a tile, or belong to another
 * rule: those at loaded addresses (no tile holds a gather), those of one
 * address for the whole grid (uniform-global-load), and those whose address
 * does not change in their loop (read-only-path-unused).
 */
#include <math.h>
#include <stdlib.h>

#include "rules/evidence/coded_estimate.h"
#include "rules/evidence/division.h"
#include "rules/evidence/inst.h"
#include "source/operand.h"
#include "rules/evidence/reads.h"
#include "rules/evidence/reuse.h"
#include "rules/evidence/served.h"
#include "source/slice.h"

#define SLICES_MAX 1024		/* loads that are examined, of each kind */
#define WORDS 128		/* bytes that a warp requests, 4 per lane */
#define DIVIDED_MOST 0.1	/* of all instructions: more are for
				 * integer-division to report */

static double
zero(double v)
{
	return isfinite(v) ? v : 0;
}

/* Are all counts by instruction there that the judgement by code needs? */
static bool
by_code(const struct rule_view *x)
{
	const struct code *c = x->kernel->code;

	return c != NULL && c->counted && c->disassembled &&
	    isfinite(inst_total(c, SOURCE_GLOBAL_SECTORS)) &&
	    isfinite(inst_total(c, SOURCE_SHARED_WAVEFRONTS));
}

/* The bytes that loads requested; bytes shared by lanes count once. */
static double
loaded_bytes(const struct rule_view *x)
{
	double used = rule_metric(x, METRIC_GLOBAL_LD_BYTES_PER_SECTOR);
	double sectors = rule_metric(x, METRIC_GLOBAL_LD_SECTORS);

	if (isfinite(used))
		return sectors * fmin(used, 32);
	/* Without bytes per sector: at most 4 bytes per lane. */
	return fmin(sectors * 32, x->load->requests_ld * WORDS);
}

double
reuse_memory(const struct run *run)
{
	if (run->peak_memory_bytes == 0 || run->lost > 0 ||
	    reads_refused(run, NEED_MEMORY) != NULL)
		return NAN;
	return (double)run->peak_memory_bytes + (double)run->peak_host_bytes +
	    (double)run->static_bytes;
}

static void
look_at_global(const struct rule_view *x, struct reuse *r)
{
	double memory = reuse_memory(x->run);
	double read = rule_metric(x, METRIC_DRAM_READ);
	double l2 = (double)x->device->limits.l2_bytes;
	double host = (zero(rule_metric(x, METRIC_L2_SYSMEM)) +
	    zero(rule_metric(x, METRIC_L2_PEER))) * 32;

	r->loaded = loaded_bytes(x);
	r->from_l2 = isfinite(x->load->ld_sectors) ? x->load->l2_ld * 32 : NAN;
	r->unique = l2 > 0 ? read + host + l2 : NAN;
	/* If DRAM delivered more than that, some memory was not seen. Without
	 * DRAM counters, all of the memory may be distinct bytes. */
	if (isfinite(memory) && !(memory >= r->unique) && !(memory < read)) {
		r->unique = memory;
		r->by_memory = true;
	}
	r->again = r->loaded / r->unique;
	r->l2_again = r->from_l2 / r->unique;
}

static void
look_at_shared(const struct rule_view *x, struct reuse *r)
{
	double ld = rule_metric(x, METRIC_SHARED_LD_INST);
	double st = zero(rule_metric(x, METRIC_SHARED_ST_INST));
	double from_l2 = zero(rule_metric(x, METRIC_L2_FROM_L1)) * 32 / WORDS;

	r->shared = ld > 0 ? ld / fmax(1, fmax(st, from_l2)) : 0;
}

static void
look_at_pipes(const struct rule_view *x, struct reuse *r)
{
	const double *w = x->load->wavefronts;
	double sum = 0, l1 = rule_busy(x, RES_L1);
	double busy = fmax(zero(rule_busy(x, RES_FMA)),
	    zero(rule_busy(x, RES_FP64)));

	for (int i = 0; i < USER_COUNT; i++)
		sum += w[i];
	r->part_global = sum > 0 ? zero(w[USER_GLOBAL_LD] / sum) : 0;
	r->part_shared = sum > 0 ? zero(w[USER_SHARED_LD] / sum) : 0;
	if (r->by_code)		/* integer arithmetic counts, unless it computes
				 * addresses of tensor core operands */
		busy = fmax(busy, zero(rule_busy(x, RES_ALU)));
	r->arithmetic = l1 > 0 ? busy / l1 : NAN;
}

/* Is it a load whose value a tile or a register can hold? Or, with *${along}, that of
 * all threads, which several results of a thread share? */
static bool
can_be_kept(const struct code *c, const struct slices *t, size_t i, bool *along)
{
	uint32_t at = c->instruction[i].sass;
	struct slice s;

	slice_of(&s, t, at);
	*along = s.known && !s.loads && s.varies == 0 && s.changes;
	if (!s.known || s.loads || s.varies == 0)
		return false;
	return sass_loop_of(&c->sass, at) == NULL || s.changes;
}

/*
 * Does the value go into a product whose other factor is the same in all
 * threads: a constant, a parameter, a uniform register? In a product of two
 * values from memory, several results per thread share one of the two at a
 * time; in this one they share all such values.
 */
static bool
is_scaled(const struct code *c, size_t i)
{
	static const char *const product[] = { "FFMA", "FMUL", "DFMA", "DMUL",
	    "HFMA2", "HMUL2", "IMAD" };
	size_t use = inst_first_use(c, i);
	const struct sass_instruction *s = use < c->instructions ?
	    inst_sass(c, use) : NULL;
	bool is = false, shared;
	struct operands o;

	for (size_t n = 0; n < sizeof(product) / sizeof(product[0]); n++)
		is = is || opcode_is(s, product[n]);
	if (!is || !operands_of(&o, s))
		return false;
	shared = o.parameter != 0 || o.has_float || o.has_immediate;
	for (int n = 0; n < o.uses; n++)
		shared = shared || o.use[n] >= UNIFORM_REGISTER;
	return shared;
}

/*
 * The share of the instructions that loads marked in ${of}, which are executed ${kept}
 * times, take with what computes their addresses. None if that divides: whoever
 * replaces the divisions needs no other change. NaN without memory.
 */
static double
served_of(const struct code *c, const bool *of, double kept)
{
	struct mark *divided = calloc(c->instructions + 1, sizeof(*divided));
	double all = inst_total(c, SOURCE_INST);
	struct divisions d = { 0 };

	if (divided == NULL)
		return NAN;
	divisions_count(&d, c, divided);
	free(divided);
	return d.inst > DIVIDED_MOST * all ? 0 :
	    (kept + served_inst(c, of)) / all;
}

/* False without memory. */
static bool
weigh_global(struct reuse *r, const struct code *c, const struct slices *t,
    struct mark *m)
{
	bool *of = calloc(c->sass.instructions + 1, sizeof(*of));
	bool *with = calloc(c->sass.instructions + 1, sizeof(*with));
	double all = 0, kept = 0, single = 0, shared = 0;
	int slices = 0;

	if (of == NULL || with == NULL) {
		free(of);
		free(with);
		return false;
	}
	for (size_t i = 0; i < c->instructions; i++) {
		double inst = inst_value(c, i, SOURCE_INST);
		double sectors = inst_value(c, i, SOURCE_GLOBAL_SECTORS);
		bool along;

		if (inst_global(c, i) != INST_LOAD || !(inst > 0))
			continue;
		all += inst;
		if (slices++ >= SLICES_MAX)
			continue;
		if (!can_be_kept(c, t, i, &along)) {
			shared += along ? inst : 0;
			with[c->instruction[i].sass] = along;
			continue;
		}
		kept += inst;
		if (is_scaled(c, i))
			single += inst;
		of[c->instruction[i].sass] = with[c->instruction[i].sass] = true;
		m[i].weight = m[i].under = inst;
		m[i].over = zero(sectors);
	}
	r->kept = all > 0 ? zero(kept / all) : 0;
	r->single = kept > 0 ? zero(single / kept) : 0;
	r->along = all > 0 ? zero(shared / all) : 0;
	r->served = kept > 0 ? served_of(c, of, kept) : 0;
	r->fed = kept > 0 ? zero(served_of(c, with, kept + shared)) : 0;
	free(of);
	free(with);
	return isfinite(r->served);
}

static void
weigh_shared(struct reuse *r, const struct code *c, const struct slices *t,
    struct mark *m)
{
	double all = 0, tables = 0;
	int slices = 0;

	for (size_t i = 0; i < c->instructions; i++) {
		double waves = inst_value(c, i, SOURCE_SHARED_WAVEFRONTS);
		struct slice s;

		if (inst_shared(c, i) != INST_LOAD || !(waves > 0))
			continue;
		all += waves;
		m[i].weight = m[i].over = waves;
		m[i].under = inst_value(c, i, SOURCE_INST);
		if (slices++ >= SLICES_MAX)
			continue;
		slice_of(&s, t, c->instruction[i].sass);
		if (s.loads)
			tables += waves;
	}
	r->table = tables > 0.5 * all;
}

static bool
uses_tensors(const struct code *c)
{
	for (size_t i = 0; i < c->instructions; i++) {
		const struct sass_instruction *s = inst_sass(c, i);

		if (s != NULL && s->flags & SASS_TENSOR &&
		    inst_value(c, i, SOURCE_INST) > 0)
			return true;
	}
	return false;
}

/* The share that can be kept where instructions were not counted: by estimates of
 * how often each is executed. Unchanged if there are none. */
static void
weigh_estimated(struct reuse *r, const struct rule_view *x)
{
	struct reuse by = { .kept = 0 };
	struct slices *t = NULL;
	struct mark *m = NULL;
	struct coded e;

	if (coded_of(&e, x) != 0)
		return;
	t = slices_new(&e.code.sass);
	m = marks_new(x);
	if (t == NULL || m == NULL) {
		x->arena->failed = true;
	} else if (inst_total(&e.code, SOURCE_GLOBAL_LD) > 0) {
		if (!weigh_global(&by, &e.code, t, m))
			x->arena->failed = true;
		r->kept = by.kept;
		r->served = by.served;
		r->along = by.along;
		r->fed = by.fed;
	}
	free(m);
	slices_free(t);
	coded_clear(&e);
}

void
reuse_of(struct reuse *r, const struct rule_view *x, struct mark *global,
    struct mark *shared)
{
	const struct code *c = x->kernel->code;

	*r = (struct reuse){ .kept = 1, .by_code = by_code(x) };
	if (r->by_code && global != NULL && shared != NULL) {
		struct slices *t = slices_new(&c->sass);

		if (t == NULL) {
			x->arena->failed = true;
		} else {
			if (!weigh_global(r, c, t, global))
				x->arena->failed = true;
			weigh_shared(r, c, t, shared);
		}
		slices_free(t);
		r->tensor = uses_tensors(c);
	}
	look_at_global(x, r);
	if (!r->by_code && (r->again > 1 || r->l2_again > 1))
		weigh_estimated(r, x);
	look_at_shared(x, r);
	look_at_pipes(x, r);
}

bool
reuse_conflicted(const struct rule_view *x, double most)
{
	double waves = rule_metric(x, METRIC_SHARED_LD_WAVEFRONTS);
	double conflicts = rule_metric(x, METRIC_SHARED_LD_CONFLICTS);
	const struct code *c = x->kernel->code;

	if (c != NULL && c->counted) {
		double all = inst_total(c, SOURCE_SHARED_WAVEFRONTS);
		double ideal = inst_total(c, SOURCE_SHARED_IDEAL);

		if (isfinite(all) && isfinite(ideal))
			return all - ideal > most * all;
	}
	return waves > 0 && conflicts > most * waves;
}
