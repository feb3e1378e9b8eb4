#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "report/out.h"
#include "report/text.h"
#include "report/text_util.h"
#include "wire/level.h"

#include "report/text_parts.h"

#define ACTIVE_SHARE 0.1	/* a run that is mostly start-up and end */

/* --- what ran, and what it cost ------------------------------------------- */

static void
device_segment(struct out *o, const json_t *run)
{
	const json_t *devices = json_object_get(run, "devices");
	size_t n = json_array_size(devices), i;
	const char *first, *name;
	char text[256], a[NUMBER_SIZE];
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
		snprintf(text, sizeof(text), "%s and %s", first,
		    number_of(a, n - 1, "more GPU"));
	out_segment(o, 2, " · ", text);
}

void
parts_header(struct out *o, const struct report *r)
{
	const json_t *overhead = json_object_get(r->run, "overhead");
	const char *label = field_text(r->run, "label");
	bool checked = json_array_size(json_object_get(r->run, "checks")) > 0;
	char text[512], a[NUMBER_SIZE], b[NUMBER_SIZE];

	out_style(o, STYLE_BOLD);
	out_segment(o, 0, "", "cudadvise");
	out_style(o, STYLE_PLAIN);
	snprintf(text, sizeof(text), "run %s", r->name);
	out_segment(o, 2, " · ", text);
	if (label != NULL && *label != '\0')
		out_segment(o, 2, " · ", label);
	out_segment(o, 2, " · ", or_unknown(field_text(r->run, "command")));
	if (!checked)
		device_segment(o, r->run);
	out_segment(o, 2, " · ",
	    number_seconds(a, field_number(r->run, "wall_ns") / 1e9));
	if (checked) {		/* the tools' cost is no cost of measuring */
		out_line(o);
		return;
	}
	snprintf(text, sizeof(text), "our own cost %s (%s)",
	    number_seconds(a, field_number(overhead, "total_s")),
	    number_percent(b, field_number(overhead, "ratio")));
	out_segment(o, 2, " · ", text);
	out_line(o);
}

void
parts_end(struct out *o, const json_t *run)
{
	const char *state = field_text(run, "state");
	const json_t *sig = json_object_get(run, "signal");
	const json_t *code = json_object_get(run, "exit_code");
	uint64_t unended = field_count(json_object_get(run, "data"), "unended");
	char text[192], a[NUMBER_SIZE];

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
		    "early (%s): how much is missing is not known.", state);
	else if (unended > 0)
		snprintf(text, sizeof(text), "The record of %s ends early (it "
		    "was killed, or the capture was cut): how much is missing "
		    "is not known.", number_of(a, unended, "process"));
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

	if (isnan(field_number(s, "gpu_busy_ratio"))) {
		if (json_array_size(json_object_get(run, "devices")) == 0 ||
		    json_array_size(json_object_get(run, "checks")) > 0)
			return;
		out_segment(o, 2, "", "no work of the GPU was seen: what the "
		    "host did is all there is to judge");
		out_line(o);
		return;
	}
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

/* Did the program end by itself, so that what it had was sent? */
static bool
ended(const json_t *run)
{

	return strcmp(or_unknown(field_text(run, "state")), "finished") == 0;
}

/* Append "<n> <what>" if there is one. */
static void
add_count(struct out *o, uint64_t n, bool first, const char *what)
{
	char text[96], a[NUMBER_SIZE];

	if (n == 0)
		return;
	snprintf(text, sizeof(text), "%s %s", number_count(a, n), what);
	out_segment(o, 4, first ? ": " : ", ", text);
}

/* "every kernel measured", or how many were; returns why the longest that was not
 * measured, or only in part, was not: for a line of its own; NULL if there is
 * none. Borrowed. */
static const char *
measured_segment(struct out *o, const struct report *r)
{
	const json_t *n = json_object_get(r->run, "kernels_measured"), *k;
	const char *level = field_text(r->run, "level"), *reason = NULL;
	uint64_t full = field_count(n, "full"), part = field_count(n, "part"),
	    none = field_count(n, "none");
	double total, longest = -1;
	size_t i;

	if (json_array_size(r->kernels) == 0)
		return NULL;
	if (level_named(level) == LEVEL_TRACE) {
		out_segment(o, 4, ", ", "no counters (level trace)");
		return NULL;
	}
	json_array_foreach(r->kernels, i, k) {
		if (strcmp(or_unknown(field_text(k, "measured")),
		    none > 0 ? "none" : "part") != 0)
			continue;
		total = field_number(json_object_get(k, "time"), "total_ns");
		if (total > longest) {
			longest = total;
			reason = field_text(k, "not_measured");
		}
	}
	if (part == 0 && none == 0) {
		out_segment(o, 4, ", ", field_count(r->run, "functions") <
		    field_count(r->run, "kernels") ? "each of them measured" :
		    "every kernel measured");
		return NULL;
	}
	add_count(o, full, true, part > 0 ? "fully measured" : "measured");
	add_count(o, part, full == 0, "measured in part");
	if (full == 0 && part == 0)
		out_segment(o, 4, ": ", "none measured");
	else
		add_count(o, none, false, "not measured");
	return reason;
}

/* A program of which little is GPU work: what the findings are held against. */
static void
text_active(struct out *o, const json_t *run)
{
	double active = field_number(run, "active_s");
	double share = active / (field_number(run, "wall_ns") / 1e9);
	char text[128], a[NUMBER_SIZE], b[NUMBER_SIZE];

	if (!(active > 0 && share < ACTIVE_SHARE))
		return;
	snprintf(text, sizeof(text), "from first to last GPU work: %s, %s of "
	    "the run, our measuring left out", number_seconds(a, active),
	    number_percent(b, share));
	out_segment(o, 2, "", text);
	out_line(o);
}

static void
text_volume(struct out *o, const struct report *r)
{
	const json_t *data = json_object_get(r->run, "data");
	const json_t *by = json_object_get(data, "lost_by");
	const json_t *v;
	uint64_t lost = field_count(data, "lost");
	uint64_t shapes = field_count(r->run, "kernels");
	uint64_t kernels = field_count(r->run, "functions");
	char text[160], a[NUMBER_SIZE], b[NUMBER_SIZE], c[NUMBER_SIZE] = "";
	const char *key, *reason, *separator = ": ";

	/* Analyses of older versions do not tell them apart. */
	if (kernels == 0)
		kernels = shapes;
	if (kernels < shapes)
		number_of(c, shapes, "launch shape");
	snprintf(text, sizeof(text), "%s of %s%s%s",
	    number_of(a, field_count(r->run, "launches"), "launch"),
	    number_of(b, kernels, "kernel"), c[0] != '\0' ? " in " : "", c);
	out_segment(o, 2, "", text);
	reason = measured_segment(o, r);
	if (lost == 0) {
		out_segment(o, 4, "; ", ended(r->run) && field_count(data,
		    "unended") == 0 ? "nothing dropped" :
		    "nothing dropped of what arrived");
	} else {
		out_style(o, STYLE_WARN);
		snprintf(text, sizeof(text), "%s of %s dropped",
		    number_count(a, lost), number_of(b,
		    lost + field_count(data, "records"), "record"));
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
		out_text(o, "    why not all: ");
		out_wrap(o, 6, reason);
	}
}

/* Kernels of which only measured launches ran, and nothing says for how long. */
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
	snprintf(text, sizeof(text), "%s ran only while measured: %s time is "
	    "not known, shown is what issuing takes at least (`run --twice` "
	    "takes the time first)", number_of(a, n, "kernel"), n == 1 ?
	    "its" : "their");
	out_spaces(o, 2);
	out_wrap(o, 4, text);
}

/* What measuring line by line gave, for those who asked for it. */
static void
text_lines(struct out *o, const struct report *r)
{
	const json_t *run = r->run, *s = json_object_get(run, "source");
	uint64_t dropped = field_count(s, "samples_dropped");
	char text[128], a[NUMBER_SIZE], b[NUMBER_SIZE];

	if (!level_counts(level_named(field_text(run, "level"))) ||
	    !json_is_object(s))
		return;
	snprintf(text, sizeof(text), "by line: %s of %s counted",
	    number_count(a, field_count(s, "kernels_counted")),
	    number_of(b, field_count(run, "kernels"), "kernel"));
	out_segment(o, 2, "", text);
	out_segment(o, 4, ", ", number_of(a, field_count(s, "samples"),
	    "sample"));
	if (dropped > 0) {
		snprintf(text, sizeof(text), "%s dropped",
		    number_count(a, dropped));
		out_segment(o, 4, ", ", text);
	}
	out_line(o);
}

/* Our own cost by what it was for: where lines were measured, or all is asked
 * for. */
static void
text_cost(struct out *o, const struct report *r)
{
	static const struct {
		const char *key, *text;
	} parts[] = {
		{ "setup_s", "set-up" }, { "counters_s", "counters" },
		{ "source_s", "counting by line" },
		{ "sampling_s", "sampling" }, { "cupti_s", "CUPTI" },
		{ "callback_s", "callbacks" },
		{ "wait_s", "other threads' waits" },
		{ "kernels_s", "kernels longer while they were measured" },
	};
	const json_t *by = json_object_get(json_object_get(r->run,
	    "overhead"), "by");
	char text[128], a[NUMBER_SIZE];
	bool any = false;
	size_t i;
	double s;

	if (!r->verbose && !(field_number(by, "source_s") > 0) &&
	    !(field_number(by, "sampling_s") > 0))
		return;
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		s = field_number(by, parts[i].key);
		if (!(s > 0))
			continue;
		snprintf(text, sizeof(text), "%s%s %s",
		    any ? "" : "our own cost by part: ", parts[i].text,
		    number_seconds(a, s));
		out_segment(o, any ? 4 : 2, any ? ", " : "", text);
		any = true;
	}
	if (any)
		out_line(o);
}

/* "; set-up 280 ms", where it took any time. */
static void
held_segment(struct out *o, const json_t *held, const char *key,
    const char *what)
{
	double s = field_number(held, key);
	char text[96], a[NUMBER_SIZE];

	if (!(s > 0))
		return;
	snprintf(text, sizeof(text), "%s %s", what, number_seconds(a, s));
	out_segment(o, 4, "; ", text);
}

/* For how long the program stood still for us, at one place and in all. */
static void
text_held(struct out *o, const json_t *run)
{
	const json_t *held = json_object_get(json_object_get(run, "overhead"),
	    "held");
	double longest = field_number(held, "longest_s");
	double limit = field_number(held, "limit_s");
	uint64_t count = field_count(held, "count");
	char text[192], a[NUMBER_SIZE], b[NUMBER_SIZE];
	bool over = longest > limit;

	if (count == 0 && !(longest > 0) && !(field_number(held, "setup_s") >
	    0) && !(field_number(held, "replay_s") > 0))
		return;
	if (over)
		out_style(o, STYLE_WARN);
	number_seconds(a, longest);
	number_seconds(b, limit);
	if (!(longest > 0))
		snprintf(text, sizeof(text), "never held while it ran");
	else if (over)
		snprintf(text, sizeof(text), "held for %s at one place, longer "
		    "than the limit of %s (--max-stall)", a, b);
	else if (isnan(limit))
		snprintf(text, sizeof(text), "held at most %s at a time", a);
	else
		snprintf(text, sizeof(text), "held at most %s at a time (limit "
		    "%s)", a, b);
	out_segment(o, 2, "", text);
	if (longest > 0) {
		snprintf(text, sizeof(text), "%s in all in %s",
		    number_seconds(a, field_number(held, "total_s")),
		    number_of(b, count, "hold"));
		out_segment(o, 4, ", ", text);
	}
	held_segment(o, held, "setup_s", "set-up");
	held_segment(o, held, "replay_s", "replays");
	if (over)
		out_style(o, STYLE_PLAIN);
	out_line(o);
}

void
parts_activity(struct out *o, const struct report *r)
{

	text_busy(o, r->run);
	text_active(o, r->run);
	parts_phases(o, r->run);
	text_volume(o, r);
	text_lines(o, r);
	text_least(o, r->kernels);
	text_held(o, r->run);
	text_cost(o, r);
}

void
parts_diagnostics(struct out *o, const struct report *r)
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
