/*
 * base/order.h: what a comparison for qsort is made of: keys, of which the first that
 * differs decides: ORDER(x->stream, y->stream) ?: ORDER(x->start, y->start).
 */
#ifndef CADV_BASE_ORDER_H
#define CADV_BASE_ORDER_H

/* The smaller first: -1, 0 or 1. The larger first: ORDER(b, a). */
#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

#endif
