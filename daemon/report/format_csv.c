/*
 * Findings, kernels and copies as one table, RFC 4180; "kind" says which of
 * them a row is. Cells that begin like a formula are preceded by a quote, since
 * spreadsheets would execute them.
 */
#include <stdlib.h>
#include <string.h>

#include "report/text_util.h"

#include "report/format.h"

static void
cell(FILE *f, const char *s, bool last)
{
	const char *p;

	if (s != NULL && *s != '\0') {
		putc('"', f);
		if (strchr("=+-@\t\r", *s) != NULL)
			putc('\'', f);
		for (p = s; *p != '\0'; p++) {
			if (*p == '"')
				putc('"', f);
			putc(*p, f);
		}
		putc('"', f);
	}
	fputs(last ? "\r\n" : ",", f);
}

static void
number(FILE *f, double v)
{

	if (isfinite(v))
		fprintf(f, "%.9g", v);
	putc(',', f);
}

static void
finding_row(FILE *f, const struct report *r, const json_t *x)
{
	const json_t *saves = json_object_get(x, "saves");
	struct place p = format_place(r->run, x);

	cell(f, "finding", false);
	cell(f, field_text(x, "id"), false);
	cell(f, field_text(x, "where"), false);
	cell(f, p.file, false);
	number(f, p.line > 0 ? (double)p.line : NAN);
	number(f, NAN);
	number(f, NAN);
	number(f, NAN);
	number(f, field_number(saves, "s"));
	number(f, field_number(saves, "low_s"));
	number(f, field_number(saves, "high_s"));
	cell(f, field_text(x, "rule"), false);
	cell(f, field_text(x, "severity"), false);
	cell(f, field_text(x, "title"), false);
	cell(f, field_text(x, "advice"), false);
	cell(f, NULL, true);
}

static void
kernel_row(FILE *f, const json_t *k)
{
	const json_t *time = json_object_get(k, "time");
	char id[32];

	snprintf(id, sizeof(id), "%lld",
	    (long long)json_integer_value(json_object_get(k, "id")));
	cell(f, "kernel", false);
	cell(f, id, false);
	cell(f, field_text(k, "name"), false);
	cell(f, NULL, false);
	number(f, NAN);
	number(f, field_number(k, "launches"));
	number(f, field_number(time, "total_ns") * 1e-9);
	number(f, field_number(time, "mean_ns") * 1e-9);
	number(f, NAN);
	number(f, NAN);
	number(f, NAN);
	cell(f, NULL, false);
	cell(f, NULL, false);
	cell(f, field_text(k, "bound"), false);
	cell(f, NULL, false);
	cell(f, NULL, true);
}

/* Copies of one class: "h2d, pageable to device, about 8.39 MB each". */
static void
copy_row(FILE *f, const json_t *c)
{
	double count = field_number(c, "count");
	double s = field_number(c, "gpu_ns") * 1e-9;
	char where[256], each[NUMBER_SIZE];
	int i;

	number_bytes(each, field_number(c, "size_class_bytes"));
	if (field_true(c, "memset"))
		snprintf(where, sizeof(where), "memset, %s, about %s each",
		    or_unknown(field_text(c, "dst")), each);
	else
		snprintf(where, sizeof(where), "%s, %s to %s, about %s each",
		    or_unknown(field_text(c, "kind")), or_unknown(field_text(c,
		    "src")), or_unknown(field_text(c, "dst")), each);
	cell(f, "copy", false);
	cell(f, NULL, false);
	cell(f, where, false);
	cell(f, NULL, false);
	number(f, NAN);
	number(f, count);
	number(f, s);
	number(f, count > 0 ? s / count : NAN);
	for (i = 0; i < 7; i++)
		cell(f, NULL, false);
	fprintf(f, "%llu\r\n", (unsigned long long)field_count(c, "bytes"));
}

int
format_csv(FILE *f, const struct report *r)
{
	const json_t *x;
	size_t i;

	fputs("kind,id,where,file,line,launches,total_s,mean_s,saves_s,"
	    "saves_low_s,saves_high_s,rule,severity,title,advice,"
	    "bytes\r\n", f);
	json_array_foreach(json_object_get(r->findings, "items"), i, x)
		finding_row(f, r, x);
	json_array_foreach((json_t *)r->kernels, i, x)
		kernel_row(f, x);
	json_array_foreach((json_t *)r->copies, i, x)
		copy_row(f, x);
	return 0;
}
