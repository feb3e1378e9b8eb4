/*
 * compare/trial_text.c: prints the document Trial as text.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compare/conditions.h"
#include "report/out.h"
#include "report/text_util.h"

#include "compare/trial.h"

#define KERNELS_SHOWN 15
#define VERDICT_COLUMNS 14
#define CHANGE_COLUMNS 26
#define LINE_SIZE 400
#define END_MOST 10.0		/* ratio: ends of intervals beyond have no digits */

/* "+3.1 %" */
static const char *
signed_percent(char out[NUMBER_SIZE + 4], double ratio)
{
	char n[NUMBER_SIZE];

	snprintf(out, NUMBER_SIZE + 4, "%s%s", isnan(ratio) ? "" : ratio < 0 ?
	    "-" : "+", number_percent(n, fabs(ratio)));
	return out;
}

/* The end of an interval; far ends are so uncertain that their digits mean nothing. */
static const char *
end_percent(char out[NUMBER_SIZE + 4], double ratio)
{

	return ratio > END_MOST ? "over +1,000 %" : signed_percent(out, ratio);
}

/* "+3.1 % (+2.4 % to +3.8 %)" */
static const char *
change_text(char *out, size_t size, const json_t *m)
{
	char a[NUMBER_SIZE + 4], b[NUMBER_SIZE + 4], c[NUMBER_SIZE + 4];

	if (isnan(field_number(m, "low_ratio")))
		snprintf(out, size, "%s", signed_percent(a, field_number(m,
		    "change_ratio")));
	else if (field_number(m, "low_ratio") > END_MOST)
		snprintf(out, size, "%s (%s)", signed_percent(a,
		    field_number(m, "change_ratio")), end_percent(b, INFINITY));
	else
		snprintf(out, size, "%s (%s to %s)",
		    signed_percent(a, field_number(m, "change_ratio")),
		    end_percent(b, field_number(m, "low_ratio")),
		    end_percent(c, field_number(m, "high_ratio")));
	return out;
}

static enum out_style
style_of(enum trial_verdict v)
{

	return v == VERDICT_SLOWER ? STYLE_BAD : v == VERDICT_FASTER ?
	    STYLE_GOOD : v == VERDICT_INCONCLUSIVE ? STYLE_WARN : STYLE_PLAIN;
}

static void
text_whole(struct out *o, const json_t *m, const char *what)
{
	char line[LINE_SIZE], change[LINE_SIZE / 2], a[NUMBER_SIZE],
	    b[NUMBER_SIZE];
	enum trial_verdict v = trial_verdict(m);

	if (isnan(field_number(m, "base_s")) || isnan(field_number(m,
	    "target_s")))
		return;
	out_text(o, "  ");
	out_style(o, style_of(v));
	out_cell(o, verdict_name[v], VERDICT_COLUMNS);
	out_style(o, STYLE_PLAIN);
	snprintf(line, sizeof(line), "%s: %s, %s before, %s after", what,
	    change_text(change, sizeof(change), m), number_seconds(a,
	    field_number(m, "base_s")), number_seconds(b, field_number(m,
	    "target_s")));
	out_wrap(o, 2 + VERDICT_COLUMNS, line);
}

static void
text_counters(struct out *o, const json_t *k)
{
	char line[LINE_SIZE], a[NUMBER_SIZE], b[NUMBER_SIZE];
	const char *unit, *where = location_text(k);
	const json_t *c;
	size_t i;

	json_array_foreach(json_object_get(k, "counters"), i, c) {
		unit = field_text(c, "unit");
		snprintf(line, sizeof(line), "%s: %s → %s",
		    or_unknown(field_text(c, "label")), number_value(a,
		    field_number(c, "base"), unit), number_value(b,
		    field_number(c, "target"), unit));
		out_spaces(o, 2 + VERDICT_COLUMNS);
		out_wrap(o, 4 + VERDICT_COLUMNS, line);
	}
	if (where == NULL)
		return;
	out_spaces(o, 2 + VERDICT_COLUMNS);
	out_wrap(o, 4 + VERDICT_COLUMNS, where);
}

/* The clocks and temperature of the first GPU in the first run of each side, if they
 * were recorded. */
static void
text_conditions(struct out *o, const json_t *trial)
{
	static const char *const sides[] = { "base", "target" };
	char line[LINE_SIZE], a[NUMBER_SIZE], b[NUMBER_SIZE];
	const json_t *conditions = json_object_get(trial, "conditions"), *gpu,
	    *hz;
	size_t i;

	for (i = 0; i < 2; i++) {
		gpu = json_array_get(json_object_get(json_object_get(
		    json_object_get(conditions, sides[i]), "watched"), "gpus"),
		    0);
		hz = json_object_get(gpu, "sm_hz");
		if (gpu == NULL)
			continue;
		snprintf(line, sizeof(line), "%s: SM clock %s to %s, at most "
		    "%.0f °C%s", i == 0 ? "first run before" :
		    "first run after", number_rate(a, json_number_value(
		    json_array_get(hz, 0)), "Hz"), number_rate(b,
		    json_number_value(json_array_get(hz, 1)), "Hz"),
		    field_number(gpu, "celsius"), field_true(gpu,
		    "power_capped") ? ", at its power limit" : "");
		out_text(o, "  ");
		out_wrap(o, 4, line);
	}
}

static void
text_kernel(struct out *o, const json_t *k)
{
	char line[LINE_SIZE], change[LINE_SIZE / 2];
	enum trial_verdict v = trial_verdict(k);

	out_text(o, "  ");
	out_style(o, style_of(v));
	out_cell(o, verdict_name[v], VERDICT_COLUMNS);
	out_style(o, STYLE_PLAIN);
	snprintf(line, sizeof(line), "%.150s: %s", or_unknown(field_text(k,
	    "name")), change_text(change, sizeof(change), k));
	out_wrap(o, 2 + VERDICT_COLUMNS, line);
	if (v == VERDICT_SLOWER || v == VERDICT_FASTER)
		text_counters(o, k);
}

/* Kernels that ran on one side only. */
static void
text_alone(struct out *o, const json_t *trial)
{
	const json_t *k;
	size_t i;

	json_array_foreach(json_object_get(trial, "kernels"), i, k) {
		if (field_text(k, "match") != NULL || !(field_number(k,
		    "share_ratio") >= 0.01))
			continue;
		out_text(o, "  note: ");
		out_format(o, "%.150s ran only %s the change",
		    or_unknown(field_text(k, "name")), field_count(k,
		    "base_runs") > 0 ? "before" : "after");
		out_line(o);
	}
}

void
text_reasons(struct out *o, const json_t *doc)
{
	const json_t *r;
	char line[LINE_SIZE] = "";
	size_t n = 0, i;
	int c;

	json_array_foreach(json_object_get(doc, "reasons"), i, r) {
		out_text(o, "  ");
		out_wrap(o, 4, or_unknown(field_text(r, "text")));
	}
	for (c = 0; c < CONDITIONS; c++)
		if (trial_has_reason(doc, condition_name[c]))
			n += (size_t)snprintf(line + n, sizeof(line) - n,
			    "%s%s", n == 0 ? "--allow " : ",",
			    condition_name[c]);
	if (n > 0) {
		out_text(o, "  ");
		snprintf(line + n, sizeof(line) - n, " compares them all the "
		    "same");
		out_wrap(o, 4, line);
	}
}

/* What runs of one side differ by: of these very runs, where there are several. */
static void
text_floor(struct out *o, const json_t *trial)
{
	const json_t *runs = json_object_get(trial, "runs");
	double gpu = field_number(json_object_get(trial, "gpu"), "deviation_ratio");
	double active = field_number(json_object_get(trial, "active"), "deviation_ratio");
	char line[LINE_SIZE], a[NUMBER_SIZE], b[NUMBER_SIZE];

	if (field_count(runs, "base") + field_count(runs, "target") <= SIDES ||
	    isnan(gpu) || isnan(active))
		return;
	snprintf(line, sizeof(line), "runs of one side differ by %s (the GPU's "
	    "time) and %s (the time at work)", number_percent(a, gpu),
	    number_percent(b, active));
	out_text(o, "  ");
	out_wrap(o, 4, line);
}

void
text_verdict(struct out *o, const json_t *trial)
{
	const json_t *runs = json_object_get(trial, "runs");
	enum trial_verdict v = trial_verdict(trial);
	char a[NUMBER_SIZE], b[NUMBER_SIZE], c[NUMBER_SIZE];

	out_style(o, style_of(v));
	out_text(o, verdict_name[v]);
	out_style(o, STYLE_PLAIN);
	out_format(o, " (%s before, %s after; a change below %s is none)",
	    number_of(a, (double)field_count(runs, "base"), "run"),
	    number_of(b, (double)field_count(runs, "target"), "run"),
	    number_percent(c, field_number(trial, "margin_ratio")));
	out_line(o);
	text_reasons(o, trial);
	text_conditions(o, trial);
	text_whole(o, json_object_get(trial, "gpu"), "the GPU's time");
	text_whole(o, json_object_get(trial, "active"), "the time at work");
	text_floor(o, trial);
	if (field_text(trial, "hint") != NULL) {
		out_text(o, "  ");
		out_wrap(o, 4, field_text(trial, "hint"));
	}
}

void
text_trial(struct out *o, const json_t *trial)
{
	const json_t *k;
	size_t i, shown = 0;

	text_verdict(o, trial);
	json_array_foreach(json_object_get(trial, "kernels"), i, k)
		if (field_text(k, "verdict") != NULL &&
		    shown++ < KERNELS_SHOWN)
			text_kernel(o, k);
	text_alone(o, trial);
}
