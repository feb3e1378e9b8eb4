/*
 * rules/practice/launch_bound_graph_candidate/function.c: what to compile where a program
 * has no model.
 */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "rules/evidence/framework.h"
#include "rules/practice/launch_bound_graph_candidate/bound.h"

/* Is ${s} made within a model's forward pass? */
static bool
is_forward(const struct site *s)
{
	for (size_t i = 0; i < s->frames && s->frame[i].python; i++)
		if (s->frame[i].function != NULL && strcmp(s->frame[i].function, "forward") == 0)
			return true;
	return framework_calls_module(s);
}

/* Does a model launch some of ${s}, within ${depth} of ${at}, or does the run differentiate one? */
static bool
has_model(const struct rule_view *x, const struct sequence *s, const struct site *at,
    size_t depth)
{
	const struct run *run = x->run;

	if (framework_trains(run))
		return true;
	for (size_t i = 0; i < s->length && i < SEQUENCE_MAX; i++) {
		size_t end, k = site_launches(run->site, run->sites, s->kernel[i], &end);

		for (; k < end; k++)
			if (run->site[k].kernel == s->kernel[i] &&
			    run->site[k].call == CALL_LAUNCH &&
			    bound_within(&run->site[k], at, depth) && is_forward(&run->site[k]))
				return true;
	}
	return is_forward(at);
}

/* What to compile where no model launches ${s}, which is at ${at}: the program's function within
 * which all of its launches are. NULL: it is a model, or not known. */
const char *
bound_function(const struct rule_view *x, const struct sequence *s, const struct site *at)
{
	const struct site_frame *f;
	size_t depth;

	if (at == NULL || !bound_has_python(at))
		return NULL;
	depth = bound_depth(x, s, at);
	if (has_model(x, s, at, depth))
		return NULL;
	while ((f = bound_frame(at, depth)) != NULL && (!site_own(f) || site_installed(f)) &&
	    depth > 0)
		depth--;
	if (f == NULL || !site_own(f) || site_installed(f) || f->file == NULL)
		return NULL;
	return f->function == NULL || f->function[0] == '<' ?
	    arena_format(x->arena, "a function with what the loop at %s:%" PRIu32 " does in a "
	    "turn", text_base_name(f->file), f->line) :
	    arena_format(x->arena, "the function that launches the sequence (%s at %s:%" PRIu32 ")",
	    f->function, text_base_name(f->file), f->line);
}
