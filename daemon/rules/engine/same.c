/*
 * rules/engine/same.c: see same.h.
 */
#include <string.h>

#include "rules/engine/same.h"

bool
same_text(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

bool
same_block(const struct kernel *a, const struct kernel *b)
{
	return a->shape.block_x == b->shape.block_x &&
	    a->shape.block_y == b->shape.block_y &&
	    a->shape.block_z == b->shape.block_z;
}

bool
same_grid(const struct kernel *a, const struct kernel *b)
{
	return a->shape.grid_x == b->shape.grid_x &&
	    a->shape.grid_y == b->shape.grid_y &&
	    a->shape.grid_z == b->shape.grid_z;
}

void
same_hash(XXH64_state_t *state, const char *name)
{
	static const char anonymous[] = "(anonymous namespace)";
	int depth = 0;

	for (const char *p = name; *p != '\0'; p++) {
		depth += *p == '<';
		if (depth == 0 && *p == '(') {
			if (strncmp(p, anonymous, strlen(anonymous)) != 0)
				return;
			p += strlen(anonymous) - 1;
			continue;
		}
		if (depth == 0)
			XXH64_update(state, p, 1);
		depth -= *p == '>' && depth > 0;
	}
}

static bool
is_one_line(const struct hot_line *a, const struct hot_line *b)
{
	if (a->file != NULL && a->line > 0)
		return a->line == b->line && same_text(a->file, b->file);
	return b->file == NULL && a->pc == b->pc;
}

bool
same_line(const struct finding *a, const struct finding *b)
{
	for (size_t i = 0; i < a->hots; i++)
		for (size_t k = 0; k < b->hots; k++)
			if (is_one_line(&a->hot[i], &b->hot[k]))
				return true;
	return false;
}

/* The frame of a site that is shown; NULL. */
static const struct site_frame *
frame_of(const struct site *s)
{
	return s != NULL && s->first < s->frames ? &s->frame[s->first] : NULL;
}

bool
same_frame_line(const struct site_frame *f, const struct site_frame *g)
{
	return f->line == g->line && same_text(f->file, g->file);
}

bool
same_frame_function(const struct site_frame *f, const struct site_frame *g)
{
	return same_text(f->file, g->file) && same_text(f->function, g->function);
}

bool
same_site(const struct site *a, const struct site *b)
{
	const struct site_frame *f = frame_of(a), *g = frame_of(b);

	return f != NULL && g != NULL && f->file != NULL && f->line > 0 &&
	    same_frame_line(f, g);
}

static XXH64_hash_t
base_of(const char *name)
{
	XXH64_state_t state;

	XXH64_reset(&state, 0);
	same_hash(&state, name);
	return XXH64_digest(&state);
}

bool
same_caller(const struct site *a, const struct site *b)
{
	const struct site_frame *f = frame_of(a), *g = frame_of(b);

	return f != NULL && g != NULL && f->line == 0 && g->line == 0 &&
	    !f->nearest && !g->nearest && f->function != NULL &&
	    g->function != NULL && f->module != NULL &&
	    same_text(f->module, g->module) &&
	    base_of(f->function) == base_of(g->function);
}
