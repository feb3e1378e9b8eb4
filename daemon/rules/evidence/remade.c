/*
 * rules/evidence/remade.c: see remade.h.
 */
#include <string.h>

#include "rules/evidence/framework.h"
#include "rules/evidence/remade.h"

/* Where the program itself launches a kernel. */
struct shown_by {
	bool unknown;		/* no launch of it was looked at */
	bool tried;		/* a compiler launched it, too */
	const struct site_frame *by;	/* a line of the program; NULL none */
};

static struct shown_by
launched_by(const struct run *run, uint32_t kernel)
{
	struct shown_by l = { .unknown = true };
	size_t end, i = site_launches(run->site, run->sites, kernel, &end);

	for (; i < end; i++) {
		const struct site *s = &run->site[i];

		if (s->call != CALL_LAUNCH || s->kernel != kernel || s->frames == 0)
			continue;
		l.unknown = false;
		if (framework_tunes(s))
			l.tried = true;
		else if (s->first < s->frames && site_own(&s->frame[s->first]))
			l.by = &s->frame[s->first];
	}
	return l;
}

static bool
same_text(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool
same_line(const struct site_frame *a, const struct site_frame *b)
{
	return a->line == b->line && same_text(a->file, b->file) &&
	    same_text(a->function, b->function);
}

/* Has the line that launches ${k} launched another kernel of its name before? */
static bool
has_older(const struct run *run, const struct kernel *k, const struct site_frame *by)
{
	for (size_t i = 0; i < run->kernels; i++) {
		const struct kernel *o = &run->kernel[i];
		struct shown_by l;

		if (o == k || o->mangled != k->mangled || o->first_ns >= k->first_ns)
			continue;
		l = launched_by(run, o->id);
		if (l.by != NULL && same_line(l.by, by))
			return true;
	}
	return false;
}

bool
remade_again(const struct compiling *c, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (c->time[k].kernel == c->time[i].kernel)
			return true;
	return false;
}

double
remade_share(const struct rule_view *x,
    bool (*is)(const struct rule_view *x, size_t i))
{
	const struct compiling *c = &x->run->compiling;
	double all = 0, again = 0;

	for (size_t i = 0; i < c->times; i++) {
		const struct compiled *t = &c->time[i];
		struct shown_by l;

		if (t->kernel == 0 || t->kernel > x->run->kernels || !is(x, i))
			continue;
		l = launched_by(x->run, t->kernel);
		if (!l.unknown && l.by == NULL)
			continue;
		all += (double)t->idle_ns;
		if (l.unknown ? t->known || remade_again(c, i) :
		    (!l.tried && remade_again(c, i)) ||
		    has_older(x->run, &x->run->kernel[t->kernel - 1], l.by))
			again += (double)t->idle_ns;
	}
	return all > 0 ? again / all : 0;
}
