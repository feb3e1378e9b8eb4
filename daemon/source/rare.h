/*
 * source/rare.h: code that the compiler adds for arguments that are hardly ever so
 * large. Pure.
 */
#ifndef CADV_RARE_H
#define CADV_RARE_H

#include "source/sass.h"

/* rare_is_loop(s, l): is ${l} the loop in which the exact sine and cosine multiply 2/π,
 * a word after the other, by an argument beyond about 100,000? */
bool rare_is_loop(const struct sass *s, const struct sass_loop *l);

/* rare_share(s, i): how often instruction ${i} runs for each turn of such a loop, if it
 * is of what ordinary arguments jump over with it, and the loop itself; else 0. */
double rare_share(const struct sass *s, uint32_t i);

#endif
