/*
 * source/callee.c: see callee.h.
 */
#include <stdlib.h>
#include <string.h>

#include "source/callee.h"
#include "source/opcode.h"

#define INTERNAL "$__internal_"

/* Function ${n} of those that stand behind the kernel's last end, one after the other;
 * each ends with a return. */
static uint32_t
internal_at(const struct sass *s, long n)
{
	uint32_t at = 0;

	for (uint32_t k = 0; k < s->instructions &&
	    !opcode_is(&s->instruction[k], "RET"); k++)
		if (s->instruction[k].flags & SASS_EXIT &&
		    !(s->instruction[k].flags & SASS_CONDITIONAL))
			at = k + 1;
	for (; at > 0 && at < s->instructions && n > 0; at++)
		n -= opcode_is(&s->instruction[at], "RET");
	return at > 0 && at < s->instructions && n == 0 ? at : SASS_NONE;
}

uint32_t
callee_at(const struct sass *s, uint32_t i)
{
	const struct sass_instruction *in = &s->instruction[i];
	const char *name = in->flags & SASS_CALL ?
	    strstr(in->text, INTERNAL) : NULL;

	return name == NULL ? SASS_NONE :
	    internal_at(s, strtol(name + strlen(INTERNAL), NULL, 10));
}
