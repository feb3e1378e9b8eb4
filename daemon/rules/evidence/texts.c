/*
 * rules/evidence/texts.c: see texts.h. The start of every 64th line is kept: at most an
 * eighth of the text in memory, and 63 lines to pass over.
 */
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "rules/evidence/texts.h"

#define EVERY 64

struct text {
	size_t *start;		/* of lines 1, 65, …; NULL: not read yet */
	size_t starts;
};

struct texts {
	size_t files;
	struct text text[];
};

struct texts *
texts_new(const struct run *run)
{
	struct texts *t = calloc(1, sizeof(*t) + run->source_files *
	    sizeof(t->text[0]));

	if (t != NULL)
		t->files = run->source_files;
	return t;
}

void
texts_free(struct texts *t)
{

	for (size_t i = 0; t != NULL && i < t->files; i++)
		free(t->text[i].start);
	free(t);
}

/* The start of the line ${n} lines behind ${s}, or NULL: it is not before ${end}. */
static const char *
pass(const char *s, const char *end, uint32_t n)
{
	for (; n > 0; n--) {
		if ((s = memchr(s, '\n', (size_t)(end - s))) == NULL)
			return NULL;
		s++;
	}
	return s;
}

static void
read_starts(struct text *t, const struct source_file *f)
{
	const char *end = f->text + f->size, *s;
	size_t n = 0, lines = 1;

	for (s = f->text; (s = pass(s, end, 1)) != NULL;)
		lines++;
	t->starts = (lines + EVERY - 1) / EVERY;
	if ((t->start = calloc(t->starts, sizeof(*t->start))) == NULL)
		return;
	for (s = f->text; s != NULL && n < t->starts; s = pass(s, end, EVERY))
		t->start[n++] = (size_t)(s - f->text);
}

const char *
texts_line(struct texts *t, const struct run *run, size_t file, uint32_t n,
    size_t *len)
{
	const struct source_file *f = &run->source_file[file];
	const char *s = f->text, *end, *nl;
	struct text *known = t != NULL && file < t->files ? &t->text[file] :
	    NULL;

	if (s == NULL || n-- == 0)
		return NULL;
	end = s + f->size;
	if (known != NULL && known->start == NULL)
		read_starts(known, f);
	if (known != NULL && known->start != NULL) {
		if (n / EVERY >= known->starts)
			return NULL;
		s += known->start[n / EVERY];
		n %= EVERY;
	}
	if ((s = pass(s, end, n)) == NULL)
		return NULL;
	nl = memchr(s, '\n', (size_t)(end - s));
	*len = (size_t)((nl != NULL ? nl : end) - s);
	return s;
}
