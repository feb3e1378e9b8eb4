/*
 * model/span.c: see span.h.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"

#include "model/span.h"

/* The first span that ends after ${t}. */
static size_t
spans_find(const struct spans *s, uint64_t t)
{

	return FIRST_NOT(mid, 0, s->count, s->span[mid].end <= t);
}

static void
spans_fold(struct spans *s)
{
	size_t i, half = s->count / 2;

	for (i = 0; i < half; i++)
		s->folded_ns += s->span[i].end - s->span[i].start;
	s->folded_until = s->span[half - 1].end;
	s->count -= half;
	memmove(s->span, s->span + half, s->count * sizeof(*s->span));
}

static int
spans_room(struct spans *s)
{
	struct span *span;
	size_t cap;

	if (s->count < s->cap)
		return 0;
	if (s->cap == SPANS_MAX) {
		spans_fold(s);
		return 0;
	}
	cap = s->cap == 0 ? 64 : 2 * s->cap;
	if ((span = realloc(s->span, cap * sizeof(*span))) == NULL)
		return -1;
	s->span = span;
	s->cap = cap;
	return 0;
}

int
spans_add(struct spans *s, uint64_t start, uint64_t end)
{
	size_t i, j;

	if (spans_room(s) != 0)
		return -1;
	if (start < s->folded_until)
		start = s->folded_until;
	if (end <= start)
		return 0;
	/* [i, j) are the spans that the new one touches. */
	i = start == 0 ? 0 : spans_find(s, start - 1);
	for (j = i; j < s->count && s->span[j].start <= end; j++) {
		if (s->span[j].start < start)
			start = s->span[j].start;
		if (s->span[j].end > end)
			end = s->span[j].end;
	}
	memmove(s->span + i + 1, s->span + j,
	    (s->count - j) * sizeof(*s->span));
	s->count = s->count - (j - i) + 1;
	s->span[i] = (struct span){ start, end };
	return 0;
}

uint64_t
spans_overlap(const struct spans *s, uint64_t a, uint64_t b)
{
	uint64_t from, to, sum = 0;
	size_t i;

	for (i = spans_find(s, a); i < s->count && s->span[i].start < b; i++) {
		from = s->span[i].start > a ? s->span[i].start : a;
		to = s->span[i].end < b ? s->span[i].end : b;
		sum += to - from;
	}
	return sum;
}

uint64_t
spans_total(const struct spans *s)
{
	uint64_t sum = s->folded_ns;
	size_t i;

	for (i = 0; i < s->count; i++)
		sum += s->span[i].end - s->span[i].start;
	return sum;
}

void
spans_clear(struct spans *s)
{

	free(s->span);
	memset(s, 0, sizeof(*s));
}
