#include <stdatomic.h>
#include <string.h>

#include "choose.h"
#include "inject.h"
#include "sass.h"
#include "window.h"

#define FEW_SIGNATURES 6	/* that get everything at once */
#define SWITCHES 64		/* changes of group a context, at most */
#define PATIENCE 256		/* launches, at most, before a change */
#define SHORT_PATIENCE 64	/* at least, for kernels shorter than */
#define LONG_NS 50000
#define COUNTED_MOST 2e9		/* warp instructions of a launch that is
					 * counted by instruction: on an H200 each
					 * then took 0.02 to 1.2 ns, in place of
					 * 0.002 and more; this many, a second */

bool
choose_wants_instructions(const struct signature *s)
{

	return (inject.level >= LEVEL_SOURCE && !s->counted &&
	    target_counts_instructions());
}

/* The expensive first group only where there are few kernels or this one
 * matters. */
uint32_t
choose_needed(const struct signature *s)
{
	uint32_t all = (1u << window.set.groups) - 1;

	if (window.set.groups > 1 && s->id > FEW_SIGNATURES &&
	    !atomic_load(&s->matters))
		return (all & ~1u);
	return (all);
}

static uint32_t
lacks(const struct signature *s)
{

	return (atomic_load(&window.refused) != SKIP_NONE ? 0 :
	    choose_needed(s) & ~s->groups & ~s->hopeless);
}

void
choose_check(struct signature *s)
{

	atomic_store(&s->complete,
	    s->groups == (1u << window.set.groups) - 1);
	if (lacks(s) == 0 && !choose_wants_instructions(s))
		atomic_store(&s->measured, true);
}

/*
 * ${s} has the pass that is next: then it is left to others, whose window turns
 * the profiler on. Were it turned on at every launch, kernels that alternate
 * would all meet the pass that they have, again and again.
 */
static bool
leaves_pass(struct target *t, const struct signature *s)
{
	uint32_t patience = 2 * (uint32_t)t->p.metrics->passes +
	    signature_count();

	if (s->passes_group != t->active ||
	    (s->passes & 1u << t->p.position) == 0 ||
	    ++t->passed > (patience < PATIENCE ? patience : PATIENCE)) {
		t->passed = 0;
		return (false);
	}
	return (true);
}

/*
 * How many launches in a row have to lack nothing of the active group before
 * another one becomes active, which costs 150 ms. Of long kernels there may not
 * be many launches; of short ones there are, and of many kernels more.
 */
static uint32_t
patience(const struct target *t, const struct signature *s)
{
	uint32_t round = signature_count() + 1;
	uint64_t traced = atomic_load(&s->traced);

	if ((s->value != NULL && s->value[0] >= LONG_NS) || (traced > 0 &&
	    atomic_load(&s->gpu_ns) / traced >= LONG_NS))
		return (round < PATIENCE ? round : PATIENCE);
	if (t->switches > 0)
		return (PATIENCE);
	round = round > SHORT_PATIENCE ? round : SHORT_PATIENCE;
	return (round < PATIENCE ? round : PATIENCE);
}

bool
choose_group(struct target *t, const struct signature *s, size_t *group)
{
	uint32_t lack = lacks(s);
	size_t i, g, n = window.set.groups;

	if (lack == 0)
		return (false);
	if (t->p.object == NULL) {
		/* It was put away: not for the first that comes. */
		if ((++t->misses < PATIENCE && !t->paused) ||
		    t->switches >= SWITCHES)
			return (false);
		for (*group = 0; (lack & 1u << *group) == 0; ++*group)
			continue;
		return (true);
	}
	*group = t->active;
	if (lack & 1u << t->active) {
		t->misses = 0;
		return (!leaves_pass(t, s));
	}
	/* Others may still lack what is active: wait for one round of them. */
	if (++t->misses < patience(t, s) || t->switches >= SWITCHES)
		return (false);
	for (i = 1; i < n; i++) {
		g = (t->active + i) % n;
		if (lack & 1u << g) {
			*group = g;
			return (true);
		}
	}
	return (false);
}

/* Counted by instruction a launch of ${s} would take too long. */
static bool
is_too_long(const struct signature *s)
{
	const struct metrics *m = &window.set.group[0];
	size_t i;

	if (s->value == NULL || window.set.groups == 0)
		return (false);
	for (i = 0; i < m->count; i++)
		if (strcmp(m->name[i], "smsp__inst_executed.sum") == 0)
			return (s->value[m->first + i] > COUNTED_MOST);
	return (false);
}

/* Instructions are counted after the first counters, which make the context
 * ready for it; while the counters lack much, those go first. */
bool
choose_instructions(struct target *t, struct signature *s)
{
	const char *where = "";
	int r;

	if (!choose_wants_instructions(s) || (s->groups == 0 &&
	    t->p.object != NULL && (lacks(s) & 1)))
		return (false);
	if (is_too_long(s)) {
		s->counted = true;
		choose_check(s);
		return (false);
	}
	r = sass_configure(&window.set, t->device, &where);
	if (r != CUPTI_SUCCESS)
		target_refuse_instructions(where, r, NULL);
	return (r == CUPTI_SUCCESS);
}
