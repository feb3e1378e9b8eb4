/*
 * rules/evidence/parameters.c: see parameters.h.
 */
#include <stdbool.h>
#include <string.h>

#include "rules/evidence/parameters.h"

#define PARAMETER_MOST 256	/* bytes of one parameter's type */

/* Words that names of number types consist of. */
static const char *const number_word[] = {
	"bool", "char", "short", "int", "long", "signed", "unsigned", "float",
	"double", "const", "volatile", "__restrict__", "__half", "__nv_bfloat16",
	"int2", "int4", "float2", "float3", "float4", "double2", "uint2", "uint4",
};

static bool
is_number_word(const char *s, size_t n)
{
	for (size_t i = 0; i < sizeof(number_word) / sizeof(*number_word); i++)
		if (strlen(number_word[i]) == n &&
		    memcmp(number_word[i], s, n) == 0)
			return true;
	return false;
}

/* 1: the parameter whose type has ${n} bytes is a pointer, not to pointers; 0:
 * a number; -1: it may contain pointers. */
static int
pointers_in(const char *s, size_t n)
{
	size_t stars = 0, word = 0;
	bool number = true;

	for (size_t i = 0; i < n; i++)
		stars += s[i] == '*';
	if (stars > 0)
		return stars == 1 && memchr(s, '&', n) == NULL ? 1 : -1;
	for (size_t i = 0; i <= n; i++) {
		if (i < n && s[i] != ' ')
			continue;
		number = number && (i == word || is_number_word(s + word,
		    i - word));
		word = i + 1;
	}
	return number ? 0 : -1;
}

/* The parameter list that ends the name; NULL: none. */
static const char *
list_of(const char *name, const char **end)
{
	const char *at = name + strlen(name);
	int depth = 0;

	if (at == name || at[-1] != ')')
		return NULL;
	*end = at - 1;
	while (at-- > name) {
		depth += *at == ')';
		depth -= *at == '(';
		if (depth == 0)
			return at + 1;
	}
	return NULL;
}

int
parameters_pointers(const char *name)
{
	const char *end, *at = name != NULL ? list_of(name, &end) : NULL, *from;
	int depth = 0, sum = 0, one;

	if (at == NULL)
		return -1;
	for (from = at; at <= end; at++) {
		depth += at < end && strchr("<([", *at) != NULL;
		depth -= at < end && strchr(">)]", *at) != NULL;
		if (at < end && (*at != ',' || depth > 0))
			continue;
		while (from < at && *from == ' ')
			from++;
		if (at - from > PARAMETER_MOST)
			return -1;
		if ((one = pointers_in(from, (size_t)(at - from))) < 0)
			return -1;
		sum += one;
		from = at + 1;
	}
	return sum;
}
