#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#include "base/number.h"

#define UNKNOWN "–"
#define PLAIN_LEAST 1e-9
#define SECONDS_LEAST 1e-12
#define WHOLE 1e5		/* smaller counts are written with all digits */
#define DIGITS_KEPT 15		/* DBL_DIG */
#define EXPONENT_LEAST (-4)	/* smaller exponents are written */
#define EXPONENT_MOST 15	/* and from here on again */

/* A table of units begins with the largest. A value is printed in the first unit whose
 * ${from} it reaches. */
struct unit {
	double from, scale;
	const char *name;
};

static const struct unit time_units[] = {
	{ 2 * 3600.0, 3600.0, "h" },
	{ 2 * 60.0, 60.0, "min" },
	{ 0.9995, 1.0, "s" },
	{ 0.9995e-3, 1e-3, "ms" },
	{ 0.9995e-6, 1e-6, "µs" },
	{ 0, 1e-9, "ns" },
};

static const struct unit prefixes[] = {
	{ 999.5e12, 1e15, "P" },
	{ 999.5e9, 1e12, "T" },
	{ 999.5e6, 1e9, "G" },
	{ 999.5e3, 1e6, "M" },
	{ 999.5, 1e3, "k" },
	{ 0, 1, "" },
};

static const struct unit *
unit_of(const struct unit *u, double v)
{

	while (fabs(v) < u->from)
		u++;
	return u;
}

static char *
number_word(char out[NUMBER_SIZE], const char *word)
{

	snprintf(out, NUMBER_SIZE, "%s", word);
	return out;
}

static void
trim_zeros(char *s)
{
	size_t n = strlen(s);

	if (strchr(s, '.') == NULL)
		return;
	while (s[n - 1] == '0')
		s[--n] = '\0';
	if (s[n - 1] == '.')
		s[n - 1] = '\0';
}

/* The decimal number ${s} with commas between its thousands. */
static char *
group(char out[NUMBER_SIZE], const char *s)
{
	size_t whole, at = 0, i;

	if (*s == '-')
		out[at++] = *s++;
	whole = strcspn(s, ".");
	for (i = 0; i < whole; i++) {
		if (i > 0 && (whole - i) % 3 == 0)
			out[at++] = ',';
		out[at++] = s[i];
	}
	snprintf(out + at, NUMBER_SIZE - at, "%s", s + whole);
	return out;
}

/* ${v}, which is not 0, rounded to so many ${digits}. A half is rounded as it is
 * written in decimal: 7.75e-5 gives 7.8e-5, although the nearest double is a little
 * less. So the decimal digits of the double are rounded, not the double itself. */
static double
round_digits(double v, int digits)
{
	char s[NUMBER_SIZE], *e;	/* "d.dddddddddddddde-308" */
	double rounded;
	int exponent;

	snprintf(s, sizeof(s), "%.*e", DIGITS_KEPT - 1, fabs(v));
	e = strchr(s, 'e');
	exponent = (int)strtol(e + 1, NULL, 10) - digits + 1;
	*e = '\0';
	s[1] = s[0];			/* drop the decimal point */
	rounded = copysign(round(strtod(s + 1, NULL) / pow(10, DIGITS_KEPT -
	    digits)), v);
	snprintf(s, sizeof(s), "%.0fe%d", rounded, exponent);
	rounded = strtod(s, NULL);
	return isfinite(rounded) ? rounded : v;	/* next to DBL_MAX */
}

char *
number_plain(char out[NUMBER_SIZE], double v)
{
	int digits = fabs(v) < 1 ? 2 : 3, exponent;
	char s[NUMBER_SIZE], *e;

	if (!isfinite(v))
		return number_word(out, UNKNOWN);
	if (fabs(v) < PLAIN_LEAST)
		return number_word(out, "0");
	v = round_digits(v, digits);
	snprintf(s, sizeof(s), "%.*e", digits - 1, v);
	e = strchr(s, 'e');
	exponent = (int)strtol(e + 1, NULL, 10);
	if (exponent < EXPONENT_LEAST || exponent >= EXPONENT_MOST) {
		*e = '\0';
		trim_zeros(s);
		snprintf(out, NUMBER_SIZE, "%.8se%d", s, exponent);
		return out;
	}
	snprintf(s, sizeof(s), "%.*f", exponent < digits ?
	    digits - 1 - exponent : 0, v);
	trim_zeros(s);
	return group(out, s);
}

/* ${v} in the one of ${units} that fits, then ${rest}. */
static char *
with_unit(char out[NUMBER_SIZE], double v, const struct unit *units,
    const char *space, const char *rest)
{
	const struct unit *u;
	char digits[NUMBER_SIZE];

	if (!isfinite(v))
		return number_word(out, UNKNOWN);
	u = unit_of(units, v);
	number_plain(digits, v / u->scale);
	if (snprintf(out, NUMBER_SIZE, "%s%s%s%s", digits, space, u->name,
	    rest) >= NUMBER_SIZE)
		number_word(out, UNKNOWN);
	return out;
}

char *
number_times(char out[NUMBER_SIZE], double v)
{
	static const struct unit none = { 0, 1, "×" };

	return with_unit(out, v, &none, "", "");
}

char *
number_seconds(char out[NUMBER_SIZE], double s)
{

	if (fabs(s) < SECONDS_LEAST)
		return number_word(out, "0 s");
	return with_unit(out, s, time_units, " ", "");
}

/* Bounds of so many units are hard to read in the unit of what they surround. */
#define FAR 10000

char *
number_interval(char out[NUMBER_SIZE], double about, double low, double high)
{
	char a[NUMBER_SIZE], b[NUMBER_SIZE];
	const struct unit *u;
	bool own;

	out[0] = '\0';
	if (!isfinite(about) || !isfinite(low) || !isfinite(high))
		return out;
	u = unit_of(time_units, about);
	own = !(about > 0) || high >= FAR * u->scale;
	if (own)
		u = unit_of(time_units, high);
	number_plain(a, low / u->scale);
	number_plain(b, high / u->scale);
	if (strcmp(a, b) == 0 ||
	    snprintf(out, NUMBER_SIZE, "%s to %s%s%s", a, b, own ? " " : "",
	    own ? u->name : "") >= NUMBER_SIZE)
		out[0] = '\0';
	return out;
}

char *
number_percent(char out[NUMBER_SIZE], double ratio)
{
	double p = ratio * 100;
	char digits[NUMBER_SIZE];

	if (!isfinite(p))
		return number_word(out, UNKNOWN);
	if (fabs(p) < 0.05)
		return number_word(out, p > 0 ? "<0.1 %" : "0 %");
	if (fabs(p) < 9.95) {
		snprintf(digits, sizeof(digits), "%.1f", round(p * 10) / 10);
		trim_zeros(digits);
	} else {
		number_whole(digits, p);
	}
	snprintf(out, NUMBER_SIZE, "%.40s %%", digits);
	return out;
}

char *
number_bytes(char out[NUMBER_SIZE], double bytes)
{

	return with_unit(out, bytes, prefixes, " ", "B");
}

char *
number_rate(char out[NUMBER_SIZE], double v, const char *unit)
{

	return with_unit(out, v, prefixes, " ", unit);
}

bool
number_is_unit(const char *word, size_t len)
{
	static const char *const of[] = { "B", "B/s", "FLOP/s" };
	const struct unit *u;
	size_t i, n;

	if (len == 1 && *word == '%')
		return true;
	for (i = 0; i < sizeof(time_units) / sizeof(time_units[0]); i++)
		if (strlen(time_units[i].name) == len &&
		    memcmp(time_units[i].name, word, len) == 0)
			return true;
	for (i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]) * 3; i++) {
		u = &prefixes[i / 3];
		n = strlen(u->name);
		if (n + strlen(of[i % 3]) == len && memcmp(u->name, word, n) == 0 &&
		    memcmp(of[i % 3], word + n, len - n) == 0)
			return true;
	}
	return false;
}

char *
number_count(char out[NUMBER_SIZE], uint64_t n)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%" PRIu64, n);
	return group(out, digits);
}

char *
number_whole(char out[NUMBER_SIZE], double n)
{
	char digits[NUMBER_SIZE];

	if (!(fabs(n) < 1e15))
		return number_plain(out, n);
	/* + 0: "0", not "-0". */
	snprintf(digits, sizeof(digits), "%.0f", round(n) + 0);
	return group(out, digits);
}

char *
number_compact(char out[NUMBER_SIZE], double n)
{

	return with_unit(out, n, prefixes, "", "");
}

/* ${digits} and the first ${len} bytes of ${noun}, in the plural unless ${digits} is
 * "1"; then the rest of ${noun}. These bytes are a singular whose last word has a
 * regular plural. */
static char *
with_noun(char out[NUMBER_SIZE], const char *digits, const char *noun,
    size_t len)
{
	const char *rest = noun + len;
	const char *ending = len == 0 || strcmp(digits, "1") == 0 ? "" :
	    text_plural(noun, &len);

	if (snprintf(out, NUMBER_SIZE, "%s %.*s%s%s", digits, (int)len, noun,
	    ending, rest) >= NUMBER_SIZE)
		number_word(out, digits);
	return out;
}

char *
number_of(char out[NUMBER_SIZE], double n, const char *noun)
{
	char digits[NUMBER_SIZE];

	return with_noun(out, number_whole(digits, n), noun, strlen(noun));
}

/* The length of the noun that a unit begins with ("sector" of "sector/request"); 0 if
 * the unit begins with an abbreviation or a sign. */
static size_t
unit_noun(const char *unit)
{
	size_t len = strcspn(unit, "/");

	if ((len == 3 && memcmp(unit, "GPU", 3) == 0) ||
	    (len == 2 && memcmp(unit, "SM", 2) == 0))
		return len;
	if (len < 3 || strspn(unit, "abcdefghijklmnopqrstuvwxyz ") < len ||
	    (len == 4 && memcmp(unit, "inst", 4) == 0))
		return 0;
	return len;
}

/* True of "B/s", "FLOP/s", "1/s"; not of a noun's rate, which is written "12,300
 * sectors/s". */
static bool
is_rate(const char *unit)
{
	size_t len = strlen(unit);

	return len > 2 && strcmp(unit + len - 2, "/s") == 0 &&
	    unit_noun(unit) == 0;
}

char *
number_value(char out[NUMBER_SIZE], double v, const char *unit)
{
	char digits[NUMBER_SIZE];

	if (unit == NULL || *unit == '\0' || strcmp(unit, "ratio") == 0)
		return number_plain(out, v);
	if (strcmp(unit, "s") == 0)
		return number_seconds(out, v);
	if (strcmp(unit, "ns") == 0)
		return number_seconds(out, v / 1e9);
	if (strcmp(unit, "B") == 0 || strcmp(unit, "bytes") == 0)
		return number_bytes(out, v);
	if (strcmp(unit, "%") == 0)
		return number_percent(out, v / 100);
	if (is_rate(unit))
		return number_rate(out, v, unit + (*unit == '1'));
	if (!isfinite(v))
		return number_word(out, UNKNOWN);
	return with_noun(out, v == floor(v) && fabs(v) < WHOLE &&
	    strchr(unit, '/') == NULL ?
	    number_whole(digits, v) : number_plain(digits, v), unit,
	    unit_noun(unit));
}

char *
number_shape(char out[NUMBER_SIZE], const uint32_t v[3])
{
	int used = v[2] != 1 ? 3 : v[1] != 1 ? 2 : 1, at = 0, i;

	for (i = 0; i < used; i++)
		at += snprintf(out + at, NUMBER_SIZE - (size_t)at,
		    "%s%" PRIu32, i > 0 ? " × " : "", v[i]);
	return out;
}
