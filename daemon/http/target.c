#include <stdbool.h>
#include <string.h>

#include "base/utf8.h"

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

static bool
printable(const char *text)
{
	const char *p;

	for (p = text; *p != '\0'; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			return false;
	return utf8_valid(text, strlen(text));
}

/*
 * Decodes ${raw} up to one of the characters in ${stops} or the end. Writes the text
 * with a NUL to *${out}, and advances both. Returns the text; NULL if it is invalid.
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
	/* The separator of each piece becomes a NUL, so the output is at most
	 * one NUL longer than the input. */
	if (len > TARGET_MAX - 1)
		return TARGET_TOO_LONG;
	status = parse_path(t, &raw, end, &out);
	if (status == TARGET_OK)
		status = parse_query(t, &raw, end, &out);
	return status;
}
