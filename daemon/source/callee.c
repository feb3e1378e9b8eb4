/*
 * source/callee.c: see callee.h.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "source/callee.h"
#include "source/opcode.h"

#define INTERNAL "$__internal_"

void
internals_find(struct internals *c, const struct sass *s)
{
	uint32_t end = 0, k;

	c->count = 0;
	for (k = 0; k < s->instructions && !opcode_is(&s->instruction[k], "RET"); k++)
		if (s->instruction[k].flags & SASS_EXIT &&
		    !(s->instruction[k].flags & SASS_CONDITIONAL))
			end = k + 1;
	/* One after the other behind the kernel's last EXIT; each ends with RET. */
	for (k = end; end > 0 && k < s->instructions && c->count < INTERNALS_MOST;
	    k++)
		if (k == end || opcode_is(&s->instruction[k - 1], "RET"))
			c->at[c->count++] = k;
}

uint32_t
callee_at(const struct internals *c, const struct sass_instruction *i)
{
	const char *name = i->flags & SASS_CALL && i->text != NULL ?
	    strstr(i->text, INTERNAL) : NULL;
	unsigned long n = name != NULL ?
	    strtoul(name + strlen(INTERNAL), NULL, 10) : ULONG_MAX;

	return n < c->count ? c->at[n] : SASS_NONE;
}

bool
callee_is_rare(const struct sass_instruction *i)
{
	static const char *const name[] = { "slowpath", "mediumpath",
	    "div_rn_f64_full" };

	if (!(i->flags & SASS_CALL) || i->text == NULL)
		return false;
	for (size_t k = 0; k < sizeof(name) / sizeof(name[0]); k++)
		if (strstr(i->text, name[k]) != NULL)
			return true;
	return false;
}
