/*
 * report/operators.c: see operators.h.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "model/model.h"
#include "rules/evidence/framework.h"
#include "rules/evidence/library.h"

#include "report/operators.h"

#define ROWS_MAX 4096	/* more are added to the last row like them */

static bool
is_backward(const struct site *s)
{
	for (size_t f = 0; f < s->frames; f++)
		if (s->frame[f].python)
			return false;
	for (size_t f = 0; f < s->frames; f++)
		if (s->frame[f].function != NULL &&
		    strstr(s->frame[f].function, "torch::autograd::") != NULL)
			return true;
	return false;
}

static void
place_row(struct operator_row *r, const struct site *s)
{
	const struct site_frame *f;

	if (s == NULL)
		return;
	r->backward = is_backward(s);
	if (r->backward || s->first >= s->frames)
		return;
	f = &s->frame[s->first];
	if (!f->python && f->file == NULL)
		return;
	r->file = f->file;
	r->line = f->line;
	r->function = f->function;
}

static bool
same_text(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool
same_row(const struct operator_row *a, const struct operator_row *b)
{
	return a->line == b->line && a->backward == b->backward &&
	    a->beside == b->beside &&
	    strcmp(a->name, b->name) == 0 && same_text(a->file, b->file) &&
	    same_text(a->function, b->function);
}

static void
add_row(struct operators *o, const struct operator_row *r)
{
	struct operator_row *to = NULL;

	for (size_t i = 0; i < o->rows && to == NULL; i++)
		if (same_row(&o->row[i], r))
			to = &o->row[i];
	if (to == NULL && o->rows == ROWS_MAX)
		to = &o->row[ROWS_MAX - 1];
	if (to == NULL) {
		o->row[o->rows++] = *r;
		return;
	}
	to->s += r->s;
	to->launches += r->launches;
	to->kernels += r->kernels;
	if (r->most_s > to->most_s) {
		to->most_s = r->most_s;
		to->library = r->library;
		to->operation = r->operation;
	}
}

/* Adds ${share} of the launches of ${k}, made at ${s}; NULL: at an unknown place. */
static void
add_kernel(struct operators *o, const struct kernel *k, const struct site *s,
    const struct library *l, double share)
{
	struct operator_row r = { .s = share * (double)k->total_ns * 1e-9,
	    .launches = share * (double)k->launches, .kernels = 1,
	    .library = l != NULL ? l->name : NULL,
	    .operation = l != NULL ? l->operation : NULL };

	r.most_s = r.s;
	operator_name(r.name, k, s, l);
	/* Nobody wrote these lines to fill something. */
	r.beside = s != NULL && library_does(l, "fill") &&
	    (framework_tunes(s) || framework_compiles(s));
	if (!r.beside)
		place_row(&r, s);
	o->framework |= (l != NULL && l->framework) ||
	    (s != NULL && s->frames > 0 && s->frame[0].python);
	add_row(o, &r);
}

static bool
is_of(const struct site *s, const struct kernel *k)
{
	return s->call == CALL_LAUNCH && s->kernel == k->id;
}

static void
add_all(struct operators *o, const struct run *run, const struct kernel *k)
{
	struct library found;
	const struct library *l = library_of(&found, run, k) ? &found : NULL;
	size_t end, at = site_launches(run->site, run->sites, k->id, &end);
	double all = 0;

	o->kernel_s += (double)k->total_ns * 1e-9;
	for (size_t i = at; i < end; i++)
		all += is_of(&run->site[i], k) ? (double)run->site[i].count : 0;
	if (!(all > 0)) {
		add_kernel(o, k, NULL, l, 1);
		return;
	}
	for (size_t i = at; i < end; i++)
		if (is_of(&run->site[i], k))
			add_kernel(o, k, &run->site[i], l,
			    (double)run->site[i].count / all);
}

COMPARE(by_seconds, struct operator_row,
    ORDER(x->beside, y->beside) ?: ORDER(y->s, x->s) ?: strcmp(x->name, y->name))

int
operators_of(struct operators *o, const struct run *run)
{
	size_t room = run->kernels + run->sites + 1;

	*o = (struct operators){ .rows = 0 };
	room = room < ROWS_MAX ? room : ROWS_MAX;
	if ((o->row = calloc(room, sizeof(*o->row))) == NULL)
		return -1;
	for (size_t i = 0; i < run->kernels; i++)
		if (run->kernel[i].launches > 0)
			add_all(o, run, &run->kernel[i]);
	qsort(o->row, o->rows, sizeof(*o->row), by_seconds);
	return 0;
}

void
operators_free(struct operators *o)
{
	free(o->row);
	*o = (struct operators){ .rows = 0 };
}
