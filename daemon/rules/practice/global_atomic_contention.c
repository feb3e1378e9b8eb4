/*
 * global-atomic-contention: atomics on global memory that wait for each other.
 *
 * L2 performs atomics on different sectors at nearly the rate of stores. Those on a few
 * addresses it performs one after the other: the kernel then waits for memory while
 * neither L2 nor DRAM is busy. Scattered atomics that keep L2 busy are not contention.
 *
 * Without counts by instruction, counters tell the number of atomics. If that many, one
 * after the other, take as long as the kernel did, and nothing else explains its time,
 * they all went to one address. If they would take longer, and L2 holds their addresses
 * and performs them at a fraction of its rate, they went to a few (a histogram's bins).
 *
 * A kernel whose threads read much and add once at their end has few atomics among its
 * accesses. Where the code gives those one place and whole warps add to it, or a lane for
 * each warp, the time that they take there one after the other tells, not their share of
 * the accesses. Where a thread adds for its block, the advice was followed, and nothing
 * is said.
 *
 * A spin lock is two atomics and two fences around a few accesses, and the others wait
 * for all of that: one atomic does the work of most.
 */
#include <math.h>
#include <stdlib.h>

#include "facts/warp.h"
#include "rules/evidence/affine.h"
#include "rules/evidence/atomics.h"
#include "rules/evidence/inst.h"
#include "rules/evidence/lines.h"
#include "rules/evidence/locks.h"

#define USUAL 0.75	/* how busy L2 gets where it is the limit */
#define TRIP_S 1e-6	/* a trip to memory under load */
#define LINE_ALL 0.9	/* of the kernel's time: all of it, within the precision
			 * of the model */

struct contention {
	double inst, lanes, sectors;	/* of atomics; lanes: thread atomics */
	double spread;			/* additions that could be to different
					 * sectors */
	double placed;			/* lanes of atomics whose address does not
					 * depend on the thread: one address per warp */
	double others;			/* sectors of the other accesses */
	double accesses;		/* all global instructions (of warps) */
	double waiting;			/* share of samples waiting for the
					 * atomics; NaN */
	double rate;			/* thread atomics a second */
	double line;			/* > 0: all go to one address, which
					 * takes this share of the time; then
					 * there is little doubt */
	double placed_line;	/* share of the time that ${placed} take one
				 * after the other */
	struct locks lock;		/* acquired: 0: there is none */
};

/* The address of instruction ${i}; NULL: not known. */
static const struct affine *
address_of(const struct code *c, size_t i, const struct affine *address)
{
	const struct sass_instruction *s = inst_sass(c, i);

	return address != NULL && s != NULL ?
	    &address[s - c->sass.instruction] : NULL;
}

/*
 * Additions of ${lanes} lanes that L2 could perform at its rate. Lanes of a warp that
 * hit the same of ${sectors} do not make it busier, but wait for each other, unless
 * the code gives each lane a word of its own.
 */
static double
spread_of(const struct affine *a, double lanes, double sectors)
{
	bool own = a != NULL && a->kind == AFFINE_STEPS && !affine_is_one(a);

	return own || !(sectors > 0) ? lanes : fmin(lanes, sectors);
}

static void
count(const struct code *c, const struct affine *address,
    struct contention *k, struct mark *m)
{
	double samples = 0;

	for (size_t i = 0; i < c->instructions; i++) {
		enum inst_access kind = inst_global(c, i);
		double inst = inst_value(c, i, SOURCE_INST), lanes, sectors;
		const struct affine *a;

		if (kind == INST_NONE || !(inst > 0))
			continue;
		k->accesses += inst;
		if (kind != INST_ATOMIC)
			continue;
		lanes = inst * inst_lanes(c, i);
		lanes = isfinite(lanes) ? lanes : inst;
		sectors = inst_value(c, i, SOURCE_GLOBAL_SECTORS);
		a = address_of(c, i, address);
		k->inst += inst;
		k->lanes += lanes;
		if (a != NULL && affine_is_one(a))
			k->placed += lanes;
		k->sectors += sectors;
		k->spread += spread_of(a, lanes, sectors);
		m[i].weight = m[i].over = lanes;
		m[i].under = inst;
		samples += inst_stalled(c, i, STALL_BIT(LG_THROTTLE));
	}
	k->line = k->sectors > 0 && k->lanes >= 16 * k->sectors;
	k->others = fmax(0, inst_total(c, SOURCE_GLOBAL_SECTORS) - k->sectors);
	/* The rest of the waiting for memory is divided between the atomics and
	 * the other accesses by their work: L2 performs atomics lane by lane. */
	k->waiting = NAN;
	if (c->sampled && c->samples.all > 0 && k->lanes > 0)
		k->waiting = fmin(1, samples / (double)c->samples.all +
		    inst_waiting(c, STALLS_GLOBAL_ATOMIC &
		    ~STALL_BIT(LG_THROTTLE)) * k->lanes / (k->lanes + k->others));
}

/* The seconds that the other accesses keep L2 busy, or one trip to memory. */
static double
others_s(const struct contention *k, const struct rule_view *x)
{
	return fmax(k->others * SECTOR / x->ceiling->l2_bytes_per_s / USUAL,
	    TRIP_S);
}

/* The share of the kernel's time that everything but the atomics needs by
 * itself, the longest of: the time that the other accesses keep L2 busy; one trip
 * to memory; the trips and instructions of its warps. */
static double
others_share(const struct rule_view *x, const struct contention *k)
{
	double trips = atomics_explained(x, 0);

	return fmin(1, fmax(isfinite(trips) ? trips : 0,
	    others_s(k, x) / fmax(x->load->time_s, TRIP_S)));
}

/* The share of the L1 pipe's work that stays without a lock: no wavefronts but those
 * of other accesses, and one for each time that it was taken. */
static double
keep_l1(const struct load *l, const struct contention *k)
{
	double all = load_waves(l), own = l->wavefronts[USER_OTHER];
	double global = l->wavefronts[USER_GLOBAL_LD] +
	    l->wavefronts[USER_GLOBAL_ST];
	double section = global * fmin(1, k->lock.sectors / fmax(1, k->others));

	return all > 0 ? clamp01((all - own - section +
	    fmin(own, k->lock.acquired)) / all) : 1;
}

/*
 * Of a lock everything goes between taking and freeing it, with the waiting of the
 * others; an atomic for each time that it was taken does the work. The rest is what
 * the other accesses, those atomics and the trips to memory outside need.
 */
static void
set_lock_fix(const struct rule_view *x, struct draft *d,
    const struct contention *k)
{
	struct contention after = { .others = fmax(0, k->others -
	    k->lock.sectors) + k->lock.acquired };
	double loads = rule_metric(x, METRIC_GLOBAL_LD_INST), s;
	double trips = atomics_explained(x, k->lock.acquired / WARP);
	double all = k->others + (k->sectors > 0 ? k->sectors : k->lanes);
	struct fix fix = FIX_NONE;

	s = others_s(&after, x) / fmax(x->load->time_s, TRIP_S);
	if (loads > 0 && isfinite(trips))
		s = fmax(s, trips * (1 - fmin(1, k->lock.loads / loads)));
	fix.stall = fmax(0.01, fmin(1, s));
	fix.part[RES_L2] = all > 0 ? fmin(1, after.others / all) : 1;
	fix.part[RES_L1] = keep_l1(x->load, k);
	fix.line = fix.stall;
	rule_fix(d, &fix, 0.3, 1);
}

static void
set_fix(const struct rule_view *x, struct draft *d, const struct contention *k)
{
	/* No resource is busy. The time that neither instructions nor memory explain is
	 * the queue of the atomics; of the rest they have their share of the work. */
	double line = x->load->unexplained + (1 - x->load->unexplained) *
	    (1 - x->load->busy) * k->lanes / (k->lanes + k->others);
	double rest = others_share(x, k), most = 0.99;
	double sectors = k->sectors > 0 ? k->sectors : k->lanes;
	struct fix fix = FIX_NONE;

	/* The queue in front of memory is theirs, except what the other
	 * accesses need of it. */
	line = fmax(line, x->load->memory_queue * (1 - rest));
	if (k->line > 0)	/* L2 performs one at a time while all else runs */
		line = most = fmin(k->line, 1 - rest);
	fix.stall = 1 - fmin(most, fmax(line, isfinite(k->waiting) ?
	    k->waiting : 0));
	fix.part[RES_L2] = k->others / (k->others + sectors);
	fix.line = fix.stall;
	if (k->line > 0)
		rule_fix(d, &fix, 0.7, 1);
	else
		rule_fix(d, &fix, 0.3, 1);
}

/* Are atomics a large share of the accesses? */
static bool
are_many(const struct rule_view *x, const struct contention *k)
{
	return k->inst >= rule_value(x, "min_share") * k->accesses;
}

static void
give_evidence(const struct rule_view *x, struct draft *d,
    const struct contention *k)
{
	if (are_many(x, k))
		rule_evidence(x, d, "atomics_ratio", k->inst / k->accesses,
		    "atomics, of all global accesses",
		    .measured = source_metric_table[SOURCE_GLOBAL_RED].name,
		    .key = "min_share");
	else
		rule_evidence(x, d, "line_ratio", fmin(k->placed_line, 1),
		    "of the kernel's time, its atomics one after the other",
		    .estimated = source_metric_table[SOURCE_THREADS_ON].name,
		    .key = "min_line");
	rule_evidence(x, d, "atomics_per_s", k->rate,
	    "atomic additions of single lanes a second",
	    .derived = source_metric_table[SOURCE_THREADS_ON].name,
	    .unit = "1/s");
	rule_evidence(x, d, "lanes_per_sector", k->sectors > 0 ? k->lanes /
	    k->sectors : 1, "lanes that hit one sector, of an atomic",
	    .derived = source_metric_table[SOURCE_GLOBAL_SECTORS].name,
	    .unit = "lane/sector");
	if (isfinite(k->waiting) && are_many(x, k))
		rule_evidence(x, d, "waiting_ratio", k->waiting,
		    "samples that wait for them", .estimated = "PC samples",
		    .key = "min_waiting");
}

/* The parts of the finding that do not depend on how the atomics were counted. */
static void
give_advice(const struct rule_view *x, struct draft *d)
{
	rule_evidence(x, d, "busy_ratio", x->load->busy, "busiest resource",
	    .derived = "counters", .key = "max_busy");
	d->f.limiter = arena_format(x->arena, "L2 serializes atomics on one "
	    "address (%s busy)", say_percent(x->arena, x->load->busy));
	d->f.advice = "add within the warp (shuffle), then within the block (a "
	    "shared-memory copy with shared atomics), and to global memory once "
	    "a block; where targets are few, spread them over several copies";
	d->f.gain_note = "the kernel without the waiting for its atomics; their "
	    "few that remain are taken to be free";
}

/* No sum in the block replaces a lock. */
static void
advise_lock(struct draft *d)
{

	d->f.title = "a lock for each element";
	d->f.advice = "do without the lock: let one atomic do what it guards (pack "
	    "what is compared into the upper half of 64 bits and what comes with it "
	    "into the lower one, then atomicMax or atomicMin; a compare-and-swap "
	    "loop on the value itself), and skip even that where a plain read shows "
	    "that nothing would change; or sort by target, and let one thread do "
	    "all of one";
	d->f.gain_note = "everything between taking and freeing the lock gone, and the "
	    "waiting for it; one atomic for each time that it was taken";
	d->f.bad_code = "while (atomicCAS(&lock[k], 0, 1) != 0)\n    ;\n"
	    "__threadfence();\nif (v > best[k]) { best[k] = v; who[k] = i; }\n"
	    "__threadfence();\natomicExch(&lock[k], 0);";
	d->f.good_code = "unsigned long long both = (unsigned long long)v << 32 | i;\n"
	    "if (both > *(volatile unsigned long long *)&best[k])\n"
	    "    atomicMax(&best[k], both);";
}

static enum rule_state
report(struct rule_view *x, const struct contention *k, const struct mark *m)
{
	struct draft *d = rule_found(x, NULL);

	if (k->lock.acquired > 0)
		set_lock_fix(x, d, k);
	else
		set_fix(x, d, k);
	give_evidence(x, d, k);
	give_advice(x, d);
	if (k->lock.acquired > 0)
		advise_lock(d);
	d->f.confidence = isfinite(k->waiting) && are_many(x, k) ? CONF_HIGH :
	    CONF_MEDIUM;
	d->f.summary = are_many(x, k) ?
	    arena_format(x->arena, "%s of the global accesses are atomics, %s "
	    "million additions a second in all, and no memory is busy: they "
	    "wait for each other", say_percent(x->arena,
	    k->inst / k->accesses), say_plain(x->arena, 1e-6 * k->rate)) :
	    arena_format(x->arena, "%s global atomics a launch, all to one "
	    "place, take %s of its time one after another, and no memory is "
	    "busy: they wait for each other", say_whole(x->arena, k->placed),
	    say_percent(x->arena, fmin(k->placed_line, 1)));
	lines_fill(x, d, m, "%s lanes an atomic");
	return rule_settle(x, d);
}

/* If one lane of a warp adds for all, as the compiler arranges, no counter
 * tells that all warps add to one address. The code does, together with the
 * time that so many atomics take one after the other. */
static bool
stands_in_line(const struct rule_view *x, struct contention *k)
{
	double line = k->placed * atomics_each_s(x->kernel->code) /
	    fmax(x->load->time_s, TRIP_S);

	k->placed_line = line;
	if (line < rule_value(x, "min_line") || line > ATOMICS_LINE_MOST)
		return false;
	if (!(k->line > 0))
		k->line = line < LINE_ALL ? line : 1;
	return true;
}

/* Does each warp add for itself, though its block could? */
static bool
is_by_warp(const struct rule_view *x, const struct contention *k)
{
	double a_block = ceil(rule_threads(x->kernel) / (double)WARP);

	return a_block > 1 && k->placed > 0.5 * a_block * rule_blocks(x->kernel);
}

static enum rule_state
by_instruction(struct rule_view *x)
{
	const struct code *c = x->kernel->code;
	struct affine *address = c->disassembled ?
	    affine_addresses(c, &x->kernel->shape) : NULL;
	struct contention k = { 0 };
	enum rule_state state = RULE_CLEAN;
	double least = rule_value(x, "min_waiting"), queue;
	bool waits, in_line, by_warps;
	struct mark *m = marks_new(x);

	if (m == NULL) {
		free(address);
		return RULE_CLEAN;
	}
	count(c, address, &k, m);
	if (c->disassembled)
		locks_of(&k.lock, c);
	free(address);
	k.rate = x->load->time_s > 0 ? k.lanes / x->load->time_s : 0;
	queue = fmax(x->load->memory_stall, x->load->unexplained);
	waits = (isfinite(k.waiting) ? k.waiting : queue) >= least;
	by_warps = k.line > 0 || is_by_warp(x, &k);
	in_line = stands_in_line(x, &k);
	if (k.inst > 0 && atomics_are_few(x, k.spread) &&
	    x->load->busy < rule_value(x, "max_busy") &&
	    (are_many(x, &k) ? waits || in_line :
	    by_warps && in_line && (waits || queue >= least)))
		state = report(x, &k, m);
	free(m);
	return state;
}

/* Marks the atomics in code that was not counted, by samples if there are any.
 * Returns false if the code has no atomics. */
static bool
mark_atomics(const struct code *c, struct mark *m)
{
	bool any = false;

	for (size_t i = 0; i < c->instructions; i++) {
		if (inst_global(c, i) != INST_ATOMIC)
			continue;
		m[i].weight = 1 + inst_samples(c, i);
		any = true;
	}
	return any;
}

static enum rule_state
report_line(struct rule_view *x, const struct atomics *a, const struct mark *m)
{
	struct contention k = { .lanes = a->least, .others = a->others,
	    .waiting = NAN, .line = a->line < LINE_ALL ? a->line : 1 };
	struct draft *d = rule_found(x, NULL);

	set_fix(x, d, &k);
	rule_evidence(x, d, "atomics", a->least,
	    "L2 sectors from L1 that are neither loaded nor stored, a launch",
	    .derived = metric_table[METRIC_L2_FROM_L1].name, .unit = "sector");
	rule_evidence(x, d, "line_ratio", fmin(a->line, 1),
	    "of the kernel's time, that many atomics on one word",
	    .estimated = metric_table[METRIC_L2_FROM_L1].name,
	    .key = "min_line");
	give_advice(x, d);
	d->f.summary = a->line > ATOMICS_LINE_MOST ?
	    arena_format(x->arena, "%s global atomics a launch take all of its "
	    "time, in which L2 could do %s as many: they go to few places and "
	    "wait for each other", say_whole(x->arena, a->least),
	    say_times(x->arena, x->ceiling->l2_bytes_per_s * x->load->time_s /
	    (32 * a->least))) : arena_format(x->arena, "%s global atomics a "
	    "launch take %s of its time one after another, and nothing else "
	    "explains it: they wait for each other",
	    say_whole(x->arena, a->least),
	    say_percent(x->arena, fmin(a->line, 1)));
	lines_fill(x, d, m, NULL);
	return rule_settle(x, d);
}

static enum rule_state
by_counters(struct rule_view *x)
{
	const struct reason *lacks = inst_lacks(x, NEED_SOURCE);
	const struct code *c = x->kernel->code;
	enum rule_state state = RULE_FOUND;
	struct mark *m;
	struct atomics a;

	if (lacks == NULL)
		lacks = &reason_row[REASON_GLOBAL_ATOMICS_UNCOUNTED];
	if (isnan(x->load->busy) || atomics_of(&a, x) != NULL)
		return rule_unmeasured_for(x, lacks);
	/* Even as many as there can be would not queue. */
	if (x->load->busy >= rule_value(x, "max_busy") ||
	    a.line_most < rule_value(x, "min_waiting"))
		return RULE_CLEAN;
	if (!atomics_wait(&a, rule_value(x, "min_line")) ||
	    a.least < rule_value(x, "min_share") * (a.least + a.others) ||
	    atomics_elsewhere(x))
		return rule_unmeasured_for(x, lacks);
	m = marks_new(x);
	if (c != NULL && m == NULL)
		return RULE_CLEAN;
	if (c != NULL && c->disassembled && !mark_atomics(c, m))
		state = rule_unmeasured_for(x, lacks);
	else
		state = report_line(x, &a, m);
	free(m);
	return state;
}

enum rule_state
rule_global_atomic_contention(struct rule_view *x)
{
	const struct code *c = x->kernel->code;

	if (rule_is_debug(x))
		return rule_unmeasured(x, REASON_DEBUG_BUILD);
	if (c == NULL || !c->counted ||
	    (isnan(inst_total(c, SOURCE_GLOBAL_ATOM)) &&
	    isnan(inst_total(c, SOURCE_GLOBAL_RED)) && !c->disassembled))
		return by_counters(x);
	return by_instruction(x);
}
