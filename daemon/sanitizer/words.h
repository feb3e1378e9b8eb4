/*
 * sanitizer/words.h: substrings of a text without terminator. Pure; the results point
 * into the argument.
 */
#ifndef CADV_SANITIZER_WORDS_H
#define CADV_SANITIZER_WORDS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "wire/record.h"

/* Does ${s} begin with ${with}? */
static inline bool
words_begin(struct wire_str s, const char *with)
{
	size_t n = strlen(with);

	return s.len >= n && memcmp(s.p, with, n) == 0;
}

/* The first occurrence of ${what} in ${s}, or NULL. */
static inline const char *
words_find(struct wire_str s, const char *what)
{

	return s.len == 0 ? NULL : memmem(s.p, s.len, what, strlen(what));
}

static inline bool
words_have(struct wire_str s, const char *what)
{

	return words_find(s, what) != NULL;
}

/* The last occurrence of ${what} in ${s}, or NULL. */
static inline const char *
words_find_last(struct wire_str s, const char *what)
{
	const char *found = NULL, *p;

	for (; (p = words_find(s, what)) != NULL; found = p) {
		s.len -= (uint32_t)(p + 1 - s.p);
		s.p = p + 1;
	}
	return found;
}

/* words_from: ${s} from ${p} on; words_until: ${s} before ${p}. ${p} points into ${s}
 * or to its end. */
static inline struct wire_str
words_from(struct wire_str s, const char *p)
{

	return (struct wire_str){ p, s.len - (uint32_t)(p - s.p) };
}

static inline struct wire_str
words_until(struct wire_str s, const char *p)
{

	return (struct wire_str){ s.p, (uint32_t)(p - s.p) };
}

/* ${s} without its first ${n} bytes. */
static inline struct wire_str
words_skip(struct wire_str s, size_t n)
{

	return n >= s.len ? (struct wire_str){ s.p + s.len, 0 } :
	    (struct wire_str){ s.p + n, s.len - (uint32_t)n };
}

static inline struct wire_str
words_trim(struct wire_str s)
{

	while (s.len > 0 && (*s.p == ' ' || *s.p == '\t')) {
		s.p++;
		s.len--;
	}
	while (s.len > 0 && (s.p[s.len - 1] == ' ' ||
	    s.p[s.len - 1] == '\t' || s.p[s.len - 1] == '\r'))
		s.len--;
	return s;
}

static inline bool
words_equal(struct wire_str a, struct wire_str b)
{

	return a.len == b.len && (a.len == 0 || memcmp(a.p, b.p, a.len) == 0);
}

/* The number at the beginning of ${s}: decimal digits, perhaps with commas ("1,024"),
 * or "0x" and hexadecimal digits. False if there is none. A number that does not fit
 * becomes UINT64_MAX. */
bool words_number(struct wire_str s, uint64_t *n);

/* The number after the first ${what} in ${s}; false without it. */
bool words_number_after(struct wire_str s, const char *what, uint64_t *n);

#endif
