#include <stdio.h>
#include <string.h>

#include "plain.h"

#define NESTED 128		/* deeper than any name seen so far */

struct text {
	char *s;
	size_t len, size;
	bool full;
};

static bool
is_digit(char c)
{

	return c >= '0' && c <= '9';
}

static void
append(struct text *t, const char *s, size_t n)
{

	if (t->len + n + 1 > t->size) {
		t->full = true;
		return;
	}
	memcpy(t->s + t->len, s, n);
	t->len += n;
	t->s[t->len] = '\0';
}

static void
append_part(struct text *t, const char *s, size_t n)
{
	static const char hidden[] = "(anonymous namespace)";

	if (t->len > 0)
		append(t, "::", 2);
	if (n >= 10 && memcmp(s, "_GLOBAL__N", 10) == 0)
		append(t, hidden, sizeof(hidden) - 1);
	else
		append(t, s, n);
}

/* Reads an identifier with its length before it. Returns what follows it, or NULL. */
static const char *
identifier(const char *p, const char **s, size_t *n)
{

	for (*n = 0; is_digit(*p) && *n < 1u << 16; p++)
		*n = 10 * *n + (size_t)(*p - '0');
	*s = p;
	return *n > 0 && strnlen(p, *n) == *n ? p + *n : NULL;
}

/* Skips the end of a parameter or an index: a number, if any, and an underscore. */
static const char *
index_end(const char *p)
{

	while (is_digit(*p) || (*p >= 'A' && *p <= 'Z'))
		p++;
	return *p == '_' ? p + 1 : p;
}

/* Skips the type of a literal, after its L. The literal's value follows, up to its
 * E. */
static const char *
literal_type(const char *p)
{
	const char *s;
	size_t n;

	if (is_digit(*p))
		return identifier(p, &s, &n);
	if (*p == 'S')
		return index_end(p + 1);
	return *p != '\0' && *p != 'N' ? p + 1 : p;
}

static const char *
literal_value(const char *p)
{

	while (*p != '\0' && *p != 'E')
		p++;
	return p;
}

/* Skips a two-letter encoding that begins with D. */
static const char *
skip_d(const char *p, char *opened)
{

	if (p[1] == 't' || p[1] == 'T')
		*opened = 'D';
	if (p[1] == 'v')
		return index_end(p + 2);
	if (p[1] == 'F') {	/* a number of bits, and a letter */
		p += 2 + strspn(p + 2, "0123456789");
		return *p != '\0' ? p + 1 : p;
	}
	return p[1] != '\0' ? p + 2 : NULL;
}

/* Skips one element. If that opens a nested list, *${opened} is the list's letter, else
 * NUL. */
static const char *
skip_piece(const char *p, char *opened)
{
	const char *s;
	size_t n;

	*opened = '\0';
	if (is_digit(*p))
		return identifier(p, &s, &n);
	switch (*p) {
	case 'L':
		*opened = 'L';
		if (strncmp(p, "L_Z", 3) == 0)
			return p + 3;
		if ((p = literal_type(p + 1)) != NULL && *p != 'N')
			p = literal_value(p);
		return p;
	case 'N': case 'I': case 'X': case 'J': case 'F': case 'Z':
		*opened = *p;
		return p + 1;
	case 'D':
		return skip_d(p, opened);
	case 'U':
		if (p[1] == 'l')
			*opened = 'U';
		return p[1] == 't' ? index_end(p + 2) : p[1] == 'l' ? p + 2 :
		    p + 1;
	case 'S':
		return p[1] >= 'a' && p[1] <= 'z' ? p + 2 : index_end(p + 1);
	case 'T': case 'A':
		return index_end(p + 1);
	case '_':
		return is_digit(p[1]) ? p + 2 : p + 1;
	default:
		return p + 1;
	}
}

/* Skips template arguments, after their I. Returns what follows their E, or NULL. */
static const char *
skip_arguments(const char *p)
{
	char open[NESTED], opened;
	unsigned depth = 1;

	open[0] = 'I';
	while (depth > 0) {
		if (*p == '\0')
			return NULL;
		if (*p != 'E') {
			if ((p = skip_piece(p, &opened)) == NULL ||
			    (opened != '\0' && depth == NESTED))
				return NULL;
			if (opened != '\0')
				open[depth++] = opened;
			continue;
		}
		p++;
		depth--;
		if (open[depth] == 'U')		/* the lambda's index */
			p = index_end(p);
		/* The value of a literal with a nested name as its type. */
		if (depth > 0 && open[depth] == 'N' && open[depth - 1] == 'L')
			p = literal_value(p);
	}
	return p;
}

static bool
nested(struct text *t, const char *p)
{
	const char *s;
	size_t n;

	p += strspn(p, "rVKRO");
	if (strncmp(p, "St", 2) == 0) {
		append_part(t, "std", 3);
		p += 2;
	}
	while (p != NULL && *p != 'E') {
		if (*p == 'I') {
			p = skip_arguments(p + 1);
		} else if (*p == 'L') {		/* internal linkage */
			p++;
		} else if (*p == 'B') {		/* an ABI tag */
			p = identifier(p + 1, &s, &n);
		} else if (is_digit(*p)) {
			if ((p = identifier(p, &s, &n)) != NULL)
				append_part(t, s, n);
		} else {
			return false;
		}
	}
	return p != NULL;
}

bool
plain_name(const char *mangled, char *out, size_t size)
{
	struct text t = { out, 0, size, false };
	const char *p = mangled, *s;
	bool known = true;
	size_t n;

	out[0] = '\0';
	if (strncmp(p, "_Z", 2) != 0) {
		append(&t, p, strlen(p));
	} else {
		p += 2;
		if (*p == 'L')
			p++;
		if (*p == 'N') {
			known = nested(&t, p + 1);
		} else {
			if (strncmp(p, "St", 2) == 0) {
				append_part(&t, "std", 3);
				p += 2;
			}
			known = identifier(p, &s, &n) != NULL;
			if (known)
				append_part(&t, s, n);
		}
	}
	if (known && !t.full && t.len > 0)
		return true;
	out[0] = '\0';
	return false;
}
