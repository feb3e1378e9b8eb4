/*
 * uniform-global-load: all threads read the same address of global memory at
 * the same time. A value that is the same for the whole grid belongs in
 * constant memory or a kernel parameter. One that is the same only for a block
 * (its weights, a row of a matrix) is a broadcast, which is fine unless the L1
 * pipe limits the kernel and such loads are most of its work: each takes as much
 * of that pipe as one that brings 32 values. The address must depend neither on
 * the thread nor on a loaded value.
 *
 * What every thread walks from end to end (all pairs of bodies, a layer's weights)
 * is seldom small enough for constants, whose cache is small: a block loads a
 * tile of it into shared memory, from where one load brings 16 bytes.
 */
#include <math.h>
#include <stdlib.h>

#include "rules/evidence/access.h"
#include "rules/evidence/lines.h"
#include "rules/gain/wait.h"
#include "source/operand.h"
#include "source/slice.h"

#define SLICES_MAX 1024		/* loads that are examined */

/* Constants that all warps walk should fit into the cache next to the arithmetic: 2 KB
 * (Jia et al., Dissecting the Volta and the Turing GPU, 2018 and 2019). Measured on an
 * H100: a loop over 8 KB of constants took 2.5 times as long as over global memory. */
#define CONSTANT_BYTES 2048
/* CUDA Programming Guide, Device Memory Accesses: a thread loads 16 bytes at once. */
#define WIDEST 16

struct uniform {
	double requests, sectors;
	double wide;		/* requests that remain if each loads 16 bytes */
	double region;		/* bytes covered by the longest walk of a loop, or
				 * by the code without loops */
	double straight;	/* bytes that code outside loops loads */
	bool block;		/* loads that are one only for a block count, too */
	unsigned instructions;
};

static bool
is_walk(const struct uniform *u)
{
	return u->region > CONSTANT_BYTES;
}

/* Is the address the same for the whole grid or, if ${block}, for a block? */
static bool
is_wide(const struct slice *s, bool block)
{
	return s->known && (s->varies & ~(block ? VARIES_BLOCK : 0u)) == 0 &&
	    !s->loads && s->parameters > 0;
}

/* Do loads of one address for a block matter, too? They do where the L1 pipe limits
 * and most of its work is loads of one address. */
static bool
is_crowded(const struct rule_view *x, const struct accesses *a)
{
	return rule_is_bound(x, RES_L1) &&
	    a->sum[PATTERN_UNIFORM][INST_LOAD].requests >=
	    rule_value(x, "min_part") * load_waves(x->load);
}

/* The bytes that instruction ${i}, with address ${s}, walks in its loop. */
static double
walked(const struct code *c, size_t i, const struct slice *s)
{
	uint32_t at = c->instruction[i].sass;
	const struct sass_loop *loop = sass_loop_of(&c->sass, at);

	if (loop == NULL || s->step == 0)
		return 0;
	return fabs((double)s->step) * inst_executed(c, at) /
	    fmax(1, inst_entered(c, loop));
}

static void
set_fix(const struct rule_view *x, struct draft *d, const struct accesses *a,
    const struct uniform *u)
{
	double waves = rule_metric(x, METRIC_LSU_WAVEFRONTS);
	double lsu = inst_total(x->kernel->code, SOURCE_SHARED_LD) +
	    inst_total(x->kernel->code, SOURCE_SHARED_ST);
	double part = u->requests / a->all[INST_LOAD].requests;
	double gone = is_walk(u) ? u->requests - u->wide : u->requests;
	/* A warp still waits for each remaining load from shared memory. */
	double waits = is_walk(u) ? u->wide / u->requests *
	    wait_staged(x->load) : 0;
	struct fix fix = FIX_NONE;

	lsu = (isfinite(lsu) ? lsu : 0) + a->all[INST_LOAD].requests +
	    a->all[INST_STORE].requests + a->all[INST_ATOMIC].requests;
	fix.part[RES_LSU] = 1 - gone / lsu;
	if (waves > 0)
		fix.part[RES_L1] = 1 - fmin(0.95, gone / waves);
	/* Constants are operands of the arithmetic: no instruction of their own. */
	fix.inst = 1 - fmin(0.9, gone /
	    fmax(1, rule_metric(x, METRIC_INST_EXECUTED)));
	fix.stall = 1 - x->load->memory_stall * part * (1 - waits);
	/* A block's broadcasts come from L1 already: what else its warps wait for
	 * may limit soon. */
	rule_fix(d, &fix, u->block ? 0.1 : is_walk(u) ? 0.5 : 0.3,
	    u->block ? 0.5 : is_walk(u) ? 1 : 0.7);
}

static void
give_evidence(const struct rule_view *x, struct draft *d,
    const struct accesses *a, const struct uniform *u)
{
	rule_evidence(x, d, "uniform_ratio", u->requests /
	    a->all[INST_LOAD].requests, u->block ?
	    "loads of one address by a whole block, of all global loads" :
	    "loads of one address by the whole grid, of all global loads",
	    .derived = "warp instructions, disassembly", .key = "min_share");
	rule_evidence(x, d, "sectors_per_request", u->sectors / u->requests,
	    "their sectors per request",
	    .measured = source_metric_table[SOURCE_GLOBAL_SECTORS].name,
	    .unit = "sector/request");
	rule_evidence(x, d, "uniform_inst_ratio", u->requests /
	    inst_total(x->kernel->code, SOURCE_INST),
	    "their part of all warp instructions",
	    .derived = source_metric_table[SOURCE_INST].name,
	    .key = "min_inst");
}

static enum rule_state
report(struct rule_view *x, const struct accesses *a, const struct uniform *u,
    const struct mark *m)
{
	struct draft *d = rule_found(x, NULL);

	set_fix(x, d, a, u);
	give_evidence(x, d, a, u);
	if (is_walk(u))
		rule_evidence(x, d, "walked_bytes", u->region,
		    "bytes that a thread walks",
		    .derived = "warp instructions, disassembly");
	d->f.confidence = CONF_MEDIUM;
	d->f.summary = arena_format(x->arena, "%s of the global loads read one "
	    "address for %s (%u instruction%s)", say_percent(x->arena,
	    u->requests / a->all[INST_LOAD].requests), u->block ?
	    "a whole block" : "the whole grid", u->instructions,
	    u->instructions == 1 ? "" : "s");
	d->f.advice = is_walk(u) ? "let the threads of a block load a tile of it "
	    "into shared memory together, as elements of 16 bytes (float4), and "
	    "walk that between two __syncthreads(): one load for four, and it "
	    "comes from L2 once per block" :
	    arena_format(x->arena, "put what every thread reads into "
	    "__constant__ memory (up to 64 KB) or into a struct that is passed "
	    "as a kernel parameter (up to 4 KB): it then comes with the "
	    "arithmetic instruction and takes no load%s", u->block ? ". Or let "
	    "each thread compute several results: each such value then goes "
	    "into all of them" : "");
	d->f.gain_note = is_walk(u) ? "a load of 16 bytes for each four of 4, "
	    "and a shorter wait for each" :
	    "the kernel without these loads; nothing if the values "
	    "do not fit into constant memory";
	return lines_settle(x, d, m, "%s sector per request");
}

static enum rule_state
find(struct rule_view *x, const struct accesses *a)
{
	const struct code *c = x->kernel->code;
	struct uniform u = { 0 };
	enum rule_state state = RULE_CLEAN;
	bool crowded = is_crowded(x, a);
	int slices = 0;
	struct mark *m;

	if (a->sum[PATTERN_UNIFORM][INST_LOAD].requests <
	    rule_value(x, "min_share") * a->all[INST_LOAD].requests ||
	    (m = marks_new(x)) == NULL)
		return RULE_CLEAN;
	for (size_t i = 0; i < c->instructions; i++) {
		const struct judged_access *one = &a->of[i];
		struct slice s;

		if (one->pattern != PATTERN_UNIFORM || one->kind != INST_LOAD)
			continue;
		if (slices++ == SLICES_MAX)
			break;
		slice_of(&s, a->slices, c->instruction[i].sass);
		if (!is_wide(&s, crowded))
			continue;
		u.block = u.block || s.varies != 0;
		u.requests += one->requests;
		u.wide += one->requests * fmin(1, inst_bytes(c, i) / WIDEST);
		u.region = fmax(u.region, walked(c, i, &s));
		if (sass_loop_of(&c->sass, c->instruction[i].sass) == NULL)
			u.straight += inst_bytes(c, i);
		u.sectors += one->sectors;
		u.instructions++;
		m[i].weight = m[i].under = one->requests;
		m[i].over = one->sectors;
	}
	u.region = fmax(u.region, u.straight);
	if (u.requests > 0 && u.requests >= rule_value(x, "min_share") *
	    a->all[INST_LOAD].requests && u.requests >=
	    rule_value(x, "min_inst") * inst_total(c, SOURCE_INST))
		state = report(x, a, &u, m);
	free(m);
	return state;
}

enum rule_state
rule_uniform_global_load(struct rule_view *x)
{
	return accesses_ask(x, find);
}
