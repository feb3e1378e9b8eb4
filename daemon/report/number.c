#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

#include "report/number.h"

#define SECONDS_LEAST 1e-12	/* a thousandth of what is measured */

struct unit {
	double from, scale;
	const char *name;
};

/* The first row that a value reaches is its unit. A tenth of a second is still
 * told in seconds: savings are compared with run times. */
static const struct unit time_units[] = {
	{ 2 * 3600.0, 3600.0, "h" },
	{ 999.5, 60.0, "min" },
	{ 0.0995, 1.0, "s" },
	{ 0.9995e-3, 1e-3, "ms" },
	{ 0.9995e-6, 1e-6, "µs" },
	{ 0, 1e-9, "ns" },
};

static const struct unit byte_units[] = {
	{ 999.5e9, 1e12, "TB" },
	{ 999.5e6, 1e9, "GB" },
	{ 999.5e3, 1e6, "MB" },
	{ 999.5, 1e3, "kB" },
	{ 0, 1, "B" },
};

static char *
number_word(char out[NUMBER_SIZE], const char *word)
{

	snprintf(out, NUMBER_SIZE, "%s", word);
	return (out);
}

static const struct unit *
unit_of(const struct unit *u, double v)
{

	while (fabs(v) < u->from)
		u++;
	return (u);
}

char *
number_plain(char out[NUMBER_SIZE], double v)
{
	double magnitude, step;
	int digits;
	size_t n;

	if (!isfinite(v) || fabs(v) > 1e18)
		return (number_word(out, "–"));
	if (fabs(v) < 1e-9)
		return (number_word(out, "0"));
	magnitude = floor(log10(fabs(v)));
	if (magnitude >= 3) {
		step = pow(10, magnitude - 2);
		v = round(v / step) * step;
	}
	/* Below 1 two digits say enough: 0.41, 0.078. */
	digits = magnitude >= 2 ? 0 : magnitude >= 0 ? 2 - (int)magnitude :
	    1 - (int)magnitude;
	snprintf(out, NUMBER_SIZE, "%.*f", digits, v);
	if (strchr(out, '.') != NULL) {
		for (n = strlen(out); out[n - 1] == '0'; n--)
			out[n - 1] = '\0';
		if (out[n - 1] == '.')
			out[n - 1] = '\0';
	}
	return (out);
}

/* ${digits} and the first ${len} bytes of ${noun}, a singular whose last word is
 * regular, in the plural unless ${one}; then the rest of ${noun}. */
static char *
with_noun(char out[NUMBER_SIZE], const char *digits, bool one,
    const char *noun, size_t len)
{
	const char *rest = noun + len;
	const char *ending = one ? "" : text_plural(noun, &len);

	if (snprintf(out, NUMBER_SIZE, "%s %.*s%s%s", digits, (int)len, noun,
	    ending, rest) >= NUMBER_SIZE)
		number_word(out, digits);
	return (out);
}

/* How long the noun is that a unit begins with ("sector" of "sector/request"); 0
 * if it is an abbreviation or a sign. */
static size_t
unit_noun(const char *unit)
{
	size_t len = strcspn(unit, "/");

	if ((len == 3 && memcmp(unit, "GPU", 3) == 0) ||
	    (len == 2 && memcmp(unit, "SM", 2) == 0))
		return (len);
	if (len < 3 || strspn(unit, "abcdefghijklmnopqrstuvwxyz ") < len ||
	    (len == 4 && memcmp(unit, "inst", 4) == 0))
		return (0);
	return (len);
}

char *
number_value(char out[NUMBER_SIZE], double v, const char *unit)
{
	char digits[NUMBER_SIZE];

	if (unit == NULL || *unit == '\0' || strcmp(unit, "ratio") == 0)
		return (number_plain(out, v));
	if (strcmp(unit, "s") == 0)
		return (number_seconds(out, v));
	if (strcmp(unit, "ns") == 0)
		return (number_seconds(out, v / 1e9));
	if (strcmp(unit, "B") == 0 || strcmp(unit, "bytes") == 0)
		return (number_bytes(out, v));
	number_plain(digits, v);
	return (with_noun(out, digits, strcmp(digits, "1") == 0 ||
	    unit_noun(unit) == 0, unit, unit_noun(unit)));
}

static char *
with_unit(char out[NUMBER_SIZE], double v, const struct unit *units)
{
	const struct unit *u;
	char digits[NUMBER_SIZE];

	if (!isfinite(v) || fabs(v) > 1e18)
		return (number_word(out, "–"));
	u = unit_of(units, v);
	number_plain(digits, v / u->scale);
	if (snprintf(out, NUMBER_SIZE, "%s %s", digits, u->name) >= NUMBER_SIZE)
		number_word(out, "–");
	return (out);
}

char *
number_seconds(char out[NUMBER_SIZE], double s)
{

	/* What is left of a difference is no time. */
	if (fabs(s) < SECONDS_LEAST)
		return (number_word(out, "0 s"));
	return (with_unit(out, s, time_units));
}

char *
number_interval(char out[NUMBER_SIZE], double about, double low, double high)
{
	char a[NUMBER_SIZE], b[NUMBER_SIZE];
	const struct unit *u;

	out[0] = '\0';
	if (!isfinite(about) || !isfinite(low) || !isfinite(high))
		return (out);
	/* About 0 has no unit to share. */
	u = unit_of(time_units, about > 0 ? about : high);
	number_plain(a, low / u->scale);
	number_plain(b, high / u->scale);
	if (strcmp(a, b) == 0 ||
	    snprintf(out, NUMBER_SIZE, "%s to %s%s%s", a, b,
	    about > 0 ? "" : " ", about > 0 ? "" : u->name) >= NUMBER_SIZE)
		out[0] = '\0';
	return (out);
}

char *
number_percent(char out[NUMBER_SIZE], double ratio)
{
	double p = ratio * 100;

	if (!isfinite(p))
		return (number_word(out, "–"));
	if (p > 0 && p < 0.05)
		return (number_word(out, "<0.1 %"));
	snprintf(out, NUMBER_SIZE, "%.*f %%", p > 0 && p < 0.95 ? 1 : 0, p);
	return (out);
}

char *
number_bytes(char out[NUMBER_SIZE], double bytes)
{

	return (with_unit(out, bytes, byte_units));
}

char *
number_rate(char out[NUMBER_SIZE], double v, const char *unit)
{
	static const struct unit prefixes[] = {
		{ 999.5e9, 1e12, "T" }, { 999.5e6, 1e9, "G" },
		{ 999.5e3, 1e6, "M" }, { 999.5, 1e3, "k" }, { 0, 1, "" },
	};
	const struct unit *u;
	char digits[NUMBER_SIZE];

	if (!isfinite(v) || fabs(v) > 1e18)
		return (number_word(out, "–"));
	u = unit_of(prefixes, v);
	number_plain(digits, v / u->scale);
	if (snprintf(out, NUMBER_SIZE, "%s %s%s", digits, u->name, unit) >=
	    NUMBER_SIZE)
		number_word(out, "–");
	return (out);
}

char *
number_count(char out[NUMBER_SIZE], uint64_t n)
{
	char digits[24];
	size_t len, i, at = 0;

	snprintf(digits, sizeof(digits), "%" PRIu64, n);
	len = strlen(digits);
	for (i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0)
			out[at++] = ',';
		out[at++] = digits[i];
	}
	out[at] = '\0';
	return (out);
}

char *
number_of(char out[NUMBER_SIZE], uint64_t n, const char *noun)
{
	char digits[NUMBER_SIZE];

	return (with_noun(out, number_count(digits, n), n == 1, noun,
	    strlen(noun)));
}
