#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "base/utf8.h"

int
text_copy(char *out, size_t cap, const char *s)
{
	size_t n = strlen(s);

	if (cap == 0)
		return -1;
	if (n < cap) {
		memcpy(out, s, n + 1);
		return 0;
	}
	n = cap - 1;
	while (n > 0 && ((unsigned char)s[n] & 0xc0) == 0x80)
		n--;
	memcpy(out, s, n);
	out[n] = '\0';
	return -1;
}

const char *
text_plural(const char *noun, size_t *len)
{
	size_t n = *len;

	if (n < 2)
		return "";
	if (noun[n - 1] == 'y' && strchr("aeiou", noun[n - 2]) == NULL) {
		--*len;
		return "ies";
	}
	if (strchr("sx", noun[n - 1]) != NULL ||
	    (noun[n - 1] == 'h' && strchr("cs", noun[n - 2]) != NULL))
		return "es";
	return "s";
}

int
text_u64(const char *s, uint64_t min, uint64_t max, uint64_t *out)
{
	unsigned long long v;
	size_t digits = strspn(s, "0123456789");

	if (digits == 0 || s[digits] != '\0')
		return -1;
	errno = 0;
	v = strtoull(s, NULL, 10);
	if (errno != 0 || v < min || v > max)
		return -1;
	*out = v;
	return 0;
}

int
text_double(const char *s, double min, double max, double *out)
{
	char *end;
	double v;

	if (*s == '\0' || strspn(s, "+-.0123456789eE") != strlen(s))
		return -1;
	v = strtod(s, &end);
	if (*end != '\0' || end == s || !isfinite(v) || v < min || v > max)
		return -1;
	*out = v;
	return 0;
}

int
text_instant(const char *s, int64_t *ns)
{
	struct tm tm = { .tm_isdst = 0 };
	const char *end = strptime(s, "%Y-%m-%d", &tm);
	int64_t part = 0, unit = 100000000;	/* of a tenth of a second */

	if (end != NULL && *end == 'T')
		end = strptime(end, "T%H:%M:%S", &tm);
	if (end != NULL && *end == '.')
		for (end++; *end >= '0' && *end <= '9'; end++, unit /= 10)
			part += (*end - '0') * unit;
	if (end != NULL && *end == 'Z')
		end++;
	if (end == NULL || *end != '\0' || tm.tm_year < 70 || tm.tm_year > 300)
		return -1;
	*ns = (int64_t)timegm(&tm) * 1000000000 + part;
	return 0;
}

const char *
text_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

bool
text_is_hex(const char *s, size_t digits)
{

	return strspn(s, "0123456789abcdef") == digits && s[digits] == '\0';
}

/* A C0 or a C1 control (the latter are U+0080 to U+009F), or not valid UTF-8 (${n} is
 * 0). */
static bool
is_dirty(const unsigned char *p, size_t n)
{

	return n == 0 || p[0] < 0x20 || p[0] == 0x7f ||
	    (p[0] == 0xc2 && p[1] < 0xa0);
}

void
text_clean(char *s, size_t len)
{
	unsigned char *p = (unsigned char *)s;
	size_t i, n;

	for (i = 0; i < len; i += n) {
		n = utf8_length(s + i, len - i);
		if (is_dirty(p + i, n)) {
			p[i] = '?';
			n = 1;
		}
	}
}

char *
text_dup_clean(const char *p, size_t len)
{
	char *s = malloc(len + 1);

	if (s == NULL)
		return NULL;
	if (len > 0)
		memcpy(s, p, len);
	s[len] = '\0';
	text_clean(s, len);
	return s;
}

/* If an operator's name begins at ${p}: its length, including "operator"; else 0. */
static size_t
operator_length(const char *start, const char *p)
{
	static const char *const symbol[] = {
		"()", "[]", "<=>", "<<=", ">>=", "->*", "->", "<<", ">>", "<=",
		">=", "<", ">", NULL
	};
	size_t i;

	if (strncmp(p, "operator", 8) != 0 ||
	    (p > start && (isalnum((unsigned char)p[-1]) || p[-1] == '_')))
		return 0;
	for (i = 0; symbol[i] != NULL; i++)
		if (strncmp(p + 8, symbol[i], strlen(symbol[i])) == 0)
			return 8 + strlen(symbol[i]);
	return 0;
}

/* The length of the ABI tag at ${p}; 0: there is none. Libraries and Numba's compiler tell
 * variants of a function apart by them: "f[abi:v3][abi:cw51cXTL…]". */
static size_t
tag_length(const char *p)
{
	const char *end = strncmp(p, "[abi:", 5) == 0 ? strchr(p, ']') : NULL;

	return end != NULL ? (size_t)(end + 1 - p) : 0;
}

/* Copy ${s} without template arguments and ABI tags, up to its parameter list. A space or
 * "::" inside braces does not separate names. Returns the offset of the last name. */
static size_t
strip_arguments(char *out, size_t cap, const char *s)
{
	static const char anonymous[] = "(anonymous namespace)";
	size_t n = 0, last = 0, op;
	int angle = 0, brace = 0, paren = 0;	/* depth inside template arguments */
	const char *p;

	for (p = s; *p != '\0' && n + 1 < cap; p++) {
		if (angle == 0 && brace == 0 &&
		    (op = operator_length(s, p)) > 0) {
			while (op-- > 0 && n + 1 < cap)
				out[n++] = *p++;
			p--;
			continue;
		}
		if (strncmp(p, anonymous, sizeof(anonymous) - 1) == 0) {
			p += sizeof(anonymous) - 2;
			continue;
		}
		if ((op = tag_length(p)) > 0) {
			p += op - 1;
			continue;
		}
		if (angle > 0)
			paren += (*p == '(') - (*p == ')');
		if (*p == '<' && paren == 0)
			angle++;
		else if (*p == '>' && angle > 0 && paren == 0) {
			angle--;
			continue;
		}
		if (angle > 0)
			continue;
		brace += (*p == '{') - (*p == '}');
		if (*p == '(' && brace == 0) {
			/* "(x)::f(": a local entity of a function, so these are not yet
			 * the parameters of the last name. */
			const char *q = p;
			int depth = 0;

			do {
				depth += (*q == '(') - (*q == ')');
			} while (*q++ != '\0' && depth > 0);
			if (depth != 0 || strncmp(q, "::", 2) != 0)
				break;
			p = q - 1;
			continue;
		}
		if (*p == ' ' && p[1] == '<')
			continue;	/* "operator<< <int>" */
		if (brace == 0 && *p == ' ')
			last = n + 1;
		out[n++] = *p;
		if (brace == 0 && n >= 2 && *p == ':' && out[n - 2] == ':')
			last = n;
	}
	out[n] = '\0';
	return last < n ? last : 0;
}

/* Where the name of the namespace or class in front of the name at ${last} begins; ${last}
 * if there is none with a plain name. */
static size_t
enclosing(const char *name, size_t last)
{
	size_t first = last < 2 || name[last - 1] != ':' ? last : last - 2;
	size_t end = first;

	while (first > 0 && (isalnum((unsigned char)name[first - 1]) ||
	    name[first - 1] == '_'))
		first--;
	return first < end ? first : last;
}

void
text_shorten(char *out, size_t cap, const char *demangled)
{
	size_t size = strlen(demangled) + 1, last;
	char *name = malloc(size);

	if (name == NULL) {
		text_copy(out, cap, demangled);
		return;
	}
	last = strip_arguments(name, size, demangled);
	/* This alone says nothing: cuBLAS has gemvx::kernel. */
	if (strcmp(name + last, "kernel") == 0)
		last = enclosing(name, last);
	text_copy(out, cap, name[last] != '\0' ? name + last : demangled);
	free(name);
}
