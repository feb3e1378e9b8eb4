/*
 * model/lines/together.h: how many global loads a warp has in flight at once. Pure.
 */
#ifndef CADV_TOGETHER_H
#define CADV_TOGETHER_H

struct sass;

/*
 * together_of(s): how many loads from global memory a warp issues before it needs the
 * result of one of them: these wait for memory at the same time. The mean over such
 * batches in the order of the code, of loads at the deepest loop level that has any,
 * since these run most often. 1 or more; NaN without such loads, and with asynchronous
 * copies from global to shared memory.
 */
double together_of(const struct sass *s);

#endif
