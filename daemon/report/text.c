#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/number.h"
#include "report/out.h"
#include "report/text_parts.h"
#include "report/text_util.h"

#include "report/text.h"

#define FIRST_SCREEN 5		/* findings shown before "… n more" */
#define REASONS_SHOWN 3
#define SHAPES_SHOWN 5		/* of one kernel with one fault */

/* --- what ran, and what it cost ------------------------------------------- */

static void
device_segment(struct out *o, const json_t *run)
{
	const json_t *devices = json_object_get(run, "devices");
	size_t n = json_array_size(devices), i;
	const char *first, *name;
	char text[256];
	bool same = true;

	if (n == 0) {
		out_segment(o, 2, " · ", "no GPU seen");
		return;
	}
	first = or_unknown(json_string_value(json_array_get(devices, 0)));
	for (i = 1; i < n; i++) {
		name = json_string_value(json_array_get(devices, i));
		same = same && strcmp(or_unknown(name), first) == 0;
	}
	if (n == 1)
		snprintf(text, sizeof(text), "%s", first);
	else if (same)
		snprintf(text, sizeof(text), "%zu × %s", n, first);
	else
		snprintf(text, sizeof(text), "%s and %zu more GPU%s", first,
		    n - 1, n == 2 ? "" : "s");
	out_segment(o, 2, " · ", text);
}

static void
text_header(struct out *o, const struct report *r)
{
	const json_t *overhead = json_object_get(r->run, "overhead");
	const char *label = field_text(r->run, "label");
	char text[512], a[NUMBER_SIZE], b[NUMBER_SIZE];

	out_style(o, STYLE_BOLD);
	out_segment(o, 0, "", "cudadvise");
	out_style(o, STYLE_PLAIN);
	snprintf(text, sizeof(text), "run %s", r->name);
	out_segment(o, 2, " · ", text);
	if (label != NULL && *label != '\0')
		out_segment(o, 2, " · ", label);
	out_segment(o, 2, " · ", or_unknown(field_text(r->run, "command")));
	device_segment(o, r->run);
	out_segment(o, 2, " · ",
	    number_seconds(a, field_number(r->run, "wall_ns") / 1e9));
	snprintf(text, sizeof(text), "our own cost %s (%s)",
	    number_seconds(a, field_number(overhead, "total_s")),
	    number_percent(b, field_number(overhead, "ratio")));
	out_segment(o, 2, " · ", text);
	out_line(o);
}

static void
text_end(struct out *o, const json_t *run)
{
	const char *state = field_text(run, "state");
	const json_t *sig = json_object_get(run, "signal");
	const json_t *code = json_object_get(run, "exit_code");
	char text[128];

	if (state == NULL)
		return;
	if (strcmp(state, "live") == 0)
		snprintf(text, sizeof(text), "The program is still running: "
		    "what follows is what is known so far.");
	else if (json_is_integer(sig))
		snprintf(text, sizeof(text), "The program was killed by signal "
		    "%d: what it had flushed by then is here.",
		    (int)json_integer_value(sig));
	else if (strcmp(state, "finished") != 0)
		snprintf(text, sizeof(text), "The record of this run ends "
		    "early (%s): its last part is missing.", state);
	else if (json_integer_value(code) != 0)
		snprintf(text, sizeof(text), "The program exited with %d.",
		    (int)json_integer_value(code));
	else
		return;
	out_style(o, STYLE_WARN);
	out_spaces(o, 2);
	out_wrap(o, 2, text);
	out_style(o, STYLE_PLAIN);
}

static void
idle_segments(struct out *o, const json_t *idle)
{
	static const struct {
		const char *key, *text;
	} causes[] = {
		{ "host_ratio", "waiting for the host" },
		{ "after_sync_ratio", "after synchronisation" },
		{ "launch_ratio", "between launches" },
		{ "allocation_ratio", "in allocations" },
		{ "api_ratio", "in other CUDA calls" },
		{ "startup_ratio", "before the first work" },
		{ "shutdown_ratio", "after the last" },
		{ "measuring_ratio", "while measuring" },
	};
	const char *separator = ": ";
	char text[96], a[NUMBER_SIZE];
	size_t i;
	double v;

	for (i = 0; i < sizeof(causes) / sizeof(causes[0]); i++) {
		v = field_number(idle, causes[i].key);
		if (!(v >= 0.005))
			continue;
		snprintf(text, sizeof(text), "%s %s", number_percent(a, v),
		    causes[i].text);
		out_segment(o, 4, separator, text);
		separator = ", ";
	}
}

static void
text_busy(struct out *o, const json_t *run)
{
	const json_t *s = json_object_get(run, "summary");
	char text[128], a[NUMBER_SIZE], b[NUMBER_SIZE];

	if (isnan(field_number(s, "gpu_busy_ratio")))
		return;
	snprintf(text, sizeof(text), "GPU busy %s",
	    number_percent(a, field_number(s, "gpu_busy_ratio")));
	out_segment(o, 2, "", text);
	number_percent(a, field_number(s, "copy_ratio"));
	number_percent(b, field_number(s, "copy_hidden_ratio"));
	if (field_number(s, "copy_ratio") > 0)
		snprintf(text, sizeof(text), "copies %s (%s hidden)", a, b);
	else
		snprintf(text, sizeof(text), "no copies");
	out_segment(o, 4, "   ", text);
	snprintf(text, sizeof(text), "idle %s",
	    number_percent(a, field_number(s, "idle_ratio")));
	out_segment(o, 4, "   ", text);
	idle_segments(o, json_object_get(s, "idle"));
	out_line(o);
}

/* "every kernel measured", or how many were; returns why the first that was not
 * measured, or only in part, was not: for a line of its own; NULL if there is
 * none. Borrowed. */
static const char *
measured_segment(struct out *o, const struct report *r)
{
	const json_t *n = json_object_get(r->run, "kernels_measured"), *k;
	const char *level = field_text(r->run, "level"), *reason = NULL;
	uint64_t part = field_count(n, "part"), none = field_count(n, "none");
	char text[256], a[NUMBER_SIZE], b[NUMBER_SIZE], c[NUMBER_SIZE];
	bool first;
	size_t i;

	if (json_array_size(r->kernels) == 0)
		return (NULL);
	if (level != NULL && strcmp(level, "trace") == 0) {
		out_segment(o, 4, ", ", "no counters (level trace)");
		return (NULL);
	}
	json_array_foreach(r->kernels, i, k) {
		first = strcmp(or_unknown(field_text(k, "measured")),
		    none > 0 ? "none" : "part") == 0;
		if (first && reason == NULL)
			reason = field_text(k, "not_measured");
	}
	if (part == 0 && none == 0) {
		out_segment(o, 4, ", ", "every kernel measured");
		return (NULL);
	}
	number_count(a, field_count(n, "full"));
	number_count(b, part);
	number_count(c, none);
	if (part == 0)
		snprintf(text, sizeof(text), "%s measured, %s not", a, c);
	else
		snprintf(text, sizeof(text), "%s fully measured, %s in part; "
		    "not measured: %s", a, b, c);
	out_segment(o, 4, ": ", text);
	return (reason);
}

static void
text_volume(struct out *o, const struct report *r)
{
	const json_t *data = json_object_get(r->run, "data");
	const json_t *by = json_object_get(data, "lost_by");
	const json_t *v;
	uint64_t lost = field_count(data, "lost");
	uint64_t kernels = field_count(r->run, "kernels");
	char text[128], a[NUMBER_SIZE], b[NUMBER_SIZE];
	const char *key, *reason, *separator = ": ";

	snprintf(text, sizeof(text), "%s launch%s of %s kernel%s",
	    number_count(a, field_count(r->run, "launches")),
	    field_count(r->run, "launches") == 1 ? "" : "es",
	    number_count(b, kernels), kernels == 1 ? "" : "s");
	out_segment(o, 2, "", text);
	reason = measured_segment(o, r);
	if (lost == 0) {
		out_segment(o, 4, "; ", "nothing dropped");
	} else {
		out_style(o, STYLE_WARN);
		snprintf(text, sizeof(text), "%s of %s records dropped",
		    number_count(a, lost), number_count(b,
		    lost + field_count(data, "records")));
		out_segment(o, 4, "; ", text);
		json_object_foreach((json_t *)by, key, v) {
			if (json_integer_value(v) <= 0)
				continue;
			snprintf(text, sizeof(text), "%s %s", key,
			    number_count(a, (uint64_t)json_integer_value(v)));
			out_segment(o, 4, separator, text);
			separator = ", ";
		}
		out_style(o, STYLE_PLAIN);
	}
	out_line(o);
	if (reason != NULL) {
		out_text(o, "    the rest: ");
		out_wrap(o, 6, reason);
	}
}

static void
text_diagnostics(struct out *o, const struct report *r)
{
	const char *severity, *remedy;
	const json_t *d;
	size_t i;

	json_array_foreach(r->diagnostics, i, d) {
		severity = or_unknown(field_text(d, "severity"));
		if (strcmp(severity, "info") == 0 && !r->verbose)
			continue;
		out_style(o, strcmp(severity, "error") == 0 ? STYLE_BAD :
		    strcmp(severity, "info") == 0 ? STYLE_DIM : STYLE_WARN);
		out_format(o, "  %s: ", severity);
		out_style(o, STYLE_PLAIN);
		out_wrap(o, 4, or_unknown(field_text(d, "text")));
		remedy = field_text(d, "remedy");
		if (remedy != NULL) {
			out_text(o, "    remedy: ");
			out_wrap(o, 4, remedy);
		}
	}
}

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
	return (n);
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
	char *text = NULL;
	FILE *f;

	json_array_foreach(rules, i, v) {
		state = or_unknown(field_text(v, "state"));
		clean += strcmp(state, "clean") == 0;
		missing += strncmp(state, "not", 3) == 0;
	}
	if ((f = open_memstream(&text, &len)) == NULL)
		return;
	fprintf(f, "%zu practice%s. Not measured: %zu", clean,
	    clean == 1 ? "" : "s", missing);
	put_reasons(f, rules, missing);
	if (fclose(f) == 0) {
		out_text(o, "Clean: ");
		out_wrap(o, 2, text);
	}
	free(text);
}

static void
text_next(struct out *o, const struct report *r)
{
	const json_t *items = json_object_get(r->findings, "items");
	const json_t *first = json_array_get(items, 0);
	char text[512];

	out_style(o, STYLE_DIM);
	if (!field_true(r->run, "calibrated"))
		out_wrap(o, 2, "Predicted from this GPU's attributes; "
		    "`cudadvise calibrate`, once, makes them measured.");
	out_segment(o, 0, "", "Next: ");
	snprintf(text, sizeof(text), "cudadvise findings %s --all", r->name);
	out_segment(o, 2, " ", text);
	if (first != NULL) {
		snprintf(text, sizeof(text), "cudadvise explain %s",
		    or_unknown(field_text(first, "rule")));
		out_segment(o, 6, " · ", text);
	}
	snprintf(text, sizeof(text), "cudadvise kernels %s", r->name);
	out_segment(o, 6, " · ", text);
	out_segment(o, 6, " · ", "cudadvise dashboard");
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

	return (json_is_integer(json_object_get(a, "kernel_id")) &&
	    json_is_integer(json_object_get(b, "kernel_id")) &&
	    strcmp(or_unknown(field_text(a, "rule")),
	    or_unknown(field_text(b, "rule"))) == 0 &&
	    strcmp(or_unknown(field_text(a, "where")),
	    or_unknown(field_text(b, "where"))) == 0);
}

/* Whether a finding before the one at ${at} has already spoken for it. */
static bool
spoken_for(const json_t *items, size_t at)
{
	const json_t *f = json_array_get(items, at);
	size_t i;

	for (i = 0; i < at; i++)
		if (same_advice(json_array_get(items, i), f))
			return (true);
	return (false);
}

/* "the same at 2 more launch shapes: grid 16, block 512 (10 s) …" */
static void
text_shapes(struct out *o, const json_t *items, size_t at)
{
	const json_t *f = json_array_get(items, at), *g;
	char *text = NULL, a[NUMBER_SIZE];
	const char *shape;
	size_t n = 0, len = 0, i;
	FILE *t;

	if ((t = open_memstream(&text, &len)) == NULL)
		return;
	for (i = at + 1; i < json_array_size(items); i++) {
		g = json_array_get(items, i);
		if (!field_true(g, "worth_it") || !same_advice(f, g))
			continue;
		shape = or_unknown(field_text(g, "location"));
		if (n++ < SHAPES_SHOWN)
			fprintf(t, "%s%s (%s)", n > 1 ? "; " : "", shape,
			    number_seconds(a, field_number(
			    json_object_get(g, "saves"), "s")));
	}
	if (n > SHAPES_SHOWN)
		fprintf(t, "; %zu more", n - SHAPES_SHOWN);
	if (fclose(t) == 0 && n > 0) {
		out_format(o, "      the same at %zu more launch shape%s: ", n,
		    n == 1 ? "" : "s");
		out_wrap(o, 6, text);
	}
	free(text);
}

static size_t
list_worth_it(struct out *o, const struct report *r)
{
	const json_t *items = json_object_get(r->findings, "items"), *f;
	size_t worth_it = 0, shown = 0, i;
	double below = NAN;
	int where = parts_where_columns(o, items);

	json_array_foreach(items, i, f) {
		if (!field_true(f, "worth_it"))
			continue;
		if (worth_it == 0)
			parts_heading(o, "What to change first");
		worth_it++;
		if (spoken_for(items, i))
			continue;
		if (shown++ < FIRST_SCREEN) {
			parts_row(o, f, where);
			parts_body(o, f, false);
			text_shapes(o, items, i);
		} else if (isnan(below)) {
			below = field_number(json_object_get(f, "saves"), "s");
		}
	}
	if (shown > FIRST_SCREEN)
		text_more(o, r, shown - FIRST_SCREEN, below);
	return (worth_it);
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
	bool cuda = field_count(r->run, "processes") > 0;
	size_t worth_it;

	text_header(o, r);
	text_end(o, r->run);
	if (cuda) {
		text_busy(o, r->run);
		text_volume(o, r);
	}
	text_diagnostics(o, r);
	if (!cuda) {
		text_no_cuda(o);
		return;
	}
	out_line(o);
	worth_it = list_worth_it(o, r);
	if (worth_it == 0) {
		out_style(o, STYLE_BOLD);
		out_text(o, "Nothing found that is worth a change.\n");
		out_style(o, STYLE_PLAIN);
	}
	parts_together(o, r, worth_it);
	out_line(o);
	text_verdicts(o, r->findings);
	text_next(o, r);
}

