/*
 * base/sort.h: to sort and to search. A comparison for qsort is made of keys, of which
 * the first that differs decides: ORDER(x->stream, y->stream) ?: ORDER(x->start, y->start).
 */
#ifndef CADV_BASE_SORT_H
#define CADV_BASE_SORT_H

/* The smaller first: -1, 0 or 1. The larger first: ORDER(b, a). */
#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* A function for qsort: how ${type}s *x and *y are ordered. */
#define COMPARE(name, type, how)					\
	static int							\
	name(const void *x_, const void *y_)				\
	{								\
		const type *x = x_, *y = y_;				\
									\
		return how;						\
	}

/*
 * A binary search: of the places ${from} to ${to} the first for which ${before}, an
 * expression of ${i}, does not hold; ${to} if it holds for all. It holds for none
 * behind that.
 */
#define FIRST_NOT(i, from, to, before) __extension__ ({		\
	size_t i, low_ = (from), high_ = (to);				\
	while (low_ < high_) {						\
		i = low_ + (high_ - low_) / 2;				\
		if (before)						\
			low_ = i + 1;					\
		else							\
			high_ = i;					\
	}								\
	low_;								\
})

#endif
