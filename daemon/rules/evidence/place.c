/*
 * rules/evidence/place.c: see place.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/text.h"
#include "rules/evidence/place.h"

#define COUNTED 0.01	/* arithmetic: a hundred such functions are all of it */
#define TOLD 3		/* functions in the text */

/* The part of a function, or of one of its launch sites. */
struct function_part {
	const char *file, *function;	/* never NULL */
	bool package;
	double s;
};

COMPARE(by_name, struct function_part, strcmp(x->file, y->file) ?:
    strcmp(x->function, y->function))
COMPARE(by_most, struct function_part, ORDER(y->s, x->s) ?: strcmp(x->file, y->file) ?:
    strcmp(x->function, y->function))

/* A progress bar passes on what it is given: no user of it wants to know its line. */
static bool
passes_on(const struct site_frame *f)
{
	return strstr(f->file, "-packages/tqdm/") != NULL;
}

size_t
place_package(const struct site *s)
{
	if (s == NULL)
		return 0;
	for (size_t f = 0; f < s->frames && f <= s->first; f++)
		if (site_own(&s->frame[f]) && site_installed(&s->frame[f]) &&
		    !passes_on(&s->frame[f]))
			return f;
	return s->frames;
}

void
place_detail(const struct rule_view *x, struct draft *d)
{
	const struct site *s = d->f.site;
	size_t f = place_package(s);
	const struct site_frame *in;

	if (s == NULL || f >= s->first || s->first >= s->frames ||
	    d->f.location == NULL)
		return;
	in = &s->frame[f];
	d->f.location = arena_format(x->arena, "%s, in %s%s%s:%u", d->f.location,
	    in->function != NULL ? in->function : "", in->function != NULL ?
	    "() at " : "", text_base_name(in->file), in->line);
}

/* The innermost frame that is no framework's; s->frames: none. */
static size_t
function_of(const struct site *s)
{
	size_t f = place_package(s);

	if (f < s->frames)
		return f;
	return s->first < s->frames && site_own(&s->frame[s->first]) ? s->first :
	    s->frames;
}

/* The recorded launches of each kernel id; NULL without memory. */
static double *
recorded_new(const struct run *run)
{
	double *n = calloc(run->kernels + 1, sizeof(*n));

	for (size_t i = 0; n != NULL && i < run->sites; i++)
		if (run->site[i].call == CALL_LAUNCH &&
		    run->site[i].kernel <= run->kernels)
			n[run->site[i].kernel] += (double)run->site[i].count;
	return n;
}

/* The parts of all launch sites whose function is known; returns how many. */
static size_t
parts_of(struct function_part *p, const struct rule_view *x, const struct gone *gone,
    const double *recorded)
{
	const struct run *run = x->run;
	size_t n = 0;

	for (size_t i = 0; i < run->sites; i++) {
		const struct site *s = &run->site[i];
		const struct site_frame *f;
		double launches;

		if (s->call != CALL_LAUNCH || s->kernel == 0 ||
		    s->kernel > run->kernels || function_of(s) >= s->frames)
			continue;
		launches = gone[s->kernel - 1].launches[VIEW_HIGH];
		if (!(launches > 0))
			continue;
		f = &s->frame[function_of(s)];
		p[n++] = (struct function_part){ .file = f->file,
		    .function = f->function != NULL ? f->function : "",
		    .package = site_installed(f),
		    .s = launches * steps_mean_s(&run->kernel[s->kernel - 1]) *
		    (double)s->count / fmax(1, recorded[s->kernel]) };
	}
	return n;
}

/* Adds up the ${n} parts by function; returns how many functions there are. */
static size_t
add_up(struct function_part *p, size_t n)
{
	size_t kept = 0;

	qsort(p, n, sizeof(*p), by_name);
	for (size_t i = 0; i < n; i++) {
		if (kept > 0 && strcmp(p[kept - 1].file, p[i].file) == 0 &&
		    strcmp(p[kept - 1].function, p[i].function) == 0)
			p[kept - 1].s += p[i].s;
		else
			p[kept++] = p[i];
	}
	qsort(p, kept, sizeof(*p), by_most);
	return kept;
}

/* Each module has a forward: its file says which. */
static const char *
name_of(const struct rule_view *x, const struct function_part *p)
{
	return arena_format(x->arena, "%s() of %s", p->function,
	    text_base_name(p->file));
}

struct spread
place_spread(const struct rule_view *x, const struct gone *gone)
{
	struct function_part *p = calloc(x->run->sites + 1, sizeof(*p));
	double *recorded = recorded_new(x->run), all = 0;
	struct spread out = { .text = "" };
	size_t n = 0;

	if (p != NULL && recorded != NULL)
		n = add_up(p, parts_of(p, x, gone, recorded));
	for (size_t i = 0; i < n; i++)
		all += p[i].s;
	for (size_t i = 0; i < n && all > 0; i++) {
		out.packages += p[i].package ? p[i].s / all : 0;
		out.functions += p[i].s >= COUNTED * all;
		if (i < TOLD && p[i].s >= COUNTED * all)
			out.text = arena_format(x->arena, "%s%s%s %s", out.text,
			    i > 0 ? ", " : "", name_of(x, &p[i]),
			    say_percent(x->arena, p[i].s / all));
	}
	out.most = n > 0 && all > 0 ? p[0].s / all : 0;
	free(recorded);
	free(p);
	return out;
}
