/*
 * rules/evidence/gathered.c: see gathered.h.
 */
#include <math.h>
#include <stdlib.h>

#include "facts/warp.h"
#include "rules/evidence/affine.h"
#include "rules/evidence/gathered.h"
#include "source/operand.h"
#include "source/slice.h"

#define WIDEST 16		/* bytes that a lane can access at once */
#define NEAR 16			/* instructions between the fields of an object */
#define LOOP_WEIGHT 8		/* weight of an access in a loop, relative to one
				 * outside: any value over 1 separates the two */
#define SLICES_MAX 128		/* addresses that are examined */
#define GOOD_MOST 1.25		/* min_ratio of uncoalesced-global-access */

/*
 * The share of the excess that goes, by view. Lanes that walk one row together
 * fill their sectors as far as rows are longer than the group of lanes: half in
 * the low view. Indices may have no order that brings neighbours together:
 * nothing in the low view, in the middle half of the time that all of it would
 * save. Sorted indices may also be equal for neighbours (particles of one
 * cell): then a request needs one sector, which the high view assumes.
 */
static const double walked_part[VIEWS] = { 0.5, 1, 1 };
static const double gathered_part[VIEWS] = { 0, 0, 1 };
#define GATHERED_MID 0.5

/* Do two accesses close together in the code load parts of one object? */
static bool
has_objects(const struct code *c, const struct affine *address)
{
	uint32_t last = UINT32_MAX;
	struct operands a, b;

	for (uint32_t s = 0; s < c->sass.instructions; s++) {
		const struct sass_instruction *i = &c->sass.instruction[s];

		if (i->space != SPACE_GLOBAL || !(i->flags & SASS_LOAD) ||
		    i->bytes >= WIDEST || address[s].kind != AFFINE_LOADED)
			continue;
		operands_of(&b, i);
		if (last != UINT32_MAX && s - last <= NEAR) {
			operands_of(&a, &c->sass.instruction[last]);
			if (a.base == b.base && a.base != REGISTER_NONE &&
			    a.base != a.def && a.offset != b.offset &&
			    llabs(a.offset - b.offset) < SECTOR)
				return true;
		}
		last = s;
	}
	return false;
}

void
gathered_of(struct gathered *g, const struct rule_view *x,
    const struct accesses *all)
{
	static const enum inst_access kind[2] = { INST_LOAD, INST_STORE };
	const struct code *c = x->kernel->code;

	*g = (struct gathered){ .exact = true };
	for (int k = 0; k < 2; k++) {
		const struct access_sum *s =
		    &all->sum[PATTERN_GATHERED][kind[k]];

		g->sectors[k] = all->all[kind[k]].sectors;
		g->excess[k] = accesses_excess(all, PATTERN_GATHERED, kind[k]);
		g->own[k] = s->sectors;
		g->per_request[k] = s->requests > 0 ?
		    s->sectors / s->requests : NAN;
		for (size_t i = 0; i < c->instructions; i++)
			if (all->of[i].pattern == PATTERN_GATHERED &&
			    all->of[i].kind == kind[k] && all->of[i].walks)
				g->walked[k] += fmax(0, all->of[i].sectors -
				    all->of[i].ideal);
	}
	g->objects = all->address != NULL && has_objects(c, all->address);
}

/* Sectors of an access / sectors that its bytes fill; NaN if the code does not tell. */
static double
ratio_of(const struct affine *a, const struct sass_instruction *i,
    const struct rule_view *x)
{
	double sectors = affine_sectors(a, i->bytes, &x->kernel->shape);

	if (sectors <= 1)	/* one for all lanes */
		return 1;
	return i->bytes > 0 ? sectors / fmax(1, i->bytes) : NAN;
}

/* Fills ${g} for loads (${k} 0) or stores (1). False if other accesses may be
 * scattered, too. */
static bool
look(struct gathered *g, const struct rule_view *x, const struct affine *address,
    const struct slices *t, int k)
{
	const struct code *c = x->kernel->code;
	uint32_t flag = k == 0 ? SASS_LOAD : SASS_STORE;
	int slices = 0;

	for (uint32_t s = 0; s < c->sass.instructions; s++) {
		const struct sass_instruction *i = &c->sass.instruction[s];
		double weight = sass_loop_of(&c->sass, s) ? LOOP_WEIGHT : 1;
		struct slice from;

		if (i->space != SPACE_GLOBAL || !(i->flags & flag) ||
		    i->flags & SASS_ATOMIC)
			continue;
		g->sectors[k] += weight;
		if (address[s].kind != AFFINE_LOADED) {
			if (!(ratio_of(&address[s], i, x) < GOOD_MOST))
				return false;
			continue;
		}
		g->excess[k] += weight;
		if (slices++ >= SLICES_MAX)
			continue;
		slice_of(&from, t, s);
		if (slice_walks(&from))
			g->walked[k] += weight;
	}
	return g->excess[k] > 0;
}

bool
gathered_explains(struct gathered *g, const struct rule_view *x,
    enum inst_access kind)
{
	const struct code *c = x->kernel->code;
	struct affine *address;
	struct slices *t;
	bool only = false;

	*g = (struct gathered){ .exact = false };
	g->per_request[0] = g->per_request[1] = NAN;
	if (c == NULL || !c->disassembled)
		return false;
	address = affine_addresses(c, &x->kernel->shape);
	t = slices_new(&c->sass);
	if (address != NULL && t != NULL) {
		only = look(g, x, address, t, kind == INST_STORE);
		g->objects = has_objects(c, address);
	}
	free(address);
	slices_free(t);
	return only;
}

/* The share of the sectors left if each such request needs one. */
static double
keep_one(const struct gathered *g, int k)
{

	return g->sectors[k] > 0 && g->per_request[k] > 1 ? 1 - g->own[k] *
	    (1 - 1 / g->per_request[k]) / g->sectors[k] : 1;
}

static void
set_fix(const struct rule_view *x, struct draft *d, const struct gathered *g)
{
	struct fix *mid = &d->fix[VIEW_MID];
	double walked, all;

	for (int v = 0; v < VIEWS; v++) {
		double keep[2];

		for (int k = 0; k < 2; k++)
			keep[k] = g->sectors[k] > 0 ? 1 - (walked_part[v] *
			    g->walked[k] + gathered_part[v] * (g->excess[k] -
			    g->walked[k])) / g->sectors[k] : 1;
		d->fix[v].global_ld = keep[0];
		d->fix[v].global_st = keep[1];
	}
	walked = gain_time(x->load, mid, VIEW_MID);
	all = gain_time(x->load, &d->fix[VIEW_HIGH], VIEW_MID);
	if (all < walked)
		mid->whole = 1 - GATHERED_MID * (1 - all / walked);
	d->fix[VIEW_HIGH].global_ld = fmin(d->fix[VIEW_HIGH].global_ld,
	    keep_one(g, 0));
	d->fix[VIEW_HIGH].global_st = fmin(d->fix[VIEW_HIGH].global_st,
	    keep_one(g, 1));
}

static void
give_evidence(const struct rule_view *x, struct draft *d,
    const struct gathered *g, int k)
{
	const char *what = k == 0 ? "loads" : "stores";
	double least = fmax(g->sectors[k] - g->excess[k],
	    g->sectors[k] / SECTOR);

	if (!(g->excess[k] > 0))
		return;
	rule_evidence(x, d, "sectors_ratio", g->sectors[k] / least,
	    arena_format(x->arena, "%s: sectors / ideal sectors", what),
	    .derived = g->exact ? source_metric_table[SOURCE_GLOBAL_IDEAL].name
	    : metric_table[k == 0 ? METRIC_GLOBAL_LD_BYTES_PER_SECTOR :
	    METRIC_GLOBAL_ST_BYTES_PER_SECTOR].name, .key = "min_ratio");
	if (isfinite(g->per_request[k]))
		rule_evidence(x, d, "sectors_per_request", g->per_request[k],
		    arena_format(x->arena,
		    "%s by loaded addresses: sectors per request", what),
		    .measured = g->exact ?
		    source_metric_table[SOURCE_GLOBAL_SECTORS].name :
		    metric_table[k == 0 ? METRIC_GLOBAL_LD_SECTORS :
		    METRIC_GLOBAL_ST_SECTORS].name, .unit = "sector/request");
	rule_evidence(x, d, "walked_ratio", g->walked[k] / g->excess[k],
	    arena_format(x->arena,
	    "%s: of the excess, by lanes that each walk a row", what),
	    .derived = "disassembly");
}

enum rule_state
gathered_report(struct rule_view *x, const struct gathered *g,
    const struct accesses *all)
{
	bool walks = g->walked[0] + g->walked[1] >=
	    (g->excess[0] + g->excess[1]) / 2;
	bool loads = g->excess[0] >= g->excess[1];
	struct draft *d = rule_found(x, "gathered");

	set_fix(x, d, g);
	d->f.confidence = walks && g->exact ? CONF_MEDIUM : CONF_LOW;
	d->f.title = walks ? "each thread walks a row of its own" :
	    loads ? "gathered loads" : "scattered stores";
	give_evidence(x, d, g, 0);
	give_evidence(x, d, g, 1);
	d->f.summary = arena_format(x->arena, "%s at indices that were loaded "
	    "from memory%s%s", loads ? "loads" : "stores", walks ?
	    ", each lane along a row of its own from there" : "",
	    isfinite(g->per_request[!loads]) ? arena_format(x->arena,
	    ": %s sectors per request", say_plain(x->arena,
	    g->per_request[!loads])) : "");
	d->f.advice = arena_format(x->arena, "%s%s", walks ? "give each row to "
	    "a warp, or to 4 to 16 lanes of one, that walk it together and "
	    "join their results by shuffles; what still is looked up by index "
	    "gets better where the indices are sorted or renumbered" :
	    "sort or renumber the indices once, so that neighbouring lanes "
	    "use neighbouring elements (the data says where they go, not the "
	    "order of threads); work row by row or bucket by bucket; or keep "
	    "the table, or its hot part, in shared memory or in fewer bytes, "
	    "so that caches hold it", g->objects ?
	    "; load an object with one access (float2, float4), as its fields "
	    "share a sector" : "");
	d->f.bad_code = walks ? "for (int j = start[row]; j < start[row + 1]; "
	    "j++)\n    sum += a[j] * x[column[j]];   // a thread a row" :
	    "out[i] = table[index[i]];   // indices in any order";
	d->f.good_code = walks ? "for (int j = start[row] + lane; j < "
	    "start[row + 1]; j += 32)\n    sum += a[j] * x[column[j]];   "
	    "// a warp a row\nsum = warp_sum(sum);" :
	    "// once: sort (index[i], i) by index\nout[place[i]] = "
	    "table[sorted[i]];";
	d->f.gain_note = walks ? "rows as long as the group of lanes that "
	    "walks them; half of it in the low view, as rows may be shorter" :
	    "nothing in the low view: indices may have no better order; half of "
	    "what full sectors save in the middle";
	if (all != NULL)
		accesses_lines(x, d, all, PATTERN_GATHERED);
	return RULE_FOUND;
}
