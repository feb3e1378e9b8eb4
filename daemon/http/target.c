#include <stdbool.h>
#include <string.h>

#include "http/target.h"

static int
hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* Length of the well-formed UTF-8 sequence at ${p}, 0 if there is none. */
static size_t
utf8_length(const unsigned char *p, size_t len)
{
	static const struct {
		unsigned char low, high, second_low, second_high;
		size_t bytes;
	} form[] = {		/* Unicode, table 3-7 */
		{ 0xc2, 0xdf, 0x80, 0xbf, 2 },
		{ 0xe0, 0xe0, 0xa0, 0xbf, 3 },
		{ 0xe1, 0xec, 0x80, 0xbf, 3 },
		{ 0xed, 0xed, 0x80, 0x9f, 3 },
		{ 0xee, 0xef, 0x80, 0xbf, 3 },
		{ 0xf0, 0xf0, 0x90, 0xbf, 4 },
		{ 0xf1, 0xf3, 0x80, 0xbf, 4 },
		{ 0xf4, 0xf4, 0x80, 0x8f, 4 },
	};
	size_t i, j;

	if (len > 0 && p[0] < 0x80)
		return 1;
	for (i = 0; i < sizeof(form) / sizeof(form[0]); i++) {
		if (len < form[i].bytes || p[0] < form[i].low ||
		    p[0] > form[i].high)
			continue;
		if (p[1] < form[i].second_low || p[1] > form[i].second_high)
			return 0;
		for (j = 2; j < form[i].bytes; j++)
			if (p[j] < 0x80 || p[j] > 0xbf)
				return 0;
		return form[i].bytes;
	}
	return 0;
}

static bool
printable(const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t left = strlen(text), n;

	while (left > 0) {
		n = utf8_length(p, left);
		if (n == 0 || p[0] < 0x20 || p[0] == 0x7f)
			return false;
		p += n;
		left -= n;
	}
	return true;
}

/*
 * Decode ${raw} up to one of the characters in ${stops} or the end into *${out},
 * which moves behind the NUL that is put there. NULL if it cannot be decoded.
 */
static const char *
piece(const char **raw, const char *end, const char *stops, bool plus,
    char **out)
{
	const char *p = *raw;
	char *start = *out, *to = *out;
	int high, low;

	for (; p < end && (*p == '\0' || strchr(stops, *p) == NULL); p++) {
		if (*p == '%') {
			if (end - p < 3 || (high = hex(p[1])) < 0 ||
			    (low = hex(p[2])) < 0 || high + low == 0)
				return NULL;
			*to++ = (char)(high << 4 | low);
			p += 2;
		} else if (*p == '\0') {
			return NULL;
		} else {
			*to++ = plus && *p == '+' ? ' ' : *p;
		}
	}
	*to++ = '\0';
	*raw = p;
	*out = to;
	return printable(start) ? start : NULL;
}

static enum target_status
parse_path(struct target *t, const char **raw, const char *end, char **out)
{
	const char *s;

	if (*raw == end || **raw != '/')
		return TARGET_BAD;
	while (*raw < end && **raw == '/') {
		(*raw)++;
		if (t->segments == 0 && (*raw == end || **raw == '?'))
			return TARGET_OK;		/* "/" alone */
		s = piece(raw, end, "/?", false, out);
		if (s == NULL || s[0] == '\0' || strchr(s, '/') != NULL ||
		    strcmp(s, ".") == 0 || strcmp(s, "..") == 0)
			return TARGET_BAD;
		if (t->segments == TARGET_SEGMENTS)
			return TARGET_TOO_LONG;
		t->segment[t->segments++] = s;
	}
	return TARGET_OK;
}

static enum target_status
parse_query(struct target *t, const char **raw, const char *end, char **out)
{
	const char *name, *value;
	size_t i;

	while (*raw < end) {
		(*raw)++;				/* ? or & */
		if (*raw == end)
			break;
		name = piece(raw, end, "=&", true, out);
		value = "";
		if (name != NULL && *raw < end && **raw == '=') {
			(*raw)++;
			value = piece(raw, end, "&", true, out);
		}
		if (name == NULL || value == NULL || name[0] == '\0')
			return TARGET_BAD;
		for (i = 0; i < t->queries; i++)
			if (strcmp(t->query[i].name, name) == 0) {
				t->offender = name;
				return TARGET_TWICE;
			}
		if (t->queries == TARGET_QUERIES)
			return TARGET_TOO_LONG;
		t->query[t->queries].name = name;
		t->query[t->queries++].value = value;
	}
	return TARGET_OK;
}

enum target_status
target_parse(struct target *t, const char *raw, size_t len)
{
	const char *end = raw + len;
	char *out = t->text;
	enum target_status status;

	t->segments = t->queries = 0;
	t->offender = NULL;
	/* Each piece is written with a NUL where its separator was, so what
	 * is written is never longer than what was read, plus one NUL. */
	if (len > TARGET_MAX - 1)
		return TARGET_TOO_LONG;
	status = parse_path(t, &raw, end, &out);
	if (status == TARGET_OK)
		status = parse_query(t, &raw, end, &out);
	return status;
}
