/* The head of a report, three lines: what ran; where the time went; how much of
 * it was measured, and at what cost. Lost records are mentioned, too; -v gives
 * all of it (text_detail.c). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "report/ending.h"
#include "report/out.h"
#include "report/text.h"
#include "report/text_util.h"
#include "wire/level.h"

#include "report/text_parts.h"

#define COMMAND_LEAST 16	/* columns of a command, to be of use */
#define COMMAND_BARE 8		/* ... that are kept on the narrowest terminal */
#define LABEL_MOST 24		/* columns */
#define BAR_SHARE 7		/* of the line: the rest is for words */
#define CAUSE_SHARE 0.005	/* of the run: less rounds to nothing */

bool
parts_is_file(const struct report *r)
{
	return !json_is_integer(json_object_get(r->run, "number"));
}

/* --- what ran -------------------------------------------------------------- */

static void
device_text(const json_t *run, char *text, size_t size)
{
	const json_t *devices = json_object_get(run, "devices_used");
	size_t n = json_array_size(devices), i;
	const char *first, *name;
	char a[NUMBER_SIZE];
	bool same = true;

	if (n == 0) {
		snprintf(text, size, "no GPU seen");
		return;
	}
	first = or_unknown(json_string_value(json_array_get(devices, 0)));
	for (i = 1; i < n; i++) {
		name = json_string_value(json_array_get(devices, i));
		same = same && strcmp(or_unknown(name), first) == 0;
	}
	if (n == 1)
		snprintf(text, size, "%s", first);
	else if (same)
		snprintf(text, size, "%zu × %s", n, first);
	else
		snprintf(text, size, "%s and %s", first,
		    number_of(a, n - 1, "more GPU"));
}

/* The command without the folders before its program. */
static const char *
short_command(const char *command)
{
	size_t program = strcspn(command, " "), i;

	for (i = program; command[0] == '/' && i > 0; i--)
		if (command[i - 1] == '/')
			return command + i;
	return command;
}

/* " · ${s}", cut to ${columns}. */
static void
put_cut(struct out *o, const char *s, int columns)
{
	int n = out_columns(o, s);

	out_text(o, " · ");
	out_cell(o, s, n < columns ? n : columns);
}

void
parts_header(struct out *o, const struct report *r)
{
	const char *label = field_text(r->run, "label");
	const char *command = or_unknown(field_text(r->run, "command"));
	bool checked = json_array_size(json_object_get(r->run, "checks")) > 0;
	char device[256], wall[NUMBER_SIZE], run[256];
	int separator = out_columns(o, " · "), tail, room;

	device_text(r->run, device, sizeof(device));
	number_seconds(wall, field_number(r->run, "wall_ns") / 1e9);
	snprintf(run, sizeof(run), "%s%s", parts_is_file(r) ? "" : "run ",
	    text_base_name(r->name));
	out_style(o, STYLE_BOLD);
	out_text(o, "cudadvise");
	out_style(o, STYLE_PLAIN);
	put_cut(o, run, LABEL_MOST);
	if (label != NULL && label[0] != '\0')
		put_cut(o, label, LABEL_MOST);
	tail = separator + out_columns(o, wall);
	if (!checked)
		tail += separator + out_columns(o, device);
	room = o->width - o->column - separator - tail;
	if (room < COMMAND_LEAST && !checked) {
		checked = true;		/* no room for the GPU's name */
		room += separator + out_columns(o, device);
	}
	put_cut(o, short_command(command), room < COMMAND_BARE ? COMMAND_BARE :
	    room);
	if (!checked)
		out_format(o, " · %s", device);
	out_format(o, " · %s\n", wall);
}

void
parts_end(struct out *o, const json_t *run)
{
	char text[ENDING_SIZE];

	if (!ending_text(text, run))
		return;
	out_style(o, STYLE_WARN);
	out_spaces(o, 2);
	out_wrap(o, 2, text);
	out_style(o, STYLE_PLAIN);
}

/* --- where the time went --------------------------------------------------- */

static const struct {
	const char *key, *text;
} causes[] = {
	{ "host_ratio", "waiting for host" },
	{ "after_sync_ratio", "after syncs" },
	{ "launch_ratio", "launch gaps" },
	{ "allocation_ratio", "allocations" },
	{ "api_ratio", "CUDA calls" },
	{ "elsewhere_ratio", "elsewhere" },
	{ "startup_ratio", "start-up" },
	{ "shutdown_ratio", "exit" },
	{ "measuring_ratio", "measuring" },
};
#define CAUSES (sizeof(causes) / sizeof(causes[0]))

/* The index of the cause with the most time not yet ${told}; CAUSES: none worth
 * mentioning. */
static size_t
next_cause(const json_t *idle, const bool *told)
{
	double most = CAUSE_SHARE, v;
	size_t at = CAUSES, i;

	for (i = 0; i < CAUSES; i++) {
		v = field_number(idle, causes[i].key);
		if (told[i] || !(v >= most))
			continue;
		most = v;
		at = i;
	}
	return at;
}

/* "; idle: 26 % start-up, 13 % measuring", the most first, as far
 * as the line goes; ${all}: on as many lines as it takes. */
static void
put_idle(struct out *o, const json_t *idle, bool all)
{
	bool told[CAUSES] = { false };
	const char *separator = "; idle: ";
	char text[96], a[NUMBER_SIZE];
	size_t i;

	while ((i = next_cause(idle, told)) < CAUSES) {
		told[i] = true;
		snprintf(text, sizeof(text), "%s %s", number_percent(a,
		    field_number(idle, causes[i].key)), causes[i].text);
		if (all)
			out_segment(o, 4, separator, text);
		else if (!out_append(o, separator, text))
			break;
		separator = ", ";
	}
}

/* ████▒▒░░░░: kernels, copies without a kernel running, idle. */
static void
put_bar(struct out *o, double busy, double copies)
{
	int columns = o->width / BAR_SHARE, i;
	double kernels = busy - copies, at;

	for (i = 0; i < columns; i++) {
		at = (i + 0.5) / columns;
		out_style(o, at < kernels ? STYLE_GOOD : at < busy ?
		    STYLE_WARN : STYLE_DIM);
		out_text(o, at < kernels ? "█" : at < busy ? "▒" : "░");
	}
	out_style(o, STYLE_PLAIN);
}

static void
text_bar(struct out *o, const json_t *run, bool all)
{
	const json_t *s = json_object_get(run, "summary");
	double busy = field_number(s, "gpu_busy_ratio");
	double copies = field_number(s, "copy_ratio");
	double hidden = field_number(s, "copy_hidden_ratio");
	char text[96], a[NUMBER_SIZE];

	out_spaces(o, 2);
	if (isnan(busy)) {
		out_wrap(o, 2, "no work of the GPU was seen: what the host did "
		    "is all there is to judge");
		return;
	}
	put_bar(o, busy, copies > hidden ? copies - hidden : 0);
	out_format(o, "  GPU busy %s", number_percent(a, busy));
	if (copies >= CAUSE_SHARE) {
		/* Of the time in which the GPU is busy, beside kernels or not. */
		snprintf(text, sizeof(text), "copies %s)",
		    number_percent(a, copies));
		out_append(o, " (", text);
	}
	put_idle(o, json_object_get(s, "idle"), all);
	out_line(o);
}

/* --- what was measured ----------------------------------------------------- */

/* "606 launches of 1 kernel, all measured", "18 of 55 launch shapes measured, 35
 * in part"; ${brief}: without the latter, which the end tells with its reason, and
 * without the number of kernels. */
static void
coverage_text(const struct report *r, bool brief, char *text, size_t size)
{
	const json_t *n = json_object_get(r->run, "kernels_measured");
	const char *level = field_text(r->run, "level");
	uint64_t full = field_count(n, "full"), part = field_count(n, "part"),
	    none = field_count(n, "none"), all = full + part + none;
	uint64_t shapes = field_count(r->run, "kernels"),
	    kernels = field_count(r->run, "functions");
	char launches[2 * NUMBER_SIZE + 4];
	char a[NUMBER_SIZE], b[NUMBER_SIZE], c[NUMBER_SIZE];

	/* Documents of older versions do not distinguish them. */
	kernels = kernels == 0 ? shapes : kernels;
	number_of(a, field_count(r->run, "launches"), "launch");
	number_of(b, kernels, "kernel");
	snprintf(launches, sizeof(launches), "%s%s%s", a, brief ? "" : " of ",
	    brief ? "" : b);
	if (all == 0 || shapes == 0)
		snprintf(text, size, "%s", a);
	else if (level_named(level) == LEVEL_TRACE)
		snprintf(text, size, "%s, no counters (level trace)",
		    launches);
	else if (full == all)
		snprintf(text, size, "%s, all measured", launches);
	else if (full + part == 0)
		snprintf(text, size, "%s, none measured", launches);
	else if (part == all)
		snprintf(text, size, "%s measured in part", number_of(b, all,
		    kernels < shapes ? "launch shape" : "kernel"));
	else if (full == 0)
		snprintf(text, size, "%s of %s measured in part",
		    number_count(a, part), number_of(b, all, kernels < shapes ?
		    "launch shape" : "kernel"));
	else
		snprintf(text, size, "%s of %s measured%s%s%s",
		    number_count(a, full), number_of(b, all, kernels < shapes ?
		    "launch shape" : "kernel"), part > 0 && !brief ? ", " : "",
		    part > 0 && !brief ? number_count(c, part) : "",
		    part > 0 && !brief ? " in part" : "");
}

/* Did the program end normally, so that all its records were sent? */
static bool
ended(const json_t *run)
{

	return strcmp(or_unknown(field_text(run, "state")), "finished") == 0 &&
	    field_count(json_object_get(run, "data"), "unended") == 0;
}

static void
text_measured(struct out *o, const struct report *r)
{
	const json_t *overhead = json_object_get(r->run, "overhead");
	const json_t *data = json_object_get(r->run, "data");
	char text[192], cost[128], a[NUMBER_SIZE], b[NUMBER_SIZE];

	number_seconds(a, field_number(overhead, "total_s"));
	number_percent(b, field_number(overhead, "ratio"));
	snprintf(cost, sizeof(cost), "measuring took %s (%s)", a, b);
	coverage_text(r, false, text, sizeof(text));
	if (2 + out_columns(o, text) + 2 + out_columns(o, cost) > o->width) {
		coverage_text(r, true, text, sizeof(text));
		snprintf(cost, sizeof(cost), "it cost %s (%s)", a, b);
	}
	if (2 + out_columns(o, text) + 2 + out_columns(o, cost) > o->width)
		snprintf(cost, sizeof(cost), "it cost %s", a);
	out_segment(o, 2, "", text);
	out_segment(o, 2, "; ", cost);
	if (field_count(data, "lost") == 0 && ended(r->run))
		out_append(o, "; ", "nothing dropped");
	else if (field_count(data, "lost") == 0)
		out_segment(o, 2, "; ", "nothing dropped of what arrived");
	out_line(o);
}

static void
text_dropped(struct out *o, const json_t *run)
{
	const json_t *data = json_object_get(run, "data"), *v;
	uint64_t lost = field_count(data, "lost");
	const char *key, *separator = ": ";
	char text[160], a[NUMBER_SIZE], b[NUMBER_SIZE];

	if (lost == 0)
		return;
	out_style(o, STYLE_WARN);
	snprintf(text, sizeof(text), "%s of %s dropped", number_count(a, lost),
	    number_of(b, lost + field_count(data, "records"), "record"));
	out_segment(o, 2, "", text);
	json_object_foreach((json_t *)json_object_get(data, "lost_by"), key,
	    v) {
		if (json_integer_value(v) <= 0)
			continue;
		snprintf(text, sizeof(text), "%s %s", key,
		    number_count(a, (uint64_t)json_integer_value(v)));
		out_segment(o, 4, separator, text);
		separator = ", ";
	}
	out_style(o, STYLE_PLAIN);
	out_line(o);
}

void
parts_activity(struct out *o, const struct report *r)
{
	bool checked = json_array_size(json_object_get(r->run, "checks")) > 0;

	if (!checked) {
		text_bar(o, r->run, r->verbose);
		text_measured(o, r);
	}
	text_dropped(o, r->run);
	if (r->verbose)
		parts_details(o, r);
}

void
parts_diagnostics(struct out *o, const struct report *r, bool errors)
{
	const char *severity, *remedy;
	bool error, info;
	const json_t *d;
	size_t i;

	json_array_foreach(r->diagnostics, i, d) {
		severity = or_unknown(field_text(d, "severity"));
		error = strcmp(severity, "error") == 0;
		info = strcmp(severity, "info") == 0;
		if (error != errors || (info && !r->verbose))
			continue;
		out_style(o, error ? STYLE_BAD : info ? STYLE_DIM : STYLE_WARN);
		parts_label(o, error ? "Error" : info ? "Note" : "Warning");
		out_wrap(o, LABEL_COLUMNS, or_unknown(field_text(d, "text")));
		remedy = field_text(d, "remedy");
		if (remedy != NULL) {
			parts_label(o, "");
			out_wrap(o, LABEL_COLUMNS, remedy);
		}
	}
}
