#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "family.h"
#include "hold.h"
#include "inject.h"
#include "patched.h"
#include "plan.h"
#include "prepare.h"
#include "sass.h"

#define FEW_SIGNATURES 6	/* signatures that get all passes unconditionally */
#define FEW_FUNCTIONS 16	/* functions whose first launch gets the headline:
				 * 0.7 s in all */
#define YIELDS 64		/* launches that a kernel leaves to kernels */
#define YIELD_TIMES 4		/* with so many times its GPU time */
#define ENABLES 16		/* most set-ups of a context's profiler */
#define ENABLES_FREE 4		/* so many of them at the first launch that needs it, */
#define TURNS 4			/* most switches to the second configuration */
#define PATIENCE 256		/* later set-ups come after so many launches; also the
				 * number of kernels that are looked at */
#define SETTLED 8		/* launches without a new kernel, or two launches per
				 * kernel if that is more, */
#define SETTLED_NS 1000000000ull	/* or so much time, after which all kernels
					 * count as seen */
#define GONE_LEAST 32		/* looks without a launch, and as many as before its
				 * last launch, after which a kernel is no longer
				 * waited for */
#define PATCH_NS 50000000ull	/* patching the module of a library takes 10 to 49 ms
				 * on an H200, the program's own 1 ms */
#define COUNT_HOLDS 2		/* holds that a count by instruction may take: of its
				 * launch, and of the next (counters.c) */
#define COUNT_HOLDS_MOST 6	/* of a kernel that matters: that of its launch, and
				 * those five for which the next one waits at most
				 * (COUNTED_WAIT_NS). By the expected time, two holds leave
				 * the slow kernel of 30 of 82 programs uncounted on an H200,
				 * six that of 7. */

bool
plan_wants_instructions(const struct signature *s)
{

	return level_counts(inject.level) && !s->counted &&
	    target_counts_instructions();
}

static uint64_t patch_cost = PATCH_NS;

void
plan_learn_cost(uint64_t ns)
{

	/* Averaged: a single slow count must not end counting by instruction. */
	patch_cost = (patch_cost + ns) / 2;
}

uint32_t
plan_headline(void)
{

	return target_metrics()->configs > 1 ? metrics_bits(
	    &target_metrics()->config[0]) :
	    1;
}

uint32_t
plan_patched(void)
{
	const struct metrics *m = target_metrics();
	uint32_t bits = 0;
	size_t i;

	for (i = 0; i < m->configs; i++)
		bits |= metrics_bits(&m->config[i]) &
		    (uint32_t)(UINT64_MAX << m->config[i].patched);
	return bits;
}

/* Whether ${s} should get the headline, which is expensive: if there are few kernels,
 * or this one matters; if its function is unknown yet, since its first launch may be
 * its only one; or if this shape stands for many of a function that matters. */
static bool
wants_headline(const struct signature *s)
{
	const struct family *f = s->family;

	if (s->id <= FEW_SIGNATURES || atomic_load(&s->matters))
		return true;
	if (f->headlines == 0 && atomic_load(&f->traced) == 0)
		return f->id <= FEW_FUNCTIONS;
	return family_matters(f) && atomic_load(&f->gpu_ns) >= f->next_ns;
}

uint32_t
plan_needed(const struct signature *s)
{
	uint32_t all = metrics_all(target_metrics());

	if (target_metrics()->count == 0)
		return 0;
	if (target_metrics()->passes > 1 && !wants_headline(s))
		return all & ~plan_headline();
	return all;
}

static uint32_t
lacks(const struct signature *s)
{

	return target_refusal() != SKIP_NONE ? 0 :
	    plan_needed(s) & ~s->passes & ~s->hopeless;
}

/* The passes that ${s} lacks and the profiler's present configuration has. */
static uint32_t
lacks_here(const struct target *t, const struct signature *s)
{

	return t->p.object != NULL ? lacks(s) & metrics_bits(t->p.config) : 0;
}

bool
plan_has_now(const struct target *t, const struct signature *s)
{

	return lacks_here(t, s) != 0 || plan_wants_instructions(s);
}

void
plan_check(struct signature *s)
{

	atomic_store(&s->complete, target_metrics()->count > 0 &&
	    s->passes == metrics_all(target_metrics()));
	if (lacks(s) == 0 && !plan_wants_instructions(s))
		atomic_store(&s->measured, true);
}

void
plan_keep(const struct target *t, struct signature *s)
{
	uint32_t given_up;

	if (!target_kept(t))
		return;
	given_up = t->p.object != NULL ? ~metrics_bits(t->p.config) : ~0u;
	s->kept = s->kept || (lacks(s) & given_up) != 0;
	s->hopeless |= given_up;
}

bool
plan_done(void)
{
	uint32_t i, n = signature_count();
	const struct signature *s;

	for (i = 0; i < n; i++) {
		s = signature_at(i);
		if (s->skip == SKIP_NONE && !atomic_load(&s->measured))
			return false;
	}
	return true;
}

/* Number of calls of look(). Guarded by the window. */
static uint64_t looks;

/* Notes which kernels were launched since the last look, from the counts of the launch
 * callback. */
static void
look(void)
{
	uint32_t i, n = signature_count();
	struct signature *s;
	uint64_t launches;

	looks++;
	for (i = 0; i < n && i < PATIENCE; i++) {
		s = signature_at(i);
		launches = atomic_load_explicit(&s->launches,
		    memory_order_relaxed);
		if (launches != s->looked_launches) {
			s->looked_launches = launches;
			s->looked = looks;
		}
	}
}

/* Whether ${s} is not launched any more: it was, but a few times in the beginning
 * only. */
static bool
is_gone(const struct signature *s)
{
	uint64_t since = looks - s->looked;

	return since > GONE_LEAST && since > s->looked;
}

/* Whether one of the first PATIENCE kernels still lacks this pass. */
static bool
somebody_lacks(uint32_t bit)
{
	uint32_t i, n = signature_count();
	const struct signature *s;

	for (i = 0; i < n && i < PATIENCE; i++) {
		s = signature_at(i);
		if (s->skip == SKIP_NONE && !atomic_load(&s->measured) &&
		    !is_gone(s) && (lacks(s) & bit) != 0)
			return true;
	}
	return false;
}

/* Whether there is a kernel whose share of the GPU time is not known yet. */
static bool
somebody_unknown(void)
{
	uint32_t i, n = signature_count();
	const struct signature *s;

	for (i = 0; i < n && i < PATIENCE; i++) {
		s = signature_at(i);
		if (s->skip == SKIP_NONE && !atomic_load(&s->measured) &&
		    atomic_load(&s->launches) > 0 && !is_gone(s) &&
		    atomic_load(&s->traced) == 0 &&
		    !((s->passes | s->hopeless) & plan_headline()))
			return true;
	}
	return false;
}

/* The GPU time of ${s} so far; of a new shape, that of its function; UINT64_MAX if
 * unknown. */
static uint64_t
weight(const struct signature *s)
{

	if (atomic_load(&s->traced) > 0)
		return atomic_load(&s->gpu_ns);
	return atomic_load(&s->family->traced) > 0 ?
	    atomic_load(&s->family->gpu_ns) : UINT64_MAX;
}

bool
plan_matters(const struct signature *s)
{

	return atomic_load(&s->matters) || family_matters(s->family);
}

/* Kernels with the most GPU time are measured first. A kernel leaves a limited number
 * of launches unmeasured while a kernel with far more GPU time lacks something that can
 * be measured now. */
bool
plan_yields(const struct target *t, struct signature *s)
{
	uint64_t ours = weight(s), theirs;
	uint32_t i, n = signature_count();
	const struct signature *o;

	if (inject.replay || s->yields >= YIELDS || ours >= UINT64_MAX / 4)
		return false;
	for (i = 0; i < n && i < PATIENCE; i++) {
		o = signature_at(i);
		theirs = weight(o);
		if (o->skip == SKIP_NONE && !atomic_load(&o->measured) &&
		    o->shape.device == t->device && theirs != UINT64_MAX &&
		    theirs / YIELD_TIMES > ours && (lacks_here(t, o) != 0 ||
		    plan_wants_instructions(o))) {
			s->yields++;
			return true;
		}
	}
	return false;
}

/* Whether no new kernel has come for a while. */
static bool
settled(const struct target *t)
{
	uint32_t n = 2 * t->seen;

	return t->quiet >= (n > SETTLED ? n : SETTLED) ||
	    inject_now() - t->newest_ns >= SETTLED_NS;
}

static void
unsettle(struct target *t)
{

	t->quiet = 0;
	t->newest_ns = inject_now();
}

/* The index of the configuration that the profiler should have. The headline comes
 * first: it alone tells what a new kernel is and whether it matters. The switch does not
 * wait for kernels that lack it but are not launched any more. */
static size_t
config_for(struct target *t, const struct signature *s)
{
	uint32_t n = signature_count();

	if (target_metrics()->configs < 2)
		return 0;
	look();
	t->quiet++;
	if (n != t->seen)
		unsettle(t);
	t->seen = n;
	return !(lacks(s) & plan_headline()) && settled(t) &&
	    ((!somebody_lacks(plan_headline()) && !somebody_unknown()) ||
	    inject_now() - t->newest_ns >= SETTLED_NS);
}

bool
plan_profiler(struct target *t, const struct signature *s,
    struct prepare_wish *w)
{

	*w = (struct prepare_wish){ 0 };
	if (t == NULL)
		return true;
	if (t->failed || lacks(s) == 0 || target_kept(t))
		return false;
	w->config = config_for(t, s);
	w->turn = t->p.object != NULL;
	if (w->turn)
		return w->config > 0 &&
		    t->p.config == &target_metrics()->config[0] &&
		    t->turns < TURNS && t->enables < ENABLES;
	return (++t->misses >= PATIENCE || t->paused ||
	    (atomic_load(&s->matters) &&
	    signature_time(s) >= FAMILY_LONG_NS) ||
	    t->enables < ENABLES_FREE + t->turns) && t->enables < ENABLES;
}

/*
 * ${s} has the next pass already: true if this launch is left to other kernels, whose
 * windows advance the profiler. If every launch advanced the profiler, alternating
 * kernels would meet the pass that they have every time.
 */
static bool
leaves_pass(struct target *t)
{
	uint32_t patience = 2 * (uint32_t)t->p.config->passes +
	    signature_count();

	return somebody_lacks(1u << t->p.pass) &&
	    ++t->passed <= (patience < PATIENCE ? patience : PATIENCE);
}

static double
instructions_of(const struct signature *s)
{
	int i = metrics_find(target_metrics(), "smsp__inst_executed.sum");

	return s->value != NULL && i >= 0 ? s->value[i] : NAN;
}

/* The expected time of ${s} with patched code. A longer time that was measured counts
 * instead: one block runs on one SM, and a load may touch 32 sectors. */
static uint64_t
patched(const struct signature *s)
{
	uint64_t expected = patched_time(instructions_of(s),
	    signature_time(s));

	return expected > s->patched_ns ? expected : s->patched_ns;
}

void
plan_learn_patched(const struct signature *s, uint64_t ns)
{

	patched_learn(instructions_of(s), signature_time(s), ns);
}

/* Whether a window that costs ${cost} fits into this hold with its kernel. A pass whose
 * window does not even fit into a hold of its own, where it costs ${least}, is given
 * up. */
static bool
fits(struct signature *s, uint32_t bit, uint64_t begin, uint64_t cost,
    uint64_t least, uint64_t kernel)
{

	if (kernel != UINT64_MAX && hold_fits(begin, cost + kernel))
		return true;
	if (kernel != UINT64_MAX && least + kernel > inject.max_stall_ns) {
		s->hopeless |= bit;
		s->stalls = true;
		plan_check(s);
	}
	return false;
}

bool
plan_pass(struct target *t, struct signature *s, uint64_t begin,
    size_t *pass, uint64_t *cost)
{
	uint32_t lack = lacks_here(t, s);
	struct profiler *p = &t->p;
	size_t first;

	if (lack == 0)
		return false;
	first = p->config->base;
	*cost = 0;
	*pass = inject.replay ? first : p->pass;
	if (inject.replay)
		return true;
	/* ${s} may not be launched again: the first pass tells most. */
	if (s->passes == 0 && (lack & 1u << first) && hold_fits(begin,
	    profiler_turn_ns(p, first) + p->cost_ns[first]))
		*pass = first;
	else if (!(lack & 1u << p->pass)) {
		if (leaves_pass(t))
			return false;
		while (!(lack & 1u << *pass))
			*pass = profiler_after(p, *pass);
	}
	*cost = profiler_turn_ns(p, *pass) + p->cost_ns[*pass];
	if (!fits(s, 1u << *pass, begin, *cost, p->cost_ns[*pass],
	    *pass >= p->config->patched ? patched(s) : 0))
		return false;
	t->passed = 0;
	if (1u << *pass & plan_headline())
		unsettle(t);
	else if (lacks(s) & plan_headline())
		s->late = true;
	return true;
}

/* Counts by instruction follow the first counters, which tell how long they take. While
 * the headline is lacking, it goes first. */
bool
plan_instructions(struct target *t, struct signature *s, uint64_t begin,
    uint64_t *cost)
{
	const char *where = "";
	uint64_t kernel, most;
	int r;

	if (!plan_wants_instructions(s) || (s->passes == 0 &&
	    lacks_here(t, s) != 0 &&
	    (lacks(s) & 1u << t->p.config->base)))
		return false;
	kernel = patched(s);
	if (kernel == UINT64_MAX || !hold_fits(begin, patch_cost))
		return false;
	*cost = patch_cost + kernel;
	most = inject.max_stall_ns * (s->id <= FEW_SIGNATURES ||
	    plan_matters(s) ? COUNT_HOLDS_MOST : COUNT_HOLDS);
	/* A kernel that is known to take too long is given up. */
	if (*cost > most) {
		s->counted = s->stalls = true;
		plan_check(s);
		return false;
	}
	r = sass_configure(target_metrics(), t->device, &where);
	if (r != CUPTI_SUCCESS)
		target_refuse_instructions(where, r, NULL);
	return r == CUPTI_SUCCESS;
}
