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
#define KIN_SHOWN 4		/* other places of the same fault */
/* The lines of a whole report: what a terminal shows at once. Findings without
 * room are among the "… n more"; the first one is always shown. */
#define PAGE_LINES 40
#define MORE_LINES 2		/* lines of the "… n more" */

/* "4 more of at most 200 ms each: `cudadvise findings`" */
static void
text_more(struct out *o, const struct report *r, size_t more, double below)
{
	char text[384], command[256], a[NUMBER_SIZE];

	/* A line cannot be broken within a command: a command that is too long
	 * is shown by its usage. */
	parts_command(r, "findings", "", command, sizeof(command));
	if (parts_is_file(r) && out_columns(o, command) > o->width - 8)
		snprintf(command, sizeof(command), "cudadvise findings FILE");
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

/* Are both of one kernel, at different launch shapes? */
static bool
same_kernel(const json_t *a, const json_t *b)
{
	return json_is_integer(json_object_get(a, "kernel_id")) &&
	    json_is_integer(json_object_get(b, "kernel_id")) &&
	    same_field(a, b, "where");
}

/* "kernel_b", "copySharedMem, launched 101 times": what distinguishes it from
 * findings of the same fault. */
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
		if (field_count(g, "same_as") != field_count(f, "rank"))
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

/* A part of the page, drawn before it is known where it goes. */
struct page_part {
	struct out out;
	char *text;
	size_t len;
};

static bool
part_begin(struct page_part *p, const struct out *o)
{
	p->text = NULL;
	p->out = *o;
	p->out.file = open_memstream(&p->text, &p->len);
	return p->out.file != NULL;
}

/* Returns the number of its lines. */
static size_t
part_end(struct page_part *p)
{
	size_t lines = 0;

	if (fclose(p->out.file) != 0)
		p->text = NULL;
	for (const char *c = p->text; c != NULL && *c != '\0'; c++)
		lines += *c == '\n';
	return lines;
}

static void
part_put(struct page_part *p, const struct out *o)
{
	if (p->text != NULL)
		fputs(p->text, o->file);
	free(p->text);
	p->text = NULL;
}

static void
put_finding(struct out *o, const struct report *r, const json_t *items, size_t i,
    struct columns c)
{
	/* Why there is no line matters only if the level has lines. */
	bool by_line = level_counts(level_named(field_text(r->run, "level")));
	const json_t *f = json_array_get(items, i);
	bool titled;

	if (r->verbose) {
		parts_full(o, items, i, c, true);
		return;
	}
	titled = parts_row(o, f, c);
	parts_body(o, f, titled, by_line && json_is_integer(json_object_get(f,
	    "kernel_id")) && !parts_missing_told(items, i));
	text_kin(o, items, i);
}

static size_t
count_worth_it(const struct report *r)
{
	const json_t *f;
	size_t n = 0, i;

	json_array_foreach(json_object_get(r->findings, "items"), i, f)
		n += field_true(f, "worth_it");
	return n;
}

/* Does item ${i} have a place of its own in the report: the change of no finding
 * before it fixes it? */
static bool
has_place(const json_t *items, size_t i)
{
	const json_t *f = json_array_get(items, i);

	return field_true(f, "worth_it") && field_count(f, "same_as") == 0;
}

/* Lists findings within ${room} lines, at least the first; with -v without a limit. */
static void
list_worth_it(struct out *o, const struct report *r, size_t room)
{
	const json_t *items = json_object_get(r->findings, "items");
	struct columns c = parts_columns(o, items);
	size_t n = json_array_size(items), left = 0, shown, used = 1, i;
	struct page_part p;

	for (i = 0; i < n; i++)
		left += has_place(items, i);
	parts_first_heading(o, r, c);
	for (i = shown = 0; i < n && left > 0 && shown < FIRST_SCREEN; i++) {
		if (!has_place(items, i))
			continue;
		if (!part_begin(&p, o))
			return;
		put_finding(&p.out, r, items, i, c);
		used += part_end(&p);
		if (shown > 0 && !r->verbose &&
		    used + (left > 1 ? MORE_LINES : 0) > room) {
			free(p.text);
			break;
		}
		part_put(&p, o);
		left--;
		shown++;
	}
	while (i < n && !has_place(items, i))
		i++;
	if (left > 0)
		text_more(o, r, left, field_number(json_object_get(
		    json_array_get(items, i), "saves"), "s"));
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

/* What ran, where the time went, and how much of it was measured. */
static void
put_head(struct out *o, const struct report *r, bool cuda)
{
	parts_header(o, r);
	parts_end(o, r->run);
	parts_checks(o, json_object_get(r->run, "checks"));
	if (cuda)
		parts_activity(o, r);
	parts_diagnostics(o, r, true);
}

/* What follows the findings. */
static void
put_rest(struct out *o, const struct report *r, size_t worth_it)
{
	parts_ranges(o, r);
	parts_operators(o, r);
	out_line(o);
	parts_diagnostics(o, r, false);
	parts_summary(o, r, worth_it);
}

void
text_report(struct out *o, const struct report *r)
{
	bool cuda = field_count(r->run, "processes") > 0;
	size_t worth_it = count_worth_it(r), lines;
	struct page_part head, rest;

	if (!part_begin(&head, o))
		return;
	put_head(&head.out, r, cuda);
	lines = part_end(&head);
	part_put(&head, o);
	if (!cuda && json_array_size(json_object_get(r->run, "checks")) == 0) {
		text_no_cuda(o);
		parts_diagnostics(o, r, false);
		return;
	}
	out_line(o);
	if (!part_begin(&rest, o))
		return;
	put_rest(&rest.out, r, worth_it);
	lines += 1 + part_end(&rest);
	if (worth_it > 0)
		list_worth_it(o, r, lines < PAGE_LINES ? PAGE_LINES - lines : 0);
	else
		parts_nothing(o, r);
	part_put(&rest, o);
}
