/*
 * source/callee.h: the compiler's own functions (divisions, square roots, the paths of
 * rare arguments), which stand behind a kernel's last end. Pure.
 */
#ifndef CADV_CALLEE_H
#define CADV_CALLEE_H

#include "source/sass.h"

/* callee_at(s, i): where the function begins that instruction ${i} calls, if it is the
 * compiler's own, as "CALL.REL.NOINC $__internal_0_$__cuda_sm20_div_u64" does; else
 * SASS_NONE. It goes on to the next RET. */
uint32_t callee_at(const struct sass *s, uint32_t i);

#endif
