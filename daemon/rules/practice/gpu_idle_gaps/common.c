/*
 * What the causes of idle gaps have in common: what their names mean, which calls are copies
 * to the GPU, which line precedes gaps, which looks at the program count.
 */
#include <math.h>
#include <string.h>

#include "rules/evidence/decomposed.h"
#include "rules/evidence/looped.h"
#include "rules/practice/gpu_idle_gaps/idle.h"

static const struct {
	const char *variant;
	unsigned kinds;
} variants[] = {
	{ "loader", IDLE_LOADING }, { "workers", IDLE_LOADING }, { "crowded", IDLE_LOADING },
	{ "received", IDLE_LOADING }, { "started", IDLE_LOADING },
	{ "input", IDLE_INPUT }, { "kept", IDLE_INPUT }, { "between", IDLE_INPUT },
	{ "within", IDLE_INPUT | IDLE_MADE }, { "convert", IDLE_INPUT | IDLE_MADE },
	{ "own", IDLE_OWN }, { "calls", IDLE_OWN },
	{ "launches", IDLE_LAUNCHING }, { "varied", IDLE_LAUNCHING }, { "rows", IDLE_LAUNCHING },
	{ "elements", IDLE_LAUNCHING },
	{ "little", IDLE_LAUNCHING }, { "busy", IDLE_LAUNCHING }, { "closure", IDLE_LAUNCHING },
};

bool
idle_is(const struct draft *d, const char *variant)
{
	return d->variant != NULL && strcmp(d->variant, variant) == 0;
}

bool
idle_is_of(const char *variant, unsigned kinds)
{
	for (size_t i = 0; variant != NULL && i < sizeof(variants) / sizeof(variants[0]);
	    i++)
		if (strcmp(variant, variants[i].variant) == 0)
			return (variants[i].kinds & kinds) != 0;
	return false;
}

static bool
calls_driver(const struct site *s, const char *function)
{
	for (size_t f = 0; f < s->frames; f++)
		if (s->frame[f].function != NULL &&
		    strstr(s->frame[f].function, function) != NULL)
			return true;
	return false;
}

bool
idle_to_gpu(const struct site *s)
{
	return calls_driver(s, "cuMemcpyHtoD");
}

bool
idle_to_host(const struct site *s)
{
	return calls_driver(s, "cuMemcpyDtoH");
}

bool
idle_moves(const struct site *s)
{
	return idle_from_python(s) && calls_driver(s, "cuMemcpyDtoD");
}

bool
idle_from_python(const struct site *s)
{
	return s->first < s->frames && s->frame[s->first].python &&
	    s->frame[s->first].file != NULL;
}

/* The line of small decompositions, or of a loop that is compiled, whose gaps are findings of
 * their own; NULL. */
static const struct site *
line_apart(const struct rule_view *x)
{
	struct decomposed p;
	struct looped l;
	struct site *own;

	if (decomposed_all(x, &p) != NULL)
		return lines_launched(x->run, p.most->id);
	l = looped_of(x->run);
	if (l.site == NULL || (own = arena_get(x->arena, sizeof(*own))) == NULL)
		return NULL;
	*own = *l.site;
	own->first = gaps_own_frame(own);
	return own;
}

const struct site *
idle_site_after(const struct rule_view *x, bool output, double n)
{
	const struct run *run = x->run;
	double made = 0;

	for (size_t i = 0; output && i < run->copies; i++)
		made += run->copy[i].kind == COPY_D2H ?
		    (double)run->copy[i].count : 0;
	for (size_t i = 0; !output && i < run->syncs; i++)
		made += IDLE_WAITS >> run->sync[i].call & 1 ?
		    (double)run->sync[i].count : 0;
	return gaps_after(x->arena, run, output ? IDLE_COPIES : IDLE_WAITS,
	    output ? idle_to_host : NULL, made, n);
}

struct looks_of
idle_looks(const struct rule_view *x)
{
	return (struct looks_of){ .least = rule_value(x, "min_gaps"),
	    .outside = line_apart(x) };
}

double
idle_busy_s(const struct run *run)
{
	return fmax(0, rule_wall_s(run) - (double)run->idle_total_ns * 1e-9 -
	    rule_fault_s(run));
}

void
idle_weigh(struct idle_gaps *g)
{
	double most;

	g->idle = g->a.host + g->a.api + g->a.sync;
	most = fmax(0.5 * g->idle, g->launching);
	g->brief = g->python && g->a.brief + g->launching > 0.5 * (g->idle + g->launching);
	g->input = g->a.input > most;
}

void
idle_take_input(struct idle_gaps *g, double s)
{
	double host = fmin(s, g->a.host);

	g->a.host -= host;
	g->a.input = fmax(0, g->a.input - s);
	g->a.between = fmin(g->a.between, g->a.input);
	g->a.base -= host;
	idle_weigh(g);
}
