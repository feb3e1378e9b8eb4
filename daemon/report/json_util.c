#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

#include "report/json_util.h"

json_t *
json_text(const char *s)
{
	json_t *made;
	char *clean;
	size_t len, at = 0, n;

	if (s == NULL)
		return json_null();
	len = strlen(s);
	if (utf8_valid(s, len))
		return json_stringn(s, len);
	/* A replacement character is three bytes for one. */
	if ((clean = malloc(3 * len + 1)) == NULL)
		return NULL;
	while (len > 0) {
		if ((n = utf8_length(s, len)) == 0) {
			memcpy(clean + at, "\xef\xbf\xbd", 3);
			at += 3;
			n = 1;
		} else {
			memcpy(clean + at, s, n);
			at += n;
		}
		s += n;
		len -= n;
	}
	made = json_stringn(clean, at);
	free(clean);
	return made;
}

json_t *
json_reason(const struct reason *r)
{

	return json_text(r != NULL ? r->text : NULL);
}

json_t *
json_reason_code(const struct reason *r)
{

	return json_text(r != NULL ? r->name : NULL);
}

json_t *
json_number(double v)
{

	return isfinite(v) ? json_real(v) : json_null();
}

json_t *
json_ratio(double part, double whole)
{

	return whole > 0 ? json_number(part / whole) : json_null();
}

json_t *
json_count(uint64_t v)
{

	return json_integer(v <= INT64_MAX ? (json_int_t)v : INT64_MAX);
}

json_t *
json_seconds(uint64_t ns)
{

	return json_real((double)ns / 1e9);
}

json_t *
json_extent(uint32_t x, uint32_t y, uint32_t z)
{

	return json_pack("[o, o, o]", json_count(x), json_count(y),
	    json_count(z));
}

json_t *
json_id(uint64_t v)
{
	char hex[17];

	snprintf(hex, sizeof(hex), "%016" PRIx64, v);
	return json_string(hex);
}
