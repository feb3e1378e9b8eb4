#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "rules/engine/finding.h"

#include "report/kin.h"

size_t
kin_change_length(const char *advice)
{
	int depth = 0;
	size_t i;

	for (i = 0; advice[i] != '\0'; i++) {
		depth += advice[i] == '(';
		depth -= advice[i] == ')';
		if (depth <= 0 && strchr(":;.", advice[i]) != NULL &&
		    (advice[i + 1] == ' ' || advice[i + 1] == '\0'))
			break;
	}
	return i;
}

static bool
is_same(const char *a, const char *b)
{

	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* The same fault of one kernel at two launch shapes? */
static bool
same_kernel(const struct finding *a, const struct finding *b)
{

	return a->kernel != NULL && b->kernel != NULL &&
	    is_same(a->where, b->where);
}

static bool
same_change(const struct finding *a, const struct finding *b)
{
	size_t n;

	if (a->advice == NULL || b->advice == NULL)
		return false;
	n = kin_change_length(a->advice);
	return n == kin_change_length(b->advice) &&
	    memcmp(a->advice, b->advice, n) == 0;
}

/* ${first}: those of the findings before ${at}. Only the first of its kin is
 * compared: what is like a later one only is a change of its own. */
static size_t
first_of(const struct advice *a, const size_t *first, size_t at)
{
	const struct finding *f = &a->finding[at], *g;

	for (size_t i = 0; f->worth_it && i < at; i++) {
		g = &a->finding[i];
		if (first[i] == i && g->worth_it && is_same(g->rule, f->rule) &&
		    (same_kernel(g, f) || same_change(g, f)))
			return i;
	}
	return at;
}

size_t *
kin_of(const struct advice *a)
{
	size_t *first;

	if (a->findings == 0 ||
	    (first = calloc(a->findings, sizeof(*first))) == NULL)
		return NULL;
	for (size_t i = 0; i < a->findings; i++)
		first[i] = first_of(a, first, i);
	return first;
}

size_t
kin_changes(const struct advice *a)
{
	size_t *first = kin_of(a), n = 0;

	for (size_t i = 0; first != NULL && i < a->findings; i++)
		n += a->finding[i].worth_it && first[i] == i;
	free(first);
	return n;
}
