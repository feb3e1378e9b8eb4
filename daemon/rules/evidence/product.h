/*
 * rules/evidence/product.h: is a loop a matrix product whose factors come
 * straight from global memory? Each multiply-add takes two values that the loop
 * loaded, one of which is the same along the rows of the block's threads, the
 * other along its columns: every value is loaded by as many threads as the
 * block is wide or high. In stencils and filters both factors depend on the
 * same index, or one depends on no thread. Pure; bounded work.
 */
#ifndef CADV_PRODUCT_H
#define CADV_PRODUCT_H

#include "rules/evidence/lines.h"

struct product {
	double fmas;		/* such multiply-adds, executed */
	double half;		/* of them, in half precision */
	double wide;		/* of them, in doubles or integers */
};

/* product_of(p, x, m): count such multiply-adds of the view's kernel, which
 * must be counted and disassembled, into ${p} and, unless it is NULL, ${m}.
 * Returns 0; -1 without memory. */
int product_of(struct product *p, const struct rule_view *x, struct mark *m);

#endif
