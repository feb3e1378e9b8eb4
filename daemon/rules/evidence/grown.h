/*
 * rules/evidence/grown.h: a step of which the arrays grow each time, as a sequence that is
 * generated and the cache of its tokens do: no sequence of launches is like the one before.
 * Pure.
 */
#ifndef CADV_GROWN_H
#define CADV_GROWN_H

#include "rules/engine/rule.h"

#define GROWN_SIZES 8		/* that many times one grid is larger than before; arithmetic:
				 * batches sorted by chance are so once in 40,320 times */

/*
 * grown_sizes(x, s, n): of the ${n} sequences of a loop at ${s}, which it sorts by the time that
 * they first came at, those like the one with most repeats launch the same functions; returns
 * how often the grids of one of these are larger than before. 0: less than GROWN_SIZES times, or
 * they shrink as well, or that is not most of the loop.
 */
size_t grown_sizes(const struct rule_view *x, const struct sequence **s, size_t n);

#endif
