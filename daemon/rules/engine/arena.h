/*
 * rules/engine/arena.h: memory that one evaluation uses and gives back as a whole.
 * A request that cannot be met is remembered, so that callers check once.
 */
#ifndef CADV_ARENA_H
#define CADV_ARENA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct arena_chunk;

struct arena {
	struct arena_chunk *chunk;
	bool failed;		/* some request was not met */
};

#define ARENA_INIT { NULL, false }

/* arena_get(a, size): zeroed and aligned for any type; NULL without memory. */
void *arena_get(struct arena *a, size_t size);

/* arena_format(a, fmt, …): a formatted string; "" without memory. */
const char *arena_format(struct arena *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
const char *arena_vformat(struct arena *a, const char *fmt, va_list ap)
    __attribute__((format(printf, 2, 0)));

/* arena_mark(a), arena_reset(a, m): give back all that was taken since. */
struct arena_mark {
	struct arena_chunk *chunk;
	size_t used;
};
struct arena_mark arena_mark(const struct arena *a);
void arena_reset(struct arena *a, struct arena_mark m);

void arena_free(struct arena *a);

#endif
