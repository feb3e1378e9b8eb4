/*
 * rules/engine/instead.c: see instead.h.
 */
#include "rules/engine/instead.h"

static void
keep_load(const struct rule_view *x, struct draft *d)
{
	struct load *load = arena_get(x->arena, sizeof(*load));

	if (load != NULL)
		*load = *x->load;
	d->load = load;
}

enum rule_state
instead_ask(struct rule_view *x, rule_function *rule, const struct kernel *k,
    const struct load *load, instead_weaken *weaken)
{
	const struct load *own = x->load;
	size_t first = x->drafts;
	enum rule_state state;

	x->own = x->kernel;
	x->kernel = k;
	x->load = load;
	state = rule(x);
	for (size_t i = first; i < x->drafts; i++) {
		keep_load(x, &x->draft[i]);
		weaken(x, &x->draft[i]);
	}
	x->kernel = x->own;
	x->load = own;
	x->own = NULL;
	return state == RULE_FOUND && x->drafts > first ? RULE_FOUND :
	    RULE_NOT_MEASURED;
}

/* The metric that ${e} comes from; METRIC_COUNT: none. */
static int
metric_of(const struct evidence *e)
{
	int i;

	for (i = 0; i < METRIC_COUNT; i++)
		if (strcmp(e->from, metric_table[i].name) == 0)
			break;
	return i;
}

bool
instead_counted(const struct kernel *k, const struct evidence *e)
{
	int i = metric_of(e);

	return i < METRIC_COUNT && isfinite(k->metric[i]);
}

bool
instead_lacked(const struct kernel *k, const struct evidence *e)
{
	int i = metric_of(e);

	return i < METRIC_COUNT && !isfinite(k->metric[i]);
}
