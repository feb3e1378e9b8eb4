/*
 * source/callee.h: functions that the compiler adds to a kernel (divisions, square
 * roots, slow paths for rare arguments), behind the kernel's last EXIT. Pure.
 */
#ifndef CADV_CALLEE_H
#define CADV_CALLEE_H

#include <stdbool.h>

#include "source/sass.h"

#define INTERNALS_MOST 64		/* further ones are left out */

/* Indices of their first instructions, by the number in "$__internal_<number>_". */
struct internals {
	uint32_t at[INTERNALS_MOST];
	uint32_t count;
};

/* internals_find(c, s): find those of ${s}, in one pass. */
void internals_find(struct internals *c, const struct sass *s);

/* callee_at(c, i): the index of the first instruction of the function that ${i} calls, if
 * the compiler added that function, as in "CALL.REL.NOINC
 * $__internal_0_$__cuda_sm20_div_u64"; else SASS_NONE. Its last one is the next RET. */
uint32_t callee_at(const struct internals *c, const struct sass_instruction *i);

/* Instructions on either side of such a call, at most, in the block that a branch leads
 * around: moves of its argument and its result. */
#define CALLEE_AROUND 12

/* callee_is_rare(i): does ${i} call one of these functions that is for rare arguments
 * only, as in "CALL.REL.NOINC $__internal_0_$__cuda_sm3x_div_rn_noftz_f32_slowpath"? */
bool callee_is_rare(const struct sass_instruction *i);

#endif
