/* The end of a report, one line each: what all findings save together, savings
 * below the noise, what is clean, what was not measured, and what to type next. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/sort.h"
#include "facts/reason.h"
#include "report/more.h"
#include "report/out.h"
#include "report/text.h"
#include "report/text_util.h"
#include "wire/level.h"

#include "report/text_parts.h"

#define SMALL_SHARE 0.005	/* of the whole run: less is not noticed */
#define BELOW_COUNTED 100	/* findings below the noise: counting more is
				 * not worth it */
#define REASONS_MAX 32
#define REST_COLUMNS 25		/* "; 12 for other reasons" */

/* A labelled line, wrapped. */
static void
line(struct out *o, const char *label, const char *text)
{

	parts_label(o, label);
	out_wrap(o, LABEL_COLUMNS, text);
}

static bool
is_check(const struct report *r)
{
	return json_array_size(json_object_get(r->run, "checks")) > 0;
}

/* --- together, noise ------------------------------------------------------- */

/* Is any finding worth a change in a short program, but too small in the whole run? */
static bool
any_small(const json_t *items)
{
	const json_t *f;
	size_t i;

	json_array_foreach(items, i, f)
		if (field_true(f, "worth_it") && field_number(json_object_get(f,
		    "saves"), "share_ratio") < SMALL_SHARE)
			return true;
	return false;
}

static void
text_sum(struct out *o, const struct report *r, size_t worth_it)
{
	double sum = field_number(r->findings, "together_s");
	double active = field_number(r->findings, "active_s");
	bool small = any_small(json_object_get(r->findings, "items"));
	char text[128], a[NUMBER_SIZE];

	if (worth_it > 1 && sum > 0) {
		snprintf(text, sizeof(text), "at most %s%s",
		    number_seconds(a, sum), field_true(r->findings, "overlap") ?
		    " (savings overlap)" : "");
		line(o, "Together", text);
	}
	if (small && active > 0) {
		snprintf(text, sizeof(text), "against GPU work and the gaps in it (%s), not "
		    "the whole run", number_seconds(a, active));
		line(o, "Judged", text);
	}
}

/* Do both findings report the same fault in the same kernel, at different
 * launch shapes? */
static bool
same_place(const json_t *a, const json_t *b)
{

	return strcmp(or_unknown(field_text(a, "rule")),
	    or_unknown(field_text(b, "rule"))) == 0 &&
	    strcmp(or_unknown(field_text(a, "where")),
	    or_unknown(field_text(b, "where"))) == 0;
}

/* Seconds that finding ${at} and those of the same fault save, all below the
 * noise; 0: nothing, or a finding before it covers it. */
static double
below_noise(const json_t *items, size_t at)
{
	const json_t *f = json_array_get(items, at), *g;
	double sum = 0, s;
	size_t i;

	json_array_foreach(items, i, g) {
		if (field_true(g, "worth_it") || !same_place(f, g))
			continue;
		if (i < at)
			return 0;
		s = field_number(json_object_get(g, "saves"), "s");
		sum += s > 0 ? s : 0;
	}
	return sum;
}

/* ": tail-effect in step 0.1 ms, …": once each with its seconds, as far as the line
 * goes. */
static void
put_below(struct out *o, const json_t *items)
{
	const char *separator = ": ";
	size_t tried = 0, i;
	char text[256], a[NUMBER_SIZE];
	const json_t *f;
	double s;

	json_array_foreach(items, i, f) {
		if (field_true(f, "worth_it") || tried++ >= BELOW_COUNTED ||
		    !((s = below_noise(items, i)) > 0))
			continue;
		snprintf(text, sizeof(text), "%s in %s %s",
		    or_unknown(field_text(f, "rule")),
		    or_unknown(field_text(f, "where")), number_seconds(a, s));
		if (!out_append(o, separator, text))
			return;
		separator = ", ";
	}
}

static void
text_below(struct out *o, const struct report *r, size_t n)
{
	double noise = field_number(r->findings, "noise_s");
	char text[128], a[NUMBER_SIZE];

	if (is_check(r)) {
		snprintf(text, sizeof(text), "%zu: %s", n, n == 1 ?
		    "it follows from an error, or harms nobody" :
		    "they follow from an error, or harm nobody");
		line(o, "Left out", text);
		return;
	}
	snprintf(text, sizeof(text), "%zu below this run's noise (%s)", n,
	    number_seconds(a, noise));
	if (LABEL_COLUMNS + out_columns(o, text) > o->width) {
		line(o, "Noise", text);
		return;
	}
	parts_label(o, "Noise");
	out_text(o, text);
	put_below(o, json_object_get(r->findings, "items"));
	out_line(o);
}

void
parts_together(struct out *o, const struct report *r, size_t worth_it)
{
	size_t all = json_array_size(json_object_get(r->findings, "items"));

	text_sum(o, r, worth_it);
	if (all > worth_it)
		text_below(o, r, all - worth_it);
}

/* --- clean, not measured --------------------------------------------------- */

/* The practices that were not measured for one reason. */
struct unmeasured {
	const char *reason, *rule;	/* rule: the first of them */
	size_t n;
};

static bool
is_state(const json_t *rule, const char *state)
{
	return strncmp(or_unknown(field_text(rule, "state")), state,
	    strlen(state)) == 0;
}

COMPARE(more_first, struct unmeasured, ORDER(y->n, x->n))

/* Is it a rule about the kernels' code, where all kernels that matter are a
 * library's? A measurement would add nothing. */
static bool
is_about_code(const json_t *rule)
{
	return is_state(rule, "not") && strcmp(or_unknown(field_text(rule,
	    "reason_code")), reason_row[REASON_LIBRARY].name) == 0;
}

/* Has it been told by itself that no step was seen which could be judged? */
static bool
is_unsteady(const json_t *rule)
{
	return is_state(rule, "not") && strcmp(or_unknown(field_text(rule,
	    "reason_code")), reason_row[REASON_UNSTEADY].name) == 0;
}

/* The reasons, the most frequent first; returns their number. */
static size_t
group_reasons(const json_t *rules, struct unmeasured group[REASONS_MAX])
{
	const char *reason;
	const json_t *v;
	size_t n = 0, i, j;

	json_array_foreach(rules, i, v) {
		if (!is_state(v, "not") || is_about_code(v) || is_unsteady(v))
			continue;
		reason = or_unknown(field_text(v, "reason"));
		for (j = 0; j < n; j++)
			if (strcmp(group[j].reason, reason) == 0)
				break;
		if (j == REASONS_MAX)
			continue;
		if (j == n)
			group[n++] = (struct unmeasured){ reason,
			    or_unknown(field_text(v, "rule")), 0 };
		group[j].n++;
	}
	qsort(group, n, sizeof(group[0]), more_first);
	return n;
}

static size_t
count_state(const json_t *rules, const char *state)
{
	const json_t *v;
	size_t n = 0, i;

	json_array_foreach(rules, i, v)
		n += is_state(v, state);
	return n;
}

/* "too few launches (15)", or of one "jit-at-startup: lacks JIT records". */
static char *
group_text(const struct unmeasured *g, const char *told_before)
{
	bool same = told_before != NULL && strcmp(g->reason, told_before) == 0;
	char *text;
	const char *reason = same ? "as above" : g->reason;
	int n = g->n == 1 ? asprintf(&text, "%s: %s", g->rule, reason) :
	    asprintf(&text, "%s (%zu)", reason, g->n);

	return n < 0 ? NULL : text;
}

/* "19 practices: too few launches (15); 4 for other reasons": the first reason,
 * then what the line holds, or with -v all. ${told_before}: the reason of the line
 * above, or NULL. */
static void
text_practices(struct out *o, const struct report *r, const char *told_before)
{
	const json_t *rules = json_object_get(r->findings, "rules");
	struct unmeasured group[REASONS_MAX];
	size_t missing = 0, groups, told = 0, i;
	char *text = NULL, *reason, a[NUMBER_SIZE];
	size_t len = 0;
	FILE *f;

	groups = group_reasons(rules, group);
	for (i = 0; i < groups; i++)
		missing += group[i].n;
	if (missing == 0 || (f = open_memstream(&text, &len)) == NULL)
		return;
	fprintf(f, "%s: ", number_of(a, missing, "practice"));
	for (i = 0; i < groups; i++) {
		reason = group_text(&group[i], told_before);
		fflush(f);
		if (reason == NULL || (i > 0 && !r->verbose && LABEL_COLUMNS +
		    out_columns(o, text) + out_columns(o, reason) +
		    REST_COLUMNS > o->width)) {
			free(reason);
			break;
		}
		told += group[i].n;
		fprintf(f, "%s%s", i > 0 ? "; " : "", reason);
		free(reason);
	}
	if (missing > told)
		fprintf(f, "; %zu for other reasons", missing - told);
	if (fclose(f) == 0)
		line(o, told_before != NULL ? "" : "Not measured", text);
	free(text);
}

/* Among the kernels that were not measured, or only in part, the reason of the
 * one with the most time. Borrowed; NULL: none. */
static const char *
kernel_reason(const struct report *r)
{
	const char *reason = NULL, *measured;
	double total, longest = -1;
	bool none = field_count(json_object_get(r->run, "kernels_measured"),
	    "none") > 0;
	const json_t *k;
	size_t i;

	json_array_foreach(r->kernels, i, k) {
		measured = or_unknown(field_text(k, "measured"));
		if (strcmp(measured, none ? "none" : "part") != 0)
			continue;
		total = field_number(json_object_get(k, "time"), "total_ns");
		if (total > longest) {
			longest = total;
			reason = field_text(k, "not_measured");
		}
	}
	return reason;
}

/* Kernels of which only measured launches ran, so that their undisturbed time
 * is not known. */
static void
text_least(struct out *o, const json_t *kernels)
{
	char text[192], a[NUMBER_SIZE];
	uint64_t n = 0;
	const json_t *k;
	size_t i;

	json_array_foreach(kernels, i, k)
		n += json_is_true(json_object_get(json_object_get(k, "time"),
		    "at_least"));
	if (n == 0)
		return;
	snprintf(text, sizeof(text), "undisturbed times of %s; shown: lower "
	    "bounds (`run --twice`)", number_of(a, n, "kernel"));
	line(o, "Not known", text);
}

/* Of a program with thousands of launch shapes: those that stand for several. */
static void
text_rounded(struct out *o, const json_t *kernels)
{
	char text[192], a[NUMBER_SIZE];
	uint64_t n = 0;
	const json_t *k;
	size_t i;

	json_array_foreach(kernels, i, k)
		n += json_is_true(json_object_get(k, "grid_rounded"));
	if (n == 0)
		return;
	snprintf(text, sizeof(text), "%s stand for several each: the program launches "
	    "thousands, and their grids are rounded (by 12 %% at most)",
	    number_of(a, n, "launch shape"));
	line(o, "Rounded", text);
}

/* "2 launch shapes, 35 more in part: too few launches (use --replay)". Returns that
 * reason, borrowed; NULL: there are none. */
static const char *
text_kernels(struct out *o, const struct report *r)
{
	const json_t *n = json_object_get(r->run, "kernels_measured");
	uint64_t part = field_count(n, "part"), none = field_count(n, "none");
	const char *reason = kernel_reason(r);
	char text[512], a[NUMBER_SIZE], b[NUMBER_SIZE];
	const char *noun = field_count(r->run, "functions") <
	    field_count(r->run, "kernels") ? "launch shape" : "kernel";

	if (reason == NULL ||
	    level_named(field_text(r->run, "level")) == LEVEL_TRACE)
		return NULL;
	number_of(a, none > 0 ? none : part, noun);
	if (none > 0 && part > 0)
		snprintf(text, sizeof(text), "%s, %s more in part: %s", a,
		    number_count(b, part), reason);
	else
		snprintf(text, sizeof(text), "%s%s: %s", a, none > 0 ? "" :
		    " in part", reason);
	line(o, "Not measured", text);
	return reason;
}

static void
text_verdicts(struct out *o, const struct report *r)
{
	const json_t *rules = json_object_get(r->findings, "rules");
	size_t clean = count_state(rules, "clean"), code = 0, i;
	char text[128], a[NUMBER_SIZE], b[NUMBER_SIZE];
	const json_t *v;

	json_array_foreach(rules, i, v)
		code += is_about_code(v);
	number_of(a, clean, "practice");
	snprintf(text, sizeof(text), "%s; %s more %s not apply: the kernels "
	    "are a library's", a, number_count(b, code), code == 1 ? "does" :
	    "do");
	if (clean + code > 0)
		line(o, "Clean", code > 0 ? text : a);
	text_practices(o, r, is_check(r) ? NULL : text_kernels(o, r));
	text_least(o, r->kernels);
	text_rounded(o, r->kernels);
}

/* --- what would add to it -------------------------------------------------- */

/* One line, if kernels are a good part of the run's time. Of a trace the head says it. */
static void
text_level(struct out *o, const struct report *r)
{
	struct more m = more_of(r);
	char text[MORE_SIZE + 32], added[MORE_SIZE];

	if (m.level == NULL || !level_profiles(level_named(field_text(r->run,
	    "level"))))
		return;
	snprintf(text, sizeof(text), "`--level %s` adds %s", m.level,
	    more_text(added, &m));
	line(o, "More", text);
}

/* "cudadvise findings 41"; without the run's name if it is the newest. */
void
parts_command(const struct report *r, const char *command, const char *option,
    char *text, size_t size)
{

	snprintf(text, size, "cudadvise %s%s%s%s%s", command,
	    r->newest ? "" : " ", r->newest ? "" : option, r->newest ||
	    option[0] == '\0' ? "" : " ", r->newest ? "" : r->name);
}

/* At most two commands: about the first finding, and for the rest. */
static void
text_next(struct out *o, const struct report *r)
{
	const json_t *first = json_array_get(json_object_get(r->findings,
	    "items"), 0);
	bool by_line = level_counts(level_named(field_text(r->run, "level"))) &&
	    !is_check(r);
	char text[256], other[512];

	if (!field_true(first, "worth_it"))
		first = NULL;
	snprintf(text, sizeof(text), "cudadvise explain %s",
	    or_unknown(field_text(first, "rule")));
	if (by_line)
		parts_command(r, "annotate", "--run", other, sizeof(other));
	else
		parts_command(r, is_check(r) ? "checklist" : first != NULL ?
		    "findings" : "kernels", "", other, sizeof(other));
	parts_label(o, "Next");
	/* The dashboard shows only the daemon's runs. */
	if (parts_is_file(r)) {
		if (first != NULL)
			out_command(o, LABEL_COLUMNS, "", text);
		out_command(o, LABEL_COLUMNS, " · ", other);
	} else {
		out_command(o, LABEL_COLUMNS, "", by_line || first == NULL ?
		    other : text);
		out_command(o, LABEL_COLUMNS, " · ", "cudadvise dashboard");
	}
	out_line(o);
}

void
parts_summary(struct out *o, const struct report *r, size_t worth_it)
{
	char text[256];

	parts_together(o, r, worth_it);
	parts_phases(o, r);
	parts_held(o, r->run);
	parts_conditions(o, r);
	text_verdicts(o, r);
	if (!is_check(r)) {
		text_level(o, r);
		if (!field_true(r->run, "calibrated")) {
			snprintf(text, sizeof(text), "from %s; `cudadvise "
			    "calibrate` measures them",
			    or_unknown(field_text(r->run, "ceilings_from")));
			line(o, "Peak rates", text);
		}
	}
	text_next(o, r);
}
