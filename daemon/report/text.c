#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "facts/reason.h"
#include "report/out.h"
#include "report/text_parts.h"
#include "report/text_util.h"
#include "wire/level.h"

#include "report/text.h"

#define FIRST_SCREEN 5		/* findings shown before "… n more" */
#define REASONS_SHOWN 3
#define SHAPES_SHOWN 5		/* of one kernel with one fault */
#define KERNELS_LEAST 0.1	/* of the time of GPU work: less of it, and what
				 * their instructions tell saves under 10 % */

/* --- the end of the screen ------------------------------------------------- */

/* Rules that were not measured for one reason. */
struct unmeasured {
	const char *reason, *rule;	/* the rule: the first of them */
	size_t n;
};

static size_t
group_reasons(const json_t *rules, struct unmeasured *group, size_t cap)
{
	const char *reason;
	const json_t *v;
	size_t n = 0, i, j;

	json_array_foreach(rules, i, v) {
		if (strncmp(or_unknown(field_text(v, "state")), "not", 3) != 0)
			continue;
		reason = or_unknown(field_text(v, "reason"));
		for (j = 0; j < n; j++)
			if (strcmp(group[j].reason, reason) == 0)
				break;
		if (j == cap)
			continue;
		if (j == n)
			group[n++] = (struct unmeasured){ reason,
			    or_unknown(field_text(v, "rule")), 0 };
		group[j].n++;
	}
	return n;
}

static void
put_reasons(FILE *f, const json_t *rules, size_t missing)
{
	struct unmeasured group[REASONS_SHOWN];
	size_t groups = group_reasons(rules, group, REASONS_SHOWN), told = 0, i;

	for (i = 0; i < groups; i++) {
		told += group[i].n;
		fputs(i == 0 ? " (" : "; ", f);
		if (group[i].n == 1)
			fprintf(f, "%s: %s", group[i].rule, group[i].reason);
		else
			fprintf(f, "%zu: %s", group[i].n, group[i].reason);
	}
	if (missing > told)
		fprintf(f, "; %zu for other reasons", missing - told);
	fputs(groups > 0 ? ")" : ".", f);
}

static void
text_verdicts(struct out *o, const json_t *findings)
{
	const json_t *rules = json_object_get(findings, "rules"), *v;
	size_t clean = 0, missing = 0, len = 0, i;
	const char *state;
	char *text = NULL, a[NUMBER_SIZE];
	FILE *f;

	json_array_foreach(rules, i, v) {
		state = or_unknown(field_text(v, "state"));
		clean += strcmp(state, "clean") == 0;
		missing += strncmp(state, "not", 3) == 0;
	}
	if ((f = open_memstream(&text, &len)) == NULL)
		return;
	fprintf(f, "%s. Not measured: %zu", number_of(a, clean, "practice"),
	    missing);
	put_reasons(f, rules, missing);
	if (fclose(f) == 0) {
		out_text(o, "Clean: ");
		out_wrap(o, 2, text);
	}
	free(text);
}

static bool
needs_source(const json_t *item, const char *key)
{
	const char *code = field_text(item, key);

	return code != NULL && strcmp(code,
	    reason_name(reason_of(REASON_NEEDS_SOURCE))) == 0;
}

/* Findings about a kernel's code that do not know their lines for want of a level,
 * and rules that do not speak for it. */
static size_t
count_lineless(const json_t *items)
{
	const json_t *f;
	size_t n = 0, i;

	json_array_foreach(items, i, f)
		n += field_true(f, "worth_it") &&
		    needs_source(f, "location_missing_code") &&
		    strcmp(or_unknown(field_text(f, "category")),
		    "launch") != 0;
	return n;
}

static size_t
count_asking(const json_t *rules)
{
	const json_t *v;
	size_t n = 0, i;

	json_array_foreach(rules, i, v)
		n += needs_source(v, "reason_code") &&
		    strncmp(or_unknown(field_text(v, "state")), "not", 3) == 0;
	return n;
}

/* What counting by instruction would add, where kernels are what the run's time goes into:
 * one line, or none. */
static void
text_level(struct out *o, const struct report *r)
{
	size_t lineless = count_lineless(json_object_get(r->findings, "items"));
	size_t asking = count_asking(json_object_get(r->findings, "rules"));
	enum wire_level level = level_named(field_text(r->run, "level"));
	double kernels = 0, active = field_number(r->findings, "active_s"), s;
	char lines[64] = "", more[NUMBER_SIZE] = "", text[192];
	char a[NUMBER_SIZE];
	const json_t *k;
	size_t i;

	json_array_foreach(r->kernels, i, k) {
		s = field_number(k, "exposed_ns") / 1e9;
		kernels += s > 0 ? s : 0;
	}
	if (!level_profiles(level) || level_counts(level) ||
	    !(kernels >= KERNELS_LEAST * active) || lineless + asking == 0)
		return;
	if (lineless > 0)
		snprintf(lines, sizeof(lines), "the line%s of %s",
		    lineless == 1 ? "" : "s", number_of(a, lineless,
		    "finding"));
	if (asking > 0)
		number_of(more, asking, "more practice");
	snprintf(text, sizeof(text), "`--level source` adds %s%s%s.", lines,
	    lineless > 0 && asking > 0 ? " and " : "", more);
	out_wrap(o, 2, text);
}

static void
text_next(struct out *o, const struct report *r)
{
	const json_t *items = json_object_get(r->findings, "items");
	const json_t *first = json_array_get(items, 0);
	bool measured = json_array_size(json_object_get(r->run, "checks")) == 0;
	char text[512];

	out_style(o, STYLE_DIM);
	if (measured && !field_true(r->run, "calibrated")) {
		snprintf(text, sizeof(text), "Ceilings: %s; `cudadvise "
		    "calibrate`, once, measures them on this GPU.",
		    or_unknown(field_text(r->run, "ceilings_from")));
		out_wrap(o, 2, text);
	}
	if (measured)
		text_level(o, r);
	out_text(o, "Next: ");
	snprintf(text, sizeof(text), "cudadvise findings %s --all", r->name);
	out_command(o, 6, "", text);
	if (level_counts(level_named(field_text(r->run, "level")))) {
		snprintf(text, sizeof(text), "cudadvise annotate --run %s",
		    r->name);
		out_command(o, 6, " · ", text);
	}
	if (first != NULL) {
		snprintf(text, sizeof(text), "cudadvise explain %s",
		    or_unknown(field_text(first, "rule")));
		out_command(o, 6, " · ", text);
	}
	snprintf(text, sizeof(text), "cudadvise kernels %s", r->name);
	if (measured)
		out_command(o, 6, " · ", text);
	snprintf(text, sizeof(text), "cudadvise checklist %s", r->name);
	out_command(o, 6, " · ", text);
	/* The dashboard knows the daemon's runs alone. */
	if (json_is_integer(json_object_get(r->run, "number"))) {
		out_command(o, 6, " · ", "cudadvise dashboard");
	} else {
		snprintf(text, sizeof(text), "cudadvise import %s", r->name);
		out_command(o, 6, " · ", text);
	}
	out_line(o);
	out_style(o, STYLE_PLAIN);
}

/* "… 4 more below 0.2 s each" */
static void
text_more(struct out *o, const struct report *r, size_t more, double below)
{
	char text[256], a[NUMBER_SIZE];

	snprintf(text, sizeof(text), "%zu more%s%s%s, `cudadvise findings %s`",
	    more, isnan(below) ? "" : " of at most ",
	    isnan(below) ? "" : number_seconds(a, below),
	    more > 1 && !isnan(below) ? " each" : "", r->name);
	out_text(o, " …  ");
	out_wrap(o, 4, text);
}

/* Whether ${b} says of another launch shape of the same kernel what ${a} does. */
static bool
same_advice(const json_t *a, const json_t *b)
{

	return json_is_integer(json_object_get(a, "kernel_id")) &&
	    json_is_integer(json_object_get(b, "kernel_id")) &&
	    strcmp(or_unknown(field_text(a, "rule")),
	    or_unknown(field_text(b, "rule"))) == 0 &&
	    strcmp(or_unknown(field_text(a, "where")),
	    or_unknown(field_text(b, "where"))) == 0;
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

/* "the same at 2 more launch shapes: grid 16, block 512 (10 s) …" */
static void
text_shapes(struct out *o, const json_t *items, size_t at)
{
	const json_t *f = json_array_get(items, at), *g;
	char *text = NULL, a[NUMBER_SIZE];
	const char *shape;
	size_t n = 0, told = 0, rest = 0, more, len = 0, i;
	FILE *t;

	if ((t = open_memstream(&text, &len)) == NULL)
		return;
	for (i = at + 1; i < json_array_size(items); i++) {
		g = json_array_get(items, i);
		if (!field_true(g, "worth_it") || !same_advice(f, g))
			continue;
		shape = or_unknown(field_text(g, "location"));
		more = parts_shapes(g);
		n += more;
		if (told++ < SHAPES_SHOWN)
			fprintf(t, "%s%s (%s)", told > 1 ? "; " : "", shape,
			    number_seconds(a, field_number(
			    json_object_get(g, "saves"), "s")));
		else
			rest += more;
	}
	if (rest > 0)
		fprintf(t, "; %zu more", rest);
	if (fclose(t) == 0 && n > 0) {
		out_format(o, "      the same at %s: ", number_of(a, n,
		    "more launch shape"));
		out_wrap(o, 6, text);
	}
	free(text);
}

static size_t
list_worth_it(struct out *o, const struct report *r)
{
	const json_t *items = json_object_get(r->findings, "items"), *f;
	/* Why there is no line matters to those who asked for lines. */
	bool by_line = level_named(field_text(r->run, "level")) == LEVEL_SOURCE;
	size_t worth_it = 0, shown = 0, i;
	double below = NAN;
	int where = parts_where_columns(o, items);

	json_array_foreach(items, i, f) {
		if (!field_true(f, "worth_it"))
			continue;
		if (worth_it == 0)
			parts_first_heading(o, r);
		worth_it++;
		if (spoken_for(items, i))
			continue;
		if (shown++ < FIRST_SCREEN) {
			parts_row(o, f, where);
			parts_body(o, f, false, by_line && json_is_integer(
			    json_object_get(f, "kernel_id")) &&
			    !parts_missing_told(items, i));
			text_shapes(o, items, i);
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
	parts_diagnostics(o, r);
	if (!cuda && json_array_size(checks) == 0) {
		text_no_cuda(o);
		return;
	}
	out_line(o);
	worth_it = list_worth_it(o, r);
	if (worth_it == 0)
		parts_nothing(o, r);
	parts_together(o, r, worth_it);
	out_line(o);
	text_verdicts(o, r->findings);
	text_next(o, r);
}

