/*
 * source/rare.h: slow paths that the compiler adds for large arguments, which hardly
 * ever occur. Pure.
 */
#ifndef CADV_RARE_H
#define CADV_RARE_H

#include "source/sass.h"

/* rare_is_loop(s, l): is ${l} the loop in which the accurate sine and cosine multiply an
 * argument beyond about 100,000 by 2/π, one word per iteration? */
bool rare_is_loop(const struct sass *s, const struct sass_loop *l);

/* rare_share(s, i): how often instruction ${i} runs per iteration of such a loop: 1 in
 * the loop, 1/6 in the other code that is skipped together with it, else 0. */
double rare_share(const struct sass *s, uint32_t i);

#endif
