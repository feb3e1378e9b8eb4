#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "report/out.h"
#include "report/text_parts.h"
#include "report/text_util.h"
#include "wire/level.h"

#include "report/text.h"

#define FIRST_SCREEN 5		/* findings shown before "… n more" */
#define KIN_SHOWN 4		/* places of one fault, besides the first */

/* "4 more of at most 200 ms each: `cudadvise findings`" */
static void
text_more(struct out *o, const struct report *r, size_t more, double below)
{
	char text[384], command[256], a[NUMBER_SIZE];

	parts_command(r, "findings", "", command, sizeof(command));
	snprintf(text, sizeof(text), "%zu more%s%s%s: `%s`", more,
	    isnan(below) ? "" : " of at most ",
	    isnan(below) ? "" : number_seconds(a, below),
	    more > 1 && !isnan(below) ? " each" : "", command);
	out_text(o, " …  ");
	out_wrap(o, 4, text);
}

static bool
same_field(const json_t *a, const json_t *b, const char *key)
{
	return strcmp(or_unknown(field_text(a, key)),
	    or_unknown(field_text(b, key))) == 0;
}

/* Whether ${b} says of another launch shape of the same kernel what ${a} does. */
static bool
same_kernel(const json_t *a, const json_t *b)
{
	return json_is_integer(json_object_get(a, "kernel_id")) &&
	    json_is_integer(json_object_get(b, "kernel_id")) &&
	    same_field(a, b, "rule") && same_field(a, b, "where");
}

/* ... or of whatever else: one fault, and one change that mends it. */
static bool
same_advice(const json_t *a, const json_t *b)
{
	return same_kernel(a, b) || (field_text(a, "change") != NULL &&
	    same_field(a, b, "rule") && same_field(a, b, "change"));
}

/* Whether a finding before the one at ${at} has already spoken for it. */
static bool
spoken_for(const json_t *items, size_t at)
{
	const json_t *f = json_array_get(items, at);
	size_t i;

	for (i = 0; i < at; i++)
		if (same_advice(json_array_get(items, i), f))
			return true;
	return false;
}

/* "kernel_b", "copySharedMem, launched 101 times": what tells it from its kin. */
static const char *
own_place(const json_t *f)
{
	return json_is_integer(json_object_get(f, "kernel_id")) ||
	    location_text(f) == NULL ?
	    or_unknown(field_text(f, "where")) : location_text(f);
}

/* "the same at 2 more launch shapes: up to 10 s more", "the same in kernel_b;
 * kernel_c: up to 1 s more" */
static void
text_kin(struct out *o, const json_t *items, size_t at)
{
	const json_t *f = json_array_get(items, at), *g;
	size_t shapes = 0, others = 0, len = 0, i;
	char *places = NULL, *text = NULL, a[NUMBER_SIZE], b[NUMBER_SIZE];
	double more = 0;
	FILE *t = open_memstream(&places, &len);

	for (i = at + 1; t != NULL && i < json_array_size(items); i++) {
		g = json_array_get(items, i);
		if (!field_true(g, "worth_it") || !same_advice(f, g))
			continue;
		more += field_number(json_object_get(g, "saves"), "s");
		if (same_kernel(f, g))
			shapes += parts_shapes(g);
		else if (++others <= KIN_SHOWN)
			fprintf(t, "%s%s", others > 1 ? "; " : "",
			    own_place(g));
	}
	if (t == NULL || fclose(t) != 0 || shapes + others == 0)
		goto out;
	number_seconds(b, more);
	number_of(a, shapes, "more launch shape");
	if (asprintf(&text, "the same%s%s%s%s%s%s%s%s%s", shapes > 0 ? " at " :
	    "", shapes > 0 ? a : "", shapes > 0 && others > 0 ? " and" : "",
	    others > 0 ? " in " : "", others > 0 ? places : "",
	    others > KIN_SHOWN ? " …" : "", isnan(more) ? "" : ": up to ",
	    isnan(more) ? "" : b, isnan(more) ? "" : " more") >= 0)
		out_wrap(o, 6, text);
out:
	free(places);
	free(text);
}

static size_t
list_worth_it(struct out *o, const struct report *r)
{
	const json_t *items = json_object_get(r->findings, "items"), *f;
	/* Why there is no line matters to those who asked for lines. */
	bool by_line = level_counts(level_named(field_text(r->run, "level")));
	size_t worth_it = 0, shown = 0, i;
	double below = NAN;
	bool titled;
	struct columns c = parts_columns(o, items);

	json_array_foreach(items, i, f) {
		if (!field_true(f, "worth_it"))
			continue;
		if (worth_it == 0)
			parts_first_heading(o, r, c);
		worth_it++;
		if (spoken_for(items, i))
			continue;
		if (shown++ < FIRST_SCREEN) {
			if (r->verbose) {
				parts_full(o, items, i, c, true);
				continue;
			}
			titled = parts_row(o, f, c);
			parts_body(o, f, titled, by_line && json_is_integer(
			    json_object_get(f, "kernel_id")) &&
			    !parts_missing_told(items, i));
			text_kin(o, items, i);
		} else if (isnan(below)) {
			below = field_number(json_object_get(f, "saves"), "s");
		}
	}
	if (shown > FIRST_SCREEN)
		text_more(o, r, shown - FIRST_SCREEN, below);
	return worth_it;
}

static void
text_no_cuda(struct out *o)
{
	static const char *const reasons[] = {
		"no NVIDIA driver is loaded on this machine: `cudadvise doctor` "
		"says so;",
		"it is set-user-id or has file capabilities, so the environment "
		"does not reach the driver;",
		"it clears CUDA_INJECTION64_PATH, or starts its GPU work in "
		"another container or on another machine;",
		"it is not a 64-bit program of this machine's kind;",
		"the driver could not load the injection library: `cudadvise "
		"doctor` checks.",
	};
	size_t i;

	out_spaces(o, 2);
	out_wrap(o, 2, "No CUDA call was seen, so there is nothing to advise "
	    "on. If the program does use the GPU, one of these keeps the "
	    "measurement out:");
	for (i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		out_text(o, "    - ");
		out_wrap(o, 6, reasons[i]);
	}
}

void
text_report(struct out *o, const struct report *r)
{
	const json_t *checks = json_object_get(r->run, "checks");
	bool cuda = field_count(r->run, "processes") > 0;
	size_t worth_it;

	parts_header(o, r);
	parts_end(o, r->run);
	parts_checks(o, checks);
	if (cuda)
		parts_activity(o, r);
	parts_diagnostics(o, r, true);
	if (!cuda && json_array_size(checks) == 0) {
		text_no_cuda(o);
		parts_diagnostics(o, r, false);
		return;
	}
	out_line(o);
	worth_it = list_worth_it(o, r);
	if (worth_it == 0)
		parts_nothing(o, r);
	parts_ranges(o, r);
	parts_operators(o, r);
	out_line(o);
	parts_diagnostics(o, r, false);
	parts_summary(o, r, worth_it);
}

