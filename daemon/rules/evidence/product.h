/*
 * rules/evidence/product.h: is a loop a product of matrices whose factors come straight
 * from global memory? Each multiply-add takes two values that the loop loaded, of
 * which one is the same along the rows of the block's threads, the other along its
 * columns: every value is loaded by as many threads as the block is wide or high. A
 * stencil's or a filter's factors are not: what one of them depends on, the other
 * does too, or it depends on no thread. Pure; bounded work.
 */
#ifndef CADV_PRODUCT_H
#define CADV_PRODUCT_H

#include "rules/evidence/lines.h"

struct product {
	double fmas;		/* such multiply-adds, executed */
	double half;		/* of them, of halves */
	double wide;		/* of them, of doubles or integers */
};

/* product_of(p, x, m): look at the view's kernel, counted and disassembled; ${m},
 * unless it is NULL, gets the multiply-adds. -1 without memory. */
int product_of(struct product *p, const struct rule_view *x, struct mark *m);

#endif
