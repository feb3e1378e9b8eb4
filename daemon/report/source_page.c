#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "report/text_util.h"

#include "report/source_page.h"

#define HOT_TIME 0.01		/* share of the samples or instructions */
#define HOT_PART 0.10		/* share of anything else */
#define CHAIN_MAX 64		/* inline contexts of one line, at most */

/* --- counts of a line or instruction --------------------------------------- */

/* A metric that is left out is 0 if it was counted at all. */
static double
value_of(const json_t *of, const char *name, double otherwise)
{
	const json_t *v = json_object_get(json_object_get(of, "values"), name);

	if (v == NULL)
		return otherwise;
	return json_is_number(v) ? json_number_value(v) : NAN;
}

/* NaN for the metrics that ${source} does not list, else 0. */
static void
heat_start(struct heat *h, const json_t *source)
{
	const json_t *m;
	const char *name;
	size_t i;

	memset(h, 0, sizeof(*h));
	h->inst = h->requests = h->sectors = h->ideal = h->waves =
	    h->waves_ideal = h->local = h->divergent = NAN;
	json_array_foreach(json_object_get(source, "metrics"), i, m) {
		if ((name = field_text(m, "name")) == NULL)
			continue;
		if (strcmp(name, "inst") == 0)
			h->inst = 0;
		else if (strcmp(name, "global_ld") == 0)
			h->requests = 0;
		else if (strcmp(name, "global_sectors") == 0)
			h->sectors = 0;
		else if (strcmp(name, "global_ideal") == 0)
			h->ideal = 0;
		else if (strcmp(name, "shared_wavefronts") == 0)
			h->waves = 0;
		else if (strcmp(name, "shared_ideal") == 0)
			h->waves_ideal = 0;
		else if (strcmp(name, "local_sectors") == 0)
			h->local = 0;
		else if (strcmp(name, "branch_divergent") == 0)
			h->divergent = 0;
	}
}

/* Adds the counts and samples of ${of} (a line, an instruction) to ${h}. */
static void
heat_add(struct heat *h, const json_t *of)
{
	const json_t *samples = json_object_get(of, "samples");
	const json_t *stalls = json_object_get(samples, "stalls");
	size_t i;

	h->inst += value_of(of, "inst", 0);
	h->requests += value_of(of, "global_ld", 0) +
	    value_of(of, "global_st", 0) + value_of(of, "global_atom", 0) +
	    value_of(of, "global_red", 0);
	h->sectors += value_of(of, "global_sectors", 0);
	h->ideal += value_of(of, "global_ideal", 0);
	h->waves += value_of(of, "shared_wavefronts", 0);
	h->waves_ideal += value_of(of, "shared_ideal", 0);
	h->local += value_of(of, "local_sectors", 0);
	h->divergent += value_of(of, "branch_divergent", 0);
	h->samples += (double)field_count(samples, "all");
	for (i = 0; i < STALL_COUNT; i++)
		h->stall[i] += (double)field_count(stalls, stall_table[i].key);
}

enum stall
page_stall(const struct heat *h)
{
	enum stall most = STALL_COUNT;
	size_t i;

	for (i = 0; i < STALL_COUNT; i++)
		/* A warp that issues does not wait. */
		if (i != STALL_SELECTED && h->stall[i] > 0 &&
		    (most == STALL_COUNT || h->stall[i] > h->stall[most]))
			most = (enum stall)i;
	return most;
}

static double
part(double of, double whole)
{

	return whole > 0 ? of / whole : NAN;
}

double
page_share(const struct source_page *p, const struct heat *h)
{

	if (p->total.samples > 0)
		return part(h->samples, p->total.samples);
	return part(h->inst, p->total.inst);
}

bool
page_is_hot(const struct source_page *p, const struct heat *h)
{
	const struct heat *t = &p->total;

	return page_share(p, h) >= HOT_TIME ||
	    part(h->sectors - h->ideal, t->sectors - t->ideal) >= HOT_PART ||
	    part(h->waves - h->waves_ideal, t->waves - t->waves_ideal) >=
	    HOT_PART ||
	    part(h->divergent, t->divergent) >= HOT_PART ||
	    part(h->local, t->local) >= HOT_PART;
}

/* --- lines ------------------------------------------------------------- */

static int
place_order(uint32_t file, uint32_t line, const struct source_place *p)
{

	return ORDER(file, p->file) ?: ORDER(line, p->line);
}

COMPARE(by_place, struct source_place, place_order(x->file, x->line, y))

size_t
page_find(const struct source_page *p, uint32_t file, uint32_t line)
{
	size_t low = 0, high = p->places, middle;
	int order;

	while (low < high) {
		middle = low + (high - low) / 2;
		order = place_order(file, line, &p->place[middle]);
		if (order == 0)
			return middle;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return SIZE_MAX;
}

/* Does ${line} have a file and number? */
static bool
located(const json_t *line, uint32_t *file, uint32_t *number)
{

	if (!json_is_integer(json_object_get(line, "file")))
		return false;
	*file = (uint32_t)field_count(line, "file");
	*number = (uint32_t)field_count(line, "line");
	return true;
}

static int
make_places(struct source_page *p, const json_t *source)
{
	const json_t *lines = json_object_get(source, "lines"), *l;
	size_t n = json_array_size(lines), i, kept = 0, at;
	struct source_place *q;

	if ((p->place = calloc(n + 1, sizeof(*p->place))) == NULL)
		return -1;
	json_array_foreach(lines, i, l) {
		q = &p->place[p->places];
		if (located(l, &q->file, &q->line))
			p->places++;
	}
	qsort(p->place, p->places, sizeof(*p->place), by_place);
	for (i = 0; i < p->places; i++)
		if (i == 0 || by_place(&p->place[kept - 1], &p->place[i]) != 0)
			p->place[kept++] = p->place[i];
	p->places = kept;
	for (i = 0; i < p->places; i++)
		heat_start(&p->place[i].heat, source);
	json_array_foreach(lines, i, l) {
		uint32_t file, line;

		if (!located(l, &file, &line))
			continue;
		at = page_find(p, file, line);
		heat_add(&p->place[at].heat, l);
	}
	return 0;
}

/* --- what is inlined where --------------------------------------------- */

static size_t
caller_of(const json_t *lines, const json_t *line)
{
	const json_t *at = json_object_get(line, "inlined_at");
	json_int_t i = json_integer_value(at);

	if (!json_is_integer(at) || i < 0 ||
	    (size_t)i >= json_array_size(lines))
		return SIZE_MAX;
	return (size_t)i;
}

/* The share of each line with everything that is inlined into it. */
static double *
inclusive(const struct source_page *p, const json_t *source)
{
	const json_t *lines = json_object_get(source, "lines"), *l;
	size_t n = json_array_size(lines), i, at, depth;
	double *sum = calloc(n + 1, sizeof(*sum)), share;
	struct heat h;

	if (sum == NULL)
		return NULL;
	json_array_foreach(lines, i, l) {
		heat_start(&h, source);
		heat_add(&h, l);
		share = page_share(p, &h);
		if (isnan(share))
			continue;
		for (at = i, depth = 0; at != SIZE_MAX && depth < CHAIN_MAX;
		    depth++) {
			sum[at] += share;
			at = caller_of(lines, json_array_get(lines, at));
		}
	}
	return sum;
}

/* For sorting: equal if both are in one place, and of one function. */
static int
callee_order(const struct inlined *x, const struct inlined *y)
{

	return ORDER(x->place, y->place) ?:
	    strcmp(x->function != NULL ? x->function : "", y->function != NULL ?
	    y->function : "");
}

static int
by_callee(const void *a, const void *b)
{
	const struct inlined *x = a, *y = b;
	int order = callee_order(x, y);

	if (order != 0)
		return order;
	return ORDER(x->file, y->file) ?: ORDER(x->line, y->line);
}

COMPARE(by_share, struct inlined,
    ORDER(x->place, y->place) ?: ORDER(y->share, x->share))

static int
make_inlined(struct source_page *p, const json_t *source)
{
	const json_t *lines = json_object_get(source, "lines"), *l;
	size_t n = json_array_size(lines), i, caller, kept = 0;
	double *share = inclusive(p, source);
	struct inlined *x;
	uint32_t file, line;

	p->inlined = calloc(n + 1, sizeof(*p->inlined));
	if (share == NULL || p->inlined == NULL) {
		free(share);
		return -1;
	}
	json_array_foreach(lines, i, l) {
		caller = caller_of(lines, l);
		x = &p->inlined[p->inlineds];
		if (caller == SIZE_MAX || !located(l, &x->file, &x->line) ||
		    !located(json_array_get(lines, caller), &file, &line))
			continue;
		x->place = page_find(p, file, line);
		x->function = field_text(l, "function");
		x->share = share[i];
		p->inlineds++;
	}
	free(share);
	/* Merges all lines of a function at one place into one row. */
	qsort(p->inlined, p->inlineds, sizeof(*p->inlined), by_callee);
	for (i = 0; i < p->inlineds; i++) {
		if (i > 0 && callee_order(&p->inlined[kept - 1],
		    &p->inlined[i]) == 0)
			p->inlined[kept - 1].share += p->inlined[i].share;
		else
			p->inlined[kept++] = p->inlined[i];
	}
	p->inlineds = kept;
	qsort(p->inlined, p->inlineds, sizeof(*p->inlined), by_share);
	for (i = p->inlineds; i-- > 0;) {
		p->place[p->inlined[i].place].inlined = i;
		p->place[p->inlined[i].place].inlineds++;
	}
	return 0;
}

/* --- instructions ------------------------------------------------------ */

static int
make_insns(struct source_page *p, const json_t *source)
{
	const json_t *list = json_object_get(source, "instructions"), *x, *l;
	const json_t *lines = json_object_get(source, "lines");
	struct source_insn *s;
	uint32_t file, line;
	size_t i;

	p->insn = calloc(json_array_size(list) + 1, sizeof(*p->insn));
	if (p->insn == NULL)
		return -1;
	json_array_foreach(list, i, x) {
		s = &p->insn[p->insns++];
		s->pc = (uint32_t)field_count(x, "pc");
		s->text = field_text(x, "text");
		heat_start(&s->heat, source);
		heat_add(&s->heat, x);
		s->place = SIZE_MAX;
		l = json_object_get(x, "line");
		if (json_is_integer(l) && json_integer_value(l) >= 0 &&
		    located(json_array_get(lines,
		    (size_t)json_integer_value(l)), &file, &line))
			s->place = page_find(p, file, line);
	}
	return 0;
}

/* Sorts the instructions into the places they belong to. */
static int
order_insns(struct source_page *p)
{
	size_t first = 0, i;
	struct source_place *q;

	if ((p->order = calloc(p->insns + 1, sizeof(*p->order))) == NULL)
		return -1;
	for (i = 0; i < p->insns; i++)
		if (p->insn[i].place != SIZE_MAX)
			p->place[p->insn[i].place].insns++;
	for (i = 0; i < p->places; i++) {
		p->place[i].insn = first;
		first += p->place[i].insns;
		p->place[i].insns = 0;
	}
	for (i = 0; i < p->insns; i++) {
		if (p->insn[i].place == SIZE_MAX)
			continue;
		q = &p->place[p->insn[i].place];
		p->order[q->insn + q->insns++] = i;
	}
	return 0;
}

int
page_make(struct source_page *p, const json_t *source)
{

	memset(p, 0, sizeof(*p));
	p->sampled = field_true(source, "sampled");
	p->counted = field_true(source, "counted");
	heat_start(&p->total, source);
	heat_add(&p->total, json_object_get(source, "totals"));
	if (make_places(p, source) == 0 && make_inlined(p, source) == 0 &&
	    make_insns(p, source) == 0 && order_insns(p) == 0)
		return 0;
	page_free(p);
	return -1;
}

void
page_free(struct source_page *p)
{

	free(p->place);
	free(p->inlined);
	free(p->insn);
	free(p->order);
	memset(p, 0, sizeof(*p));
}
