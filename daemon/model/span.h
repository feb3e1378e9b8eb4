/*
 * model/span.h: a set of disjoint time intervals, kept merged, such as the times of
 * our own measuring. Bounded: when it is full the older half is folded into a sum.
 */
#ifndef CADV_SPAN_H
#define CADV_SPAN_H

#include <stddef.h>
#include <stdint.h>

#define SPANS_MAX 16384u

struct span {
	uint64_t start, end;
};

struct spans {
	struct span *span;	/* ascending */
	size_t count, cap;
	uint64_t folded_ns;	/* length of the spans that were folded */
	uint64_t folded_until;	/* no span before that is kept */
};

/* spans_add(s, start, end): add [start, end); -1 without memory. The part before
 * folded_until is lost. */
int spans_add(struct spans *s, uint64_t start, uint64_t end);

/* spans_overlap(s, a, b): how much of [a, b) the kept spans cover. */
uint64_t spans_overlap(const struct spans *s, uint64_t a, uint64_t b);

/* spans_total(s): the length of their union. */
uint64_t spans_total(const struct spans *s);

void spans_clear(struct spans *s);

#endif
