/*
 * narrow-access: accesses are coalesced, but each lane moves so few bytes per
 * instruction that issuing the accesses, or keeping enough of them in flight,
 * limits the kernel instead of memory; or, if each thread takes one element of
 * less than 4 bytes and exits, starting so many threads does. Without counters
 * only the latter is judged: how often a loop iterates, and so what it is busy
 * with, is then only an estimate.
 */
#include <math.h>
#include <stdlib.h>

#include "rules/evidence/access.h"
#include "rules/evidence/division.h"
#include "rules/evidence/lines.h"
#include "rules/evidence/served.h"
#include "source/operand.h"
#include "source/slice.h"

#define WIDEST 16		/* bytes of a lane */
#define LANES_FULL 30
#define TRIP_S 600e-9		/* to DRAM and back, under some load */
#define SLICES_MAX 128		/* addresses that are examined */
#define LINE 128		/* bytes of a request that a wavefront carries */
#define PART_DRAM 0.10		/* DRAM is busy at least so much if it is what
				 * accesses of parts of a line wait for: wait.c */
#define PART_BUSY 0.80		/* and at most so much: with full lines 0.88 is
				 * usual (gain.c), of which a tenth is noise */
#define WITH_EACH 2		/* instructions around an access: address, loop */
#define LOOPS_MOST 0.1		/* share of instructions in loops, of threads
				 * that take one element and exit */
#define TAKING_LEAST 0.5	/* share of the warps that access an element: if
				 * more have nothing to do, wider accesses do
				 * not make them fewer */
#define LANES_LEAST 24		/* of 32 lanes, in the mean of all instructions
				 * (Nsight Compute, ThreadDivergence): with
				 * fewer, accesses whose lanes were not counted
				 * are no whole warps' */

struct narrow {
	double requests, bytes;	/* of narrow accesses; mean bytes of a lane */
	double with;		/* instructions that go with them: addresses */
	double all;		/* requests of all global accesses */
	bool issue;		/* their number limits the kernel … */
	bool flight;		/* … or the bytes in flight do */
	double in_flight, needed;	/* bytes per SM */
	bool once;		/* a thread takes one element and exits … */
	double data;		/* … and this share of its instructions works on
				 * what it loaded, or on more than its position */
	double apart;		/* requests at addresses computed for each
				 * element: no vector holds its neighbours */
};

static bool
is_narrow(const struct accesses *a, const struct code *c, size_t i)
{
	double bytes = inst_bytes(c, i);

	return a->of[i].pattern == PATTERN_GOOD &&
	    a->of[i].kind != INST_ATOMIC && bytes > 0 && bytes <= 4 &&
	    inst_lanes(c, i) >= LANES_FULL;
}

/* False without memory. */
static bool
count(struct narrow *n, const struct accesses *a, const struct code *c)
{
	bool *of = calloc(c->sass.instructions + 1, sizeof(*of));

	if (of == NULL)
		return false;
	for (size_t i = 0; i < c->instructions; i++) {
		const struct judged_access *one = &a->of[i];

		if (one->pattern == PATTERN_NONE)
			continue;
		n->all += one->requests;
		if (!is_narrow(a, c, i))
			continue;
		n->requests += one->requests;
		n->bytes += one->requests * inst_bytes(c, i);
		if (c->instruction[i].sass != SASS_NONE)
			of[c->instruction[i].sass] = true;
	}
	n->bytes = n->requests > 0 ? n->bytes / n->requests : 0;
	n->with = n->requests > 0 ? served_inst(c, of) : 0;
	free(of);
	return isfinite(n->with);
}

/* Do they fill a part of a line, so that the requests in flight are limited before
 * the bytes are? */
static bool
is_part(const struct narrow *n)
{
	return n->bytes * 32 < LINE;
}

/* Instructions of divisions. */
static double
divided(const struct code *c)
{
	struct mark *m = calloc(c->instructions + 1, sizeof(*m));
	struct divisions d;

	if (m == NULL)
		return 0;
	divisions_count(&d, c, m);
	free(m);
	return d.inst;
}

/* Does a function of three bits with the truth table ${lut} flip its result with one
 * of them, as exclusive or does? Masks and fields do not. */
static bool
flips(unsigned lut)
{
	for (unsigned bit = 1; bit < 8; bit <<= 1) {
		unsigned up = 0, down = 0;

		for (unsigned at = 0; at < 8; at++) {
			if (at & bit)
				continue;
			up |= ~(lut >> at) & lut >> (at | bit) & 1;
			down |= lut >> at & ~(lut >> (at | bit)) & 1;
		}
		if (up && down)
			return true;
	}
	return false;
}

/* Does the result of ${i} grow evenly with a position that it reads, or take
 * bits of it? Then it is computed once for neighbouring elements: sums, products,
 * shifts, masks, comparisons, limits. Hashes, remainders and floats are computed
 * for each of them. */
static bool
keeps_position(const struct sass_instruction *i, const struct operands *o)
{
	if (opcode_is(i, "IMAD"))
		return !operand_has(i, "HI");
	if (opcode_is(i, "LOP3"))
		return !o->has_immediate || !flips((unsigned)o->immediate);
	return opcode_is_any(i, "IADD3 VIADD IADD LEA MOV SHF SHL SHR ISETP "
	    "SEL IMNMX VIMNMX S2R R2UR BFE SGXT") || i->space != SPACE_NONE ||
	    (i->flags & SASS_BRANCH) != 0;
}

/* What the registers hold, in the order of the code. */
struct holding {
	bool data[UNIFORM_REGISTER];	/* what a load brought that is the lane's
					 * own, or what was computed from that */
	bool place[UNIFORM_REGISTER];	/* something of the thread's position */
	bool own[UNIFORM_REGISTER];	/* … computed for each element */
	bool next[UNIFORM_REGISTER];	/* something of its position of which the
					 * next element's was added already */
	unsigned predicates;		/* that one of data or own decided */
	uint32_t until;			/* the end of the code that one of these
					 * predicates leads around */
};

static bool
reads(const struct operands *o, const bool held[UNIFORM_REGISTER])
{
	for (int u = 0; u < o->uses; u++)
		if (o->use[u] >= 0 && o->use[u] < UNIFORM_REGISTER &&
		    held[o->use[u]])
			return true;
	return false;
}

static void
hold(const struct operands *o, bool held[UNIFORM_REGISTER], bool is)
{
	for (int d = 0; d < o->defs && o->def >= 0 &&
	    o->def + d < UNIFORM_REGISTER; d++)
		held[o->def + d] = is || (o->guarded && held[o->def + d]);
}

/* Does a predicate that differs from element to element decide ${i}, or is it in code
 * that is skipped for some of them? (Sums name the predicate of their carry.) */
static bool
is_decided(const struct holding *h, const struct sass_instruction *i, uint32_t s,
    const struct operands *o)
{
	unsigned guard = o->guard != 0 ? 1u << (abs(o->guard) - 1) : 0;

	return s < h->until || guard & h->predicates ||
	    (o->predicates & h->predicates && (i->flags & SASS_PREDICATE ||
	    opcode_is_any(i, "SEL FSEL PLOP3 FMNMX IMNMX VIMNMX")));
}

static void
decide(struct holding *h, const struct code *c, uint32_t s,
    const struct operands *o, bool each)
{
	const struct sass_instruction *i = &c->sass.instruction[s];
	uint32_t to = i->flags & SASS_BRANCH && i->target != SASS_NONE ?
	    sass_at(&c->sass, i->target) : SASS_NONE;

	if (i->flags & SASS_PREDICATE && each)
		h->predicates |= o->predicates;
	else if (i->flags & SASS_PREDICATE && !o->guarded)
		h->predicates &= ~(unsigned)o->predicates;
	if (each && to != SASS_NONE && to > h->until)
		h->until = to;
}

/* The values of the position that ${o} reads and that the next element needs anew: a sum
 * each, the first time. */
static unsigned
sums_of(struct holding *h, const struct operands *o)
{
	unsigned n = 0;

	for (int u = 0; u < o->uses; u++) {
		int r = o->use[u];

		if (r < 0 || r >= UNIFORM_REGISTER || !h->place[r] ||
		    h->own[r] || h->data[r] || h->next[r])
			continue;
		h->next[r] = true;
		n++;
	}
	return n;
}

/*
 * Sets n->apart and n->data, the share of the instructions that stay as many for each
 * element: they work on what loads brought for it, or compute from its
 * position what the next element's does not tell (a hash, a remainder), or what is
 * decided by such values; and a sum for each value of the position that these read. A
 * thread with more elements runs the others once for all of them. From the
 * order of the code; false if threads run a loop, or most of them have no
 * element.
 */
static bool
ends_soon(struct narrow *n, const struct accesses *a, const struct code *c)
{
	struct holding h = { .until = 0 };
	double all = 0, looped = 0, busy = 0, each = 0, most = 0;
	bool together = false;

	for (uint32_t s = 0; s < c->sass.instructions; s++) {
		const struct sass_instruction *i = &c->sass.instruction[s];
		double executed = inst_executed(c, s);
		size_t at = inst_of_sass(c, s);
		struct operands o;
		bool is, place, own, decided;

		/* Threads that cooperate do so for all their elements. */
		together = together || i->space == SPACE_SHARED ||
		    i->flags & SASS_BARRIER;
		operands_of(&o, i);
		is = reads(&o, h.data) && i->space == SPACE_NONE;
		place = reads(&o, h.place) || o.varies & VARIES_THREAD;
		decided = is_decided(&h, i, s, &o);
		own = reads(&o, h.own) || (place && !keeps_position(i, &o)) ||
		    decided;
		own = own && i->space == SPACE_NONE;
		all += executed;
		if (sass_loop_of(&c->sass, s) != NULL)
			looped += executed;
		if (is)
			busy += executed;
		if (is || own)
			each += executed * (1 + sums_of(&h, &o));
		/* Where the ways meet again; the instruction that says where is ahead
		 * of them. */
		if (h.until > 0 && s == h.until && opcode_is(i, "BSYNC"))
			each += 2 * executed;
		if (at != SIZE_MAX && is_narrow(a, c, at)) {
			most = fmax(most, executed);
			if (o.base >= 0 && o.base < UNIFORM_REGISTER &&
			    h.own[o.base])
				n->apart += a->of[at].requests;
		}
		decide(&h, c, s, &o, is || own);
		hold(&o, h.data, is || (at != SIZE_MAX &&
		    a->of[at].kind == INST_LOAD &&
		    a->of[at].pattern != PATTERN_NONE &&
		    a->of[at].pattern != PATTERN_UNIFORM));
		hold(&o, h.place, place && i->space == SPACE_NONE);
		hold(&o, h.own, own);
		hold(&o, h.next, false);
	}
	/* Instructions that compute each element's position by division stay,
	 * too; those that a function does are not in the code's order. */
	n->data = all > 0 ? fmin(1, fmax(each, busy + divided(c)) / all) : 1;
	return all > 0 && !together && looped <= LOOPS_MOST * all &&
	    most >= TAKING_LEAST * inst_executed(c, 0);
}

/* Is the address loaded? One address for all lanes is no gather, wherever it
 * comes from. */
static bool
is_gather(const struct slice *s, const struct accesses *a,
    const struct code *c)
{
	if (!s->loads || s->loaded > SLICE_LOADS)
		return s->loads;
	for (int k = 0; k < s->loaded; k++) {
		size_t i = inst_of_sass(c, s->load[k]);

		if (i == SIZE_MAX || a->of[i].pattern != PATTERN_UNIFORM)
			return true;
	}
	return false;
}

/*
 * The share of accesses at loaded addresses: neighbours in the code are none in
 * memory, and no vector holds them.
 */
static double
gathers(const struct rule_view *x, const struct accesses *a)
{
	const struct code *c = x->kernel->code;
	struct slices *t = slices_new(&c->sass);
	double found = 0;
	int slices = 0;

	if (t == NULL)
		x->arena->failed = true;
	for (size_t i = 0; t != NULL && i < c->instructions; i++) {
		struct slice s;

		if (!is_narrow(a, c, i))
			continue;
		if (slices++ == SLICES_MAX)
			break;
		slice_of(&s, t, c->instruction[i].sass);
		if (is_gather(&s, a, c))
			found += a->of[i].requests;
	}
	slices_free(t);
	return found;
}

static void
look_for_limit(const struct rule_view *x, struct narrow *n)
{
	static const enum resource by_number[] = {
		RES_ISSUE, RES_ALU, RES_LSU, RES_L1, RES_START
	};
	const size_t kinds = sizeof(by_number) / sizeof(by_number[0]);
	const struct load *l = x->load;
	const struct record_DEVICE *limits = &x->device->limits;

	for (size_t i = 0; i < kinds; i++) {
		/* Requests of 128 bytes fill their wavefronts. And where
		 * starting blocks is the limit, too-many-blocks-little-work
		 * reports it, whatever the width of the accesses. */
		if ((by_number[i] == RES_L1 || by_number[i] == RES_START) &&
		    !is_part(n))
			continue;
		if (by_number[i] == RES_START && !n->once)
			continue;
		n->issue = n->issue || (l->limit == (int)by_number[i] &&
		    l->busy >= rule_value(x, "min_busy"));
	}
	n->in_flight = l->occupancy * limits->max_warps_per_sm * 32 *
	    n->bytes * fmax(1, x->kernel->code->together);
	n->needed = x->ceiling->dram_bytes_per_s * TRIP_S /
	    fmax(1, limits->sms);
	/* Of requests for a part of a line, L1 need not be busy to be what holds up
	 * their bytes. */
	n->flight = !n->issue && (l->limit == RES_DRAM || l->bound < 0.5 ||
	    (l->limit == RES_L1 && is_part(n))) && l->memory_stall >= 0.5 &&
	    (is_part(n) ? l->busy < PART_BUSY &&
	    rule_busy(x, RES_DRAM) >= PART_DRAM :
	    l->busy < rule_value(x, "max_dram") &&
	    rule_busy(x, RES_DRAM) >= 0.25 &&
	    n->in_flight < rule_value(x, "max_flight") * n->needed);
}

static void
set_fix(const struct rule_view *x, struct draft *d, const struct narrow *n)
{
	const struct code *c = x->kernel->code;
	double inst = rule_metric(x, METRIC_INST_EXECUTED);
	double wide = WIDEST / n->bytes;	/* elements per access */
	double shared = inst_total(c, SOURCE_SHARED_LD) +
	    inst_total(c, SOURCE_SHARED_ST) + inst_total(c, SOURCE_SHARED_ATOM);
	double share = n->requests / (n->all + (shared > 0 ? shared : 0));
	struct fix fix = FIX_NONE;

	if (n->flight)
		fix.flight = wide;
	if (n->flight && !n->once && !is_part(n)) {
		rule_fix(d, &fix, 0.05, 0.15);
		return;
	}
	if (inst > 0)
		fix.inst = 1 - fmin(0.9, (n->requests + fmax(n->with,
		    n->requests * WITH_EACH)) * (1 - 1 / wide) / inst);
	if (n->once) {		/* as many fewer threads */
		fix.inst = fmin(fix.inst, n->data + (1 - n->data) / wide);
		fix.part[RES_START] = 1 / wide;
		fix.grid = 1 / wide;
	}
	fix.part[RES_LSU] = fmin(1, (1 - share * (1 - 1 / wide)) / fix.inst);
	/* A wavefront carries a line, of whatever width. */
	if (is_part(n))
		fix.part[RES_L1] = 1 - share *
		    (1 - fmax(n->bytes * 32 / LINE, 1 / wide));
	/* Enough bytes would be in flight, were no request limited: how many are is
	 * not counted. */
	if (n->flight && !n->once && n->in_flight >= n->needed)
		rule_fix(d, &fix, 0.1, 0.5);
	else
		rule_fix(d, &fix, 0.4, n->once ? 1 : 0.9);
}

static void
describe(struct rule_view *x, struct draft *d, const struct narrow *n)
{
	d->f.title = n->flight ? "narrow accesses keep too little in flight" :
	    "narrow accesses";
	d->f.summary = arena_format(x->arena, "%s of the global accesses move "
	    "%s byte%s a lane%s", say_percent(x->arena, n->requests / n->all),
	    say_plain(x->arena, n->bytes), n->bytes == 1 ? "" : "s",
	    n->flight && n->in_flight >= n->needed ? ": each request fills a "
	    "part of a line" : n->flight ? arena_format(x->arena, ": about %s in flight an SM, "
	    "where DRAM needs %s", say_bytes(x->arena, n->in_flight),
	    say_bytes(x->arena, n->needed)) : "");
	d->f.advice = n->bytes < 3 ? "let each thread take 4 to 16 neighbouring "
	    "elements with one vector access (uchar4, half2, uint4), with a "
	    "tail for what is left" : "let each thread take 4 neighbouring "
	    "elements with one float4 or int4 access, with a tail for what is "
	    "left; the pointer must be aligned to 16 bytes";
	d->f.gain_note = n->flight ? "more bytes in flight for each warp, up to "
	    "the next full resource" : n->once ? "as many fewer threads: what "
	    "each does before its first element is done once for all of its "
	    "own, and fewer blocks are started" : "the same bytes with loads and stores of "
	    "16 bytes a lane, and as many fewer address and loop instructions";
}

static void
give_lines(const struct rule_view *x, struct draft *d,
    const struct accesses *a)
{
	const struct code *c = x->kernel->code;
	struct mark *m = marks_new(x);

	for (size_t i = 0; m != NULL && i < c->instructions; i++) {
		const struct judged_access *one = &a->of[i];

		if (!is_narrow(a, c, i))
			continue;
		m[i].weight = one->requests;
		m[i].over = one->requests * inst_bytes(c, i);
		m[i].under = one->requests;
	}
	lines_fill(x, d, m, "%s B a lane");
	free(m);
}

static bool
is_enough(const struct rule_view *x, const struct narrow *n)
{
	double inst = inst_total(x->kernel->code, SOURCE_INST);

	return n->requests > 0 &&
	    n->requests >= rule_value(x, "min_share") * n->all &&
	    (n->once || n->requests + (n->flight && is_part(n) ? n->with : 0) >=
	    rule_value(x, "min_inst") * inst);
}

/* Is it known that most lanes are idle, and not at which instructions? The
 * elements that the others take are no neighbours of theirs. */
static bool
lacks_lanes(const struct rule_view *x)
{
	double lanes = rule_metric(x, METRIC_THREAD_INST) /
	    rule_metric(x, METRIC_INST_EXECUTED);

	return x->own != NULL && lanes < LANES_LEAST;
}

static enum rule_state
find(struct rule_view *x, const struct accesses *a)
{
	struct narrow n = { 0 };
	struct draft *d;

	if (!count(&n, a, x->kernel->code)) {
		x->arena->failed = true;
		return RULE_NOT_MEASURED;
	}
	n.once = ends_soon(&n, a, x->kernel->code);
	look_for_limit(x, &n);
	if ((!n.issue && !n.flight) || !is_enough(x, &n) || lacks_lanes(x) ||
	    (!n.once && x->own != NULL && !load_counted(x->own)))
		return RULE_CLEAN;
	n.requests -= fmax(n.apart, gathers(x, a));
	if (!is_enough(x, &n))
		return RULE_CLEAN;
	d = rule_found(x, NULL);
	set_fix(x, d, &n);
	d->f.confidence = n.issue ? CONF_MEDIUM : CONF_LOW;
	rule_evidence(x, d, "narrow_ratio", n.requests / n.all,
	    "coalesced accesses of at most 4 bytes a lane, of all",
	    .derived = "disassembly, warp instructions", .key = "min_share");
	rule_evidence(x, d, "bytes_per_lane", n.bytes,
	    "bytes a lane moves in one of them", .derived = "disassembly",
	    .unit = "B");
	rule_evidence(x, d, "busy_ratio", x->load->busy, arena_format(x->arena,
	    "%s busy", resource_said[x->load->limit]), .derived = "counters",
	    .key = n.issue ? "min_busy" : "max_dram");
	if (n.flight)
		rule_evidence(x, d, "in_flight_ratio", n.in_flight / n.needed,
		    "bytes in flight / bytes that DRAM needs in flight",
		    .estimated = "occupancy, order of the loads",
		    .key = "max_flight");
	describe(x, d, &n);
	give_lines(x, d, a);
	return rule_settle(x, d);
}

enum rule_state
rule_narrow_access(struct rule_view *x)
{
	return accesses_ask(x, find);
}
