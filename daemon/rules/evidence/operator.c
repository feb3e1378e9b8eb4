/*
 * rules/evidence/operator.c: see operator.h.
 */
#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "rules/evidence/lines.h"
#include "rules/evidence/operator.h"

/* "aten::add" from "at::_ops::add_Tensor::call(…)": without the overload, which
 * begins with a capital. False: ${function} is not an operator's. */
static bool
aten_name(char name[OPERATOR_SIZE], const char *function)
{
	static const char space[] = "at::_ops::", prefix[] = "aten::";
	const char *at = function != NULL ? strstr(function, space) : NULL;
	size_t n = sizeof(prefix) - 1;

	if (at == NULL)
		return false;
	memcpy(name, prefix, n);
	for (at += sizeof(space) - 1; (isalnum((unsigned char)*at) ||
	    *at == '_') && n + 1 < OPERATOR_SIZE; at++) {
		if (*at == '_' && isupper((unsigned char)at[1]))
			break;
		name[n++] = *at;
	}
	name[n] = '\0';
	return n > sizeof(prefix) - 1;
}

/* "cupy.multiply" of "cupy_multiply__float32_float32_float32". */
static bool
cupy_name(char name[OPERATOR_SIZE], const char *kernel)
{
	static const char begin[] = "cupy_";
	const char *end;
	size_t n;

	if (strncmp(kernel, begin, sizeof(begin) - 1) != 0)
		return false;
	kernel += sizeof(begin) - 1;
	end = strstr(kernel, "__");
	n = end != NULL ? (size_t)(end - kernel) : strlen(kernel);
	n = n < OPERATOR_SIZE - sizeof(begin) ? n :
	    OPERATOR_SIZE - sizeof(begin);
	memcpy(name, "cupy.", sizeof(begin) - 1);
	memcpy(name + sizeof(begin) - 1, kernel, n);
	name[sizeof(begin) - 1 + n] = '\0';
	return true;
}

bool
operator_of(char name[OPERATOR_SIZE], const struct site *s)
{
	for (size_t f = 0; s != NULL && f < s->frames; f++)
		if (aten_name(name, s->frame[f].function))
			return true;
	return false;
}

bool
operator_copies(const struct site *s)
{
	char name[OPERATOR_SIZE];

	return operator_of(name, s) && strcmp(name, "aten::copy_") == 0;
}

bool
operator_reads_value(const struct site *s)
{
	char name[OPERATOR_SIZE];

	return lines_reads(s) && operator_of(name, s) && strcmp(name, "aten::copy_") != 0;
}

bool
operator_name(char name[OPERATOR_SIZE], const struct kernel *k,
    const struct site *s, const struct library *l)
{
	const char *own = k->short_name != NULL ? k->short_name :
	    "(unnamed kernel)";
	size_t n;

	if (operator_of(name, s))
		return true;
	if (cupy_name(name, own))
		return true;
	/* A compiler's kernel name says what was fused. */
	if (l != NULL && l->operation != NULL &&
	    strcmp(l->name, "Inductor") != 0)
		own = l->operation;
	n = strnlen(own, OPERATOR_SIZE - 1);
	/* Do not end within a UTF-8 character. */
	while (own[n] != '\0' && n > 0 && ((unsigned char)own[n] & 0xc0) == 0x80)
		n--;
	memcpy(name, own, n);
	name[n] = '\0';
	return false;
}

/* "model.py:88"; NULL: not known. */
static const char *
user_line(const struct rule_view *x, const struct site *s)
{
	const struct site_frame *f = s != NULL && s->first < s->frames ?
	    &s->frame[s->first] : NULL;

	if (f == NULL || !f->python || f->file == NULL || f->line == 0)
		return NULL;
	return arena_format(x->arena, "%s:%u", text_base_name(f->file), f->line);
}

void
operator_place(const struct rule_view *x, struct draft *d)
{
	const struct kernel *k = d->f.kernel;
	const struct library *l = k != NULL ?
	    &x->libraries[k - x->run->kernel] : NULL;
	char name[OPERATOR_SIZE];
	const char *line;

	if (l == NULL || l->name == NULL)
		return;
	if (operator_name(name, k, d->f.site, l) ||
	    (l->operation != NULL && lines_python(x->run)))
		d->f.where = arena_format(x->arena, "%s", name);
	else if ((line = user_line(x, d->f.site)) != NULL)
		d->f.where = line;
}
