/*
 * model/lines/code.c: makes struct code of every kernel with source data, at a final
 * settle: its function and cubin, its instructions with their counts, samples and
 * opcodes, and the reason for each part that is missing.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sort.h"
#include "model/alike.h"
#include "model/lines/source_state.h"
#include "model/lines/together.h"

/* The data of a function that its kernels share, during function_settle. */
struct work {
	struct model *m;
	struct function_state *f;
	const struct cubin *cubin;	/* NULL: see lineless */
	const struct cubin_function *place;
	struct cubin_launch launch[LAUNCHES_MAX];
	size_t launches;
	struct lines lines;
	bool has_lines;
	double together;		/* together_of its code */
	const struct reason *lineless, *no_sass;
	struct cells samples;	/* with those of its subroutines */
	bool disjoint;
};

static const struct reason *
why_uncounted(const struct model *m, uint32_t kernel)
{
	enum wire_skip skip = m->run.kernel[kernel].skip == SKIP_UNLIKE ?
	    SKIP_UNLIKE : kernel_skip(&m->kernel[kernel]);

	/* Samples and counts by instruction need the same permission. */
	if (skip != SKIP_PERMISSION && !level_counts(about_level(m)))
		return &reason_row[REASON_NEEDS_AUTO];
	return skip != SKIP_NONE ? reason_skip[skip] :
	    &reason_row[REASON_NOT_CHOSEN];
}

/* --- instructions --------------------------------------------------------- */

COMPARE(pc_compare, uint32_t, ORDER(*x, *y))

static size_t
pcs_of_cells(uint32_t *pc, const struct cells *c)
{
	size_t n = 0;
	uint32_t i;

	for (i = 0; i < c->count; i++)
		if (i == 0 || c->cell[i].pc != c->cell[i - 1].pc)
			pc[n++] = c->cell[i].pc;
	return n;
}

/* All pcs with a sample, a count, a disassembled instruction or a launch, ascending. */
static uint32_t *
pcs_of(const struct work *w, const struct cells *counts, size_t *count)
{
	const struct function_state *f = w->f;
	size_t i, n = 0, out = 0, max = (size_t)w->samples.count +
	    counts->count + w->launches +
	    (f->parsed ? f->sass.instructions : 0);
	uint32_t *pc = malloc((max + 1) * sizeof(*pc));

	if (pc == NULL)
		return NULL;
	n = pcs_of_cells(pc, &w->samples);
	n += pcs_of_cells(pc + n, counts);
	for (i = 0; f->parsed && i < f->sass.instructions; i++)
		pc[n++] = f->sass.instruction[i].pc;
	for (i = 0; i < w->launches; i++)
		pc[n++] = w->launch[i].pc;
	if (n > 0)
		qsort(pc, n, sizeof(*pc), pc_compare);
	for (i = 0; i < n; i++)
		if (i == 0 || pc[i] != pc[i - 1])
			pc[out++] = pc[i];
	*count = out;
	return pc;
}

static void
fill_counts(struct code *c, const struct cells *from, uint32_t mask)
{
	struct instruction *p;
	const struct cell *v = from->cell;
	size_t i, at = 0;
	int id;

	for (i = 0; i < c->instructions; i++) {
		p = &c->instruction[i];
		for (id = 0; id < SOURCE_COUNT; id++)
			p->value[id] = mask >> id & 1 ? 0 : NAN;
		for (; at < from->count && v[at].pc == p->pc; at++)
			p->value[v[at].what] = (double)v[at].n;
	}
	for (id = 0; id < SOURCE_COUNT; id++) {
		c->total[id] = mask >> id & 1 ? 0 : NAN;
		for (i = 0; i < c->instructions; i++)
			c->total[id] += c->instruction[i].value[id];
	}
}

static uint32_t
add_u32(uint32_t a, uint64_t b)
{

	return b > UINT32_MAX - a ? UINT32_MAX : a + (uint32_t)b;
}

/* ${disjoint}: see samples_disjoint. */
static void
sample_add(struct samples *s, const struct cell *v, bool disjoint)
{

	if ((v->what & 1) == 0)
		s->not_issued = add_sat(s->not_issued, v->n);
	if ((v->what & 1) == 0 && !disjoint)
		return;
	s->all = add_sat(s->all, v->n);
	s->stall[v->what / 2] = add_u32(s->stall[v->what / 2], v->n);
}

static void
fill_samples(struct code *c, const struct cells *from, bool disjoint)
{
	const struct cell *v = from->cell;
	struct instruction *p;
	size_t i, at = 0;

	for (i = 0; i < c->instructions; i++) {
		p = &c->instruction[i];
		for (; at < from->count && v[at].pc == p->pc; at++)
			sample_add(&p->samples, &v[at], disjoint);
		samples_add(&c->samples, &p->samples);
	}
}

static int
fill(struct work *w, struct code *c, const struct cells *counts)
{
	struct source_state *x = w->m->source;
	uint32_t *pc;
	size_t i, n;
	int id;

	if ((pc = pcs_of(w, counts, &n)) == NULL)
		return -1;
	if (n > MAX_INSTRUCTIONS - x->out_instructions) {
		free(pc);
		return 1;
	}
	c->instruction = calloc(n + 1, sizeof(*c->instruction));
	if (c->instruction == NULL) {
		free(pc);
		return -1;
	}
	c->instructions = n;
	x->out_instructions += (uint32_t)n;
	for (i = 0; i < n; i++) {
		c->instruction[i].pc = pc[i];
		c->instruction[i].line = LINE_NONE;
		c->instruction[i].sass = w->f->parsed ?
		    sass_at(&w->f->sass, pc[i]) : SASS_NONE;
		for (id = 0; id < SOURCE_COUNT; id++)
			c->instruction[i].value[id] = NAN;
	}
	free(pc);
	fill_samples(c, &w->samples, w->disjoint);
	return 0;
}

/* --- a function and its kernels ------------------------------------------- */

/* Open the cubin and its line table; else set w->lineless. */
static void
work_lines(struct work *w)
{
	struct cubin_state *c = source_cubin_of(w->m->source, w->f->key.cubin);
	struct error e = ERROR_INIT;

	w->lineless = &reason_row[REASON_NO_CODE];
	if (c == NULL)
		return;
	if ((w->cubin = source_cubin_open(w->m, c)) == NULL) {
		w->lineless = c->why;
		return;
	}
	w->place = cubin_find(w->cubin, w->f->key.name, w->f->symbol);
	if (w->place != NULL)
		w->launches = cubin_launches(w->cubin, w->place, w->launch);
	if (w->place == NULL)
		w->lineless = &reason_row[REASON_NO_FUNCTION];
	else if (!w->cubin->lines)
		w->lineless = &reason_row[REASON_NO_LINEINFO];
	else if (lines_read(&w->lines, w->cubin, w->place, &e) != 0)
		w->lineless = pool_reason(&w->m->pool, REASON_LINES_DAMAGED,
		    e.text);
	else {
		w->has_lines = true;
		w->lineless = NULL;
	}
}

static void
work_sass(struct work *w)
{
	struct function_state *f = w->f;

	if (f->text == NULL)
		w->no_sass = w->cubin == NULL ? w->lineless :
		    &reason_row[w->m->source->no_disassembler ?
		    REASON_NO_DISASSEMBLER : REASON_NO_SASS];
	else if (sass_parse(&f->sass, f->text, f->text_len) != 0)
		w->no_sass = &reason_row[REASON_SASS_DAMAGED];
	else
		f->parsed = true;
	w->together = f->parsed ? together_of(&f->sass) : NAN;
}

static int
work_kernel(struct work *w, uint32_t kernel, struct code *c)
{
	struct model *m = w->m;
	const struct kernel_source *k = &m->source->kernel[kernel];
	bool counted = k->best != NULL &&
	    m->run.kernel[kernel].skip != SKIP_UNLIKE;
	struct cells counts = { 0 };
	int rc = -1;

	if (!counted || fold_counts(m->source, w->cubin, w->place, k,
	    &counts) == 0)
		rc = fill(w, c, &counts);
	if (rc == 0 && counted)
		fill_counts(c, &counts, k->best->mask);
	free(counts.cell);
	if (rc > 0) {
		c->uncounted = c->lineless = c->no_sass = c->no_cubin =
		    &reason_row[REASON_LEFT_OUT_CODE];
		return 0;
	}
	if (rc < 0)
		return -1;
	c->counted = counted;
	c->sampled = w->samples.count > 0;
	c->disassembled = w->f->parsed;
	c->debug = w->cubin != NULL && w->cubin->debug;
	c->launches_known = w->place != NULL;
	c->launches = w->launches;
	memcpy(c->launch, w->launch, sizeof(c->launch));
	c->uncounted = c->counted ? NULL :
	    why_uncounted(m, kernel);
	c->lineless = w->lineless;
	c->no_sass = w->no_sass;
	c->no_cubin = w->cubin == NULL ? w->lineless : NULL;
	if (w->f->parsed)
		c->sass = w->f->sass;	/* shared: the function's */
	c->together = w->together;
	c->sample_period = c->sampled ? m->source->period : 0;
	c->sample_kernels = c->sampled ? w->f->kernels : 0;
	c->has_lines = w->has_lines;
	return w->has_lines ? code_lines(m, c, &w->lines) : 0;
}

static void
code_start(struct code *c, const struct function_state *f)
{
	int i;

	c->cubin = f->key.cubin;
	c->function = f->key.name;
	for (i = 0; i < SOURCE_COUNT; i++)
		c->total[i] = NAN;
}

/* A function with more launch shapes is not searched for alike ones. */
#define SHAPES_MOST 1024u

/* The fraction of the function's time that kernel ${id} and those alike take. */
static double
part_of(const struct model *m, const struct function_state *f, uint32_t id)
{
	const struct kernel *own = &m->run.kernel[id - 1], *k;
	double all = 0, alike = 0;
	uint32_t i;

	if (f->kernels > SHAPES_MOST)
		return 0;
	for (i = f->first; i != 0; i = m->source->kernel[i - 1].next) {
		k = &m->run.kernel[i - 1];
		all += (double)k->total_ns;
		if (i == id || alike_shapes(own, k))
			alike += (double)k->total_ns;
	}
	return all > 0 ? alike / all : 0;
}

/* All kernels of a function, one after the other, so that its line table is read once
 * and need not be kept. ${over}: leave the function out, it is over MAX_CODES. */
static int
function_settle(struct model *m, struct function_state *f, bool disjoint,
    bool over)
{
	struct source_state *x = m->source;
	struct work w = { .m = m, .f = f, .disjoint = disjoint };
	struct code *c;
	uint32_t i;
	int rc = 0;

	if (!over) {
		work_lines(&w);
		work_sass(&w);
		rc = fold_samples(x, w.cubin, w.place, f, &w.samples);
	}
	for (i = f->first; i != 0 && rc == 0; i = x->kernel[i - 1].next) {
		c = &x->code[x->codes++];
		code_start(c, f);
		m->run.kernel[i - 1].code = c;
		c->sample_part = part_of(m, f, i);
		if (over)
			c->uncounted = c->lineless = c->no_sass =
			    c->no_cubin =
			    &reason_row[REASON_LEFT_OUT_KERNELS];
		else
			rc = work_kernel(&w, i - 1, c);
	}
	if (w.has_lines)
		lines_free(&w.lines);
	free(w.samples.cell);
	return rc;
}

/* --- the run --------------------------------------------------------------- */

/* How many samples of the "not issued" cell at ${i} are not among all samples. */
static uint64_t
samples_excess(const struct cells *c, uint32_t i)
{
	const struct cell *v = &c->cell[i];

	if (i + 1 < c->count && v[1].pc == v->pc && v[1].what == v->what + 1)
		return sub_sat(v->n, v[1].n);
	return v->n;
}

/*
 * CUPTI counts a stall reason twice: for all samples, and as "not issued" for those in
 * which the scheduler issued nothing. The second should be part of the first. If the
 * second exceeds the first by more than 1/10 of all "not issued" samples, the two are
 * disjoint, and all samples are their sum. (Lost records may cause a small excess.)
 */
static bool
samples_disjoint(const struct source_state *x)
{
	uint64_t excess = 0, sum = 0;
	const struct cells *c;
	uint32_t i, j;

	for (i = 0; i < x->functions; i++) {
		c = &x->function[i].samples;
		for (j = 0; j < c->count; j++) {
			if ((c->cell[j].what & 1) != 0)
				continue;
			sum = add_sat(sum, c->cell[j].n);
			excess = add_sat(excess, samples_excess(c, j));
		}
	}
	return excess > sum / 10;
}

static int
functions_settle(struct model *m, const struct kernel_rank *rank)
{
	struct source_state *x = m->source;
	bool disjoint = samples_disjoint(x);
	struct function_state *f;
	uint32_t i, done = 0, chosen;

	for (i = 0; i < m->kernels; i++) {
		chosen = x->kernel[rank[i].kernel].chosen;
		if (chosen == 0)
			continue;
		f = &x->function[chosen - 1];
		/* The longest kernel of a function brings the others along. */
		if (f->first != rank[i].kernel + 1)
			continue;
		if (function_settle(m, f, disjoint, ++done > MAX_CODES) != 0)
			return -1;
	}
	return 0;
}

void
code_free(struct source_state *x)
{
	uint32_t i;

	for (i = 0; i < x->codes; i++) {
		free(x->code[i].instruction);
		free(x->code[i].line);
	}
	for (i = 0; i < x->functions; i++) {
		if (x->function[i].parsed)
			sass_free(&x->function[i].sass);
		x->function[i].parsed = false;
	}
	free(x->code);
	free(x->out_file);
	x->code = NULL;
	x->out_file = NULL;
	x->codes = x->out_files = x->out_files_cap = 0;
	x->out_lines = x->out_instructions = 0;
	idmap_clear(&x->file_map);
}

static int
code_settle(struct model *m)
{
	struct source_state *x = m->source;
	struct kernel_rank *rank;
	uint32_t i;
	int n, rc = -1;

	code_free(x);
	for (i = 0; i < x->functions; i++)
		cells_compact(&x->function[i].samples);
	for (i = 0; i < m->diagnostics; i++)
		x->no_disassembler |=
		    m->diagnostic[i].code == DIAG_NO_DISASSEMBLER;
	if (m->kernels > 0 && source_kernel(m, m->kernels - 1) == NULL)
		return -1;
	if ((rank = code_rank(m)) == NULL || code_files(m) != 0 ||
	    (n = code_choose(m, rank)) < 0)
		goto done;
	x->code = calloc((size_t)n + 1, sizeof(*x->code));
	if (x->code == NULL || functions_settle(m, rank) != 0)
		goto done;
	rc = 0;
done:
	free(rank);
	return rc;
}

int
source_settle(struct model *m)
{
	struct source_state *x = m->source;
	struct run *run = &m->run;

	if (x == NULL)
		return 0;
	if (code_settle(m) != 0 || site_settle(m) != 0)
		return -1;
	run->source_file = x->out_file;
	run->source_files = x->out_files;
	run->samples = x->samples;
	run->samples_dropped = x->dropped;
	run->source_launches = x->launches;
	return 0;
}
