/*
 * rules/evidence/neighbour.c: launch shapes that were not measured, see neighbour.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "model/alike.h"
#include "rules/engine/group.h"
#include "rules/evidence/neighbour.h"

/* Compares code, block size and GPU: 0 if all are the same. */
static int
by_code(const struct kernel *a, const struct kernel *b)
{
	const struct record_SIGNATURE *s = &a->shape, *t = &b->shape;
	const uint32_t v[][2] = {
		{ a->device, b->device }, { s->block_x, t->block_x },
		{ s->block_y, t->block_y }, { s->block_z, t->block_z },
		{ s->regs, t->regs }, { s->smem_static, t->smem_static },
		{ s->smem_dynamic, t->smem_dynamic },
	};
	int rc = strcmp(a->mangled, b->mangled);

	for (size_t i = 0; rc == 0 && i < sizeof(v) / sizeof(v[0]); i++)
		if (v[i][0] != v[i][1])
			rc = v[i][0] < v[i][1] ? -1 : 1;
	return rc;
}

static int
by_shape(const void *va, const void *vb)
{
	const struct kernel *a = *(const struct kernel *const *)va;
	const struct kernel *b = *(const struct kernel *const *)vb;
	double blocks = rule_blocks(a), others = rule_blocks(b);
	int rc = by_code(a, b);

	if (rc != 0)
		return rc;
	return ORDER(blocks, others) ?: ORDER(a->id, b->id);
}

static enum seen
seen_of(const struct rule_view *x, const struct kernel *k)
{
	return (enum seen)x->seen[k - x->run->kernel];
}

static bool
is_measured(const struct rule_view *x, const struct kernel *k)
{
	enum seen s = seen_of(x, k);

	return s == SEEN_FOUND || s == SEEN_CLEAN;
}

/* The draft about ${k}; NULL: it was dropped. */
static struct draft *
draft_of(struct rule_view *x, size_t first, const struct kernel *k)
{
	for (size_t i = first; i < x->drafts; i++)
		if (x->draft[i].f.kernel == k)
			return &x->draft[i];
	return NULL;
}

/* Adds ${k} to ${d}, with the relative gain of that draft's kernel. */
static void
cover(struct rule_view *x, struct draft *d, const struct kernel *k)
{
	static const struct fix none = FIX_NONE;
	struct member m = { .shape = { .kernel = k, .unmeasured = true },
	    .speedup = d->f.kernel_speedup,
	    .part = { .kernel = k, .load = d->load } };
	struct gain g;

	if (d->load == NULL || d->estimated || k->waits)
		return;
	memcpy(m.part.fix, d->fix, sizeof(m.part.fix));
	m.part.fix[VIEW_LOW] = none;
	g = gain_of(d->load, k, m.part.fix);
	m.shape.saves_s = g.mid;
	m.shape.saves_high_s = g.high;
	if (m.speedup > 1)
		m.gpu_s = (1 - 1 / m.speedup) * (double)k->total_ns * 1e-9;
	group_add(x, d, &m);
}

/* ${k}[0..n) are the shapes of one code, sorted by number of blocks: covers
 * each that lacks data by its nearest measured neighbour. */
static void
cover_code(struct rule_view *x, size_t first, const struct kernel *const *k,
    size_t n)
{
	size_t before = n, after = 0;

	for (size_t i = 0; i < n; i++) {
		const struct kernel *near = NULL;
		struct draft *d;

		if (is_measured(x, k[i])) {
			before = i;
			continue;
		}
		if (seen_of(x, k[i]) != SEEN_LACKING)
			continue;
		if (after <= i)
			after = i + 1;
		while (after < n && !is_measured(x, k[after]))
			after++;
		if (before < n)
			near = k[before];
		if (after < n && (near == NULL || rule_blocks(k[after]) *
		    rule_blocks(near) < rule_blocks(k[i]) *
		    rule_blocks(k[i])))
			near = k[after];
		if (near == NULL || seen_of(x, near) != SEEN_FOUND ||
		    !alike_grids(near, k[i]))
			continue;
		d = draft_of(x, first, near);
		if (d != NULL)
			cover(x, d, k[i]);
	}
}

void
neighbour_cover(struct rule_view *x, size_t first)
{
	const struct run *run = x->run;
	const struct kernel **k;
	size_t lacking = 0, n = 0, end;

	for (size_t i = 0; i < run->kernels; i++)
		lacking += x->seen[i] == SEEN_LACKING;
	if (lacking == 0 || x->drafts == first)
		return;
	k = calloc(run->kernels, sizeof(*k));
	if (k == NULL) {
		x->arena->failed = true;
		return;
	}
	for (size_t i = 0; i < run->kernels; i++)
		if (x->seen[i] != SEEN_OTHER && group_is_named(&run->kernel[i]))
			k[n++] = &run->kernel[i];
	qsort(k, n, sizeof(*k), by_shape);
	for (size_t i = 0; i < n; i = end) {
		for (end = i + 1; end < n && by_code(k[i], k[end]) == 0; end++)
			;
		cover_code(x, first, &k[i], end - i);
	}
	free(k);
}
