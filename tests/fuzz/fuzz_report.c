/*
 * fuzz_report.c: everything that commands print from the API's documents:
 * reports, findings, the checklist, comparisons, a kernel's source, the formats
 * of other tools. The documents may come from another version, so any member
 * may be anything. The input is a list of
 *   { u8 depth, depth * u8 which, u8 what, its value }
 * changes to the documents of a short run.
 */
#include <math.h>
#include <string.h>

#include "model/model.h"
#include "report/compare.h"
#include "report/format.h"
#include "report/json.h"
#include "report/json_source.h"
#include "report/out.h"
#include "report/ranges.h"
#include "report/text.h"
#include "report/text_source.h"
#include "rules/engine/finding.h"
#include "wire/record.h"

#include "fuzz/parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PAGE (1u << 20)
#define CHANGES 6

/* --- the documents -------------------------------------------------------------- */

/* Launches, in order and overlapping, a copy, calls within a range. */
static int
read_operations(void *arg, operation_visit *visit, void *visited)
{
	static const struct operation ops[] = {
		{ .row = ROW_KERNEL, .kernel = 1, .from = 10, .to = 20,
		    .launched = 5, .thread = 1 },
		{ .row = ROW_KERNEL, .kernel = UINT32_MAX, .from = 15,
		    .to = UINT64_MAX },
		{ .row = ROW_H2D, .device = UINT32_MAX, .stream = 7,
		    .from = 1, .to = 3, .bytes = UINT64_MAX },
		{ .row = ROW_API, .host = true, .call = "cudaFree",
		    .thread = 1, .from = 2, .to = 3 },
		{ .row = ROW_COUNT, .host = true, .thread = 1,
		    .range = "a\xff\n;", .from = 1, .to = 9 },
		{ .row = ROW_COUNT, .host = true, .across = true,
		    .range = "", .domain = "\x1b[2J", .from = 1, .to = 9 },
	};
	size_t i;
	int rc = 0;

	(void)arg;
	for (i = 0; i < sizeof(ops) / sizeof(ops[0]) && rc == 0; i++)
		rc = visit(visited, &ops[i]);
	return rc;
}

static json_t *
documents_of(const struct run *r)
{
	const struct reader reader = { .origin_ns = 2,
	    .operations = read_operations };
	struct advice *a;
	json_t *all;

	WANT((a = advice_make(r, NULL)) != NULL && r->kernels > 0);
	all = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
	    "run", json_run(r, a, 1), "findings", json_findings(r, a),
	    "kernels", json_kernels(r, a), "diagnostics",
	    json_diagnostics(r), "checklist", json_checklist(r, a),
	    "source", json_source(r, &r->kernel[0], a), "ranges",
	    ranges_read(&reader));
	WANT(all != NULL);
	advice_free(a);
	return all;
}

static json_t *
documents(void)
{
	static uint8_t bytes[1 << 16];
	static json_t *all;
	struct model *m;
	struct record r;
	uint64_t sequence = 0;
	size_t len, pos = 0;

	if (all != NULL)
		return all;
	WANT((m = model_new()) != NULL);
	len = parts_short_run(bytes, sizeof(bytes));
	while (record_next(bytes, len, &pos, &r) == 1)
		WANT(model_feed(m, 1, sequence++, &r) == 0);
	all = documents_of(model_settle(m, true));
	model_free(m);
	return all;
}

/* --- changing the documents ------------------------------------------------------- */

static json_t *
value(struct input *in)
{
	char text[64];
	uint64_t bits;
	json_t *list;
	double d;

	switch (input_u8(in) % 9) {
	case 0:
		return json_null();
	case 1:
		return json_true();
	case 2:
		return json_integer((json_int_t)input_u64(in));
	case 3:
		bits = input_u64(in);
		memcpy(&d, &bits, sizeof(d));
		return json_real(isfinite(d) ? d : 1e308);
	case 4:
		input_text(in, text, sizeof(text), input_u8(in) % 64u);
		list = json_string(text);
		return list != NULL ? list : json_string("\x1b[2J");
	case 5:
		return json_array();
	case 6:
		return json_object();
	case 7:		/* one of the documents, in another place */
		return json_deep_copy(json_object_get(documents(), "kernels"));
	default:
		list = json_array();
		for (bits = input_u8(in); bits > 0; bits--)
			json_array_append_new(list, json_integer((json_int_t)
			    bits));
		return list;
	}
}

/* Replaces or removes a member of an object or an element of an array. */
static void
change_member(json_t *parent, size_t which, bool away, struct input *in)
{
	const char *key;
	json_t *child;
	void *at;

	if (json_is_array(parent) && json_array_size(parent) > 0) {
		which %= json_array_size(parent);
		if (away)
			json_array_remove(parent, which);
		else
			json_array_set_new(parent, which, value(in));
		return;
	}
	if (!json_is_object(parent) || json_object_size(parent) == 0)
		return;
	which %= json_object_size(parent);
	at = json_object_iter(parent);
	while (which-- > 0)
		at = json_object_iter_next(parent, at);
	if (away) {
		key = json_object_iter_key(at);
		json_object_del(parent, key);
		return;
	}
	child = value(in);
	json_object_iter_set_new(parent, at, child);
}

static json_t *
child_of(json_t *parent, size_t which)
{
	void *at;

	if (json_is_array(parent) && json_array_size(parent) > 0)
		return json_array_get(parent, which %
		    json_array_size(parent));
	if (!json_is_object(parent) || json_object_size(parent) == 0)
		return NULL;
	which %= json_object_size(parent);
	at = json_object_iter(parent);
	while (which-- > 0)
		at = json_object_iter_next(parent, at);
	return json_object_iter_value(at);
}

static void
change(json_t *at, struct input *in)
{
	unsigned depth = input_u8(in) % 7u;
	json_t *next;
	uint8_t what;

	/* The documents themselves are not replaced. */
	at = child_of(at, input_u8(in));
	while (depth-- > 0 && (next = child_of(at, input_u8(in))) != NULL &&
	    (json_is_object(next) || json_is_array(next)))
		at = next;
	what = input_u8(in);
	change_member(at, what >> 1, what & 1, in);
}

/* --- printing the documents ------------------------------------------------------- */

static struct out
page_begin(uint8_t shape)
{
	static char text[PAGE];
	static FILE *file;
	struct out o = { .width = 40 + (shape & 127), .utf8 = shape >> 7 };

	if (file == NULL)
		WANT((file = fmemopen(text, sizeof(text), "w+")) != NULL);
	rewind(file);
	o.file = file;
	return o;
}

static void
page_end(struct out *o)
{
	static char text[PAGE];
	long n = ftell(o->file);

	fflush(o->file);
	rewind(o->file);
	WANT(n >= 0 && fread(text, 1, (size_t)n, o->file) == (size_t)n);
	parts_check_page(text, (size_t)n);
}

static void
draw(const json_t *all, uint8_t shape)
{
	struct report r = {
		.run = json_object_get(all, "run"),
		.findings = json_object_get(all, "findings"),
		.kernels = json_object_get(all, "kernels"),
		.diagnostics = json_object_get(all, "diagnostics"),
		.ranges = json_object_get(all, "ranges"),
		.name = "41", .verbose = true,
	};
	struct annotate a = {
		.source = json_object_get(all, "source"),
		.findings = r.findings, .run = "41", .all = true, .sass = true,
		.kernel = json_array_get(r.kernels, 0),
	};
	struct out o = page_begin(shape);

	text_report(&o, &r);
	text_findings(&o, &r, true);
	text_checklist(&o, &r, json_object_get(all, "checklist"));
	text_source(&o, &a);
	page_end(&o);
}

static void
draw_compared(const json_t *base, const json_t *target, uint8_t shape)
{
	struct compare_side side[2] = {
		{ json_object_get(base, "run"), json_object_get(base,
		    "findings"), json_object_get(base, "kernels") },
		{ json_object_get(target, "run"), json_object_get(target,
		    "findings"), json_object_get(target, "kernels") },
	};
	struct out o = page_begin(shape);
	json_t *compare = compare_runs(&side[0], &side[1], false);

	WANT(compare != NULL);
	text_compare_head(&o, compare, "40", "41");
	text_compare(&o, compare);
	text_outcomes(&o, compare, "40", "41");
	page_end(&o);
	json_decref(compare);
}

/* --- formats ----------------------------------------------------------------------- */

static json_t *
read_document(void *arg, enum document_id which)
{
	const json_t *all = arg;

	(void)which;
	return json_incref(json_object_get(all, "diagnostics"));
}

static json_t *
read_source(void *arg, uint32_t kernel)
{
	const json_t *all = arg;

	return kernel % 2 == 1 ? json_incref(json_object_get(all, "source")) :
	    NULL;
}

static json_t *
read_part(void *arg, enum document_id which, uint32_t number)
{

	return which == DOCUMENT_launches ? NULL : read_source(arg, number);
}

/* Text from a program must not close an element of a page. */
static void
check_page(const char *text)
{
	static const char begin[] = "id=\"run\">";
	const char *at = strstr(text, begin), *end;
	json_t *j;

	WANT(at != NULL);
	at += sizeof(begin) - 1;
	WANT((end = strchr(at, '<')) != NULL);
	WANT(strncmp(end, "</script>\n<script>", 18) == 0);
	WANT((j = json_loadb(at, (size_t)(end - at), 0, NULL)) != NULL);
	json_decref(j);
}

static void
write_formats(json_t *all, uint8_t shape)
{
	static const struct {
		int (*write)(FILE *, const struct report *);
		const char *type;
	} formats[] = {
#define WRITTEN(id, name, suffix, type, reads, help) { format_##id, type },
#include "report/format.def"
	};
	const struct reader reader = { .arg = all, .scratch =
	    parts_directory(), .origin_ns = 2, .document = read_document,
	    .source = read_source, .part = read_part,
	    .operations = read_operations };
	const struct report r = {
		.run = json_object_get(all, "run"),
		.findings = json_object_get(all, "findings"),
		.kernels = json_object_get(all, "kernels"),
		.diagnostics = json_object_get(all, "diagnostics"),
		.name = "41", .reader = &reader,
	};
	size_t i, size;
	char *text;
	json_t *j;
	FILE *f;
	int rc;

	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		/* This format includes the whole page, which is slow. */
		if (formats[i].write == format_html && shape % 32 != 3)
			continue;
		text = NULL;
		WANT((f = open_memstream(&text, &size)) != NULL);
		rc = formats[i].write(f, &r);
		fclose(f);
		if (rc == 0 && strcmp(formats[i].type, "application/json") ==
		    0) {
			WANT((j = json_loadb(text, size, 0, NULL)) != NULL);
			json_decref(j);
		}
		if (formats[i].write == format_html)
			check_page(text);
		free(text);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	uint8_t shape = input_u8(&in);
	json_t *changed = json_deep_copy(documents());
	int changes;

	for (changes = 0; in.len > 0 && changes < CHANGES; changes++)
		change(changed, &in);
	if (shape % 4 == 3)
		write_formats(changed, shape);
	else if (shape % 3 == 0)
		draw(changed, shape);
	else if (shape % 3 == 1)
		draw_compared(documents(), changed, shape);
	else
		draw_compared(changed, documents(), shape);
	json_decref(changed);
	return 0;
}
