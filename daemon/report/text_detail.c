/* What -v adds to the head of a report: the whole command, the base of the
 * figures, and the cost of measuring by its parts. If the program was held for
 * longer than permitted, the report's end says so in any case. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "report/out.h"
#include "report/text.h"
#include "report/text_util.h"
#include "wire/level.h"

#include "report/text_parts.h"

/* The time that findings are relative to. */
static void
text_active(struct out *o, const json_t *run)
{
	double active = field_number(run, "active_s");
	double share = active / (field_number(run, "wall_ns") / 1e9);
	char text[128], a[NUMBER_SIZE], b[NUMBER_SIZE];

	if (!(active > 0))
		return;
	snprintf(text, sizeof(text), "from first to last GPU work: %s, %s of "
	    "the run, without measuring", number_seconds(a, active),
	    number_percent(b, share));
	out_segment(o, 2, "", text);
	out_line(o);
}

static void
text_volume(struct out *o, const json_t *run)
{
	const json_t *s = json_object_get(run, "summary");
	char text[128], a[NUMBER_SIZE], b[NUMBER_SIZE], c[NUMBER_SIZE];

	snprintf(text, sizeof(text), "%s of %s in %s",
	    number_of(a, field_count(run, "launches"), "launch"),
	    number_of(b, field_count(run, "functions"), "kernel"),
	    number_of(c, field_count(run, "kernels"), "launch shape"));
	out_segment(o, 2, "", text);
	if (field_number(s, "copy_ratio") > 0) {
		snprintf(text, sizeof(text), "copies %s of the run, %s "
		    "beside kernels",
		    number_percent(a, field_number(s, "copy_ratio")),
		    number_percent(b, field_number(s, "copy_hidden_ratio")));
		out_segment(o, 4, "; ", text);
	}
	out_line(o);
}

/* The results of measuring line by line, if it was asked for. */
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

/* The cost of measuring, by purpose. */
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

	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		s = field_number(by, parts[i].key);
		if (!(s > 0))
			continue;
		snprintf(text, sizeof(text), "%s%s %s",
		    any ? "" : "measuring by part: ", parts[i].text,
		    number_seconds(a, s));
		out_segment(o, any ? 4 : 2, any ? ", " : "", text);
		any = true;
	}
	if (any)
		out_line(o);
}

/* "; set-up 280 ms", if it took any time. */
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

/* Was the program held for longer than permitted? Sets ${a} to how long, ${b}
 * to the limit. An excess below the printed precision does not count. */
static bool
held_over(const json_t *held, char a[NUMBER_SIZE], char b[NUMBER_SIZE])
{
	double longest = field_number(held, "longest_s");
	double limit = field_number(held, "limit_s");

	number_seconds(a, longest);
	number_seconds(b, limit);
	return longest > limit && strcmp(a, b) != 0;
}

/* How long the program was held, at one place and in all. */
static void
text_held(struct out *o, const json_t *held)
{
	double longest = field_number(held, "longest_s");
	uint64_t count = field_count(held, "count");
	char text[192], a[NUMBER_SIZE], b[NUMBER_SIZE];
	bool over = held_over(held, a, b);

	if (count == 0 && !(longest > 0) &&
	    !(field_number(held, "setup_s") > 0) &&
	    !(field_number(held, "replay_s") > 0))
		return;
	if (!(longest > 0))
		snprintf(text, sizeof(text), "never held while it ran");
	else if (over || isnan(field_number(held, "limit_s")))
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
	out_line(o);
}

void
parts_held(struct out *o, const json_t *run)
{
	const json_t *held = json_object_get(json_object_get(run, "overhead"),
	    "held");
	char text[192], a[NUMBER_SIZE], b[NUMBER_SIZE];

	if (!held_over(held, a, b))
		return;
	parts_label(o, "Held");
	out_style(o, STYLE_WARN);
	snprintf(text, sizeof(text), "for %s at one place, longer than the "
	    "limit of %s (--max-stall)", a, b);
	out_wrap(o, LABEL_COLUMNS, text);
	out_style(o, STYLE_PLAIN);
}

void
parts_details(struct out *o, const struct report *r)
{

	out_spaces(o, 2);
	out_wrap(o, 4, or_unknown(field_text(r->run, "command")));
	text_active(o, r->run);
	text_volume(o, r->run);
	text_lines(o, r);
	text_cost(o, r);
	text_held(o, json_object_get(json_object_get(r->run, "overhead"),
	    "held"));
	parts_states(o, r);
}
