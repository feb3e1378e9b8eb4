#include "base/utf8.h"

static bool
is_tail(unsigned char c)
{

	return (c & 0xc0) == 0x80;
}

size_t
utf8_length(const char *s, size_t len)
{
	const unsigned char *p = (const unsigned char *)s;
	unsigned char low = 0x80, high = 0xbf;
	size_t n, i;

	if (p[0] < 0x80)
		return 1;
	if (p[0] >= 0xc2 && p[0] <= 0xdf) {
		n = 2;
	} else if (p[0] >= 0xe0 && p[0] <= 0xef) {
		n = 3;
		if (p[0] == 0xe0)
			low = 0xa0;
		if (p[0] == 0xed)
			high = 0x9f;
	} else if (p[0] >= 0xf0 && p[0] <= 0xf4) {
		n = 4;
		if (p[0] == 0xf0)
			low = 0x90;
		if (p[0] == 0xf4)
			high = 0x8f;
	} else {
		return 0;
	}
	if (len < n || p[1] < low || p[1] > high)
		return 0;
	for (i = 2; i < n; i++)
		if (!is_tail(p[i]))
			return 0;
	return n;
}

bool
utf8_valid(const char *s, size_t len)
{
	size_t n;

	for (; len > 0; s += n, len -= n)
		if ((n = utf8_length(s, len)) == 0)
			return false;
	return true;
}

uint32_t
utf8_code(const char *s, size_t n)
{
	static const uint32_t mask[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	const unsigned char *p = (const unsigned char *)s;
	uint32_t code = p[0] & mask[n];
	size_t i;

	for (i = 1; i < n; i++)
		code = code << 6 | (p[i] & 0x3f);
	return code;
}

/* Combining marks take no column, East Asian wide characters take two. The ranges cover
 * what kernel names and paths may contain. */
static size_t
code_columns(uint32_t c)
{

	if ((c >= 0x300 && c <= 0x36f) || c == 0x200d ||
	    (c >= 0xfe00 && c <= 0xfe0f))
		return 0;
	if ((c >= 0x1100 && c <= 0x115f) || (c >= 0x2e80 && c <= 0xa4cf) ||
	    (c >= 0xac00 && c <= 0xd7a3) || (c >= 0xf900 && c <= 0xfaff) ||
	    (c >= 0xfe30 && c <= 0xfe6f) || (c >= 0xff00 && c <= 0xff60) ||
	    (c >= 0x1f300 && c <= 0x1faff) || (c >= 0x20000 && c <= 0x3fffd))
		return 2;
	return 1;
}

size_t
utf8_columns(const char *s, size_t len)
{
	size_t columns = 0, n;

	for (; len > 0; s += n, len -= n) {
		if ((n = utf8_length(s, len)) == 0) {
			n = 1;
			columns++;
		} else {
			columns += code_columns(utf8_code(s, n));
		}
	}
	return columns;
}
