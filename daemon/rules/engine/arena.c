#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/engine/arena.h"

#define CHUNK_SIZE 65536	/* bytes */

struct arena_chunk {
	struct arena_chunk *next;
	size_t size, used;
	max_align_t data[];
};

void *
arena_get(struct arena *a, size_t size)
{
	struct arena_chunk *c = a->chunk;
	size_t align = _Alignof(max_align_t);
	void *p;

	if (size > SIZE_MAX / 2)
		goto fail;
	size = (size + align - 1) / align * align;
	if (c == NULL || c->size - c->used < size) {
		size_t room = size > CHUNK_SIZE ? size : CHUNK_SIZE;

		c = malloc(sizeof(*c) + room);
		if (c == NULL)
			goto fail;
		c->next = a->chunk;
		c->size = room;
		c->used = 0;
		a->chunk = c;
	}
	p = (char *)c->data + c->used;
	c->used += size;
	return memset(p, 0, size);
fail:
	a->failed = true;
	return NULL;
}

const char *
arena_vformat(struct arena *a, const char *fmt, va_list ap)
{
	va_list again;
	char *s = NULL;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	if (n >= 0)
		s = arena_get(a, (size_t)n + 1);
	if (s != NULL)
		vsnprintf(s, (size_t)n + 1, fmt, again);
	va_end(again);
	return s != NULL ? s : "";
}

const char *
arena_format(struct arena *a, const char *fmt, ...)
{
	const char *s;
	va_list ap;

	va_start(ap, fmt);
	s = arena_vformat(a, fmt, ap);
	va_end(ap);
	return s;
}

struct arena_mark
arena_mark(const struct arena *a)
{
	return (struct arena_mark){ a->chunk,
	    a->chunk != NULL ? a->chunk->used : 0 };
}

void
arena_reset(struct arena *a, struct arena_mark m)
{
	while (a->chunk != m.chunk) {
		struct arena_chunk *c = a->chunk;

		a->chunk = c->next;
		free(c);
	}
	if (a->chunk != NULL)
		a->chunk->used = m.used;
}

void
arena_free(struct arena *a)
{
	arena_reset(a, (struct arena_mark){ NULL, 0 });
	a->failed = false;
}
