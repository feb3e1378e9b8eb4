/*
 * model/lines/together.h: how many loads a warp has under way at once. Pure.
 */
#ifndef CADV_TOGETHER_H
#define CADV_TOGETHER_H

struct sass;

/*
 * together_of(s): loads from global memory that a warp issues before it needs the
 * first of them, in the mean of all loads, as the order of the code has it: so many
 * share one trip. Of loops in loops the innermost with such loads stand for all;
 * these run most. 1 or more; NaN where there are none, and where they go to shared
 * memory behind the warp's back.
 */
double together_of(const struct sass *s);

#endif
