/*
 * rules/engine/arena.h: memory of one evaluation, freed as a whole. A failed
 * request sets ${failed}, so that callers can check once.
 */
#ifndef CADV_ARENA_H
#define CADV_ARENA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct arena_chunk;

struct arena {
	struct arena_chunk *chunk;
	bool failed;		/* some request failed */
};

#define ARENA_INIT { NULL, false }

/* arena_get(a, size): zeroed and aligned for any type; NULL without memory. */
void *arena_get(struct arena *a, size_t size);

/* arena_format(a, fmt, …): a formatted string; "" without memory. */
const char *arena_format(struct arena *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
const char *arena_vformat(struct arena *a, const char *fmt, va_list ap)
    __attribute__((format(printf, 2, 0)));

/* arena_mark(a) and arena_reset(a, m): free all that was requested since the mark. */
struct arena_mark {
	struct arena_chunk *chunk;
	size_t used;
};
struct arena_mark arena_mark(const struct arena *a);
void arena_reset(struct arena *a, struct arena_mark m);

void arena_free(struct arena *a);

#endif
