/*
 * base/sort.h: sorting and searching. A comparison for qsort is made of keys; the first
 * key that differs decides: ORDER(x->stream, y->stream) ?: ORDER(x->start, y->start).
 */
#ifndef CADV_BASE_SORT_H
#define CADV_BASE_SORT_H

/* -1, 0 or 1: the smaller comes first. For the larger first: ORDER(b, a). */
#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* Defines a comparison for qsort. ${how} is its result, an expression of two pointers
 * to ${type}, x and y. */
#define COMPARE(name, type, how)					\
	static int							\
	name(const void *x_, const void *y_)				\
	{								\
		const type *x = x_, *y = y_;				\
									\
		return how;						\
	}

/*
 * A binary search: the first index in [from, to) for which ${before}, an expression of
 * the index ${i}, is false; ${to} if there is none. ${before} has to be false for every
 * index after that.
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
