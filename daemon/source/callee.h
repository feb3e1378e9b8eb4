/*
 * source/callee.h: the compiler's own functions (divisions, square roots, the paths of
 * rare arguments), which stand behind a kernel's last end. Pure.
 */
#ifndef CADV_CALLEE_H
#define CADV_CALLEE_H

#include "source/sass.h"

#define INTERNALS_MOST 64		/* further ones are not known */

/* Where they begin, by their numbers. */
struct internals {
	uint32_t at[INTERNALS_MOST];
	uint32_t count;
};

/* internals_find(c, s): those of ${s}, in one pass. */
void internals_find(struct internals *c, const struct sass *s);

/* callee_at(c, i): where the function begins that ${i} calls, if it is the compiler's
 * own, as "CALL.REL.NOINC $__internal_0_$__cuda_sm20_div_u64" does; else SASS_NONE. It
 * goes on to the next RET. */
uint32_t callee_at(const struct internals *c, const struct sass_instruction *i);

#endif
