#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "facts/reason.h"
#include "report/text.h"
#include "report/text_util.h"
#include "wire/level.h"

#include "report/more.h"

#define KERNELS_LEAST 0.1	/* of the time of GPU work: with less, details
				 * of kernels save under 10 % */

static bool
is_for(const json_t *item, const char *key, enum reason_code lack)
{
	const char *code = field_text(item, key);

	return code != NULL && strcmp(code, reason_row[lack].name) == 0;
}

/* The number of findings about a kernel's code that lack lines because of the level. */
static size_t
count_lineless(const json_t *items, enum reason_code lack)
{
	const json_t *f;
	size_t n = 0, i;

	json_array_foreach(items, i, f)
		n += field_true(f, "worth_it") &&
		    is_for(f, "location_missing_code", lack) &&
		    strcmp(or_unknown(field_text(f, "category")),
		    "launch") != 0;
	return n;
}

static size_t
count_asking(const json_t *rules, enum reason_code lack)
{
	const json_t *v;
	size_t n = 0, i;

	json_array_foreach(rules, i, v)
		n += is_for(v, "reason_code", lack) &&
		    strncmp(or_unknown(field_text(v, "state")), "not", 3) == 0;
	return n;
}

/* Seconds of kernels that lengthened the run. */
static double
exposed_s(const json_t *kernels)
{
	double sum = 0, s;
	const json_t *k;
	size_t i;

	json_array_foreach(kernels, i, k) {
		s = field_number(k, "exposed_ns") / 1e9;
		sum += s > 0 ? s : 0;
	}
	return sum;
}

struct more
more_of(const struct report *r)
{
	enum wire_level level = level_named(field_text(r->run, "level"));
	/* Without counts by instruction those come next, then samples. */
	enum reason_code lack = level_counts(level) ? REASON_NEEDS_SOURCE :
	    REASON_NEEDS_AUTO;
	struct more m = {
		.lines = count_lineless(json_object_get(r->findings, "items"),
		    lack),
		.practices = count_asking(json_object_get(r->findings,
		    "rules"), lack),
	};

	if (!level_samples(level) && m.lines + m.practices > 0 &&
	    exposed_s(r->kernels) >= KERNELS_LEAST * field_number(r->findings,
	    "active_s"))
		m.level = level_counts(level) ? "source" : "auto";
	return m;
}

const char *
more_text(char out[MORE_SIZE], const struct more *m)
{
	char lines[64] = "", practices[NUMBER_SIZE] = "", a[NUMBER_SIZE];

	if (m->lines > 0)
		snprintf(lines, sizeof(lines), "the line%s of %s",
		    m->lines == 1 ? "" : "s", number_of(a, (double)m->lines,
		    "finding"));
	if (m->practices > 0)
		number_of(practices, (double)m->practices, "more practice");
	snprintf(out, MORE_SIZE, "%s%s%s", lines, m->lines > 0 &&
	    m->practices > 0 ? " and " : "", practices);
	return out;
}
